/**
 * A multipart/form-data body of texts and files, which are read while it is sent (RFC 7578).
 *
 * Rules: the length is known if the sizes of all files are known.
 */
import { dispositionOf, framedParts } from '../../../http-file/index.ts'
import { type MessageBody, utf8Bytes } from '../../../message/index.ts'
import { FileBody } from '../../../message-node/index.ts'
import type { FormPart } from './item-body.ts'

/** @throws HttpcliError `file-not-found`, `file-not-readable`, `file-is-directory`. */
export function multipartBody(parts: readonly FormPart[], boundary: string): MessageBody {
  const framed = parts.map((part) => ({
    headers: headersOf(part),
    content: ['text' in part.content ? part.content.text : new FileBody(part.content.path)],
  }))
  const pieces = framedParts(framed, boundary).map((piece) => (typeof piece === 'string' ? utf8Bytes(piece) : piece))
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: totalBytes(
      pieces.map((piece) => (piece instanceof Uint8Array ? piece.length : piece.contentLength)),
    ),
    open: () => openPieces(pieces),
  }
}

async function* openPieces(pieces: readonly (Uint8Array | FileBody)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else yield* piece.open()
  }
}

/** Undefined if one of the lengths is unknown. */
function totalBytes(lengths: readonly (number | undefined)[]): number | undefined {
  let total = 0
  for (const length of lengths) {
    if (length === undefined) return undefined
    total += length
  }
  return total
}

function headersOf({ name, fileName, contentType }: FormPart): readonly string[] {
  const disposition = `Content-Disposition: ${dispositionOf('form-data', name, fileName)}`
  return contentType === undefined ? [disposition] : [disposition, `Content-Type: ${contentType}`]
}
