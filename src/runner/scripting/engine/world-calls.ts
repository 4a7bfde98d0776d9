/**
 * The interface between the world inside the engine and its host: see src/runner/scripting/guest for the world itself.
 *
 * Rules: only types. Functions of the world take and return numbers and texts, except for those that only scripts call.
 */

export type Namespace = Readonly<Record<string, unknown>>

/** One import declaration: how to get the module, its name, its place, local to exported names (`*`: all). */
export type ImportedModule = readonly [
  load: () => Promise<Namespace>,
  specifier: string,
  line: number,
  column: number,
  names: Readonly<Record<string, string>>,
]

/** An error as the host receives it. It has no prototype, so that inherited members cannot get into its JSON. */
export interface ErrorDescription {
  assertion: boolean
  message: string
  stack: string
  expected?: string
  actual?: string
  /** The statement that the error is about, if there is no stack. */
  line?: number
  column?: number
}

export interface WorldCalls {
  /** Makes the script see the time of the run. */
  readonly useClock: () => void
  /** For a script before the request. */
  readonly hideResponse: () => void
  /** Called after a script if the world is kept for its modules. */
  readonly end: () => void
  readonly compare: (operator: string, left: unknown, right: unknown) => boolean
  readonly bindImports: (modules: readonly ImportedModule[]) => Promise<object>
  readonly describe: (error: unknown) => string
  readonly load: (libraryName: string) => void
  readonly startTest: (index: number) => void
  readonly endTest: (index: number) => void
  readonly finishTest: (index: number) => void
  readonly nextTimerMs: () => number
  readonly fireTimer: () => void
  readonly forgetTimers: () => void
  readonly deliver: (id: number, json: string, error: string) => void
}
