/**
 * Sends the body of one answer at the client's pace: parts of a file, bytes in memory, or a stream.
 *
 * Rules: if a body cannot be finished, the promise rejects and the caller destroys the connection: an incomplete body
 * never looks complete. RFC 9112 sections 6.3 and 7.1.
 */

import { type Sink, type TransferResources, transferParts } from '../files/file-transfer.ts'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import { type AnswerBody, FileBody, type StreamBody } from '../semantics/answer-body.ts'
import { ServerError } from '../semantics/errors.ts'

/**
 * Bytes of a body in memory that may be in flight if they are copied: with TLS the platform keeps a copy of everything
 * that the client has not received.
 */
export const copiedPieceBytes = 131_072

export interface TransferContext {
  readonly sink: Sink
  readonly resources: TransferResources
  /** Whether a stream without a length is framed as chunks. */
  readonly isChunked: boolean
  /** Called with the number of body bytes as they are sent. */
  readonly onSent: (bytes: number) => void
}

/** Rejects with HttpcliError `file-changed` or `wrong-length`, and with errors of source or sink. */
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
    throw new ServerError('wrong-length', `the body does not have the declared length, ${lengthBytes}`)
  }
  if (isChunked) await sink.flush(Buffer.from('0\r\n\r\n'))
}

function chunkOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}
