/**
 * The script engine as the runner sees it: scripts in, events out, only plain data both ways.
 *
 * Rules: an engine never throws for an error of a script; that is an event. Every script runs in its own world: nothing
 * that one script leaves there is visible to the next, except what the runner keeps and the state of modules. A script
 * calls the runner by operation names, with plain data as arguments and results.
 */
export interface ScriptLimits {
  /** The time limit for one script with its tests; waiting for a server does not count. */
  readonly timeoutMs: number
  /** The memory limit for the script's whole world, including its code and the response body. */
  readonly memoryBytes: number
}

export const defaultScriptLimits: ScriptLimits = { timeoutMs: 10_000, memoryBytes: 64 * 1024 * 1024 }

/** Reads modules. Both throw if a file must not be read. */
export interface ModuleReader {
  isFile(path: string): boolean
  readText(path: string): string
}

export interface ScriptSource {
  /** Common blocks, then the script itself. */
  readonly parts: readonly string[]
  /** Absolute path of the file that imports are relative to. */
  readonly path: string
  readonly files: ModuleReader
}

/**
 * Operations that a script can call, by name. Results are plain data. If one throws, the message is the error of the
 * script.
 */
export type Operations<Scene> = Readonly<Record<string, (scene: Scene, ...args: never[]) => unknown>>

export interface ScriptJob {
  /** Scripts run one after another; the tests of all of them run after the last. */
  readonly scripts: readonly ScriptSource[]
  readonly phase: 'pre-request' | 'handler'
  /** Answers the calls of a script. Results are plain data. If it throws, the message is the error of the script. */
  readonly ask: (operation: string, args: readonly unknown[]) => unknown
  /** The same for slow operations; `ending` is aborted when the script is over. */
  readonly askLater: (operation: string, args: readonly unknown[], ending: AbortSignal) => Promise<unknown>
  /** The slow operations for which waiting does not count as the script's time. */
  readonly untimedOperations: ReadonlySet<string>
  readonly limits: ScriptLimits
  /** Whether scripts see the clock of the run instead of the platform's. */
  readonly hasOwnClock: boolean
  readonly signal: AbortSignal | undefined
  /** Called immediately for each event. The script pauses at the next opportunity until the promise settles. */
  readonly onEvent: (event: ScriptEvent) => void | Promise<void>
}

/** `slow`: it may take a few milliseconds. `writes`: its changes can be undone. */
export type TrialEffect = 'none' | 'slow' | 'writes'

/** Which operations a script may use while it may still be run again from its start. */
export interface ScriptTrial {
  /** The effect of an operation; undefined: it must not be called twice. */
  readonly effectOf: (operation: string, args: readonly unknown[]) => TrialEffect | undefined
  /** @returns a function that undoes all changes of operations that `writes` */
  readonly snapshot: () => () => void
}

/** A place in one of the parts of a script, or in a module. Lines and columns count from 1, columns in code points. */
export interface ScriptPlace {
  /** Absolute path of a module; undefined for the script. */
  readonly module: string | undefined
  /** The index of the part of the script. */
  readonly part: number
  readonly line: number
  readonly column: number
}

export interface ScriptFailure {
  /** `error`: the script threw. `assertion`: client.assert. The others: the script was stopped at that limit. */
  readonly kind: 'error' | 'assertion' | 'timeout' | 'memory' | 'output'
  readonly message: string
  /** Undefined if the engine does not know. */
  readonly place: ScriptPlace | undefined
  /** Set for an asserted comparison. */
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/** The events of a script, in order. `script` is its index in the job. */
export type ScriptEvent =
  | { readonly type: 'log'; readonly script: number; readonly text: string }
  | {
      readonly type: 'test'
      readonly script: number
      readonly name: string
      readonly failure: ScriptFailure | undefined
    }
  /** The script did not finish, or an assertion outside its tests failed. */
  | { readonly type: 'failed'; readonly script: number; readonly failure: ScriptFailure }

/** `aborted`: ended by the signal. */
export type ScriptOutcome = 'done' | 'failed' | 'aborted'

export interface ScriptEngine {
  run(job: ScriptJob): Promise<ScriptOutcome>
  /** The errors of a script and its imports, as far as they can be found without running it. */
  check(source: ScriptSource, limits: ScriptLimits): Promise<readonly ScriptFailure[]>
  /** Whether scripts of this run have imported modules, whose state is kept for the next script. */
  readonly hasModules: boolean
  /** Call this before scripts of another run, which must not see the modules of this one. */
  endRun(): void
  /** Releases the resources of the engine. */
  close(): void
}

/** The services that an engine needs from its thread: the code of its world, and the watchdog. */
export interface EngineSurroundings {
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** The maximum number of loop iterations of a script with its tests, see metered-program.ts; undefined: no limit. */
  readonly maxRounds: bigint | undefined
  /** The code of a library. @throws Error if no library has that name */
  readonly library: (name: string) => string
  readonly testRegistered: (script: number, name: string) => void
  /** The script may now run without interruption for at most `allowedMs`. */
  readonly sliceStarted: (script: number, isTesting: boolean, allowedMs: number) => void
  readonly sliceEnded: () => void
  /** The script is waiting for a timer or an answer. */
  readonly waitStarted: () => void
  /** The machine and its state can no longer be used. */
  readonly machineEnded: () => void
}

/** The message for a script that reached a limit. */
export function limitText(kind: 'timeout' | 'memory', { timeoutMs, memoryBytes }: ScriptLimits): string {
  return kind === 'timeout'
    ? `stopped after ${timeoutMs / 1000} s, the time limit of a script`
    : `stopped at ${Math.round(memoryBytes / 1024 / 1024)} MiB, the memory limit of a script`
}

/** For a test that could not run because an earlier one was stopped. */
export const TEST_NOT_RUN = 'not run: the script was stopped in a test before it'

/** For the tests of a script whose state was destroyed when another script was stopped. */
export const SCRIPT_TESTS_NOT_RUN = 'not run: another script of the request was stopped'

export function plainFailure(kind: ScriptFailure['kind'], message: string): ScriptFailure {
  return { kind, message, place: undefined, expected: undefined, actual: undefined }
}
