/**
 * The parts of the runtime that a light load test seldom needs. Each part is evaluated on first use, because evaluating
 * it costs memory and time in every virtual user.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import type { LazyTokens } from '../../auth/auth-tokens.ts'
import type { K6Modules, K6Response } from '../k6.ts'
import type { LoadServices } from '../load-services.ts'
import type { LightBodies } from './light-bodies.ts'
import type { Check } from './light-checks.ts'
import type { LightDynamic } from './light-dynamic.ts'
import type { LightExtras } from './light-extras.ts'
import type { LightCaptures, LightChecks, LightRequest } from './light-request.ts'
import type { LightAnswer } from './light-response.ts'
import type { LightScopes } from './light-scopes.ts'
import type { LightValues } from './light-values.ts'
import type { LightScripts } from './scripts/light-scripts.ts'
import type { LightView } from './scripts/light-view.ts'

export interface LightParts {
  /** Values that are not plain. */
  readonly values: LightValues
  /** Checks of any kind, bodies that are framed or escaped, credentials, unusual URLs. */
  readonly extras: LightExtras
  /** Bodies that depend on values. */
  readonly bodies: LightBodies
  /** Dynamic values, and arrays. */
  readonly dynamic: LightDynamic
  /** Tokens by OAuth 2. */
  readonly tokens: LazyTokens
  readonly scripts: LightScripts
  /** The request as scripts see it. */
  readonly view: LightView
  /** Everything that `run` does. */
  readonly whole: LoadServices
}

/** The function that holds the parts, and the captures and assertions as parsed by the exporter, by their text. */
export interface PartMaker {
  <Name extends keyof LightParts>(name: Name): { readonly create: (context: LightContext) => LightParts[Name] }
  (name: 'checks'): Readonly<Record<string, Check>>
}

/** A request in the form that k6 took. */
export interface SentRequest {
  readonly request: LightRequest
  /** The target with its variables replaced; an empty text if it has none. */
  readonly target: string
  /** From 0. */
  readonly round: number
}

/** The steps of a request, for requests with scripts. */
export interface LightSteps {
  /** Begins a request. */
  readonly start: (line: number, name: string) => void
  /** @throws Error without a response */
  readonly exchange: (round: number, build: () => LightRequest) => K6Response
  readonly answerOf: (response: K6Response) => LightAnswer
  /** The last request. */
  readonly sent: () => SentRequest
  readonly check: (response: K6Response, checks?: LightChecks, captures?: LightCaptures) => void
  /** Counts an error of the request. */
  readonly fail: (error: unknown) => void
  /** The beginning of a message about a failed check. */
  readonly place: () => string
}

/** What the parts know of the virtual user. */
export interface LightContext {
  readonly k6: K6Modules
  readonly scopes: LightScopes
  /** The block `Security` of the environment. */
  readonly security: JsonValue | undefined
  /** Evaluates a part once. */
  readonly part: <Name extends keyof LightParts>(name: Name) => LightParts[Name]
  /** The text of a variable. @throws Error */
  readonly v: (name: string) => string
  /** Whether a request is being built. */
  isBuilding: boolean
  /** Whether all values in the request so far are plain. */
  isPlain: boolean
  /** The part, once it is evaluated. */
  values: LightValues | undefined
  steps: LightSteps | undefined
}
