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
    case 'digest':
      return authorizing(`Digest ${value('username')} ${value('password')}`)
    case 'bearer':
      return authorizing(`Bearer ${value('token')}`)
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
  const found = authorizing(`${prefix.trim()} ${token}`)
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
