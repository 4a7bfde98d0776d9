/**
 * Converts a typed multipart body to curl's `-F` and `--form-string`.
 *
 * Rules: parts are separated by the boundary of the media type (RFC 2046 section 5.1.1); of their headers, name, file
 * name and media type are used. A value that `-F` would interpret uses `--form-string`.
 */
import {
  type BodyFileNode,
  type BodyTextNode,
  boundaryOf,
  type MultipartPart,
  splitMultipart,
  templateText,
} from '../../http-file/index.ts'
import type { ReportLoss } from './request-parts.ts'
import { type ShellVariables, shellWord, withUnsafeValues } from './shell-text.ts'

type Item = { readonly line: string } | { readonly file: BodyFileNode }

/** The headers of a part that become words of the command. */
const usedFields: ReadonlySet<string> = new Set(['content-disposition', 'content-type'])

export function multipartWords(
  body: readonly (BodyTextNode | BodyFileNode)[],
  type: string,
  shell: ShellVariables,
  report: ReportLoss,
): readonly string[] {
  const items = body.flatMap((part): Item[] =>
    part.kind === 'body-file'
      ? [{ file: part }]
      : templateText(part.template)
          .split('\n')
          .map((line) => ({ line })),
  )
  const { preamble, parts } = splitMultipart(items, boundaryOf(type) ?? '') ?? { preamble: [], parts: [] }
  const place = body[0]?.span ?? { line: 1 }
  if (preamble.length > 0) report(place, 'the text before the first delimiter of a multipart body')
  if (parts.length === 0) report(place, 'a multipart body without its delimiters')
  return parts.map((part) => partWord(part, shell, report, place))
}

function partWord(
  part: MultipartPart<Item>,
  shell: ShellVariables,
  report: ReportLoss,
  place: { readonly line: number },
): string {
  const lines = part.headers.flatMap((item) => ('line' in item ? [item.line] : []))
  const headers = lines
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
  const disposition = headers.find((line) => /^content-disposition[ \t]*:/i.test(line)) ?? ''
  const type = headers
    .find((line) => /^content-type[ \t]*:/i.test(line))
    ?.replace(/^[^:]*:\s*/, '')
    .trim()
  const filled = (text: string): string => withUnsafeValues(text, shell, /["\\]/)
  const name = parameter(disposition, 'name') ?? ''
  if (withUnsafeValues(name, shell, /=/).includes('='))
    report(place, `the part ${name}, whose name ends at "=" for curl`)
  const fileName = parameter(disposition, 'filename')
  for (const header of headers) {
    const field = header.split(':', 1)[0]?.trim() ?? ''
    if (field !== '' && !usedFields.has(field.toLowerCase())) report(place, `the header ${field} of the part ${name}`)
  }
  const { content } = part
  const [only] = content
  const typeText = type === undefined ? '' : `;type=${type}`
  if (only !== undefined && 'file' in only && content.length === 1) {
    const path = formPath(withUnsafeValues(templateText(only.file.path), shell, /[,;"\\]/))
    if (only.file.substitutes) report(only.file.span, 'variables in the file')
    if (fileName === undefined) return `-F ${shellWord(`${name}=<${path}${typeText}`, shell)}`
    const shown =
      fileName === templateText(only.file.path).split('/').at(-1) ? '' : `;filename=${formQuoted(filled(fileName))}`
    return `-F ${shellWord(`${name}=@${path}${typeText}${shown}`, shell)}`
  }
  if (content.some((item) => 'file' in item)) report(place, `the file between text in the part ${name}`)
  const text = content.flatMap((item) => ('line' in item ? [item.line] : [])).join('\n')
  if (type === undefined && fileName === undefined) return `--form-string ${shellWord(`${name}=${text}`, shell)}`
  const shown = fileName === undefined ? '' : `;filename=${formQuoted(filled(fileName))}`
  return `-F ${shellWord(`${name}=${formQuoted(filled(text))}${typeText}${shown}`, shell)}`
}

/**
 * Only quotes are unescaped: curl sends backslashes as they are, and `%22` for a quote. Each escape is matched
 * separately, because a pattern for the whole value overflows the stack at 20 MB.
 */
function parameter(header: string, name: string): string | undefined {
  const start = new RegExp(`;\\s*${name}=`, 'i').exec(header)
  if (start === null) return undefined
  const value = header.slice(start.index + start[0].length)
  if (value.startsWith('"')) {
    for (const { 0: found, index } of value.slice(1).matchAll(/\\.|"/gs)) {
      if (found === '"') return value.slice(1, index + 1).replaceAll('\\"', '"')
    }
  }
  return /^[^;\s]*/.exec(value)?.[0]
}

/** In double quotes `-F` treats only backslashes specially. */
function formQuoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** A comma would begin another file, a semicolon a parameter. */
function formPath(path: string): string {
  return /[,;"\\]/.test(path) ? formQuoted(path) : path
}
