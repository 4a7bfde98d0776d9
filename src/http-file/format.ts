/**
 * Formats a request file without changing its meaning.
 *
 * Rules: only white space and the marks of tags and separators change. One blank line is written before a separator,
 * between head and body, and around parts that follow the body; elsewhere several become one. Bodies and scripts stay
 * byte for byte, as do comments and the order of everything. A section whose meaning would change is left unchanged, so
 * that a defect here cannot change a file. Line ends are those of the file's first line.
 */
import { formatPart, type Zone } from './format-part.ts'
import { meaningOf } from './meaning.ts'
import { parseHttpFile, sectionText } from './parser.ts'
import type { Diagnostic } from './syntax/diagnostic.ts'
import type { HttpFile, Part, Section } from './syntax/syntax-tree.ts'

export interface FormattedHttpFile {
  /** The original text if there are errors. */
  readonly text: string
  readonly errors: readonly Diagnostic[]
}

/** Formats a request file. Does no I/O and never throws. */
export function formatHttpFile(source: string): FormattedHttpFile {
  const { file, errors } = parseHttpFile(source)
  if (errors.length > 0) return { text: source, errors }
  const lineEnd = /\r\n|\n|\r/.exec(source)?.[0] ?? '\n'
  const sections = file.sections.map((section) => formatSection(section, lineEnd))
  const text = printed(file, sections, lineEnd)
  const after = parseHttpFile(text)
  if (after.errors.length === 0 && sameMeaning(file, after.file)) return { text, errors }
  return { text: printed(file, safeSections(file, sections), lineEnd), errors }
}

/** The layout of each section that keeps its meaning, otherwise its text. */
function safeSections(file: HttpFile, formatted: readonly string[]): readonly string[] {
  return file.sections.map((section, index) => {
    const text = formatted[index] as string
    const { file: alone, errors } = parseHttpFile(text)
    const [only] = alone.sections
    const isSafe = errors.length === 0 && alone.sections.length === 1 && only !== undefined
    return isSafe && meaningOf(only) === meaningOf(section) ? text : sectionText(section)
  })
}

function printed({ byteOrderMark }: HttpFile, sections: readonly string[], lineEnd: string): string {
  const texts = sections.map(withoutBlankEnd).filter((text) => text !== '')
  return texts.length === 0 ? byteOrderMark : byteOrderMark + texts.join(lineEnd + lineEnd) + lineEnd
}

/** Without the line ending and the blank lines at the end. Trailing blanks on the last text line are preserved. */
function withoutBlankEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' \t\f\r\n'.includes(text[end - 1] as string)) end--
  const lineEnd = text.slice(end).search(/[\r\n]/)
  return lineEnd === -1 ? text : text.slice(0, end + lineEnd)
}

function sameMeaning(before: HttpFile, after: HttpFile): boolean {
  const meanings = ({ sections }: HttpFile): string =>
    sections
      .map(meaningOf)
      .filter((text) => text !== '')
      .join('\n')
  return meanings(before) === meanings(after)
}

function formatSection({ separator, parts }: Section, lineEnd: string): string {
  const heading = separator === undefined ? '' : `### ${separator.name}`.trimEnd() + lineEnd
  // Joined at the end: looking at the end of a text that grows would copy it each time.
  const texts: string[] = []
  let zone: Zone = 'head'
  let isBlankDue = false
  for (const part of parts) {
    const next = zoneAt(part, zone)
    // A blank line ends the headers and precedes parts that follow the body.
    if (next !== zone && (next === 'body' || next === 'after-body')) isBlankDue = true
    zone = next
    if (part.kind === 'blank') {
      isBlankDue = true
      continue
    }
    if (isBlankDue && texts.length > 0) texts.push(lineEnd)
    isBlankDue = false
    const text = formatPart(part, zone, lineEnd)
    texts.push(endsLine(text) ? text : text + lineEnd)
  }
  return heading + texts.join('')
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r')
}

const afterBody: ReadonlySet<Part['kind']> = new Set(['redirect', 'reference'])

function zoneAt(part: Part, zone: Zone): Zone {
  if (part.kind === 'request-line') return 'headers'
  if (zone === 'headers' && part.kind === 'blank') return 'body'
  if (zone !== 'head' && (afterBody.has(part.kind) || part.kind === 'script')) return 'after-body'
  return zone
}
