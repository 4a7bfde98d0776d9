/**
 * Evaluates a predicate for a value.
 *
 * Rules: numbers are compared as numbers, texts by their characters, everything else as JSON values, where a text is
 * not a number. Text from the protocol (headers, the body) counts as a number if it can be read as one. If there are
 * several texts, one of them must match. `undefined` means that the types do not fit: then both the predicate and its
 * negation fail.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { Comparison, JsonValue, TextPredicate, ValueTest } from '../../http-file/index.ts'
import { plainText } from '../files/resolved-value.ts'
import type { Expected } from './expected-value.ts'
import { type FoundValue, jsonOf } from './found-value.ts'

/** One value: of JSON, or a text of any type. */
export interface Candidate {
  readonly json: JsonValue
  readonly isLoose: boolean
}

/** The values to compare: several if one of them must match. */
export function candidatesOf(found: FoundValue): readonly Candidate[] {
  if (found.type === 'texts') return found.texts.map((json) => ({ json, isLoose: true }))
  const json = jsonOf(found)
  return json === undefined ? [] : [{ json, isLoose: found.type === 'text' }]
}

export function compares(
  type: Comparison | TextPredicate,
  candidate: Candidate,
  expected: Expected,
): boolean | undefined {
  if (type === 'equals') return equals(candidate, expected)
  if (type === 'contains') return contains(candidate, expected)
  if (type === 'starts-with') return textOf(candidate)?.startsWith(expected.text)
  if (type === 'ends-with') return textOf(candidate)?.endsWith(expected.text)
  return orders(type, candidate, expected)
}

export function equals({ json, isLoose }: Candidate, { readings, text }: Expected): boolean {
  if (!isLoose) return readings.some((reading) => isSame(json, reading))
  return readings.some((reading) => {
    if (typeof reading === 'string') return json === reading
    if (typeof reading === 'number') return json === text || numberOf({ json, isLoose }) === reading
    const parsed = parsedJson(json as string)
    return parsed !== undefined && isSame(parsed, reading)
  })
}

/** Compares objects as JSON: the order of members does not matter. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  return isDeepStrictEqual(withoutPrototypes(one), withoutPrototypes(other))
}

/** -0 and 0 are the same number, so negative zero is removed as well. */
function withoutPrototypes(json: JsonValue): JsonValue {
  if (json === 0) return 0
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(withoutPrototypes)
  const plain: Record<string, JsonValue> = Object.create(null)
  for (const [key, member] of Object.entries(json)) plain[key] = withoutPrototypes(member)
  return plain
}

function contains({ json, isLoose }: Candidate, expected: Expected): boolean | undefined {
  if (Array.isArray(json)) {
    return json.some((element: JsonValue) => equals({ json: element, isLoose }, expected))
  }
  if (typeof json === 'object' && json !== null) return Object.hasOwn(json, expected.text)
  return textOf({ json, isLoose })?.includes(expected.text)
}

const orderings: Readonly<Record<Exclude<Comparison, 'equals'>, (difference: number) => boolean>> = {
  less: (difference) => difference < 0,
  'at-most': (difference) => difference <= 0,
  more: (difference) => difference > 0,
  'at-least': (difference) => difference >= 0,
}

function orders(
  type: Exclude<Comparison, 'equals'>,
  candidate: Candidate,
  { readings, text }: Expected,
): boolean | undefined {
  const [wanted] = readings.filter((reading) => typeof reading === 'number')
  const number = numberOf(candidate)
  if (number !== undefined && wanted !== undefined) return orderings[type](number - wanted)
  if (wanted !== undefined || typeof candidate.json !== 'string') return undefined
  return orderings[type](candidate.json < text ? -1 : Number(candidate.json > text))
}

function numberOf({ json, isLoose }: Candidate): number | undefined {
  if (typeof json === 'number') return json
  const isNumber = isLoose && typeof json === 'string' && /^\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(json)
  return isNumber ? Number(json) : undefined
}

/** The characters of a text, a number or a boolean. */
export function textOf({ json }: Candidate): string | undefined {
  return typeof json === 'object' ? undefined : plainText(json)
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

const tests: Readonly<Record<ValueTest, (json: JsonValue) => boolean>> = {
  string: (json) => typeof json === 'string',
  number: (json) => typeof json === 'number',
  integer: (json) => Number.isInteger(json),
  float: (json) => typeof json === 'number' && !Number.isInteger(json),
  boolean: (json) => typeof json === 'boolean',
  array: (json) => Array.isArray(json),
  object: (json) => typeof json === 'object' && json !== null && !Array.isArray(json),
  null: (json) => json === null,
  true: (json) => json === true,
  false: (json) => json === false,
  empty: (json) => json === '' || (typeof json === 'object' && json !== null && Object.keys(json).length === 0),
  date: (json) => typeof json === 'string' && isoDate.test(json) && !Number.isNaN(Date.parse(json)),
  uuid: (json) => typeof json === 'string' && uuid.test(json),
  ipv4: (json) => typeof json === 'string' && isIPv4(json),
  ipv6: (json) => typeof json === 'string' && isIPv6(json),
}

/** A text from the protocol counts both as text and as the value that it can be read as. */
export function passes(test: ValueTest, { json, isLoose }: Candidate): boolean {
  if (tests[test](json)) return true
  const parsed = isLoose ? parsedJson(json as string) : undefined
  return parsed !== undefined && tests[test](parsed)
}

function parsedJson(written: string): JsonValue | undefined {
  try {
    return JSON.parse(written) as JsonValue
  } catch {
    return undefined
  }
}
