/**
 * A request file as data: the exported script contains it, and the runtime reads it.
 *
 * Rules: texts are templates, as they are written in the request file; what a request does not have is left out. The
 * writer is src/convert/k6-writer.
 */
import type { Assertion, Capture, JsonValue } from '../../http-file/index.ts'

import type { LightResponse } from './light/light-response.ts'

/** The code of a script of the request file. */
export type LoadScript = () => unknown

export interface LoadPlan {
  /** The request file, as shown in messages. */
  readonly file: string
  readonly userAgent: string
  /** Values of the environment and of -V; undefined ones are not set. */
  readonly environment: Readonly<Record<string, JsonValue | undefined>>
  /** Names of values that the caller sets with -e: the test does not start without them. */
  readonly secrets: readonly string[]
  /** The block `Security` of the environment. */
  readonly security?: JsonValue
  /** Contents by the paths that the request file names. */
  readonly files?: Readonly<Record<string, ArrayBuffer>>
  /** One for each iteration of the test, in turn. */
  readonly rows?: readonly Readonly<Record<string, JsonValue>>[]
  /** Whether a status of 400 or more makes an attempt fail. */
  readonly failsOnStatus?: boolean
  /** Made anew by each call. */
  readonly sections: () => Iterable<LoadSection>
  /** Of a light load test: its captures and assertions by their texts, as the exporter has read them. */
  readonly checks?: () => Readonly<Record<string, Assertion | Capture>>
  /** Of a light load test: `true` if an assertion surely passes, the value of a capture that surely has one. */
  readonly surely?: Readonly<Record<string, (response: LightResponse) => unknown>>
}

export interface LoadSection {
  /** Of the request line, or where the section begins. */
  readonly line: number
  readonly name?: string
  /** `@name = value` */
  readonly variables?: Readonly<Record<string, string>>
  /** `run #name (@a = b)` */
  readonly calls?: readonly LoadCall[]
  /** `no-redirect`, `timeout 5 s` */
  readonly tags?: readonly string[]
  /** Undefined if the section has no request. */
  readonly url?: string
  readonly method?: string
  readonly version?: 'HTTP/2'
  readonly headers?: readonly LoadHeader[]
  readonly body?: readonly LoadBodyPart[]
  /** Of a WEBSOCKET request. */
  readonly messages?: readonly LoadMessage[]
  readonly before?: readonly LoadScript[]
  /** As in the request file, without `# @capture`. */
  readonly captures?: readonly string[]
  /** The same without `# @assert`; one of httpYac begins with `??`. */
  readonly asserts?: readonly string[]
  readonly after?: readonly LoadScript[]
  /** Of a light load test: how values become part of the body; text if undefined. */
  readonly form?: 'json' | 'urlencoded'
  /** Of a light load test: whether its checks read the body of the response. */
  readonly needsBody?: boolean
  /** Of a light load test. */
  readonly timeoutMs?: number
}

export type LoadHeader = readonly [name: string, value: string]

export interface LoadCall {
  readonly request: string
  readonly line: number
  readonly variables?: Readonly<Record<string, string>>
}

export type LoadBodyPart =
  | string
  | { readonly file: string; readonly replacesVariables?: boolean; readonly charset?: string }

export interface LoadMessage {
  readonly waitsForServer?: number
  readonly body?: readonly LoadBodyPart[]
}
