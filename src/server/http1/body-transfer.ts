/**
 * The body of one answer to a client that takes it at its own pace: parts of a file, octets in memory, or a stream.
 *
 * Rules: what cannot be finished ends in a rejection, and the connection is then to be cut: a body never looks whole
 * when it is not. RFC 9112 sections 6.3 and 7.1.
 */

import { type Sink, type TransferResources, transferParts } from '../files/file-transfer.ts'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import { type AnswerBody, FileBody, type StreamBody } from '../semantics/answer-body.ts'
import { ServerError } from '../semantics/errors.ts'

/**
 * Octets of a body in memory that are on their way at a time, where what is on its way is a copy: of encrypted octets
 * the platform keeps all that the client has not taken.
 */
export const copiedPieceBytes = 131_072

export interface TransferContext {
  readonly sink: Sink
  readonly resources: TransferResources
  /** Whether a stream without a length is framed as chunks. */
  readonly isChunked: boolean
  /** Told the octets of the body as they go out. */
  readonly onSent: (bytes: number) => void
}

/** Rejects with HttpcliError `file-changed` or `wrong-length`, and with what source or sink reject with. */
export function transferBody(body: AnswerBody, context: TransferContext): Promise<void> {
  if (body instanceof Uint8Array) return transferOctets(body, context)
  return body instanceof FileBody
    ? transferParts(body, context.sink, context.resources, context.onSent)
    : transferStream(body, context)
}

async function transferOctets(octets: Uint8Array, { sink, onSent }: TransferContext): Promise<void> {
  for (let start = 0; start < octets.length; start += copiedPieceBytes) {
    if (start > 0 && isTurnOver()) await nextTurn('long')
    const piece = octets.subarray(start, start + copiedPieceBytes)
    await sink.flush(piece)
    onSent(piece.length)
  }
}

async function transferStream({ stream, lengthBytes }: StreamBody, context: TransferContext): Promise<void> {
  const { sink, onSent } = context
  const isChunked = context.isChunked && lengthBytes === undefined
  let sentBytes = 0
  for await (const piece of stream as AsyncIterable<Uint8Array | string>) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    // A chunk of length 0 would be the last one.
    if (bytes.length === 0) continue
    sentBytes += bytes.length
    if (lengthBytes !== undefined && sentBytes > lengthBytes) break
    await sink.flush(isChunked ? chunkOf(bytes) : bytes)
    onSent(bytes.length)
  }
  if (lengthBytes !== undefined && sentBytes !== lengthBytes) {
    throw new ServerError('wrong-length', `the body was said to have ${lengthBytes} octets and has others`)
  }
  if (isChunked) await sink.flush(Buffer.from('0\r\n\r\n'))
}

function chunkOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}
