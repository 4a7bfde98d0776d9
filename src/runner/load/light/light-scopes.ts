/**
 * The variables of a virtual user, in the order of variables/named-value.ts, and the texts that most requests need.
 *
 * Rules: a value that is a template, an array or null, and every other name, is left to light-values.ts.
 */
import type { JsonValue } from '../../../http-file/index.ts'

export type Values = Readonly<Record<string, JsonValue | undefined>>

export interface LightScopes {
  /** Without a prototype, like all others. */
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
  /** Beginnings of URLs that are plain. */
  readonly origins: Record<string, unknown>
}

/** Costs less than a Map in k6's engine. */
export function empty<Value>(): Record<string, Value> {
  return { __proto__: null } as unknown as Record<string, Value>
}

/**
 * Whether a URL or a field can contain the text unchanged. The first method of a string creates the prototype of
 * strings, 5 KB in each virtual user, so methods are called only for values that are neither words nor known.
 */
export function isPlain(text: string, origins?: LightScopes['origins']): boolean {
  if (text === '' || origins?.[text] !== undefined) return text !== ''
  try {
    return encodeURIComponent(text) === text || (encodeURI(text) === text && text.indexOf('#') === -1)
  } catch {
    return false
  }
}

/** Undefined if light-values.ts must decide. */
export function plainText(scopes: LightScopes, name: string): string | undefined {
  const given = scopes.row[name] ?? scopes.environment[name]
  const global = given === undefined ? scopes.globals[name] : undefined
  const template = global === undefined && given === undefined ? scopes.inPlace[name] : given
  if (typeof global === 'string') return global
  const value = global ?? template
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`
  if (typeof template !== 'string') return undefined
  return isPlain(template, scopes.origins) || template.indexOf('{{') === -1 ? template : undefined
}
