/**
 * A multipart body as code of a light load test: its parts with their headers and contents, which
 * src/runner/load/light/light-multipart.ts frames as `run` does.
 *
 * Rules: the parts must be the same with any values, so a line with variables either begins with the name of a header
 * or is clearly content. Nested multipart parts and charsets other than UTF-8 have no code.
 */
import {
  boundaryOf,
  delimiterOf,
  isLiteral,
  joinTemplates,
  type Request,
  splitMultipart,
  type Template,
  type TypedLine,
  templateLines,
  templateText,
} from '../../http-file/index.ts'
import { Code, type Printable, printed, quoted } from './code-text.ts'
import { code, templateCode } from './template-code.ts'

/** A line, up to its first variable, or a file. */
type Item = (TypedLine & { readonly template: Template }) | { readonly path: string }

/** Undefined if the body must be framed in each request. */
export function multipartCode(body: Request['body'], boundary: string): Code | undefined {
  const items = body.flatMap((part): readonly Item[] =>
    part.kind === 'body-file' ? [{ path: templateText(part.path) }] : templateLines(part.template).map(lineItem),
  )
  const found = splitMultipart(items, boundary)
  if (found === undefined || found.preamble.length > 0) return undefined
  const { parts } = found
  const headers = new Set(parts.flatMap((part) => part.headers))
  const contents = new Set(parts.flatMap((part) => part.content))
  const areFixed = items.every((item, index) => {
    if (headers.has(item)) return isFixedHeader(item, boundary)
    if (!isLine(item)) return contents.has(item)
    if (item.line.startsWith('--') && delimiterOf(item, boundary) === undefined) return false
    // Directly after a delimiter or a header, a value could make the line a header.
    const previous = items[index - 1] ?? item
    const isSurelyContent = !headers.has(previous) && delimiterOf(previous, boundary) === undefined
    return item.inserted === undefined || (contents.has(item) && isSurelyContent)
  })
  if (!areFixed) return undefined
  const written = parts.map((part) => ({ headers: part.headers.map(headerCode), content: contentCode(part.content) }))
  return new Code(`multipart(${quoted(boundary)}, ${printed(written, '    ')})`, true)
}

function lineItem(template: Template): Item {
  const [first] = template.parts
  const line = first?.type === 'text' ? first.text : ''
  return { line, template, ...(isLiteral(template) ? {} : { inserted: { prefix: line } }) }
}

function isLine(item: Item): item is Exclude<Item, { readonly path: string }> {
  return 'line' in item
}

/** Whether the item is a header with any values, and does not change how its part is written. */
function isFixedHeader(item: Item, boundary: string): boolean {
  if (!isLine(item) || item.line.startsWith('--') || templateText(item.template).includes(`--${boundary}`)) return false
  if (!/^content-type[ \t]*:/i.test(item.line))
    return item.inserted === undefined || /^[!-9;-~]+[ \t]*:/.test(item.line)
  return item.inserted === undefined && boundaryOf(item.line) === undefined && isUtf8(item.line)
}

/** Whether the text of a Content-Type has this charset or none. */
export function isUtf8(contentType: string): boolean {
  const [, charset] = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? []
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/** Whether a value that follows this text is inside the quotes of a name. */
const openName = /^content-disposition[ \t]*:.*;[ \t]*(?:file)?name="[^"]*$/i

function headerCode(item: Item): Printable {
  return code((item as Extract<Item, TypedLine>).template, (expression, before) => {
    return `${openName.test(before) ? 'partName' : 'partValue'}(${quoted(expression)})`
  })
}

/** Texts and files, with a line feed between them when they are sent. */
function contentCode(items: readonly Item[]): readonly Code[] {
  const written: Code[] = []
  let lines: Template[] = []
  const flush = (): void => {
    if (lines.length > 0) written.push(templateCode(joinTemplates(lines, '\n')))
    lines = []
  }
  for (const item of items) {
    if (isLine(item)) {
      lines.push(item.template)
      continue
    }
    flush()
    written.push(new Code(`files[${quoted(item.path)}]`))
  }
  flush()
  return written
}
