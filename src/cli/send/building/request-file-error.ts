/**
 * What is wrong with a text that is a request file: `send` takes one message, without comments and variables.
 *
 * Rules: an error keeps its place; a comment at the head is the error itself.
 */
import { HttpParseError, octetString } from '../../../message/index.ts'
import type { RequestSource } from '../source/request-source.ts'

/** What only request files have, at the begin of a line, or a variable. */
const marks = /^(?:###|> *\{%|< *\{%|# *@|\/\/ *@|@[\w-]+ *=)|\{\{[^{}\r\n]*\}\}/m

/** @param error what the parser found; undefined where it took a comment for a request. */
export function requestFileError({ first, file }: RequestSource, error: HttpParseError | undefined): HttpParseError {
  const text = octetString(first)
  const lines = text.split(/\r?\n/)
  const index = lines.findIndex((line) => line.trim() !== '')
  const line = lines[index] ?? ''
  const run = `httpcli run ${file ?? '<file>'}`
  if (/^(?:#|\/\/)/.test(line)) {
    const excerpt = `${Buffer.from(line, 'latin1').toString('utf8')}\n^`
    const position = { offset: lines.slice(0, index).join('\n').length, line: index + 1, column: 1 }
    const what = 'the line is a comment, which a message has not; request files have them'
    return new HttpParseError('METHOD', what, position, excerpt, 400, `delete it, or send the request file with ${run}`)
  }
  if (error === undefined) throw new Error('a text without a comment was taken for one')
  if (!marks.test(text)) return error
  const hint = `${error.hint === undefined ? '' : `${error.hint}; `}this looks like a request file, which is sent with ${run}`
  return new HttpParseError(error.code, error.message, error, error.excerpt, error.status, hint)
}
