/**
 * The scene of a script: the request that it belongs to, the variables that it sees, the response.
 *
 * Rules: plain values only, and calls that give them; nothing of this gets into the script's world but by the
 * operations of script-operations.ts.
 */
import type { JsonValue, ScriptNode } from '../../../http-file/index.ts'
import type { SourceText } from '../../base/errors.ts'
import type { RequestIdentity } from '../../base/events.ts'
import type { ResponseCookie } from '../../cookies/response-cookies.ts'
import type { RequestView } from '../../request/request-view.ts'
import type { ScriptVariables } from '../../variables/variable-scopes.ts'

/**
 * How the scripts of a request ended. `failed`: one threw, met a limit or cannot be read, or one of their tests failed;
 * events report it. `aborted`: the run was interrupted.
 */
export type ScriptVerdict = 'done' | 'failed' | 'aborted'

export interface ScriptScene {
  readonly identity: RequestIdentity
  /** The request file that holds the scripts. */
  readonly source: SourceText
  /** Its absolute path: paths of scripts and of what they import begin at its directory. */
  readonly path: string
  /** Blocks whose names every script of the file sees. */
  readonly common: readonly ScriptNode[]
  readonly variables: ScriptVariables
  readonly request: RequestView
}

export interface ScriptResponse {
  readonly status: number
  /** Values as bytes, one for each character. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The decoded content; undefined if it was too large to keep. Read only when a script asks. */
  body(): Uint8Array | undefined
  readonly cookies: readonly ResponseCookie[]
  /** Set where the content is handed on while it comes. */
  readonly stream?: ScriptStream
}

export interface HandlerScene extends ScriptScene {
  readonly response: ScriptResponse
}

/** Lines of a response, or messages of a connection, one after the other. */
export interface ScriptStream {
  readonly kind: 'lines' | 'messages'
  /** The next one; undefined at the end. Resolves with undefined once `close` was called. */
  next(): Promise<JsonValue | undefined>
  /** Sends a message, where the connection takes some. */
  readonly send?: (message: string) => void
  /** Nothing more is wanted. */
  close(): void
}
