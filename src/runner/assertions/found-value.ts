/**
 * The value of a subject, and its form in messages.
 *
 * Rules: a text from the protocol (a header, a body) may mean a number; a JSON value keeps its type. A repeated header
 * or a path with several results yields several texts or values. Text in messages is truncated, since it may be a whole
 * body.
 */
import type { JsonValue } from '../../http-file/index.ts'

export type FoundValue =
  /** `reason` says what was looked for and what was found. Content that was not searched passes no assertion. */
  | { readonly type: 'nothing'; readonly reason: string; readonly isUnread?: boolean }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'texts'; readonly texts: readonly string[] }
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'values'; readonly values: readonly JsonValue[] }

const SHOWN_CHARACTERS = 300
const SHOWN_NAMES = 12

export function nothing(reason: string): FoundValue {
  return { type: 'nothing', reason }
}

/** The value of content that could not be searched. */
export function unread(reason: string): FoundValue {
  return { type: 'nothing', reason, isUnread: true }
}

export function isUnread(found: FoundValue): boolean {
  return found.type === 'nothing' && found.isUnread === true
}

export function text(value: string): FoundValue {
  return { type: 'text', text: value }
}

export function value(found: JsonValue): FoundValue {
  return { type: 'value', value: found }
}

/** A single value if there is only one. */
export function textsOf(texts: readonly string[]): FoundValue {
  const [only] = texts
  return only !== undefined && texts.length === 1 ? text(only) : { type: 'texts', texts }
}

/** The value as JSON, for a capture. Undefined if nothing was found. */
export function jsonOf(found: FoundValue): JsonValue | undefined {
  if (found.type === 'text') return found.text
  if (found.type === 'texts') return found.texts
  if (found.type === 'value') return found.value
  return found.type === 'values' ? found.values : undefined
}

/** The value as text for messages. */
export function shownValue(found: FoundValue): string {
  if (found.type === 'nothing') return found.reason
  return shownJson(jsonOf(found) as JsonValue)
}

/** A text in quotes, so that its blanks are visible. */
export function shownJson(json: JsonValue): string {
  return shortened(JSON.stringify(json))
}

export function shortened(shown: string): string {
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}… (${shown.length} characters)` : shown
}

/** Lists the existing names, for a name that was not found. */
export function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).join(', ')
  return names.length > SHOWN_NAMES ? `${shown} and ${names.length - SHOWN_NAMES} more` : shown
}

/** `a number`, `an array`, … */
export function typeName(json: JsonValue): string {
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'an array'
  const names = { string: 'a string', number: 'a number', boolean: 'a boolean', object: 'an object' } as const
  return names[typeof json as keyof typeof names]
}
