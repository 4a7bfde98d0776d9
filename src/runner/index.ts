/**
 * Executes request files: environments, variables, exchanges, scripts, and the events of a run.
 *
 * `loadHttpFile` and `loadEnvironment` read; `runHttpFile` runs and reports events to its listener. This room prints
 * nothing and knows no exit codes. Modules that only some runs need are loaded on demand: `loadRequestFilter`,
 * `loadDataRows`, `loadRunOutline`, `loadRequestBonds`, `loadServiceStubs`, `loadFakeNames`.
 */

export type { SecretSink } from '../secrets/index.ts'
export { checkAssertionPaths } from './assertions/request-assertions.ts'
export type { AskUser, SignIn } from './auth/token-context.ts'
export { durationHint, parseDurationMs } from './base/duration.ts'
export type { FileDiagnosticCode, RunErrorCode } from './base/error-codes.ts'
export { InvalidFileError, type SourceText, UnknownEnvironmentError } from './base/errors.ts'
export type {
  BodySample,
  CheckedTest,
  RequestIdentity,
  RequestOutcome,
  RunAnswer,
  RunBody,
  RunEvent,
  RunListener,
  RunResponse,
  RunResponseHead,
  RunSummary,
  SentRequest,
  SkipReason,
} from './base/events.ts'
export { optionHints } from './base/option-hints.ts'
export {
  type Environment,
  type EnvironmentOptions,
  environmentNames,
  loadEnvironment,
  type SettingSource,
} from './context/environment-files.ts'
export type { RunOptions } from './context/run-options.ts'
export { RunResources } from './context/run-resources.ts'
export { RunCookies, type SentPairs, type WarnOfCookie } from './cookies/cookie-jar.ts'
export { type ResponseCookie, responseCookies } from './cookies/response-cookies.ts'
export { checkRun, type RunFindings } from './dry-run/check-run.ts'
export type { Finding } from './dry-run/finding-list.ts'
export type { RequestBond } from './dry-run/request-bonds.ts'
export type { RunOutline } from './dry-run/run-outline.ts'
export type { RetryPolicy } from './exchange/attempt.ts'
export { RunCounts } from './exchange/run-counts.ts'
export { ConfinedFiles } from './files/confined-files.ts'
export { findFileRoot } from './files/file-root.ts'
export { isInside } from './files/path-rules.ts'
export type { DataRow } from './plan/data-rows.ts'
export {
  type LoadedHttpFile,
  loadAnyHttpFile,
  loadHttpFile,
  openHttpFile,
  readAnyHttpFile,
  readHttpFile,
} from './plan/request-file.ts'
export type { Candidate, RequestChoice } from './plan/request-filter.ts'
export { firstLineOf, labelOf, namesOf, type RequestLabel, tagsOf } from './plan/request-labels.ts'
export { decodeLeniently } from './request/charset.ts'
export { isJson, parseMediaType } from './request/media-type.ts'
export type { Prompt } from './request/prompts.ts'
export { runHttpFile } from './run.ts'
export { defaultScriptLimits, type ScriptLimits } from './scripting/engine/script-engine.ts'
export { mayNeedEngine } from './scripting/request-scripts.ts'
export { namesSetIn, variableCalls } from './scripting/source/script-names.ts'
export type { OnEngineLoad } from './scripting/thread/engine-thread.ts'
export { traceParents } from './variables/dynamic/trace-parent.ts'
export {
  platformSources,
  type Reproduction,
  seededSources,
  type ValueSources,
} from './variables/dynamic/value-sources.ts'
export { parseReference } from './variables/request-references.ts'
export { RunSession } from './variables/run-session.ts'
export { parseVariablePath } from './variables/variable-path.ts'

/** Finds requests by name, line and tag. */
export function loadRequestFilter(): Promise<typeof import('./plan/request-filter.ts')> {
  return import('./plan/request-filter.ts')
}

/** Reads the rows of data files. */
export function loadDataRows(): Promise<typeof import('./plan/data-rows.ts')> {
  return import('./plan/data-rows.ts')
}

/** Lists the requests that a run would send. */
export function loadRunOutline(): Promise<typeof import('./dry-run/run-outline.ts')> {
  return import('./dry-run/run-outline.ts')
}

/** Determines whether the requests of a file depend on each other. */
export function loadRequestBonds(): Promise<typeof import('./dry-run/request-bonds.ts')> {
  return import('./dry-run/request-bonds.ts')
}

/** Lists the services of gRPC servers. */
export function loadServiceStubs(): Promise<typeof import('./grpc/service-stubs.ts')> {
  return import('./grpc/service-stubs.ts')
}

/**
 * The names of fake values, such as `name.firstName` in `$random.name.firstName`, and how many arguments each takes.
 */
export async function loadFakeNames(): Promise<readonly (readonly [name: string, argumentCount: number])[]> {
  const { fakes } = await import('./variables/dynamic/fake-table.ts')
  return Object.entries(fakes).map(([name, fake]) => [name, fake.arguments])
}
