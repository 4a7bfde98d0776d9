/**
 * Converts the authorization of a request in another tool to headers, a query or a `Security` block of the environment.
 *
 * The names of settings are Postman's; readers of other formats rename theirs.
 */
import type { Entry } from './draft.ts'

export interface Authorization {
  readonly headers: readonly Entry[]
  /** `name=value` for the URL. */
  readonly query: string | undefined
  /** The part without an equivalent. */
  readonly lost: string | undefined
}

export const noAuthorization: Authorization = { headers: [], query: undefined, lost: undefined }

/** The field Authorization with this value. */
export function authorizing(value: string): Authorization {
  return { ...noAuthorization, headers: [{ name: 'Authorization', value }] }
}

/**
 * @param type `basic`, `bearer` and so on; '' or `noauth` for none
 * @param value a setting by its name; '' if not set
 */
export function authorizationOf(type: string, value: (name: string) => string): Authorization {
  switch (type) {
    case '':
    case 'noauth':
      return noAuthorization
    case 'basic':
      return authorizing(basic(value('username'), value('password')))
    case 'digest': {
      const text = digest(value('username'), value('password'))
      return text === undefined ? { ...noAuthorization, lost: LOST_DIGEST } : authorizing(text)
    }
    case 'bearer':
      return authorizing(`Bearer ${value('token')}`)
    case 'apikey':
      if (value('key') === '') return noAuthorization
      return value('in') === 'query'
        ? { ...noAuthorization, query: queryPair(value('key'), value('value')) }
        : { ...noAuthorization, headers: [{ name: value('key'), value: value('value') }] }
    case 'oauth2':
      return oauth2(value)
    default:
      return { ...noAuthorization, lost: `${type} authorization` }
  }
}

function oauth2(value: (name: string) => string): Authorization {
  const token = value('accessToken') || '{{accessToken}}'
  if (value('addTokenTo') === 'queryParams') return { ...noAuthorization, query: queryPair('access_token', token) }
  const found = authorizing(`${value('headerPrefix')} ${token}`.trim())
  if (value('accessToken') !== '') return found
  return { ...found, lost: 'getting an OAuth 2 token: set accessToken, or add a Security block to the environment' }
}

/** The short form if it is equivalent. */
function basic(user: string, password: string): string {
  const isPlain = user !== '' && password !== '' && !/\s/.test(user + password)
  if (isPlain) return `Basic ${user} ${password}`
  return /\{\{/.test(user + password)
    ? `Basic ${user} ${password}`
    : `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}

/** One name with one value, whatever they contain. */
function queryPair(name: string, value: string): string {
  return `${name.replace(/[#&=]/g, encodeURIComponent)}=${value.replace(/[#&]/g, encodeURIComponent)}`
}

export const LOST_DIGEST = 'Digest authorization with this user or password: "Digest user password" cannot hold it'

/** The short form of Digest; undefined if it would be read as something else. */
export function digest(user: string, password: string): string | undefined {
  const [plainUser = '', plainPassword = ''] = [user, password].map((text) => text.replace(/\{\{.*?\}\}/g, 'x'))
  if (!/^[^\s=,":]+$/.test(plainUser) || plainPassword !== plainPassword.trim()) return undefined
  return password === '' ? `Digest ${user}:` : `Digest ${user} ${password}`
}
