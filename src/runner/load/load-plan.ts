/**
 * A request file as data: the exported script contains it, and the runtime reads it.
 *
 * Rules: texts are templates, as they are written in the request file; what a request does not have is left out. The
 * writer is src/convert/k6-writer.
 */
import type { JsonValue } from '../../http-file/index.ts'

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
  readonly sections: readonly LoadSection[]
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
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: readonly LoadBodyPart[]
  /** Of a WEBSOCKET request. */
  readonly messages?: readonly LoadMessage[]
  readonly before?: readonly LoadScript[]
  /** As in the request file, without `# @capture`. */
  readonly captures?: readonly string[]
  /** The same without `# @assert`; one of httpYac begins with `??`. */
  readonly asserts?: readonly string[]
  readonly after?: readonly LoadScript[]
}

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
