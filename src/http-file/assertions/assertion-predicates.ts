/**
 * Reads the predicates of assertions: conditions on a subject.
 *
 * Rules: each may be preceded by `not`. Words may be written together, apart or with hyphens, in any case:
 * `startsWith`, `starts with`, `is string`, `isString`, `is a string`. A sign needs no blanks around it.
 */
import type { Comparison, Predicate, Subject, SubjectKind, TextPredicate, ValueTest } from '../syntax/assertion-tree.ts'
import { nearestNames } from '../syntax/nearest-name.ts'
import { type TagCursor, TagProblem } from '../syntax/tag-cursor.ts'
import { isLiteral } from '../syntax/template.ts'
import { readPattern } from './assertion-regex.ts'
import { bareValue, plainText, quantityOf, readList, readValue } from './assertion-values.ts'

/** Longer signs first. */
const signs: readonly (readonly [sign: string, type: Comparison, isNegated: boolean])[] = [
  ['===', 'equals', false],
  ['!==', 'equals', true],
  ['==', 'equals', false],
  ['!=', 'equals', true],
  ['<=', 'at-most', false],
  ['>=', 'at-least', false],
  ['<', 'less', false],
  ['>', 'more', false],
]

/** Words without blanks and hyphens, in lower case. */
const words: Readonly<Record<string, Comparison | TextPredicate | 'matches' | 'in' | 'exists'>> = {
  equals: 'equals',
  contains: 'contains',
  includes: 'contains',
  startswith: 'starts-with',
  endswith: 'ends-with',
  matches: 'matches',
  in: 'in',
  exists: 'exists',
}

const tests: Readonly<Record<string, ValueTest>> = {
  string: 'string',
  text: 'string',
  number: 'number',
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  array: 'array',
  list: 'array',
  collection: 'array',
  object: 'object',
  null: 'null',
  true: 'true',
  false: 'false',
  empty: 'empty',
  date: 'date',
  isodate: 'date',
  uuid: 'uuid',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
}

/** Each predicate once, as it is usually written. */
export const predicateNames: readonly string[] = [
  ...[
    '==',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    'contains',
    'startsWith',
    'endsWith',
    'matches',
    'exists',
    'in',
    'not',
    'equals',
  ],
  ...['isString', 'isNumber', 'isInteger', 'isFloat', 'isBoolean', 'isArray', 'isObject', 'isNull', 'isEmpty'],
  ...['isTrue', 'isFalse', 'isDate', 'isUuid', 'isIpv4', 'isIpv6'],
]

/** As suggested in hints. */
const shownWords: readonly string[] = [...predicateNames, 'length', 'count']

const hint =
  'Predicates are == != < <= > >= contains startsWith endsWith matches exists in isString … and not before any.'

const textPredicates: ReadonlySet<string> = new Set(['contains', 'starts-with', 'ends-with'] satisfies TextPredicate[])

/** Subjects that can only be compared with numbers. */
const numericKinds: ReadonlySet<SubjectKind> = new Set(['status', 'duration', 'size', 'redirects'])

/** Reads each `not` at this position. @returns whether their number is odd */
export function readNots(cursor: TagCursor): boolean {
  let isNegated = false
  while (cursor.take(/^not(?=\s|$)/i) !== undefined) isNegated = !isNegated
  return isNegated
}

/** @param isDenied whether the subject is preceded by `not`. @throws TagProblem */
export function readPredicate(cursor: TagCursor, subject: Subject, isDenied: boolean): Predicate {
  const isNegated = readNots(cursor) !== isDenied
  const sign = readSign(cursor)
  if (sign !== undefined) {
    const [type, signIsNegated] = sign
    return comparison(cursor, subject, type, isNegated !== signIsNegated)
  }
  const test = readTest(cursor)
  if (test !== undefined) return ended(cursor, { type: 'is', test: test.test, isNegated: isNegated !== test.isNegated })
  const type = readWord(cursor)
  switch (type) {
    case 'exists':
      return ended(cursor, { type, isNegated })
    case 'matches':
      return { type, isNegated, ...readPattern(cursor) }
    case 'in':
      return { type, isNegated, values: { items: readList(cursor) } }
    default:
      return comparison(cursor, subject, type, isNegated)
  }
}

function readSign(cursor: TagCursor): readonly [Comparison, boolean] | undefined {
  for (const [sign, type, isNegated] of signs) {
    if (!cursor.rest.startsWith(sign)) continue
    cursor.at += sign.length
    cursor.skipBlanks()
    return [type, isNegated]
  }
  if (!cursor.rest.startsWith('=')) return undefined
  throw new TagProblem('"=" is not a comparison', [cursor.at, cursor.at + 1], 'Did you mean ==?')
}

/** `isString`, `is string`, `is a string`, `is not empty`. */
function readTest(cursor: TagCursor): Pick<Extract<Predicate, { type: 'is' }>, 'test' | 'isNegated'> | undefined {
  const start = cursor.at
  const match = cursor.take(/^is[-_ \t]*(not[ \t]+)?(?:an?[ \t]+)?([a-z]+(?:[-_]?\d|[-_][a-z]+)?)(?=\s|$)/i)
  if (match === undefined) return undefined
  const name = (match[2] as string).toLowerCase().replace(/[-_]/g, '')
  if (Object.hasOwn(tests, name)) return { test: tests[name] as ValueTest, isNegated: match[1] !== undefined }
  throw unknownWord(match[0].trim(), [start, start + match[0].trimEnd().length])
}

function readWord(cursor: TagCursor): (typeof words)[string] {
  const start = cursor.at
  if (cursor.isAtEnd) throw cursor.problem('expected a predicate, such as == 200 or exists', hint)
  const match = cursor.take(/^(?:starts|ends)[-_ \t]+with(?=\s|$)|^[a-z]+(?=\s|$)/i)
  const name = match?.[0].toLowerCase().replace(/[-_ \t]/g, '') ?? ''
  if (Object.hasOwn(words, name)) return words[name] as (typeof words)[string]
  cursor.at = start
  const [from, to] = cursor.wordRange
  throw unknownWord(cursor.line.text.slice(from, to), [from, to])
}

function unknownWord(word: string, range: readonly [start: number, end: number]): TagProblem {
  const [nearest] = nearestNames(word, shownWords)
  const message = `${JSON.stringify(word)} is not a predicate`
  return new TagProblem(message, range, nearest === undefined ? hint : `Did you mean ${nearest}?`)
}

function ended(cursor: TagCursor, predicate: Predicate): Predicate {
  if (cursor.isAtEnd) return predicate
  throw new TagProblem('text after the assertion: expected the end of the line', [cursor.at, cursor.end])
}

function comparison(
  cursor: TagCursor,
  subject: Subject,
  type: Comparison | TextPredicate,
  isNegated: boolean,
): Predicate {
  if (cursor.isAtEnd) throw cursor.problem('expected a value, found the end of the line', 'Write "" for empty text.')
  const range = [cursor.at, cursor.end] as const
  const value = readValue(cursor)
  const isOfNumbers = !textPredicates.has(type) && isNumber(subject)
  if (isOfNumbers && value.form === 'bare' && isLiteral(value.template)) {
    checkNumber(plainText(value.template), subject, range)
  }
  return { type, isNegated, value }
}

/** A comparison that can never be true is a mistake, such as a comment after the number. */
function checkNumber(text: string, { kind, filters }: Subject, range: readonly [start: number, end: number]): void {
  const unit = filters.length === 0 ? kind : undefined
  const value = (unit && quantityOf(text, unit)) ?? bareValue(text)
  if (typeof value === 'number') return
  throw new TagProblem(`expected a number, found ${JSON.stringify(text)}`, range, unit && unitHints[unit])
}

const unitHints: Partial<Record<SubjectKind, string>> = {
  duration: 'Times are written 500, 500ms, 1.5s or 2m.',
  size: 'Sizes are written 500, 500B, 10KB or 10KiB.',
}

/** Whether a subject is a number in every response. */
function isNumber({ kind, filters }: Subject): boolean {
  const last = filters.at(-1)?.type
  if (last === undefined) return numericKinds.has(kind)
  return last === 'length' || last === 'count' || last === 'bytes'
}
