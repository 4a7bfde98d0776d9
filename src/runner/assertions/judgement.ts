/**
 * Evaluates one assertion: whether it passes, what was expected, what was found.
 *
 * Rules: a missing value satisfies only `not exists`, so that a misspelt path cannot pass. If a path finds a list with
 * one element, the element itself may be compared.
 */
import type { Assertion, JsonValue, Predicate, SubjectKind, Template, ValueTest } from '../../http-file/index.ts'
import { type Candidate, candidatesOf, compares, equals, passes, textOf } from './comparisons.ts'
import { type Expected, type ExpectedContext, expectedValue } from './expected-value.ts'
import { type FoundValue, isUnread, shownJson, shownValue, typeName } from './found-value.ts'

export interface Judgement {
  readonly isMet: boolean
  readonly expected: string
  readonly actual: string
  /** Why it cannot pass if the types do not fit. */
  readonly note: string | undefined
}

/** The text that a failed assertion reports. */
export function failureText({ expected, actual, note }: Judgement): string {
  return [`expected: ${expected}`, `actual:   ${actual}`, ...(note === undefined ? [] : [note])].join('\n')
}

/** A predicate with its values. */
interface Question {
  /** The expectation, without `not`. */
  readonly phrase: string
  /** Undefined if the types do not fit. */
  readonly ask: (candidate: Candidate) => boolean | undefined
  /** How the types differ. */
  readonly note?: (candidate: Candidate) => string | undefined
}

/** @throws HttpcliError of a variable; SyntaxError. */
export function judge({ subject, predicate }: Assertion, found: FoundValue, context: ExpectedContext): Judgement {
  const unit = subject.filters.length === 0 ? subject.kind : undefined
  const question = questionOf(predicate, unit, context)
  const expected = `${predicate.isNegated ? 'not ' : ''}${question.phrase}`
  const shown = { expected, actual: `${shownValue(found)}${unitOf(unit, found)}` }
  if (predicate.type === 'exists') {
    const isMet = !isUnread(found) && isThere(found, subject.kind) !== predicate.isNegated
    return { ...shown, isMet, note: undefined }
  }
  const candidates = candidatesOf(found)
  const answers = candidates.map((candidate) => answerTo(question, candidate, found))
  const isComparable = answers.some((answer) => answer !== undefined)
  const isMet = isComparable && answers.includes(true) !== predicate.isNegated
  const [first] = candidates
  return { ...shown, isMet, note: isMet || first === undefined ? undefined : question.note?.(first) }
}

function answerTo(question: Question, candidate: Candidate, found: FoundValue): boolean | undefined {
  const answer = question.ask(candidate)
  if (answer === true || found.type !== 'values' || found.values.length !== 1) return answer
  return question.ask({ json: found.values[0] as JsonValue, isLoose: false }) ?? answer
}

/** An empty body does not exist. */
function isThere(found: FoundValue, kind: SubjectKind): boolean {
  if (found.type === 'values') return found.values.length > 0
  return found.type !== 'nothing' && !(kind === 'body' && found.type === 'text' && found.text === '')
}

const phrases = {
  equals: '',
  less: 'less than ',
  'at-most': 'at most ',
  more: 'more than ',
  'at-least': 'at least ',
  contains: 'containing ',
  'starts-with': 'beginning with ',
  'ends-with': 'ending with ',
} as const

const testPhrases: Readonly<Record<ValueTest, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  float: 'a number with a fraction',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
  true: 'true',
  false: 'false',
  empty: 'empty',
  date: 'a date as in ISO 8601',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

function questionOf(predicate: Predicate, unit: SubjectKind | undefined, context: ExpectedContext): Question {
  switch (predicate.type) {
    case 'exists':
      return { phrase: 'to exist', ask: () => true }
    case 'is':
      return { phrase: testPhrases[predicate.test], ask: (candidate) => passes(predicate.test, candidate) }
    case 'matches':
      return matching(predicate.pattern, predicate.flags, context)
    case 'in': {
      const values = predicate.values.items.map((item) => expectedValue(item, unit, context))
      return {
        phrase: `one of ${values.map(({ shown }) => shown).join(', ')}`,
        ask: (candidate) => values.some((value) => equals(candidate, value)),
      }
    }
    default: {
      const { type } = predicate
      const value = expectedValue(predicate.value, unit, context)
      return {
        phrase: `${phrases[type]}${value.shown}${unitOf(unit, value)}`,
        ask: (candidate) => compares(type, candidate, value),
        note: (candidate) => (fits(type, candidate) ? undefined : typeNote(candidate, value)),
      }
    }
  }
}

function matching(pattern: Template, flags: string, { render }: ExpectedContext): Question {
  const written = render(pattern)
  const expression = new RegExp(written, flags)
  return {
    phrase: `matching /${written}/${flags}`,
    ask: (candidate) => {
      const text = textOf(candidate)
      return text === undefined ? undefined : expression.test(text)
    },
    note: ({ json }) =>
      textOf({ json, isLoose: false }) === undefined ? `${typeName(json)} is not a string` : undefined,
  }
}

const units: Partial<Record<SubjectKind, string>> = { duration: ' ms', size: ' B' }

function unitOf(subject: SubjectKind | undefined, shown: FoundValue | Expected): string {
  const isNumber = 'readings' in shown ? typeof shown.readings[0] === 'number' : shown.type === 'value'
  return subject === undefined || !isNumber ? '' : (units[subject] ?? '')
}

/**
 * Parts of a text are compared as texts, and `contains` also takes lists and objects, whatever the type of the value.
 */
function fits(type: keyof typeof phrases, candidate: Candidate): boolean {
  if (type === 'contains') return candidate.json !== null
  return (type === 'starts-with' || type === 'ends-with') && textOf(candidate) !== undefined
}

function typeNote({ json, isLoose }: Candidate, { readings, text }: Expected): string | undefined {
  const [wanted = null] = readings
  if (isLoose || typeName(json) === typeName(wanted)) return undefined
  if (typeof json === 'string' && typeof wanted === 'number' && json.trim() !== '' && !Number.isNaN(Number(json))) {
    return `the string ${shownJson(json)} is not the number ${shownJson(wanted)}: write ${JSON.stringify(text)} for the string`
  }
  if (typeof json === 'number' && typeof wanted === 'string') {
    const advice =
      Number.isNaN(Number(wanted)) || wanted.trim() === '' ? '' : ': write it without quotes for the number'
    return `the number ${json} is not the string ${shownJson(wanted)}${advice}`
  }
  return `${typeName(json)} cannot be compared with ${typeName(wanted)}`
}
