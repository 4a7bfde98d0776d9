/**
 * Finds the end of a script in `{% … %}`.
 *
 * Rules: the first `%}` ends it; comments and separators inside are part of the script. An unclosed script would
 * swallow the requests after it. So if a `###` line and another `{%` come before the `%}`, the block is unclosed and
 * ends before that `###`, and the rest of the file is still checked.
 */
import type { Mistake } from '../syntax/diagnostic.ts'
import { isSeparator, type SourceLine } from '../syntax/source-line.ts'
import type { Span } from '../syntax/span.ts'

export interface ScriptBlock {
  readonly code: string
  readonly span: Span
  readonly lineCount: number
  readonly isClosed: boolean
  /** Index in the last line after `%}` of text that does not belong there. */
  readonly textAfter: number | undefined
}

export const unclosedScript: Mistake = {
  message: 'the script is not closed: expected "%}"',
  hint: 'A script ends with the first "%}" after its "{%".',
}

/** Reads the block whose `{%` ends at index `start` of line `index`. */
export function readScriptBlock(lines: readonly SourceLine[], index: number, start: number): ScriptBlock {
  const first = lines[index] as SourceLine
  const code: string[] = []
  let separator: number | undefined
  for (let at = index; at < lines.length; at++) {
    const line = lines[at] as SourceLine
    const from = at === index ? start : 0
    if (at > index && separator === undefined && isSeparator(line)) separator = at
    if (separator !== undefined && line.text.includes('{%')) break
    const close = line.text.indexOf('%}', from)
    if (close !== -1) {
      code.push(line.text.slice(from, close))
      const textAfter = line.text.slice(close + 2).trim() === '' ? undefined : close + 2
      return block(first, start, code.join(''), at - index + 1, true, textAfter)
    }
    code.push(line.text.slice(from) + line.end)
  }
  const lineCount = (separator ?? lines.length) - index
  return block(first, start, code.slice(0, lineCount).join(''), lineCount, false, undefined)
}

function block(
  first: SourceLine,
  start: number,
  code: string,
  lineCount: number,
  isClosed: boolean,
  textAfter: number | undefined,
): ScriptBlock {
  const span = { offset: first.offset + start, line: first.number, column: start + 1, length: code.length }
  return { code, span, lineCount, isClosed, textAfter }
}
