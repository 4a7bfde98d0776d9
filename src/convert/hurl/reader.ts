/**
 * Converts Hurl files to requests with captures and assertions.
 *
 * Rules: an entry is a request; a comment above it is its name. Losses are reported with their line.
 */
import { ShellSyntaxError } from '../curl/shell-word.ts'
import { type Conversion, conversionOf } from '../draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from '../draft/errors.ts'
import { Losses } from '../draft/losses.ts'
import { hurlEntries } from './entry.ts'
import { entryDraft, isSkipped } from './request.ts'
import { lostFilters } from './text.ts'

/** @throws ConvertSyntaxError */
export function readHurl(source: SourceText): Conversion {
  let problem = 'expected a request, such as "GET http://localhost/"'
  try {
    const losses = new Losses()
    const entries = hurlEntries(source.text)
    const requests = entries.flatMap((entry) => {
      if (!isSkipped(entry)) return [entryDraft(entry, losses)]
      losses.add(`line ${entry.line}`, `${entry.method} ${entry.url}, which has the option skip`)
      return []
    })
    for (const { line, text } of lostFilters(source.text)) losses.add(`line ${line}`, `the filter in ${text}`)
    if (requests.length > 0) return conversionOf({ requests, losses: losses.all })
    if (entries.length > 0) problem = 'every request has the option skip'
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    throw ConvertSyntaxError.at(source, error, error.message)
  }
  throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, problem)
}
