/**
 * What a decoder tells about the octets it is given.
 *
 * Rules: the set is closed. For each message: one `request` or `response` (a client sees `informational` before it),
 * then `data` in the order of the content, then one `end`. Joined `data` is the same however the octets
 * were cut.
 */
import type { RequestHead, ResponseHead } from './head.ts'
import type { HeaderList } from './headers.ts'

export type HttpEvent =
  | { readonly type: 'request'; readonly head: RequestHead }
  | { readonly type: 'informational' | 'response'; readonly head: ResponseHead }
  | BodyEvent
  /** The rest of the connection is another protocol: after CONNECT, 101 or a 2xx answer to CONNECT. */
  | { readonly type: 'upgrade'; readonly rest: Uint8Array }

export type BodyEvent =
  /** A view of the octets that were pushed: copy it to keep it. `chunk` is told with the first octets of each chunk. */
  | { readonly type: 'data'; readonly bytes: Uint8Array; readonly chunk?: ChunkStart }
  | { readonly type: 'end'; readonly trailers: HeaderList; readonly lastChunkExtensions?: string }

export interface ChunkStart {
  readonly sizeBytes: number
  /** As written behind the first ";"; empty where there are none. */
  readonly extensions: string
}
