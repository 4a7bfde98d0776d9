/**
 * Options of a run.
 *
 * Rules: all are optional except the environment and the listener. Clock, randomness and the environment of the process
 * are accessed only through these options.
 */
import type { JsonValue } from '../../http-file/index.ts'
import type { SecretSink } from '../../secrets/index.ts'
import type { WireOptions } from '../../wire/index.ts'
import type { AskUser } from '../auth/token-context.ts'
import type { RunListener } from '../base/events.ts'
import type { RunCookies } from '../cookies/cookie-jar.ts'
import type { RetryPolicy } from '../exchange/attempt.ts'
import type { FileUse } from '../files/confined-files.ts'
import type { RequestChoice } from '../plan/request-filter.ts'
import type { AskValue } from '../request/prompts.ts'
import type { ScriptLimits } from '../scripting/engine/script-engine.ts'
import type { ValueSources } from '../variables/dynamic/value-sources.ts'
import type { RunSession } from '../variables/run-session.ts'
import type { Environment } from './environment-files.ts'
import type { RunResources } from './run-resources.ts'

export interface RunOptions {
  readonly environment: Environment
  readonly listener: RunListener
  /** Options for every exchange; tags of a request override its timeouts. The signal ends the run. */
  readonly wire?: WireOptions
  readonly scriptLimits?: ScriptLimits
  /** Whether requests are only built and reported. Default false. */
  readonly isDryRun?: boolean
  /** Whether scripts may start other programs. Default false. */
  readonly allowsPrograms?: boolean
  /** Clock and random bytes. Default: those of the platform. */
  readonly sources?: ValueSources
  /** `-V name=value`, and the row of a data file: they override everything. */
  readonly variables?: ReadonlyMap<string, JsonValue>
  /** The directory that contains all files that the request file may use. Absolute. Default: see file-root.ts. */
  readonly fileRoot?: string
  /** The working directory: the default file root if the request file is below it. Absolute. */
  readonly workingDirectory?: string
  /** Called with each file that the request file names, allowed or not. */
  readonly onFileUse?: (use: FileUse, path: string) => void
  /** Environment variables of the process, for `{{$env.NAME}}`. */
  readonly processEnvironment?: Readonly<Record<string, string | undefined>>
  /** Whether an unknown variable is an empty text rather than an error. */
  readonly isLenient?: boolean
  /** The cookie jar, saved by the caller. Default: cookies that end with the run. */
  readonly cookies?: RunCookies
  /** The default value of User-Agent. Default `httpcli`. */
  readonly userAgent?: string
  /** Creates the `traceparent` of each request that has none. Default: no `traceparent` is added. */
  readonly traceparent?: () => string
  /** Whether the first failure ends the run. */
  readonly isFailFast?: boolean
  /** Whether every request is skipped and reported as such, because an earlier run has failed. */
  readonly isSkipped?: boolean
  /** Retries of a failed request. Default: none; `# @retry` overrides it. */
  readonly retry?: RetryPolicy
  /** The delay before each request, in milliseconds. Default 0. */
  readonly delayMs?: number
  /** Whether the delay also applies to the first request, after other runs. Default false. */
  readonly delaysFirst?: boolean
  /** Whether a status of 400 or more is a failure. */
  readonly shouldFailOnStatus?: boolean
  /** Whether responses are saved to the files that `<>` names. */
  readonly shouldSaveResponses?: boolean
  /** The maximum size of the sample of each response body, decoded, for listeners. Default 0: none. */
  readonly sampleBytes?: number
  /** The requests to send. Default: all. */
  readonly choice?: RequestChoice
  /** The state that earlier runs left; this run adds to it. Default: empty, and discarded after the run. */
  readonly session?: RunSession
  /** Resources shared with other runs. Default: none. */
  readonly resources?: RunResources
  /** Receives values that must not be shown. Default: nothing is secret. */
  readonly secrets?: SecretSink
  /** Shows the user where to sign in. Without it, tokens that need the user cannot be fetched. */
  readonly askUser?: AskUser
  /** Asks the user for a value. Without it, `# @prompt` is an error unless a variable of the run answers it. */
  readonly askValue?: AskValue
}
