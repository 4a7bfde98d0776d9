/**
 * Options of a run.
 *
 * Rules: everything but the environment and the listener may be left out. Clock, randomness and the environment of the
 * process come in here and from nowhere else.
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
import type { Environment } from './environment-files.ts'
import type { RunResources } from './run-resources.ts'

export interface RunOptions {
  readonly environment: Environment
  readonly listener: RunListener
  /** For every exchange; tags of a request override its time-outs. Its signal ends the run. */
  readonly wire?: WireOptions
  readonly scriptLimits?: ScriptLimits
  /** Whether requests are built and reported, and nothing is sent or written. Default false. */
  readonly isDryRun?: boolean
  /** Whether scripts may start other programs. Default false. */
  readonly allowsPrograms?: boolean
  /** Clock and random octets. Default: those of the platform. */
  readonly sources?: ValueSources
  /** `-V name=value`, and the row of a data file: they win over everything. */
  readonly variables?: ReadonlyMap<string, JsonValue>
  /** Directory whose files the request file may reach. Absolute. Default: see file-root.ts. */
  readonly fileRoot?: string
  /** Where the process works: the default file root where the request file lies below it. Absolute. */
  readonly workingDirectory?: string
  /** Called with each file that the request file names, allowed or not. */
  readonly onFileUse?: (use: FileUse, path: string) => void
  /** Environment variables of the process, for `{{$env.NAME}}`. */
  readonly processEnvironment?: Readonly<Record<string, string | undefined>>
  /** An unknown variable is an empty text, no error. */
  readonly isLenient?: boolean
  /** Whoever gives them saves them. Default: cookies that end with the run. */
  readonly cookies?: RunCookies
  /** The value of User-Agent where a request has none. Default `httpcli`. */
  readonly userAgent?: string
  /** Makes the `traceparent` of each request that has none. Default: requests have none. */
  readonly traceparent?: () => string
  /** Whether the first failure ends the run. */
  readonly bails?: boolean
  /** Whether nothing is sent and every request is reported as skipped, because a run before this one has failed. */
  readonly isSkipped?: boolean
  /** How often a request that failed is tried again. Default: never; `# @retry` wins. */
  readonly retry?: RetryPolicy
  /** How long is waited before each request, in milliseconds. Default 0. */
  readonly delayMs?: number
  /** Whether that holds for the first one, too: other runs came before. Default false. */
  readonly delaysFirst?: boolean
  /** Whether a status of 400 or more is a failure. */
  readonly failsOnStatus?: boolean
  /** Whether responses are written to the files that `<>` names. */
  readonly savesResponses?: boolean
  /** How many bytes of each response body, decoded, listeners get as a sample. Default 0: none. */
  readonly sampleBytes?: number
  /** Which requests are sent. Default: all. */
  readonly choice?: RequestChoice
  /** What this run shares with others. Default: nothing. */
  readonly resources?: RunResources
  /** Milliseconds of a clock that only goes forward, for how long things take. Default: that of the platform. */
  readonly elapsedMs?: () => number
  /** Gets values that must not be shown. Default: nothing is secret. */
  readonly secrets?: SecretSink
  /** Shows a person where to sign in. Without it, no token can be had that needs a person. */
  readonly askUser?: AskUser
  /** Asks a person for a value. Without it, `# @prompt` is an error where no variable of the run answers it. */
  readonly askValue?: AskValue
}
