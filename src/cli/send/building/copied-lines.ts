/**
 * Extracts the lines of a message that was copied from a page or a terminal.
 *
 * Rules: a title such as "Request Headers", a Markdown fence, the prefixes of a log, written-out line endings,
 * indentation that all header lines share, a byte order mark and invisible characters in the request line are removed,
 * each with a notice; the "General" section of Chrome becomes a request line. The body is unchanged, except for a fence
 * after it and the prefixes of a log.
 */

/** The message in a text, which is a binary string. @param notices receives a sentence for each kind of change */
export function copiedLines(text: string, notices: string[]): string {
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n')
  const steps = [
    withoutTitle,
    withGeneral,
    withoutFence,
    withoutMarks,
    withoutWrittenEnds,
    withoutIndentation,
    withPlainRequestLine,
  ]
  return steps.reduce<readonly string[]>((current, step) => step(current, notices), lines).join('\n')
}

type Step = (lines: readonly string[], notices: string[]) => readonly string[]

/** Titles that developer tools show above the lines of a request. */
const titlePattern = /^(?:Request(?: Headers)?(?: \(\d+\))?:?|Hypertext Transfer Protocol)\s*$/i
const requestBegin = /^\s*(?::(?:authority|method|path|scheme)\b|[A-Z]+ \S)/

const withoutTitle: Step = (lines, notices) => {
  const title = lines.findIndex((line) => titlePattern.test(line))
  if (title === -1 || !requestBegin.test(lines[title + 1] ?? '')) return lines
  notices.push(`the lines up to "${(lines[title] as string).trim()}" are left out`)
  return lines.slice(title + 1)
}

/** Chrome shows URL and method above the headers of HTTP/1.1, inline or each on the next line. */
const withGeneral: Step = (lines, notices) => {
  const shown = (name: string): string | undefined => {
    const at = lines.findIndex((line) => line.startsWith(name))
    const inline = (lines[at] ?? '').slice(name.length).replace(/^:/, '').trim()
    return at === -1 ? undefined : inline || lines[at + 1]?.trim()
  }
  const url = shown('Request URL')
  const isAtBegin = lines.slice(0, 2).some((line) => line.startsWith('Request URL'))
  if (!isAtBegin || url === undefined || !/^https?:\/\/\S+$/.test(url)) return lines
  const line = `${shown('Request Method') ?? 'GET'} ${url} HTTP/1.1`
  const title = lines.findIndex((each) => titlePattern.test(each))
  const fields = title === -1 ? [] : lines.slice(title + 1)
  notices.push(`the request line is made from the URL and the method: ${line}`)
  return [line, ...fields.filter((field) => !/^(?:Provisional headers are shown|Learn more)\s*$/.test(field))]
}

const withoutFence: Step = (lines, notices) => {
  if (!/^```\w*\s*$/.test(lines[0] ?? '')) return lines
  const end = lines.findLastIndex((line) => /^```\s*$/.test(line))
  notices.push('the fence of Markdown is left out')
  return end > 0 ? lines.slice(1, end) : lines.slice(1)
}

/** Lines that `curl -v` prints around the request, and the response after it. */
const logLine = /^(?:[*<] |[{}] \[\d+ bytes data\])/

/** Removes `>` before the lines of the head and, for Insomnia, `|` before the body. */
const withoutMarks: Step = (lines, notices) => {
  const begin = lines.findIndex((line) => !logLine.test(line))
  if (!/^> *[A-Z]+ \S/.test(lines[begin] ?? '')) return lines
  const end = lines.findIndex((line, at) => at > begin && !line.startsWith('>'))
  const marked = end === -1 ? lines.length : end
  notices.push('the > before the lines is left out')
  const head = lines.slice(begin, marked).map((line) => line.replace(/^> ?/, ''))
  const rest = lines.slice(marked)
  if (rest.some((line) => logLine.test(line))) {
    notices.push('the lines after the request are left out')
    return head
  }
  if (!rest.some((line) => line.startsWith('| ')) || !rest.every((line) => /^(?:\| |\s*$)/.test(line)))
    return [...head, ...rest]
  notices.push('the | before the lines is left out')
  return [...head, ...rest.map((line) => line.replace(/^\| /, ''))]
}

/** Wireshark writes the line endings of the header as `\r\n`. */
const withoutWrittenEnds: Step = (lines, notices) => {
  if (!/\\r\\n\s*$/.test(lines[0] ?? '')) return lines
  const last = lines.findIndex((line) => !/\\r\\n\s*$/.test(line))
  const end = last === -1 ? lines.length : last
  notices.push('the \\r\\n that ends the lines is left out')
  return [...lines.slice(0, end).map((line) => line.replace(/\\r\\n\s*$/, '')), ...lines.slice(end)]
}

const withoutIndentation: Step = (lines, notices) => {
  const [indent = ''] = /^[ \t]+/.exec(lines[0] ?? '') ?? []
  const blank = lines.findIndex((line) => line.trim() === '')
  const end = blank === -1 ? lines.length : blank
  if (indent === '' || !lines.slice(0, end).every((line) => line.startsWith(indent))) return lines
  if (end > 1) notices.push('the indentation of the header lines is left out')
  return [...lines.slice(0, end).map((line) => line.slice(indent.length)), ...lines.slice(end)]
}

/** A no-break space and zero-width spaces, in UTF-8. */
const invisible = /\xc2\xa0|\xe2\x80\x8b|\xef\xbb\xbf/g

const withPlainRequestLine: Step = (lines, notices) => {
  const [line = '', ...others] = lines
  const plain = line.replace(invisible, (found) => (found === '\xc2\xa0' ? ' ' : ''))
  if (plain === line) return lines
  notices.push('invisible characters in the request line are left out')
  return [plain, ...others]
}
