/**
 * The authorization of a Postman request to headers or a query.
 *
 * Rules: v2.1 writes its settings as a list of keys and values, v2.0 as an object. A request inherits the authorization of
 * its folder, and that the one of the collection, unless it says something else.
 */
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { Entry } from '../draft/draft.ts'

export interface Authorization {
  readonly headers: readonly Entry[]
  /** `name=value` for the URL. */
  readonly query: string | undefined
  /** What has no equivalent. */
  readonly lost: string | undefined
}

const noAuthorization: Authorization = { headers: [], query: undefined, lost: undefined }

/** @param auth the nearest that is written: of the request, a folder or the collection */
export function authorizationOf(auth: JsonObject): Authorization {
  const type = textOf(auth.type)
  const settings = settingsOf(auth, type)
  const value = (name: string): string => settings.get(name) ?? ''
  const header = (text: string): Authorization => ({
    ...noAuthorization,
    headers: [{ name: 'Authorization', value: text }],
  })
  switch (type) {
    case '':
    case 'noauth':
      return noAuthorization
    case 'basic':
      return header(basic(value('username'), value('password')))
    case 'digest':
      return header(`Digest ${value('username')} ${value('password')}`)
    case 'bearer':
      return header(`Bearer ${value('token')}`)
    case 'apikey':
      return value('in') === 'query'
        ? { ...noAuthorization, query: `${value('key')}=${value('value')}` }
        : { ...noAuthorization, headers: [{ name: value('key') || 'X-Api-Key', value: value('value') }] }
    case 'oauth2':
      return oauth2(value)
    default:
      return { ...noAuthorization, lost: `${type} authorization` }
  }
}

function oauth2(value: (name: string) => string): Authorization {
  const token = value('accessToken') || '{{accessToken}}'
  if (value('addTokenTo') === 'queryParams') return { ...noAuthorization, query: `access_token=${token}` }
  const prefix = value('headerPrefix') || 'Bearer'
  const hasToken = value('accessToken') !== ''
  return {
    headers: [{ name: 'Authorization', value: `${prefix.trim()} ${token}` }],
    query: undefined,
    lost: hasToken
      ? undefined
      : 'getting an OAuth 2 token: set accessToken, or add a Security block to the environment',
  }
}

/** The short form where it says the same. */
function basic(user: string, password: string): string {
  const isPlain = user !== '' && password !== '' && !/\s/.test(user + password)
  if (isPlain) return `Basic ${user} ${password}`
  return /\{\{/.test(user + password)
    ? `Basic ${user} ${password}`
    : `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}

function settingsOf(auth: JsonObject, type: string): ReadonlyMap<string, string> {
  const written = auth[type]
  if (isObject(written)) return new Map(Object.entries(objectOf(written)).map(([name, value]) => [name, textOf(value)]))
  return new Map(objectsOf(written).map((setting) => [textOf(setting.key), textOf(setting.value)]))
}
