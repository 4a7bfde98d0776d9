/**
 * A request file as data: the exported script contains it, and the runtime reads it.
 *
 * Rules: texts are templates, as written in the request file; absent members are omitted. The writer is
 * src/convert/k6-writer.
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
  /** Names of values that the user sets with -e: the test does not start without them. */
  readonly secrets: readonly string[]
  /** The block `Security` of the environment. */
  readonly security?: JsonValue
  /** Contents by the paths that the request file names. */
  readonly files?: Readonly<Record<string, ArrayBuffer>>
  /** Each iteration of the test takes the next row. */
  readonly rows?: readonly Readonly<Record<string, JsonValue>>[]
  /** Whether a status of 400 or more makes an attempt fail. */
  readonly failsOnStatus?: boolean
  /** Creates the sections anew on each call. */
  readonly sections: () => Iterable<LoadSection>
}

export interface LoadSection {
  /** The line of the request line, or of the start of the section. */
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
  /** Messages of a WEBSOCKET request. */
  readonly messages?: readonly LoadMessage[]
  readonly before?: readonly LoadScript[]
  /** As in the request file, without `# @capture`. */
  readonly captures?: readonly string[]
  /** The same without `# @assert`; an assertion of httpYac begins with `??`. */
  readonly asserts?: readonly string[]
  readonly after?: readonly LoadScript[]
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
