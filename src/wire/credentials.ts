/**
 * User and password for a server, and their short forms in an Authorization value.
 *
 * Rules: `Basic user password` and `Digest user password`; the password may contain blanks. `user:password` after the
 * scheme is also accepted, because it can be neither base64 nor a parameter. RFC 7617 for Basic.
 */
export interface Credentials {
  readonly user: string
  readonly password: string
}

export interface ShortAuthorization {
  readonly scheme: 'basic' | 'digest'
  readonly credentials: Credentials
}

/** Undefined for a value in HTTP's form, or in neither short form. */
export function shortAuthorization(value: string): ShortAuthorization | undefined {
  const scheme = /^digest/i.test(value) ? 'digest' : 'basic'
  const credentials = separatedCredentials(value) ?? joinedCredentials(value)
  return credentials === undefined ? undefined : { scheme, credentials }
}

/** `Basic user password`. Not the parameters of a complete Digest header: `Digest username="ada", …`. */
export function separatedCredentials(value: string): Credentials | undefined {
  const match = /^(?:Basic[ \t]+(\S+)|Digest[ \t]+([^\s=,]+))[ \t]+(\S.*)$/is.exec(value)
  return match === null ? undefined : { user: (match[1] ?? match[2]) as string, password: match[3] as string }
}

/** `Basic user:password`; the user may be empty, as it is for access tokens. */
export function joinedCredentials(value: string): Credentials | undefined {
  const match = /^(?:Basic[ \t]+([^\s:]*)|Digest[ \t]+([^\s=,":]+)):(\S*)$/i.exec(value)
  return match === null ? undefined : { user: (match[1] ?? match[2]) as string, password: match[3] as string }
}

/** The Authorization value for these credentials (RFC 7617). */
export function basicAuthorization({ user, password }: Credentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}

/** The credentials in an Authorization value; undefined if it is not Basic. */
export function basicCredentials(value: string): Credentials | undefined {
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value) ?? []
  if (token === undefined) return undefined
  const text = Buffer.from(token, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
