/**
 * `client.assert`, and the compared values of an assertion that fails.
 *
 * Rules: before the script runs, the runner rewrites `client.assert(a === b)` as `client.assert(compare('===', a, b))`;
 * a comparison that is false is remembered for the assertion that follows it.
 */
import { inspect, type MarkedError, show } from './values.ts'

const { Error: ErrorClass } = globalThis

const comparisons: Readonly<Record<string, (left: never, right: never) => boolean>> = {
  '===': (left, right) => left === right,
  '!==': (left, right) => left !== right,
  // biome-ignore lint/suspicious/noDoubleEquals: it is the user's operator
  '==': (left, right) => left == right,
  // biome-ignore lint/suspicious/noDoubleEquals: it is the user's operator
  '!=': (left, right) => left != right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

const prefixes: Readonly<Record<string, string>> = {
  '===': '',
  '==': '',
  '!==': 'not ',
  '!=': 'not ',
  '<': 'less than ',
  '<=': 'at most ',
  '>': 'more than ',
  '>=': 'at least ',
}

let failed: { readonly operator: string; readonly left: unknown; readonly right: unknown } | undefined

/** The comparison itself, as written. */
export function compare(operator: string, left: unknown, right: unknown): boolean {
  const holds = (comparisons[operator] as (left: unknown, right: unknown) => boolean)(left, right)
  failed = holds ? undefined : { operator, left, right }
  return holds
}

/** @throws AssertionError if the condition is false. */
export function assert(condition: unknown, message?: unknown): void {
  const comparison = condition === false ? failed : undefined
  failed = undefined
  if (condition) return
  const error = new ErrorClass(message === undefined ? 'assertion failed' : show(message)) as MarkedError
  error.name = 'AssertionError'
  if (comparison !== undefined) {
    error.expected = (prefixes[comparison.operator] ?? '') + inspect(comparison.right)
    error.actual = inspect(comparison.left)
  }
  throw error
}
