/**
 * The script engine as the runner sees it: scripts in, events out, only plain data both ways.
 *
 * Rules: an engine never throws for what a script does; that is an event. Every script runs in its own world: what
 * one leaves there the next does not see, except what the runner keeps and the state of modules. A script asks the
 * runner by names of operations, with plain data as arguments and results.
 */
export interface ScriptLimits {
  /** Wall-clock time of one script with its tests; waiting for a server does not count. */
  readonly timeoutMs: number
  /** Of the script's whole world, its code and the response body included. */
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
 * Questions that a script can ask, by name. Results are plain data. A throw is an error of the script, with its
 * message.
 */
export type Operations<Scene> = Readonly<Record<string, (scene: Scene, ...given: never[]) => unknown>>

export interface ScriptJob {
  /** Run one after the other; the tests of all of them run after the last. */
  readonly scripts: readonly ScriptSource[]
  readonly phase: 'pre-request' | 'handler'
  /** Answers the calls of a script. Results are plain data. A throw is an error of the script, with its message. */
  readonly ask: (operation: string, given: readonly unknown[]) => unknown
  /** The same for slow operations; `ending` is aborted when the script is over. */
  readonly askLater: (operation: string, given: readonly unknown[], ending: AbortSignal) => Promise<unknown>
  /** Of what takes a while, that whose waiting does not count as the script's time. */
  readonly untimedOperations: ReadonlySet<string>
  readonly limits: ScriptLimits
  /** Whether scripts see the clock that they ask for, in place of the platform's. */
  readonly hasOwnClock: boolean
  readonly signal: AbortSignal | undefined
  /** Called as soon as something happens. The script pauses at its next chance until the promise settles. */
  readonly onEvent: (event: ScriptEvent) => void | Promise<void>
}

/** `slow`: it may take some milliseconds. `writes`: what it changes can be put back. */
export type TrialEffect = 'none' | 'slow' | 'writes'

/** The operations that a script may use while it may still be run again from its start. */
export interface ScriptTrial {
  /** The effect of an operation; undefined: it must not be called twice. */
  readonly effectOf: (operation: string, given: readonly unknown[]) => TrialEffect | undefined
  /** @returns what puts everything back that an operation which `writes` may change */
  readonly snapshot: () => () => void
}

/** A place in one of the parts of a script, or in a module. Lines and columns count from 1, columns in code points. */
export interface ScriptPlace {
  /** Absolute path of a module; undefined for the script. */
  readonly module: string | undefined
  /** Which part of the script. */
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
  /** Of a comparison that was asserted. */
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/** The actions of a script, in order. `script` is its index in the job. */
export type ScriptEvent =
  | { readonly type: 'log'; readonly script: number; readonly text: string }
  | {
      readonly type: 'test'
      readonly script: number
      readonly name: string
      readonly failure: ScriptFailure | undefined
    }
  /** The script did not come to its end, or an assertion outside of its tests failed. */
  | { readonly type: 'failed'; readonly script: number; readonly failure: ScriptFailure }

/** `aborted`: ended by the signal. */
export type ScriptOutcome = 'done' | 'failed' | 'aborted'

export interface ScriptEngine {
  run(job: ScriptJob): Promise<ScriptOutcome>
  /** The errors of a script and its imports, as far as they can be found without running it. */
  check(source: ScriptSource, limits: ScriptLimits): Promise<readonly ScriptFailure[]>
  /** Whether scripts of this run have imported modules, whose state is kept for the next script. */
  readonly hasModules: boolean
  /** The next script belongs to another run, which sees nothing of the modules of this one. */
  endRun(): void
  /** Releases the resources of the engine. */
  close(): void
}

/** The services that an engine needs from its thread: the code of its world, and the watchdog. */
export interface EngineSurroundings {
  /** The world of scripts, as the text of an expression. */
  readonly core: string
  /** How many rounds of loops a script with its tests may make, see metered-program.ts; undefined: without a bound. */
  readonly maxRounds: bigint | undefined
  /** The code of a library. @throws Error if no library has that name */
  readonly library: (name: string) => string
  readonly testRegistered: (script: number, name: string) => void
  /** From now on nothing else runs on this thread, for at most `allowedMs`. */
  readonly sliceStarted: (script: number, isTesting: boolean, allowedMs: number) => void
  readonly sliceEnded: () => void
  /** The script waits for a timer or an answer. */
  readonly waitStarted: () => void
  /** The machine and its state cannot be used again. */
  readonly machineEnded: () => void
}

/** The message for a script that met a limit. */
export function limitText(kind: 'timeout' | 'memory', { timeoutMs, memoryBytes }: ScriptLimits): string {
  return kind === 'timeout'
    ? `stopped after ${timeoutMs / 1000} s, the time limit of a script`
    : `stopped at ${Math.round(memoryBytes / 1024 / 1024)} MiB, the memory limit of a script`
}

/** Of a test that could not run because an earlier one was stopped. */
export const TEST_NOT_RUN = 'not run: the script was stopped in a test before it'

/** The same where another script was stopped, in a way that left nothing of this one. */
export const SCRIPT_TESTS_NOT_RUN = 'not run: another script of the request was stopped'

export function plainFailure(kind: ScriptFailure['kind'], message: string): ScriptFailure {
  return { kind, message, place: undefined, expected: undefined, actual: undefined }
}
