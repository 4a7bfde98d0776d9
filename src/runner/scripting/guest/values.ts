/**
 * Values of a script as text, for people: logs, errors, expected and actual.
 *
 * Rules: never throws and never trusts a value; a value that throws when it is read still gets a text.
 */
import type { ErrorDescription } from '../engine/world-calls.ts'

const { stringify } = JSON
const { create, getPrototypeOf } = Object
const { Error: ErrorClass } = globalThis
const { String: text } = globalThis

/** One of our errors, with the details that the host gets besides the message. */
export interface MarkedError extends Error {
  expected?: unknown
  actual?: unknown
  place?: { readonly line: number; readonly column: number }
}

/** As `client.log` shows it: texts as they are, objects as JSON. */
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

/** As expected and actual show it: texts in quotes. */
export function inspect(value: unknown): string {
  return typeof value === 'string' ? stringify(value) : show(value)
}

/** As JSON for the host. */
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

/** A node of a document has parents and children, so it is not JSON; it has its own text. */
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
