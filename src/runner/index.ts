/**
 * Request files executed: environments, variables, exchanges, scripts, and the events of a run.
 *
 * `loadHttpFile` and `loadEnvironment` read; `runHttpFile` runs and tells its listener what happens. Nothing here
 * prints or knows of exit codes.
 */
export type { AskUser, SignIn } from './auth-tokens.ts'
export { RunCookies } from './cookie-jar.ts'
export type { ValueSources } from './dynamic-variables.ts'
export {
  type Environment,
  type EnvironmentOptions,
  loadEnvironment,
  type SettingSource,
} from './environment-files.ts'
export { InvalidFileError, type SourceText, UnknownEnvironmentError } from './errors.ts'
export type {
  RequestIdentity,
  RunAnswer,
  RunBody,
  RunEvent,
  RunListener,
  RunResponse,
  RunSummary,
  SentRequest,
} from './events.ts'
export { type LoadedHttpFile, loadHttpFile } from './loaded-file.ts'
export { type RunOptions, runHttpFile } from './run.ts'
export { defaultScriptLimits, type ScriptLimits } from './script/script-engine.ts'
