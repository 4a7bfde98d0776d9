/**
 * A multipart body as people type it, to what is sent (RFC 2046 section 5.1).
 *
 * Rules: delimiters, part headers and the line ends around them are written with CRLF; lines inside a part keep LF, files
 * go byte for byte. Lines around a part's content that were typed blank are no part of it. A part that is multipart itself is framed in
 * the same way. The closing delimiter is added where it is missing; one that stands before further delimiters closes
 * nothing: many files have one behind each part.
 */
import { parseMediaType } from './media-type.ts'

/** A line of text without its end, or something that is sent as it is. */
export type MultipartItem<Content> = MultipartLine | { readonly content: Content }

interface MultipartLine {
  readonly line: string
  /** There is a variable in it: it counts even where the value is blank. */
  readonly hasVariable?: boolean
}

/** What is sent: texts and contents in turn. */
export type MultipartPiece<Content> =
  | { readonly text: string; readonly charset: string | undefined }
  | { readonly content: Content }

const CRLF = '\r\n'

/** The pieces to send; undefined where no line is a delimiter. */
export function frameMultipart<Content>(
  items: readonly MultipartItem<Content>[],
  boundary: string,
): readonly MultipartPiece<Content>[] | undefined {
  const delimiters = items.flatMap((item, index) => (isDelimiter(item, boundary) ? [index] : []))
  const [first] = delimiters
  if (first === undefined) return undefined
  const pieces: MultipartPiece<Content>[] = []
  const write = (text: string): void => {
    pieces.push({ text, charset: undefined })
  }
  const preamble = trimmed(items.slice(0, first))
  if (preamble.length > 0) pieces.push(...plain(preamble, undefined), { text: CRLF, charset: undefined })
  for (const [count, start] of delimiters.entries()) {
    const end = delimiters[count + 1]
    const part = items.slice(start + 1, end ?? items.length)
    const isEnd = isClosing(items[start] as MultipartItem<Content>, boundary)
    if (isEnd && (end === undefined || trimmed(part).length === 0)) continue
    write(`--${boundary}${CRLF}`)
    pieces.push(...framePart(part))
    write(CRLF)
  }
  write(`--${boundary}--${CRLF}`)
  return pieces
}

function isDelimiter<Content>(item: MultipartItem<Content>, boundary: string): boolean {
  return 'line' in item && (item.line.trimEnd() === `--${boundary}` || isClosing(item, boundary))
}

function isClosing<Content>(item: MultipartItem<Content>, boundary: string): boolean {
  return 'line' in item && item.line.trimEnd() === `--${boundary}--`
}

const headerPattern = /^[!-9;-~]+[ \t]*:|^[ \t]+\S/

function framePart<Content>(items: readonly MultipartItem<Content>[]): readonly MultipartPiece<Content>[] {
  // A variable between the headers may stand for nothing.
  const isHeader = (item: MultipartItem<Content>): boolean =>
    'line' in item && (headerPattern.test(item.line) || (item.hasVariable === true && item.line.trim() === ''))
  const found = items.findIndex((item) => !isHeader(item))
  const end = found === -1 ? items.length : found
  const headers = items
    .slice(0, end)
    .flatMap((item) => ('line' in item && item.line.trim() !== '' ? [item.line.trimEnd()] : []))
  const content = trimmed(items.slice(end))
  const type = parseMediaType(headers.find((line) => /^content-type[ \t]*:/i.test(line))?.replace(/^[^:]*:/, '') ?? '')
  const inner = type.boundary === undefined ? undefined : frameMultipart(content, type.boundary)
  const head = headers.map((line) => line + CRLF).join('') + CRLF
  return [{ text: head, charset: undefined }, ...(inner ?? plain(content, type.charset))]
}

/** Without blank lines around. */
function trimmed<Content>(items: readonly MultipartItem<Content>[]): readonly MultipartItem<Content>[] {
  const isContent = (item: MultipartItem<Content>): boolean =>
    !('line' in item) || item.hasVariable === true || item.line.trim() !== ''
  const start = items.findIndex(isContent)
  return start === -1 ? [] : items.slice(start, items.findLastIndex(isContent) + 1)
}

/** Lines and contents with LF between them. */
function plain<Content>(
  items: readonly MultipartItem<Content>[],
  charset: string | undefined,
): readonly MultipartPiece<Content>[] {
  return items.flatMap((item, index): MultipartPiece<Content>[] => {
    const end = index === items.length - 1 ? '' : '\n'
    if ('line' in item) return [{ text: item.line + end, charset }]
    return end === '' ? [item] : [item, { text: end, charset }]
  })
}
