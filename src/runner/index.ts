/**
 * Request files executed: environments, variables, exchanges, scripts, and the events of a run.
 *
 * `loadHttpFile` and `loadEnvironment` read; `runHttpFile` runs and tells its listener what happens. Nothing here
 * prints or knows of exit codes.
 */
export type { ValueSources } from './dynamic-variables.ts'
export { type Environment, loadEnvironment } from './environment-files.ts'
export { InvalidFileError, type SourceText, UnknownEnvironmentError } from './errors.ts'
export type {
  RequestIdentity,
  RunAnswer,
  RunBody,
  RunEvent,
  RunListener,
  RunResponse,
  RunSummary,
} from './events.ts'
export { type LoadedHttpFile, loadHttpFile } from './loaded-file.ts'
export { type RunOptions, runHttpFile } from './run.ts'
export {
  defaultScriptLimits,
  type ScriptEngine,
  type ScriptEvent,
  type ScriptFailure,
  type ScriptJob,
  type ScriptLimits,
  type ScriptOutcome,
  type ScriptResponse,
} from './script-engine.ts'
