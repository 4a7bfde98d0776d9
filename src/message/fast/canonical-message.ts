/**
 * The fast path for a complete canonical message: reads its head and locates its content.
 *
 * Rules: the reference path (message-reader.ts, and for chunks chunked-reader.ts) reads messages whose head the fast
 * path declines, messages with more or fewer bytes than their head declares, and messages with trailers or chunk
 * extensions. A canonical message needs no repair, so its list of repairs stays empty. RFC 9112 sections 6 and 7.1.
 */
import { type Content, LocatedContent } from '../body/content.ts'
import type { Framing } from '../head/framing.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import { canonicalChunk, canonicalChunkLine } from '../syntax/chunk-line.ts'
import type { Repair } from '../syntax/errors.ts'
import { CR, LF } from '../syntax/octets.ts'
import { nextPieceNumber } from '../syntax/receive-buffer.ts'
import type { CanonicalHeads } from './canonical-head.ts'
import type { Piece } from './fast-head.ts'

/** A canonical message needs no repairs. */
const NO_REPAIRS: readonly Repair[] = Object.freeze([])

/** A message in memory. */
export interface WholeMessage<Head> {
  readonly head: Head
  readonly content: Content | undefined
}

/** Undefined if the reference path has to read it. */
export function readWholeRequest(
  bytes: Uint8Array,
  heads: CanonicalHeads,
  maxBodyBytes: number,
): WholeMessage<RequestHead> | undefined {
  const head = heads.readRequestHead(pieceOf(bytes), NO_REPAIRS)
  return typeof head === 'string' ? undefined : withContent(head, bytes, heads.sizeBytes, maxBodyBytes)
}

/** Undefined if the reference path has to read it. */
export function readWholeResponse(
  bytes: Uint8Array,
  heads: CanonicalHeads,
  maxBodyBytes: number,
  method: string,
): WholeMessage<ResponseHead> | undefined {
  const head = heads.readResponseHead(pieceOf(bytes), NO_REPAIRS, method)
  return typeof head === 'string' ? undefined : withContent(head, bytes, heads.sizeBytes, maxBodyBytes)
}

function pieceOf(bytes: Uint8Array): Piece {
  return { number: nextPieceNumber(), bytes, start: 0, end: bytes.length }
}

function withContent<Head extends { readonly framing: Framing | undefined }>(
  head: Head,
  bytes: Uint8Array,
  start: number,
  maxBodyBytes: number,
): WholeMessage<Head> | undefined {
  const { framing } = head
  if (framing === undefined) return start === bytes.length ? { head, content: undefined } : undefined
  if (framing.type === 'chunked') return withChunks(head, bytes, start, maxBodyBytes)
  const lengthBytes = bytes.length - start
  if (framing.type === 'length' ? framing.length !== lengthBytes : lengthBytes > maxBodyBytes) return undefined
  return { head, content: new LocatedContent(bytes, start, lengthBytes, undefined) }
}

function withChunks<Head>(
  head: Head,
  bytes: Uint8Array,
  start: number,
  maxBodyBytes: number,
): WholeMessage<Head> | undefined {
  const end = bytes.length
  const places: number[] = []
  let lengthBytes = 0
  let at = start
  for (;;) {
    const lineBytes = canonicalChunkLine(bytes, at, end)
    if (lineBytes === 0) return undefined
    const { sizeBytes } = canonicalChunk
    at += lineBytes
    if (sizeBytes > 0) {
      places.push(at, sizeBytes)
      lengthBytes += sizeBytes
    }
    at += sizeBytes + 2
    if (at > end || bytes[at - 2] !== CR || bytes[at - 1] !== LF) return undefined
    if (sizeBytes === 0) break
  }
  if (at !== end || lengthBytes > maxBodyBytes) return undefined
  return { head, content: new LocatedContent(bytes, start, lengthBytes, places) }
}
