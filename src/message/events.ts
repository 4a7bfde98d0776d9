/**
 * What a decoder tells about the octets it is given.
 *
 * Rules: the set is closed. For each message: one `request` or `response` (a client sees `informational` before it),
 * then `chunk` and `data` in the order of the content, then one `end`. Joined `data` is the same however the octets
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
  /** Before the octets of each chunk; `sizeBytes` 0 is the last chunk. `extensions` as written, behind the first ";". */
  | { readonly type: 'chunk'; readonly sizeBytes: number; readonly extensions: string }
  /** A view of the octets that were pushed: copy it to keep it. */
  | { readonly type: 'data'; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly trailers: HeaderList }
