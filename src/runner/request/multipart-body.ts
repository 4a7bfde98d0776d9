/**
 * Frames a typed multipart body as it is sent (RFC 2046 section 5.1).
 *
 * Rules: delimiters, part headers and the line endings around them are written with CRLF; lines inside a part keep LF,
 * and files are sent byte for byte. A part that is multipart itself is framed in the same way. A missing closing
 * delimiter is added. It is an error if the value of a variable contains a line ending in a header, or a delimiter in
 * the content.
 */
import {
  delimiterOf,
  escapedPartName,
  type FramedPart,
  framedParts,
  type MultipartPart,
  type Span,
  splitMultipart,
  type Template,
  type TypedLine,
} from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'
import type { BodyValues } from './body-text.ts'
import { parseMediaType } from './media-type.ts'

/** A line of text without its line ending, or content that is sent unchanged. */
export type MultipartItem<Content> = MultipartLine | { readonly content: Content }

interface MultipartLine extends TypedLine {
  readonly inserted?: InsertedValues
}

/** The variables of a line, for use in its part. */
export interface InsertedValues {
  /** The text before the first variable. */
  readonly prefix: string
  /** The place of the first variable. */
  readonly span: Span
  /** The line as a header. */
  readonly header: string
  /**
   * The variable whose value contains a line ending, or another character that is invalid in a header, outside a quoted
   * name.
   */
  readonly unfit: Span | undefined
}

/** Reports a value that would change the structure of the body. */
export type OnUnfitValue = (span: Span, message: string, hint: string) => never

/** The output: texts and contents alternating. */
export type MultipartPiece<Content> =
  | { readonly text: string; readonly charset: string | undefined }
  | { readonly content: Content }

/** The maximum depth of nested multipart bodies: far more than any real message has. */
const MAX_DEPTH = 20

/** The pieces to send; undefined if no line is a delimiter. */
export function frameMultipart<Content>(
  items: readonly MultipartItem<Content>[],
  boundary: string,
  onUnfit: OnUnfitValue,
  depth: number = 1,
): readonly MultipartPiece<Content>[] | undefined {
  const found = splitMultipart(items, boundary)
  if (found === undefined) return undefined
  if (depth > MAX_DEPTH) {
    throw new RunError('invalid-request', `multipart bodies are nested more than ${MAX_DEPTH} deep`)
  }
  for (const item of items) refuseDelimiter(item, boundary, onUnfit)
  const preamble = found.preamble.length === 0 ? [] : [...plain(found.preamble, undefined), '\r\n']
  const parts = found.parts.map((part) => framePart(part, onUnfit, depth))
  return [...preamble, ...framedParts(parts, boundary)].map((piece) => {
    return typeof piece === 'string' ? { text: piece, charset: undefined } : piece
  })
}

/** Many readers end a part at any line that begins with the boundary, whatever text follows it. */
function refuseDelimiter<Content>(item: MultipartItem<Content>, boundary: string, onUnfit: OnUnfitValue): void {
  if (!('line' in item) || item.inserted === undefined || delimiterOf(item, boundary) !== undefined) return
  if (!item.line.split(/[\r\n]/).some((line) => line.startsWith(`--${boundary}`))) return
  const message = `the value has a line that begins with "--${boundary}", the boundary of the body`
  onUnfit(item.inserted.span, message, 'Write another boundary in Content-Type and before the parts.')
}

function framePart<Content>(
  part: MultipartPart<MultipartItem<Content>>,
  onUnfit: OnUnfitValue,
  depth: number,
): FramedPart<MultipartPiece<Content>> {
  const headers = part.headers.flatMap((item) =>
    'line' in item && item.line.trim() !== '' ? [headerLine(item, onUnfit)] : [],
  )
  const type = parseMediaType(headers.find((line) => /^content-type[ \t]*:/i.test(line))?.replace(/^[^:]*:/, '') ?? '')
  const inner =
    type.boundary === undefined ? undefined : frameMultipart(part.content, type.boundary, onUnfit, depth + 1)
  return { headers, content: inner ?? plain(part.content, type.charset) }
}

function headerLine({ line, inserted }: MultipartLine, onUnfit: OnUnfitValue): string {
  if (inserted?.unfit !== undefined) {
    const message =
      'the value has a line break or another control character, which is not allowed in the header of a part'
    onUnfit(inserted.unfit, message, 'Such characters are escaped only in name="…" and filename="…".')
  }
  return (inserted?.header ?? line).trimEnd()
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

/** Whether the text that follows is inside the quotes of a name. */
const openName = /^(?:content-disposition[ \t]*:.*;[ \t]*|[ \t](?:.*;)?[ \t]*)(?:file)?name="[^"]*$/i

/**
 * A typed line with the values of its variables. Whether it is a header or content is not known here, so it is rendered
 * as both. As a header, `"`, CR and LF of a value become `%22`, `%0D` and `%0A` in a quoted `name` or `filename` (HTML,
 * "multipart/form-data encoding algorithm"); typed text is unchanged.
 * @throws as `Variables.render`
 */
export function multipartLine({ parts }: Template, variables: Pick<BodyValues, 'resolve'>): MultipartItem<never> {
  let line = ''
  let header = ''
  let typed = ''
  let first: Pick<InsertedValues, 'prefix' | 'span'> | undefined
  let unfit: Span | undefined
  for (const part of parts) {
    if (part.type === 'text') {
      line += part.text
      header += part.text
      typed += part.text
      continue
    }
    const { text } = variables.resolve(part.expression, part.span)
    first ??= { prefix: typed, span: part.span }
    line += text
    if (openName.test(typed)) {
      header += escapedPartName(text)
      continue
    }
    header += text
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) unfit ??= part.span
  }
  return first === undefined ? { line } : { line, inserted: { ...first, header, unfit } }
}
