/**
 * A multipart body as people type it, to what is sent (RFC 2046 section 5.1).
 *
 * Rules: delimiters, part headers and the line ends around them are written with CRLF; lines inside a part keep LF, files
 * go byte for byte. Lines around a part's content that were typed blank are no part of it. A part that is multipart itself is framed in
 * the same way. The closing delimiter is added where it is missing; one that stands before further delimiters closes
 * nothing: many files have one behind each part. What is a delimiter or a header is decided by what was typed: the value of
 * a variable adds neither. In `name="…"` and `filename="…"` it is escaped as browsers do it (HTML, "multipart/form-data
 * encoding algorithm"); a line end in another header and a delimiter in a content are errors.
 */
import type { Span } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { parseMediaType } from './media-type.ts'

/** A line of text without its end, or something that is sent as it is. */
export type MultipartItem<Content> = MultipartLine | { readonly content: Content }

interface MultipartLine {
  readonly line: string
  /** Of a line with variables: it counts even where their values are blank. */
  readonly inserted?: InsertedValues
}

/** What the values of a line's variables mean to its part. */
export interface InsertedValues {
  /** Typed before the first variable. */
  readonly prefix: string
  /** Of the first variable. */
  readonly span: Span
  /** The line as a header. */
  readonly header: string
  /** The variable whose value has a line end, or another character that no header holds, outside of a quoted name. */
  readonly unfit: Span | undefined
}

/** Reports a value that would change the structure of the body. */
export type OnUnfitValue = (span: Span, message: string, hint: string) => never

/** What is sent: texts and contents in turn. */
export type MultipartPiece<Content> =
  | { readonly text: string; readonly charset: string | undefined }
  | { readonly content: Content }

/** Multipart bodies inside one another; far more than any message has. */
const MAX_DEPTH = 20

const CRLF = '\r\n'

/** The pieces to send; undefined where no line is a delimiter. */
export function frameMultipart<Content>(
  items: readonly MultipartItem<Content>[],
  boundary: string,
  onUnfit: OnUnfitValue,
  depth: number = 1,
): readonly MultipartPiece<Content>[] | undefined {
  const delimiters = items.flatMap((item, index) => (isDelimiter(item, boundary) ? [index] : []))
  const [first] = delimiters
  if (first === undefined) return undefined
  if (depth > MAX_DEPTH) {
    throw new HttpcliError('invalid-request', `multipart bodies are inside one another, more than ${MAX_DEPTH} deep`)
  }
  for (const item of items) refuseDelimiter(item, boundary, onUnfit)
  const pieces: MultipartPiece<Content>[] = []
  const write = (text: string): void => {
    pieces.push({ text, charset: undefined })
  }
  const preamble = trimmed(items.slice(0, first))
  for (const piece of plain(preamble, undefined)) pieces.push(piece)
  if (preamble.length > 0) write(CRLF)
  for (const [count, start] of delimiters.entries()) {
    const end = delimiters[count + 1]
    const part = items.slice(start + 1, end ?? items.length)
    const isEnd = isClosing(items[start] as MultipartItem<Content>, boundary)
    if (isEnd && (end === undefined || trimmed(part).length === 0)) continue
    write(`--${boundary}${CRLF}`)
    for (const piece of framePart(part, onUnfit, depth)) pieces.push(piece)
    write(CRLF)
  }
  write(`--${boundary}--${CRLF}`)
  return pieces
}

function isDelimiter<Content>(item: MultipartItem<Content>, boundary: string): boolean {
  return isTyped(item, `--${boundary}`) || isClosing(item, boundary)
}

function isClosing<Content>(item: MultipartItem<Content>, boundary: string): boolean {
  return isTyped(item, `--${boundary}--`)
}

/** The boundary may be a variable, the hyphens before it are typed. */
function isTyped<Content>(item: MultipartItem<Content>, delimiter: string): boolean {
  if (!('line' in item) || item.line.trimEnd() !== delimiter) return false
  return item.inserted === undefined || item.inserted.prefix.startsWith('--')
}

/** A line that begins with the boundary ends a part for many readers, whatever follows it. */
function refuseDelimiter<Content>(item: MultipartItem<Content>, boundary: string, onUnfit: OnUnfitValue): void {
  if (!('line' in item) || item.inserted === undefined || isDelimiter(item, boundary)) return
  if (!item.line.split(/[\r\n]/).some((line) => line.startsWith(`--${boundary}`))) return
  const message = `the value has a line that begins with "--${boundary}", the boundary of the body`
  onUnfit(item.inserted.span, message, 'Write another boundary in Content-Type and before the parts.')
}

const headerPattern = /^[!-9;-~]+[ \t]*:|^[ \t]+\S/

function framePart<Content>(
  items: readonly MultipartItem<Content>[],
  onUnfit: OnUnfitValue,
  depth: number,
): readonly MultipartPiece<Content>[] {
  // A variable between the headers may stand for nothing.
  const isHeader = (item: MultipartItem<Content>): boolean =>
    'line' in item && (headerPattern.test(item.line) || (item.inserted !== undefined && item.line.trim() === ''))
  const found = items.findIndex((item) => !isHeader(item))
  const end = found === -1 ? items.length : found
  const headers = items
    .slice(0, end)
    .flatMap((item) => ('line' in item && item.line.trim() !== '' ? [headerLine(item, onUnfit)] : []))
  const content = trimmed(items.slice(end))
  const type = parseMediaType(headers.find((line) => /^content-type[ \t]*:/i.test(line))?.replace(/^[^:]*:/, '') ?? '')
  const inner = type.boundary === undefined ? undefined : frameMultipart(content, type.boundary, onUnfit, depth + 1)
  const head = headers.map((line) => line + CRLF).join('') + CRLF
  return [{ text: head, charset: undefined }, ...(inner ?? plain(content, type.charset))]
}

function headerLine({ line, inserted }: MultipartLine, onUnfit: OnUnfitValue): string {
  if (inserted?.unfit !== undefined) {
    const message = 'the value has a line end or another control character, which no header of a part can hold'
    onUnfit(inserted.unfit, message, 'Only in name="…" and filename="…" such characters are escaped.')
  }
  return (inserted?.header ?? line).trimEnd()
}

/** Without blank lines around. */
function trimmed<Content>(items: readonly MultipartItem<Content>[]): readonly MultipartItem<Content>[] {
  const isContent = (item: MultipartItem<Content>): boolean =>
    !('line' in item) || item.inserted !== undefined || item.line.trim() !== ''
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
