/**
 * Heads of canonical messages, from what the fast path found.
 *
 * Rules: here the flags of a scan become framing and keep-alive, which framing.ts and connection-fields.ts tell of all
 * other heads; the two agree wherever the scan did not decline. RFC 9112 sections 6.3 and 9.3.
 */

import { type Framing, neverHasContent } from '../head/framing.ts'
import { RequestHead, ResponseHead } from '../head/head.ts'
import { HeadOctets } from '../head/head-octets.ts'
import type { Repair } from '../syntax/errors.ts'
import {
  CHUNKED,
  CLOSE,
  CONTENT_LENGTH,
  DECLINED,
  found,
  type HeadRules,
  HTTP_1_0,
  INCOMPLETE,
  KEEP_ALIVE,
  type Piece,
  scanHead,
} from './fast-head.ts'

type NoHead = typeof DECLINED | typeof INCOMPLETE

const CHUNKED_FRAMING: Framing = Object.freeze({ type: 'chunked' })
const UNTIL_CLOSE: Framing = Object.freeze({ type: 'close' })

/** Of heads behind which nothing can be repaired. */
export const NO_REPAIRS: readonly Repair[] = Object.freeze([])

/**
 * The request head that begins a piece; DECLINED or INCOMPLETE as `scanHead` says. `repairs` becomes its list where
 * chunks or trailers may add to it.
 */
export function readRequestHead(piece: Piece, rules: HeadRules, repairs: readonly Repair[]): RequestHead | NoHead {
  const length = scanHead(piece, true, rules)
  if (length === DECLINED || length === INCOMPLETE) return length
  if (found.contentLength > rules.maxBodyOctets) return DECLINED
  const framing = declaredFraming()
  return new RequestHead(headOctets(piece), undefined, framing, isKeptAlive(), listFor(framing, repairs))
}

/** The head of a final response to `method`, as `readRequestHead` does. CONNECT is for the reference path. */
export function readResponseHead(
  piece: Piece,
  rules: HeadRules,
  repairs: readonly Repair[],
  method: string,
): ResponseHead | NoHead {
  if (method === 'CONNECT') return DECLINED
  const length = scanHead(piece, false, rules)
  if (length === DECLINED || length === INCOMPLETE) return length
  const octets = headOctets(piece)
  if (neverHasContent(octets.status, method)) {
    return new ResponseHead(octets, undefined, undefined, isKeptAlive(), NO_REPAIRS)
  }
  if (found.contentLength > rules.maxBodyOctets) return DECLINED
  const framing = declaredFraming() ?? UNTIL_CLOSE
  const keepAlive = framing !== UNTIL_CLOSE && isKeptAlive()
  return new ResponseHead(octets, undefined, framing, keepAlive, listFor(framing, repairs))
}

function listFor(framing: Framing | undefined, repairs: readonly Repair[]): readonly Repair[] {
  return framing === CHUNKED_FRAMING ? repairs : NO_REPAIRS
}

function headOctets({ bytes, start }: Piece): HeadOctets {
  return new HeadOctets(bytes, start, found.marks.slice(0, found.markCount))
}

function declaredFraming(): Framing | undefined {
  if ((found.flags & CHUNKED) !== 0) return CHUNKED_FRAMING
  return (found.flags & CONTENT_LENGTH) !== 0 ? { type: 'length', length: found.contentLength } : undefined
}

function isKeptAlive(): boolean {
  return (found.flags & CLOSE) === 0 && (found.flags & (HTTP_1_0 | KEEP_ALIVE)) !== HTTP_1_0
}
