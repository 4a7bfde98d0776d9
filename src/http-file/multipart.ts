/**
 * Splits a typed multipart body into parts, and reads the names in its headers (RFC 2046 section 5.1).
 *
 * Rules: a delimiter is a line by itself. A closing delimiter before further delimiters is ignored: many files have one
 * after each part. Typed blank lines around a part's content do not belong to it. Only typed text is a delimiter or a
 * header: the value of a variable adds neither.
 */

/** An item that is not a line is sent as it is, such as a file. */
export interface TypedLine {
  /** Without its end. */
  readonly line: string
  /** Set for a line with variables, which counts even if their values are blank. */
  readonly inserted?: {
    /** The text before the first variable. */
    readonly prefix: string
  }
}

export interface MultipartPart<Item> {
  readonly headers: readonly Item[]
  readonly content: readonly Item[]
}

interface MultipartParts<Item> {
  readonly preamble: readonly Item[]
  readonly parts: readonly MultipartPart<Item>[]
}

/** Undefined if no line is a delimiter. */
export function splitMultipart<Item extends object>(
  items: readonly Item[],
  boundary: string,
): MultipartParts<Item> | undefined {
  const delimiters = items.flatMap((item, index) => (delimiterOf(item, boundary) === undefined ? [] : [index]))
  if (delimiters.length === 0) return undefined
  const parts = delimiters.flatMap((start, count) => {
    const part = items.slice(start + 1, delimiters[count + 1])
    const isLast = count === delimiters.length - 1
    const isEnd = delimiterOf(items[start] as Item, boundary) === 'closing'
    return isEnd && (isLast || part.every(isBlank)) ? [] : [partOf(part)]
  })
  return { preamble: withoutBlankEdges(items.slice(0, delimiters[0])), parts }
}

/** The boundary may be a variable; the hyphens before it must be typed. */
export function delimiterOf(item: object, boundary: string): 'opening' | 'closing' | undefined {
  if (!isLine(item) || item.inserted?.prefix.startsWith('--') === false) return undefined
  const line = item.line.trimEnd()
  return line === `--${boundary}` ? 'opening' : line === `--${boundary}--` ? 'closing' : undefined
}

const CRLF = '\r\n'

const headerPattern = /^[!-9;-~]+[ \t]*:|^[ \t]+\S/

function partOf<Item extends object>(items: readonly Item[]): MultipartPart<Item> {
  // A variable between the headers may be empty.
  const isHeader = (item: object): boolean =>
    isLine(item) && (headerPattern.test(item.line) || (item.inserted !== undefined && item.line.trim() === ''))
  const found = items.findIndex((item) => !isHeader(item))
  const end = found === -1 ? items.length : found
  return { headers: items.slice(0, end), content: withoutBlankEdges(items.slice(end)) }
}

function withoutBlankEdges<Item extends object>(items: readonly Item[]): readonly Item[] {
  const start = items.findIndex((item) => !isBlank(item))
  return start === -1 ? [] : items.slice(start, items.findLastIndex((item) => !isBlank(item)) + 1)
}

function isLine(item: object): item is TypedLine {
  return 'line' in item
}

function isBlank(item: object): boolean {
  return isLine(item) && item.inserted === undefined && item.line.trim() === ''
}

/** The boundary of a Content-Type; if it has one. */
export function boundaryOf(contentType: string): string | undefined {
  const match = contentType.includes(';') ? boundaryPattern.exec(contentType) : null
  return match?.[1] ?? match?.[2]
}

const boundaryPattern = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

/** The value of Content-Disposition; without a name only for an attachment. */
export function dispositionOf(type: 'form-data' | 'attachment', name: string, fileName: string | undefined): string {
  const named = type === 'attachment' && name === '' ? type : `${type}; name="${escapedPartName(name)}"`
  return fileName === undefined ? named : `${named}; filename="${escapedPartName(fileName)}"`
}

/** A part as it is sent: its header, then texts and other contents. */
export interface FramedPart<Piece> {
  /** The lines of its header. */
  readonly headers: readonly string[]
  readonly content: readonly Piece[]
}

/** Parts between their delimiters, with CRLF around them: texts of the frame and the contents, in order. */
export function framedParts<Piece>(parts: readonly FramedPart<Piece>[], boundary: string): readonly (string | Piece)[] {
  const framed = parts.flatMap(({ headers, content }): readonly (string | Piece)[] => {
    return [`--${boundary}${CRLF}${headers.map((line) => line + CRLF).join('')}${CRLF}`, ...content, CRLF]
  })
  return [...framed, `--${boundary}--${CRLF}`]
}

/** For `name="…"` and `filename="…"`, as browsers do it (HTML, "multipart/form-data encoding algorithm"). */
export function escapedPartName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
