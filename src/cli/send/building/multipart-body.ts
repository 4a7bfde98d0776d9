/**
 * A multipart/form-data body of texts and files, which are read while it is sent (RFC 7578).
 *
 * Rules: names are quoted as in browsers (HTML, "multipart/form-data encoding algorithm"). The length is known if the
 * sizes of all files are known.
 */
import { escapedPartName } from '../../../http-file/index.ts'
import { type MessageBody, utf8Bytes } from '../../../message/index.ts'
import { FileBody } from '../../../message-node/index.ts'
import type { FormPart } from './item-body.ts'

/** @throws HttpcliError `file-not-found`, `file-not-readable`, `file-is-directory`. */
export function multipartBody(parts: readonly FormPart[], boundary: string): MessageBody {
  const pieces: readonly (Uint8Array | FileBody)[] = [
    ...parts.flatMap((part) => [
      utf8Bytes(partHead(part, boundary)),
      'text' in part.content ? utf8Bytes(part.content.text) : new FileBody(part.content.path),
      utf8Bytes('\r\n'),
    ]),
    utf8Bytes(`--${boundary}--\r\n`),
  ]
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

function partHead({ name, fileName, contentType }: FormPart, boundary: string): string {
  const file = fileName === undefined ? '' : `; filename="${escapedPartName(fileName)}"`
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`
  return `--${boundary}\r\nContent-Disposition: form-data; name="${escapedPartName(name)}"${file}\r\n${type}\r\n`
}
