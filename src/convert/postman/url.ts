/**
 * Converts the URL of a Postman request: a text, or an object with its parts.
 *
 * Rules: `:name` in the path, up to a dot, is a path variable with its value, or stays if it has none; disabled query
 * parameters are kept apart. Postman sends the parts of the URL; its raw form is used if the parts are not there.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { variableName } from '../draft/literal-text.ts'

export interface PostmanUrl {
  readonly url: string
  /** `name=value`. */
  readonly disabledQuery: readonly string[]
  /** Path variables without a value. */
  readonly openVariables: readonly string[]
}

export function postmanUrl(value: JsonValue | undefined): PostmanUrl {
  if (typeof value === 'string') return { url: value, disabledQuery: [], openVariables: [] }
  const parts = objectOf(value)
  const query = objectsOf(parts.query)
  const disabledQuery = query.filter(({ disabled }) => disabled === true).map(pair)
  const active = query.filter(({ disabled }) => disabled !== true).map(pair)
  const raw = textOf(parts.raw).replace(/[?#].*$/s, '')
  const isInParts = parts.host !== undefined && parts.path !== undefined
  const address = raw === '' || isInParts ? assembled(parts) : raw
  const isRawQuery = query.length === 0 && textOf(parts.raw).includes('?')
  const search = isRawQuery
    ? textOf(parts.raw)
        .replace(/^[^?]*\?/, '')
        .replace(/#.*$/s, '')
    : active.join('&')
  return {
    url: `${withPathValues(address, objectsOf(parts.variable))}${search === '' ? '' : `?${search}`}`,
    disabledQuery,
    openVariables: objectsOf(parts.variable)
      .filter(({ value }) => textOf(value) === '')
      .map(({ key, id }) => textOf(key) || textOf(id))
      .filter((name) => name !== ''),
  }
}

function pair(entry: JsonObject): string {
  const name = queryText(textOf(entry.key))
  return entry.value === null || entry.value === undefined ? name : `${name}=${queryText(textOf(entry.value))}`
}

/** Escapes characters that would end the value. */
function queryText(text: string): string {
  return text.replace(/[&#]/g, encodeURIComponent)
}

function assembled(parts: JsonObject): string {
  const joined = (part: JsonValue | undefined, mark: string): string =>
    typeof part === 'string' ? part : listOf(part).map(segment).join(mark)
  const protocol = textOf(parts.protocol).replace(/:\/\/$/, '')
  const auth = objectOf(parts.auth)
  const user = textOf(auth.user)
  const password = textOf(auth.password)
  const login = user === '' ? '' : `${user}${password === '' ? '' : `:${password}`}@`
  const port = textOf(parts.port)
  const path = joined(parts.path, '/').replace(/^\/+/, '')
  const host = joined(parts.host, '.')
  return `${protocol === '' ? '' : `${protocol}://`}${login}${host}${port === '' ? '' : `:${port}`}${path === '' ? '' : `/${path}`}`
}

/** A segment may be an object with a value. */
function segment(part: JsonValue): string {
  return textOf(part) || textOf(objectOf(part).value)
}

function withPathValues(address: string, variables: readonly JsonObject[]): string {
  return address.replace(/\/:([^/?#.]+)/g, (whole, name: string) => {
    const variable = variables.find(({ key, id }) => key === name || id === name)
    if (variable === undefined) return whole
    const value = textOf(variable.value)
    return `/${value === '' ? `{{${variableName(name)}}}` : value}`
  })
}
