/**
 * Checks arguments of callers that have no types or that misspell a name.
 *
 * Rules: an unknown key is an error, because the caller expects an effect that it would not have; so is a value of the
 * wrong type. The error says what was found.
 */
import { MessageError } from './errors.ts'

/** The type that each key of a plain object may have; `any` is checked elsewhere. */
export type KeyTypes = Readonly<Record<string, 'any' | 'boolean' | 'string' | 'number' | 'function' | 'object'>>

/** @throws HttpcliError `invalid-option` unless it is an object with only these keys and values of their types. */
export function checkKeys(given: unknown, types: KeyTypes, what: string): void {
  if (typeof given !== 'object' || given === null) {
    refuse(`${what} are ${typeName(given)}, expected an object`)
  }
  for (const [key, value] of Object.entries(given)) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    if (type === undefined) {
      refuse(`${what} have no ${JSON.stringify(key)}`, `expected one of ${Object.keys(types).join(', ')}`)
    }
    if (value !== undefined && type !== 'any') checkType(value, type, key)
  }
}

/** @throws HttpcliError `invalid-option` unless the value is of that type. */
export function checkType<T>(value: T, type: Exclude<KeyTypes[string], 'any'>, what: string): T {
  if (typeof value === type && value !== null) return value
  return refuseType(value, what, `${type === 'object' ? 'an' : 'a'} ${type}`)
}

/** @throws HttpcliError `invalid-option` unless the value is a Uint8Array, possibly from another realm. */
export function checkBytes(value: Uint8Array, what: string): Uint8Array {
  // Not instanceof, which fails for an array of another realm.
  if ((value as Partial<Uint8Array> | undefined)?.[Symbol.toStringTag] === 'Uint8Array') return value
  return refuseType(value, what, 'a Uint8Array')
}

/** @throws HttpcliError `invalid-option` unless the value is an array or another iterable that is not a string. */
export function checkList<T>(value: Iterable<T>, what: string): Iterable<T> {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value
  return refuseType(value, what, 'an array')
}

/** @throws HttpcliError `invalid-option` unless the value is of the class. */
export function checkInstance<T>(
  value: T,
  type: { readonly name: string; [Symbol.hasInstance](value: unknown): boolean },
  what: string,
): T {
  if (value instanceof type) return value
  return refuseType(value, what, `a ${type.name}`)
}

function refuseType(value: unknown, what: string, expected: string): never {
  return refuse(`${what} is ${typeName(value)}, expected ${expected}`)
}

/** @throws HttpcliError `invalid-option` */
export function refuse(message: string, hint?: string): never {
  throw new MessageError('invalid-option', message, { hint })
}

/** `a string`, `null`, `a Date`: names the type of any value in a message. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  const name = typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value
  return `${/^[aeiouAEIO]/.test(name) ? 'an' : 'a'} ${name}`
}
