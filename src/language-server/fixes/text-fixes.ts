/** Fixes of single characters and lines: braces, blanks, separators, comments. */
import type { Analysis } from '../workspace/analysis.ts'
import { partAt, partsAt, sectionAt } from '../workspace/place-at.ts'
import { type Fix, type Fixer, lineEndOf, lineStart, type Problem, wholeLine } from './fix.ts'

/** Replaces the text of a finding if the pattern matches all of it. */
export function replacing(pattern: RegExp, replacement: string): Fixer {
  return ({ text, offset, length }) => {
    const match = pattern.exec(text)
    if (match === null) return []
    const own = text.replace(pattern, replacement)
    return [{ title: `Write ${own}`, edits: [{ offset, length, text: own }], isPreferred: true }]
  }
}

/** Inserts a line above the line of the finding. */
export function lineAbove(line: string, title: string): Fixer {
  return ({ analysis, offset }) => {
    const at = lineStart(analysis, offset)
    return [{ title, edits: [{ offset: at, length: 0, text: line + lineEndOf(analysis.text) }] }]
  }
}

/** Inserts "###" above the section, so that its tags and scripts move with it. */
export function separatorAbove({ analysis, offset }: Problem): readonly Fix[] {
  const section = sectionAt(analysis.file, offset)
  if (section === undefined || section.index === 0) return []
  const parts = partsAt(section)
  const at = parts.find(({ part }) => part.kind !== 'blank')?.offset ?? section.offset
  const text = `###${lineEndOf(analysis.text)}`
  return [{ title: 'Write "###" above the request', edits: [{ offset: at, length: 0, text }], isPreferred: true }]
}

export function commentOut({ analysis, offset }: Problem): readonly Fix[] {
  const at = lineStart(analysis, offset)
  return [{ title: 'Comment out the line', edits: [{ offset: at, length: 0, text: '# ' }] }]
}

export function removeLine({ analysis, offset }: Problem): readonly Fix[] {
  return [{ title: 'Remove the line', edits: [{ ...wholeLine(analysis, offset), text: '' }] }]
}

/** Removes the text before "###" in its line. */
export function removeIndent({ analysis, offset }: Problem): readonly Fix[] {
  const start = lineStart(analysis, offset)
  const line = analysis.lines.lineText(analysis.lines.positionAt(offset).line)
  const length = line.indexOf('###')
  if (length < 1) return []
  return [{ title: 'Remove the text before "###"', edits: [{ offset: start, length, text: '' }], isPreferred: true }]
}

/** `{{name`, `{{name}`, or a line that contains one of these. */
export function closeVariable({ text, offset }: Problem): readonly Fix[] {
  const match = /\{\{([ \t]*[\p{L}\p{N}_.$-]+)(?![\p{L}\p{N}_.$-]|[^{}]*\}\})[ \t]*\}?/u.exec(text)
  if (match === null) return []
  const closed = `{{${(match[1] as string).trim()}}}`
  const edits = [{ offset: offset + match.index, length: match[0].trimEnd().length, text: closed }]
  return [{ title: `Close the variable: ${closed}`, edits, isPreferred: true }]
}

export function closeScript({ analysis, offset }: Problem): readonly Fix[] {
  const found = partAt(analysis.file, offset)
  if (found?.part.kind !== 'script') return []
  const at = found.offset + found.part.text.trimEnd().length
  return [
    { title: 'Close the script with "%}"', edits: [{ offset: at, length: 0, text: `${lineEndOf(analysis.text)}%}` }] },
  ]
}

/** Removes the empty lines between the headers and a line that looks like a header. */
export function joinHeaders({ analysis, offset }: Problem): readonly Fix[] {
  const at = lineStart(analysis, offset)
  const before = analysis.text.slice(0, at)
  const blanks = /(?:\r\n|\r(?!\n)|\n)((?:[ \t\f]*(?:\r\n|\r(?!\n)|\n))+)$/.exec(before.slice(-MAX_BLANKS))?.[1]
  if (blanks === undefined) return []
  const edits = [{ offset: at - blanks.length, length: blanks.length, text: '' }]
  return [{ title: 'Remove the empty line above the header', edits, isPreferred: true }]
}

/** The maximum white space between headers and body that is searched. */
const MAX_BLANKS = 200

/** `Name: value` below a header, indented. */
export function unfoldHeader({ analysis, offset }: Problem): readonly Fix[] {
  const found = partAt(analysis.file, offset)
  if (found?.part.kind !== 'header') return []
  const fold = /([\r\n])([ \t\f]+)(?=[A-Za-z][A-Za-z0-9-]*:[ \t\f])/.exec(found.part.text)
  if (fold === null) return []
  const edits = [{ offset: found.offset + fold.index + 1, length: (fold[2] as string).length, text: '' }]
  return [{ title: 'Remove the indent of the header', edits, isPreferred: true }]
}

/** `< file.js` below the request line, as a script that reads the response. */
export function bodyToHandler({ analysis, offset }: Problem): readonly Fix[] {
  const at = bodyMarkAt(analysis, offset)
  if (at === undefined) return []
  return [{ title: 'Run the script after the response: ">"', edits: [{ offset: at, length: 1, text: '>' }] }]
}

function bodyMarkAt(analysis: Analysis, offset: number): number | undefined {
  const found = partAt(analysis.file, offset)
  return found?.part.kind === 'body-file' ? found.part.span.offset : undefined
}

const lookAlikes: Readonly<Record<string, string>> = {
  '\u00a0': ' ',
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
}

/** Invisible characters and typographic quotes. */
export function plainCharacter({ text, offset, length }: Problem): readonly Fix[] {
  if (text.length !== 1) return []
  const plain = lookAlikes[text] ?? ''
  const title = plain === '' ? 'Delete the invisible character' : `Write ${plain === ' ' ? 'a blank' : plain} instead`
  return [{ title, edits: [{ offset, length, text: plain }], isPreferred: true }]
}

/** `[1, 2,]` in a body of JSON. */
export function removeComma({ analysis, offset, message }: Problem): readonly Fix[] {
  const comma = /,\s*$/.exec(analysis.text.slice(Math.max(0, offset - MAX_BLANKS), offset))
  if (!message.includes('a comma before') || comma === null) return []
  const edits = [{ offset: offset - comma[0].length, length: 1, text: '' }]
  return [{ title: 'Remove the comma', edits, isPreferred: true }]
}
