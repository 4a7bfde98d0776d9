/**
 * Values of a script as text for users: logs, errors, expected and actual values.
 *
 * Rules: never throws and never trusts a value; a value that throws when it is read is still shown as text.
 */
import type { ErrorDescription } from '../engine/world-calls.ts'

const { stringify } = JSON
const { create, getPrototypeOf } = Object
const { Error: ErrorClass } = globalThis
const { String: text } = globalThis

/** An error of this program, with details from the host in addition to the message. */
export interface MarkedError extends Error {
  expected?: unknown
  actual?: unknown
  place?: { readonly line: number; readonly column: number }
}

/** The text that `client.log` shows: strings unchanged, objects as JSON. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    if (typeof value !== 'object' || value === null || value instanceof ErrorClass) return text(value)
    if (isDocumentNode(value)) return text(value)
    return stringify(value) ?? text(value)
  } catch {
    return shownPlainly(value)
  }
}

/** The text of expected and actual values: strings in quotes. */
export function inspect(value: unknown): string {
  return typeof value === 'string' ? stringify(value) : show(value)
}

/** The value as JSON for the host. */
export function describe(error: unknown): string {
  const plain = create(null) as ErrorDescription
  try {
    const isError = error instanceof ErrorClass
    const { name, message, stack, expected, actual, place } = (isError ? error : {}) as MarkedError
    plain.assertion = name === 'AssertionError'
    const title = plain.assertion || name === 'Error' ? '' : `${text(name)}: `
    plain.message = isError ? title + text(message) : `thrown: ${show(error)}`
    plain.stack = isError ? text(stack) : ''
    if (typeof expected === 'string') plain.expected = expected
    if (typeof actual === 'string') plain.actual = actual
    if (place !== undefined) {
      plain.line = place.line
      plain.column = place.column
    }
  } catch {
    plain.message = 'an error that cannot be shown'
  }
  return stringify(plain)
}

/** A document node has parents and children, so it cannot be JSON; its own text is shown. */
function isDocumentNode(value: object): boolean {
  return 'nodeType' in value && 'ownerDocument' in value && getPrototypeOf(value) !== null
}

function shownPlainly(value: unknown): string {
  try {
    return text(value)
  } catch {
    return 'a value that cannot be shown'
  }
}
