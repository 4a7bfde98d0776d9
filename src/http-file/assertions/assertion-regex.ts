/**
 * Regular expressions in assertions: as a filter of a subject, and after `matches`.
 *
 * Rules: between slashes, or in quotes. A pattern without variables is compiled here, so that an invalid one is an
 * error of the file. Only flags that change which texts match are allowed, not those that change the number of matches.
 */
import type { Filter } from '../syntax/assertion-tree.ts'
import { endOfPattern } from '../syntax/quoted-text.ts'
import type { Template } from '../syntax/span.ts'
import { found, readQuoted, type TagCursor, TagProblem } from '../syntax/tag-cursor.ts'
import { isLiteral } from '../syntax/template.ts'
import { plainText } from './assertion-values.ts'

export interface Pattern {
  readonly pattern: Template
  readonly flags: string
}

type Range = readonly [start: number, end: number]

const flagsAfter = /^([a-z]*)(?=[\s=<>!]|$)/
const flagPattern = /^[imsuv]*$/

/** Reads the filter `/…/i`, `regex /…/` or `regex "…"`, if one starts here. @throws TagProblem */
export function readRegex(cursor: TagCursor): Filter | undefined {
  const isNamed = cursor.take(/^regex(?=\s)/i) !== undefined
  const start = cursor.at
  const length = cursor.rest.startsWith('/') ? endOfPattern(cursor.rest, 0) : -1
  const flags = length === -1 ? undefined : flagsAfter.exec(cursor.rest.slice(length))?.[1]
  if (flags !== undefined) {
    const { template } = cursor.piece([start + 1, start + length - 1])
    cursor.at = start + length + flags.length
    cursor.skipBlanks()
    return { type: 'regex', ...checked(template, flags, [start, start + length + flags.length]) }
  }
  if (cursor.rest.startsWith('/')) throw notClosed(cursor)
  if (!isNamed) return undefined
  const quoted = readQuoted(cursor)
  if (quoted === undefined) throw cursor.problem(`expected a regular expression after regex, ${found(cursor)}`)
  return { type: 'regex', ...checked(quoted.template, '', [start, cursor.at]) }
}

/** The rest of the line: between slashes, in quotes, or as written. @throws TagProblem */
export function readPattern(cursor: TagCursor): Pattern {
  const { at: start, end, rest } = cursor
  if (cursor.isAtEnd) throw cursor.problem('expected a regular expression, found the end of the line')
  const slashed = /^\/(.*)\/([a-z]*)$/.exec(rest)
  const quoted = slashed === null ? readQuoted(cursor) : undefined
  if (quoted !== undefined && !cursor.isAtEnd) {
    throw new TagProblem('text after the value: expected the end of the line', [cursor.at, end])
  }
  if (slashed === null && quoted === undefined && rest.startsWith('/')) throw notClosed(cursor)
  cursor.at = end
  const first = slashed === null ? start : start + 1
  const last = slashed === null ? end : first + (slashed[1] as string).length
  return checked(quoted?.template ?? cursor.piece([first, last]).template, slashed?.[2] ?? '', [start, end])
}

function notClosed(cursor: TagCursor): TagProblem {
  return cursor.problem('the regular expression is not closed: expected "/"', 'Write a slash inside it as \\/.')
}

/** @throws TagProblem if the expression is invalid, as far as that is known without the variables */
function checked(pattern: Template, flags: string, range: Range): Pattern {
  if (!flagPattern.test(flags)) {
    throw new TagProblem(`expected the flags i, m, s, u or v after the regular expression, found "${flags}"`, range)
  }
  if (isLiteral(pattern)) {
    try {
      RegExp(plainText(pattern), flags)
    } catch (error) {
      throw new TagProblem(`this is not a regular expression: ${(error as Error).message}`, range)
    }
  }
  return { pattern, flags }
}
