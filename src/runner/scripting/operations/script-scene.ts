/**
 * The scene of a script: the request that it belongs to, the variables that it sees, the response.
 *
 * Rules: only plain values, and functions that return them; scripts can reach them only through the operations of
 * script-operations.ts.
 */
import type { JsonValue, ScriptNode } from '../../../http-file/index.ts'
import type { SourceText } from '../../base/errors.ts'
import type { RequestIdentity } from '../../base/events.ts'
import type { ResponseCookie } from '../../cookies/response-cookies.ts'
import type { RequestView } from '../../request/request-view.ts'
import type { ScriptVariables } from '../../variables/variable-scopes.ts'

/**
 * How the scripts of a request ended. `failed`: one threw, reached a limit or cannot be read, or one of their tests
 * failed; events report it. `aborted`: the run was interrupted.
 */
export type ScriptVerdict = 'done' | 'failed' | 'aborted'

export interface ScriptScene {
  readonly identity: RequestIdentity
  /** The request file that contains the scripts. */
  readonly source: SourceText
  /** Its absolute path: paths of scripts and of their imports are relative to its directory. */
  readonly path: string
  /** Code blocks whose names every script of the file can use. */
  readonly common: readonly ScriptNode[]
  readonly variables: ScriptVariables
  readonly request: RequestView
}

export interface ScriptResponse {
  readonly status: number
  /** Values are binary strings: one character for each byte. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The decoded content; undefined if it was too large to keep. Read only when a script asks for it. */
  body(): Uint8Array | undefined
  readonly cookies: readonly ResponseCookie[]
  /** Set if the content is passed on while it arrives. */
  readonly stream?: ScriptStream
}

export interface HandlerScene extends ScriptScene {
  readonly response: ScriptResponse
}

/** Lines of a response, or messages of a connection, one after another. */
export interface ScriptStream {
  readonly kind: 'lines' | 'messages'
  /** The next item; undefined at the end. Resolves with undefined after `close`. */
  next(): Promise<JsonValue | undefined>
  /** Sends a message, if the connection accepts any. */
  readonly send?: (message: string) => void
  /** Call this when no more items are needed. */
  close(): void
}
