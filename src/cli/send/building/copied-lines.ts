/**
 * Extracts the lines of a message that was copied from a page or a terminal.
 *
 * Rules: a title such as "Request Headers", a Markdown fence, the `>` of a log, indentation that all header lines
 * share, a byte order mark and invisible characters in the request line are omitted, each with a notice. The body
 * stays as it is, except for a fence after it.
 */

/** The message in a text, which is a binary string. @param notices receives a sentence for each kind of change */
export function copiedLines(text: string, notices: string[]): string {
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n')
  const steps = [withoutTitle, withoutFence, withoutMarks, withoutIndentation, withPlainRequestLine]
  return steps.reduce<readonly string[]>((current, step) => step(current, notices), lines).join('\n')
}

type Step = (lines: readonly string[], notices: string[]) => readonly string[]

/** Titles that developer tools show above the lines of a request. */
const titlePattern = /^Request(?: Headers)?(?: \(\d+\))?:?\s*$/i
const requestBegin = /^\s*(?::(?:authority|method|path|scheme)\b|[A-Z]+ \S)/

const withoutTitle: Step = (lines, notices) => {
  const title = lines.findIndex((line) => titlePattern.test(line))
  if (title === -1 || !requestBegin.test(lines[title + 1] ?? '')) return lines
  notices.push(`the lines up to "${(lines[title] as string).trim()}" are left out`)
  return lines.slice(title + 1)
}

const withoutFence: Step = (lines, notices) => {
  if (!/^```\w*\s*$/.test(lines[0] ?? '')) return lines
  const end = lines.findLastIndex((line) => /^```\s*$/.test(line))
  notices.push('the fence of Markdown is left out')
  return end > 0 ? lines.slice(1, end) : lines.slice(1)
}

const withoutMarks: Step = (lines, notices) => {
  if (!/^> *[A-Z]+ \S/.test(lines[0] ?? '')) return lines
  const end = lines.findIndex((line) => !line.startsWith('>'))
  const marked = end === -1 ? lines.length : end
  notices.push('the > before the lines is left out')
  return [...lines.slice(0, marked).map((line) => line.replace(/^> ?/, '')), ...lines.slice(marked)]
}

const withoutIndentation: Step = (lines, notices) => {
  const [indent = ''] = /^[ \t]+/.exec(lines[0] ?? '') ?? []
  const blank = lines.findIndex((line) => line.trim() === '')
  const end = blank === -1 ? lines.length : blank
  if (indent === '' || !lines.slice(0, end).every((line) => line.startsWith(indent))) return lines
  if (end > 1) notices.push('the indentation of the header lines is left out')
  return [...lines.slice(0, end).map((line) => line.slice(indent.length)), ...lines.slice(end)]
}

/** In UTF-8: a no-break space, and zero-width spaces. */
const invisible = /\xc2\xa0|\xe2\x80\x8b|\xef\xbb\xbf/g

const withPlainRequestLine: Step = (lines, notices) => {
  const [line = '', ...others] = lines
  const plain = line.replace(invisible, (found) => (found === '\xc2\xa0' ? ' ' : ''))
  if (plain === line) return lines
  notices.push('invisible characters in the request line are left out')
  return [plain, ...others]
}
