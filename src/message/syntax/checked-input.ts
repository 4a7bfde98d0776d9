/**
 * Checks of what callers without types, or with a slip in a name, hand in.
 *
 * Rules: an unknown key is an error, since whoever wrote it meant something that would not happen; so is a value of
 * another type than the declared one. The error says what was found.
 */
import { HttpcliError } from './errors.ts'

/** The type that each key of a plain object may have; `any` is checked elsewhere. */
export type KeyTypes = Readonly<Record<string, 'any' | 'boolean' | 'string' | 'number' | 'function' | 'object'>>

/** @throws HttpcliError `invalid-option` where it is no object, has another key, or a value of another type. */
export function checkKeys(given: unknown, types: KeyTypes, what: string): void {
  if (typeof given !== 'object' || given === null) {
    throw new HttpcliError('invalid-option', `${what} are ${typeName(given)}, expected an object`)
  }
  for (const [key, value] of Object.entries(given)) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    if (type === undefined) {
      throw new HttpcliError('invalid-option', `${what} have no ${JSON.stringify(key)}`, {
        hint: `known are ${Object.keys(types).join(', ')}`,
      })
    }
    const isRight = value === undefined || type === 'any' || (typeof value === type && value !== null)
    if (!isRight)
      throw new HttpcliError(
        'invalid-option',
        `${key} is ${typeName(value)}, expected ${type === 'object' ? 'an' : 'a'} ${type}`,
      )
  }
}

/** `a string`, `null`, `a Date`: for messages about values that may be anything. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  const name = typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value
  return `${/^[aeiouAEIO]/.test(name) ? 'an' : 'a'} ${name}`
}
