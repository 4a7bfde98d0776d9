/**
 * Explains the error if a text is a request file: `send` accepts one message, without comments and variables.
 *
 * Rules: an error keeps its position; if a comment begins the head, the error is at the comment.
 */
import { HttpParseError, octetString } from '../../../message/index.ts'
import type { RequestSource } from '../source/request-source.ts'

/** Syntax that only request files have: a marker at the beginning of a line, or a variable. */
const marks = /^(?:###|> *\{%|< *\{%|# *@|\/\/ *@|@[\w-]+ *=)|\{\{[^{}\r\n]*\}\}/m

/** Texts that are not messages, recognised by their first line. */
const otherTexts: readonly { readonly pattern: RegExp; readonly what: string; readonly hint: string }[] = [
  { pattern: /^$/, what: 'the request is empty', hint: 'Give a URL, a file, or text with -t' },
  {
    pattern: /^\s*curl(?:\.exe)? /,
    what: 'the text is a curl command, expected a request',
    hint: 'Convert it into a request file for httpcli run with httpcli convert',
  },
  {
    pattern: /^\s*(?:await )?fetch\(/,
    what: 'the text is a call to fetch, expected a request',
    hint: 'Copy it as cURL and give that to httpcli convert, or copy the headers of the request',
  },
  {
    pattern: /^\s*(?:Invoke-(?:WebRequest|RestMethod)\b|\$session\b)/i,
    what: 'the text is a PowerShell command, expected a request',
    hint: 'Copy it as cURL and give that to httpcli convert',
  },
  {
    pattern: /^\s*(?:https?|xhs?|wget)\s/,
    what: 'the text is the command line of another tool, expected a request',
    hint: 'Without -t, httpcli takes a method, a URL and items',
  },
  {
    pattern: /^\s*[A-Za-z][A-Za-z0-9+.-]*:\/\//,
    what: 'the text begins with a URL, expected a method',
    hint: 'Write GET before the URL, or give the URL alone, without -t',
  },
  {
    pattern: /^HTTP\/\d/,
    what: 'the text is a response, expected a request',
    hint: 'Copy the request, whose first line has a method and a URL',
  },
  {
    pattern: /^\s*(?:\[|\{(?!\{))/,
    what: 'the text begins like JSON, expected a request',
    hint: 'Give a body with -b or -g, or after an empty line after the headers',
  },
  {
    pattern: /^[A-Za-z][A-Za-z0-9-]*:(?:[ \t]|$)/,
    what: 'the text begins with a header line, expected a request line',
    hint: 'Write one above it: GET <url>',
  },
]

/**
 * The error for a file with a separator that is followed by another request or the end, and would be sent as part of
 * the body.
 */
export function separatorError({ first, file = '' }: RequestSource): HttpParseError | undefined {
  const lines = octetString(first).split(/\r?\n/)
  const index = separatorOf(lines)
  const line = lines[index]
  if (line === undefined) return undefined
  const position = { offset: lines.slice(0, index).join('\n').length + 1, line: index + 1, column: 1 }
  const excerpt = `${Buffer.from(line, 'latin1').toString('utf8')}\n^`
  const hint = `Send the file with httpcli run ${file}, which takes one of its requests with --name`
  const what = 'the line separates requests, which is allowed only in request files'
  return new HttpParseError('METHOD', what, position, excerpt, 400, hint)
}

/** The first `###` with only comments and variables between it and a request line or the end; -1 if there is none. */
function separatorOf(lines: readonly string[]): number {
  let found = -1
  let isBeforeRequest = true
  for (let at = lines.length - 1; at > 0; at--) {
    const line = lines[at] as string
    if (isBeforeRequest && line.startsWith('###')) found = at
    else if (!/^\s*(?:$|#|\/\/|@)/.test(line)) isBeforeRequest = /^[A-Z]+[ \t]+(?:[a-z]+:\/\/|\/|\{\{)/.test(line)
  }
  return found
}

/** @param error the parser's error; undefined if the parser took a comment or a command for a request. */
export function requestFileError({ first, file }: RequestSource, error: HttpParseError | undefined): HttpParseError {
  const text = octetString(first)
  const lines = text.split(/\r?\n/)
  const index = lines.findIndex((line) => line.trim() !== '')
  const line = lines[index] ?? ''
  const run = `httpcli run ${file ?? '<file>'}`
  const atLine = (what: string, hint: string): HttpParseError => {
    const excerpt = `${Buffer.from(line, 'latin1').toString('utf8')}\n^`
    const position = { offset: lines.slice(0, index).join('\n').length, line: index + 1, column: 1 }
    return new HttpParseError('METHOD', what, position, excerpt, 400, hint)
  }
  if (/^(?:#|\/\/)/.test(line)) {
    const what = 'the line is a comment, which is allowed only in request files'
    return atLine(what, `Delete it, or send the request file with ${run}`)
  }
  const other = otherTexts.find(({ pattern }) => pattern.test(line))
  if (other !== undefined) {
    if (error === undefined) return atLine(other.what, other.hint)
    return new HttpParseError(error.code, other.what, error, error.excerpt, error.status, other.hint)
  }
  if (error === undefined) throw new Error('a text without a comment was taken for one')
  if (!marks.test(text)) return error
  const hint = `${error.hint === undefined ? 'This' : `${error.hint}; this`} looks like a request file, which is sent with ${run}`
  return new HttpParseError(error.code, error.message, error, error.excerpt, error.status, hint)
}
