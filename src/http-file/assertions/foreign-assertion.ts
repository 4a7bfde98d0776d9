/**
 * Reads `?? subject predicate value`, the assertions of httpYac.
 *
 * Rules: the predicate is the first one between blanks; everything after it is the value, including quotes. A value is
 * compared in the type of the actual value: `5` is a number or a text. `js` supports expressions that can be evaluated
 * without running a program; for others the hint says what to write instead. Digests are in base64.
 */
import type { Assertion, Predicate, Subject } from '../syntax/assertion-tree.ts'
import type { Span } from '../syntax/span.ts'
import { TagCursor, TagProblem } from '../syntax/tag-cursor.ts'
import { readPredicate } from './assertion-predicates.ts'
import { readPattern } from './assertion-regex.ts'
import { readSubject } from './assertion-subjects.ts'

type Range = readonly [start: number, end: number]

/** httpYac's words, in lower case. */
const comparisons: Readonly<
  Record<string, readonly [type: Extract<Predicate, { value: unknown }>['type'], isNegated: boolean]>
> = {
  '==': ['equals', false],
  '===': ['equals', false],
  equals: ['equals', false],
  '!=': ['equals', true],
  '!==': ['equals', true],
  'not equals': ['equals', true],
  '>': ['more', false],
  '>=': ['at-least', false],
  '<': ['less', false],
  '<=': ['at-most', false],
  startswith: ['starts-with', false],
  endswith: ['ends-with', false],
  includes: ['contains', false],
  contains: ['contains', false],
}

type Digest = 'md5' | 'sha256' | 'sha512'

const digests: Readonly<Record<string, Digest>> = { md5: 'md5', sha256: 'sha256', sha512: 'sha512' }

const predicatePattern =
  /[ \t\f](===?|!==?|[<>]=?|not[ \t]+equals|equals|(?:starts|ends)with|includes|contains|exists|matches|is(?:true|false|number|string|boolean|array)|md5|sha256|sha512)(?=[ \t\f]|$)/i

const JS_HINT =
  'httpYac runs it in Node.js. Write a path, "?? body items[0].id == 5", or a test: > {% client.test(…) %}'

/** @throws TagProblem */
export function readForeignAssertion(cursor: TagCursor): Pick<Assertion, 'subject' | 'predicate'> {
  cursor.skipBlanks()
  const { at: start, end, line, rest } = cursor
  const match = predicatePattern.exec(rest)
  const wordAt = match === null ? end : start + match.index + 1
  const subject = subjectIn(new TagCursor(line, [start, match === null ? end : start + match.index]))
  if (match === null) {
    const hint =
      'Predicates of httpYac are == != < <= > >= includes startsWith endsWith matches exists isTrue isFalse …'
    throw new TagProblem('expected a predicate, such as == 200', [end, end], hint)
  }
  const word = (match[1] as string).toLowerCase().replace(/[ \t]+/, ' ')
  cursor.at = wordAt + (match[1] as string).length
  cursor.skipBlanks()
  return readHolds(cursor, word, subject, wordAt)
}

function readHolds(
  cursor: TagCursor,
  word: string,
  subject: Subject,
  wordAt: number,
): Pick<Assertion, 'subject' | 'predicate'> {
  if (Object.hasOwn(comparisons, word)) {
    const [type, isNegated] = comparisons[word] as (typeof comparisons)[string]
    if (cursor.isAtEnd) throw cursor.problem('expected a value, found the end of the line')
    const { template } = cursor.piece([cursor.at, cursor.end])
    return { subject, predicate: { type, isNegated, value: { form: 'loose', template } } }
  }
  if (Object.hasOwn(digests, word)) return digestOf(cursor, subject, digests[word] as Digest)
  if (word === 'matches') return { subject, predicate: { type: 'matches', isNegated: false, ...readPattern(cursor) } }
  const isTruth = word === 'istrue' || word === 'isfalse'
  if (word === 'exists' || (isTruth && subject.kind !== 'jsonpath')) {
    return { subject, predicate: { type: 'exists', isNegated: word === 'isfalse' } }
  }
  cursor.at = wordAt
  return { subject, predicate: readPredicate(cursor, subject, false) }
}

/** Digests are compared as hexadecimal digits. */
function digestOf(cursor: TagCursor, subject: Subject, type: Digest): Pick<Assertion, 'subject' | 'predicate'> {
  const range = [cursor.at, cursor.end] as const
  const written = cursor.rest
  let octets: string
  try {
    octets = atob(written)
  } catch {
    throw new TagProblem(`expected a digest in Base64, found ${JSON.stringify(written)}`, range)
  }
  const hex = [...octets].map((octet) => octet.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  const value = { form: 'quoted', template: { parts: [{ type: 'text', text: hex }] } } as const
  return {
    subject: { ...subject, filters: [...subject.filters, { type }] },
    predicate: { type: 'equals', isNegated: false, value },
  }
}

function subjectIn(cursor: TagCursor): Subject {
  const { at: start, end, line } = cursor
  const text = line.text.slice(start, end).trim()
  const script = cursor.take(/^js[ \t\f]+/i)
  if (script !== undefined) return scriptSubject(cursor, text)
  const path = /^body[ \t\f]+(?![ \t\f$"']|jsonpath\b|xpath\b|regex\b)(.+)$/i.exec(text)?.[1]
  if (path !== undefined) {
    const range = [end - path.length, end] as const
    return pathSubject(`.${path}`, range, cursor, text)
  }
  const subject = readSubject(cursor)
  if (!cursor.isAtEnd) {
    throw new TagProblem('expected a predicate after the subject, such as ==', [cursor.at, end])
  }
  return subject
}

interface Found {
  readonly kind: Subject['kind']
  /** The name of a header. */
  readonly name?: string
}

const properties: readonly (readonly [pattern: RegExp, found: (name: string) => Found])[] = [
  [/^response\.status(?:Code)?$/, () => ({ kind: 'status' })],
  [/^response\.statusMessage$/, () => ({ kind: 'reason' })],
  [/^response\.timings\.total$/, () => ({ kind: 'duration' })],
  [/^response\.body$/, () => ({ kind: 'body' })],
  [/^response\.headers(?:\.([\w-]+)|\[["']([\w-]+)["']\])$/, (name) => ({ kind: 'header', name })],
]

/** The subject that corresponds to a JavaScript expression over the response. */
function scriptSubject(cursor: TagCursor, text: string): Subject {
  const range = [cursor.at, cursor.end] as const
  const expression = cursor.rest.trim()
  for (const [pattern, found] of properties) {
    const match = pattern.exec(expression)
    if (match !== null) return subjectOf(found(match[1] ?? match[2] ?? ''), cursor.piece(range).span, text)
  }
  const path = /^response\.parsedBody(?![\w$])(.*)$/s.exec(expression)?.[1]
  if (path === undefined)
    throw new TagProblem('this JavaScript cannot be read as a part of the response', range, JS_HINT)
  return pathSubject(path, range, cursor, text)
}

function subjectOf({ kind, name }: Found, span: Span, text: string): Subject {
  const argument = name === undefined ? undefined : { parts: [{ type: 'text', text: name }] as const }
  return { kind, argument, argumentSpan: span, selection: undefined, attribute: undefined, filters: [], text }
}

const stepPattern = /(?:\?\.|\.)([A-Za-z_$][\w$]*)|(?:\?\.)?\[(?:(\d+)|"([^"\\]*)"|'([^'\\]*)')\]/y

/** Property access as JSONPath; a final `.length` is a filter. */
function pathSubject(written: string, range: Range, cursor: TagCursor, text: string): Subject {
  const isLength = /\.length$/.test(written)
  const steps = isLength ? written.slice(0, -'.length'.length) : written
  let path = '$'
  stepPattern.lastIndex = 0
  while (stepPattern.lastIndex < steps.length) {
    const match = stepPattern.exec(steps)
    if (match === null) throw new TagProblem('this is not a path into JSON, such as items[0].id', range, JS_HINT)
    path += match[2] === undefined ? `[${JSON.stringify(match[1] ?? match[3] ?? match[4])}]` : `[${match[2]}]`
  }
  const span = cursor.piece(range).span
  const subject = subjectOf({ kind: 'jsonpath', name: path }, span, text)
  return isLength ? { ...subject, filters: [{ type: 'length' }] } : subject
}
