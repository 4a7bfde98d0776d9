/**
 * Frames the parts of a multipart body in a light load test, as request/multipart-body.ts does.
 *
 * Rules: the exporter has split the body, so the only lines that could look like a delimiter come from values, and
 * those are refused. A body without files stays text, which k6 encodes.
 */

export interface LightPart {
  readonly headers: readonly string[]
  /** Texts and files, with a line feed between them. */
  readonly content: readonly (string | ArrayBuffer | undefined)[]
}

const CRLF = '\r\n'

/** k6's TextEncoder; scripts get another one. */
const PlatformEncoder = globalThis.TextEncoder

/** @throws Error if a value has a line that begins with the boundary, or a file cannot be read */
export function multipartBody(boundary: string, parts: readonly LightPart[]): string | ArrayBuffer {
  const delimiter = `--${boundary}`
  const pieces: (string | ArrayBuffer)[] = []
  let text = ''
  for (let at = 0; at < parts.length; at++) {
    const { headers, content } = parts[at] as LightPart
    text += delimiter + CRLF
    for (let index = 0; index < headers.length; index++) {
      const header = (headers[index] as string).trimEnd()
      refuseDelimiter(header, delimiter, /%0[AD]/)
      text += header + CRLF
    }
    text += CRLF
    for (let index = 0; index < content.length; index++) {
      const piece = content[index]
      if (piece === undefined) throw new Error('a file of the body cannot be read')
      if (index > 0) text += '\n'
      if (typeof piece === 'string') {
        refuseDelimiter(piece, delimiter, /[\r\n]/)
        text += piece
      } else {
        pieces.push(text, piece)
        text = ''
      }
    }
    text += CRLF
  }
  text += `${delimiter}--${CRLF}`
  return pieces.length === 0 ? text : joinedBytes([...pieces, text])
}

/** @param ends matches the end of a line in a value */
function refuseDelimiter(text: string, delimiter: string, ends: RegExp): void {
  if (text.includes(delimiter) && text.split(ends).some((line) => line.startsWith(delimiter))) {
    throw new Error(`the value has a line that begins with ${JSON.stringify(delimiter)}, the boundary of the body`)
  }
}

/** @throws Error for a value that no header of a part can hold */
export function partValue(value: string): string {
  if (!/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return value
  throw new Error(
    'the value has a line break or another control character, which is not allowed in the header of a part',
  )
}

export function joinedBytes(pieces: readonly (string | ArrayBuffer | Uint8Array)[]): ArrayBuffer {
  const encoder = new PlatformEncoder()
  const all = pieces.map((piece) => {
    if (typeof piece === 'string') return encoder.encode(piece)
    return piece instanceof ArrayBuffer ? new Uint8Array(piece) : piece
  })
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (let index = 0; index < all.length; index++) {
    const piece = all[index] as Uint8Array
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes.buffer
}
