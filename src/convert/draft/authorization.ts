/**
 * Converts the authorization of a request in another tool to headers, a query or a `Security` block of the environment.
 *
 * The names of settings are Postman's; readers of other formats rename theirs.
 */
import type { Entry } from './draft.ts'
import { MARK } from './literal-text.ts'

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
      return basicAuthorization(value('username'), value('password'))
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

/** The field Authorization for these credentials. */
export function basicAuthorization(user: string, password: string): Authorization {
  const text = basic(user, password)
  return text === undefined ? { ...noAuthorization, lost: LOST_BASIC } : authorizing(text)
}

/** The short form if it is equivalent; undefined for variables that neither it nor HTTP's form can hold. */
export function basic(user: string, password: string): string | undefined {
  if (!/\{\{/.test(user + password)) {
    const isPlain = user !== '' && password !== '' && !/\s/.test(user + password)
    if (isPlain) return `Basic ${user} ${password}`
    return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
  }
  const plainUser = withoutVariables(user)
  if (password === '') return /^[^\s=,":]+$/.test(plainUser) ? `Basic ${user}:` : undefined
  const plainPassword = withoutVariables(password)
  if (/\s/.test(plainUser) || plainPassword !== plainPassword.trim()) return undefined
  return `Basic ${user === '' ? MARK : user} ${password}`
}

function withoutVariables(text: string): string {
  return text.replace(/\{\{[^{}\r\n]*\}\}/g, 'x')
}

/** One name with one value, whatever they contain. */
function queryPair(name: string, value: string): string {
  return `${name.replace(/[#&=]/g, encodeURIComponent)}=${value.replace(/[#&]/g, encodeURIComponent)}`
}

export const LOST_BASIC = 'Basic authorization with this user or password: "Basic user password" cannot hold it'

export const LOST_DIGEST = 'Digest authorization with this user or password: "Digest user password" cannot hold it'

/** The short form of Digest; undefined if it would be read as something else. */
export function digest(user: string, password: string): string | undefined {
  const [plainUser, plainPassword] = [withoutVariables(user), withoutVariables(password)]
  if (!/^[^\s=,":]+$/.test(plainUser) || plainPassword !== plainPassword.trim()) return undefined
  return password === '' ? `Digest ${user}:` : `Digest ${user} ${password}`
}
