/**
 * The variables of a virtual user, in the order of variables/named-value.ts, and the texts that most requests need.
 *
 * Rules: a value that is a template, an array or null, and every other name, is left to light-values.ts.
 */
import type { JsonValue } from '../../../http-file/index.ts'

export type Values = Readonly<Record<string, JsonValue | undefined>>

export interface LightScopes {
  readonly environment: Values
  row: Values
  /** `client.global` and captures. */
  globals: Record<string, JsonValue | undefined>
  /** In-place variables, as templates. */
  inPlace: Record<string, string | undefined>
  /** `request.variables` */
  ofRequest: Record<string, JsonValue | undefined>
  /** Plain texts that stay the same until a value is set, because most names are used often. */
  texts: Record<string, string | undefined>
}

/** Costs less than a Map in k6's engine. */
export function empty<Value>(): Record<string, Value> {
  return { __proto__: null } as unknown as Record<string, Value>
}

/** A value of the environment or a row, as written. */
export function givenValue({ row, environment }: LightScopes, name: string): JsonValue | undefined {
  const own = Object.hasOwn(row, name) ? row[name] : undefined
  return own ?? (Object.hasOwn(environment, name) ? environment[name] : undefined)
}

/** Whether a URL or a field can contain the text unchanged. */
export function isPlain(text: string): boolean {
  try {
    return text !== '' && encodeURI(text) === text
  } catch {
    return false
  }
}

/** Undefined if light-values.ts must decide. */
export function plainText(scopes: LightScopes, name: string): string | undefined {
  const given = givenValue(scopes, name)
  const global = given === undefined ? scopes.globals[name] : undefined
  const template = global === undefined && given === undefined ? scopes.inPlace[name] : given
  if (typeof global === 'string') return global
  const value = global ?? template
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`
  return typeof template === 'string' && template.indexOf('{{') === -1 ? template : undefined
}
