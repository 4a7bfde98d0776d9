/**
 * Reads one authorization of the `Security` block as typed settings.
 *
 * Rules: names are those of the editor, ignoring case; every value may contain variables. A missing or invalid value is
 * an error that names the key; unknown keys are ignored, since each version of the editor adds some.
 */
import { isJsonObject, type JsonValue } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'

export type GrantType = 'authorization code' | 'client credentials' | 'device authorization' | 'implicit' | 'password'

/** A custom parameter or header, and the requests that it is added to. */
export interface CustomParameter {
  readonly name: string
  readonly values: readonly string[]
  readonly use: 'everywhere' | 'in auth request' | 'in token request'
}

export interface OAuthSettings {
  readonly id: string
  readonly grantType: GrantType
  readonly tokenUrl: string | undefined
  readonly authUrl: string | undefined
  readonly redirectUrl: string | undefined
  readonly deviceAuthUrl: string | undefined
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly clientCredentials: 'none' | 'in body' | 'basic'
  readonly scope: string | undefined
  readonly username: string | undefined
  readonly password: string | undefined
  readonly hasPkce: boolean
  readonly pkceMethod: 'S256' | 'plain'
  /** Undefined: generated each time. */
  readonly codeVerifier: string | undefined
  readonly shouldAcquireAutomatically: boolean
  readonly shouldUseIdToken: boolean
  readonly parameters: readonly CustomParameter[]
  readonly headers: readonly CustomParameter[]
}

const grantTypes: readonly GrantType[] = [
  'authorization code',
  'client credentials',
  'device authorization',
  'implicit',
  'password',
]
const places = ['none', 'in body', 'basic'] as const
const uses = ['everywhere', 'in auth request', 'in token request'] as const
const challengeMethods = ['SHA-256', 'S256', 'Plain'] as const

type Members = ReadonlyMap<string, JsonValue>

/** @param render replaces variables. @throws HttpcliError `invalid-auth`. */
export async function readOAuthSettings(
  id: string,
  value: JsonValue,
  render: (text: string) => Promise<string>,
): Promise<OAuthSettings> {
  const members = membersOf(value)
  if (members === undefined) throw invalid(id, 'is not an object')
  const text = async (name: string): Promise<string | undefined> => {
    const found = members.get(name.toLowerCase())
    if (found === undefined || found === null) return undefined
    if (typeof found === 'object') throw invalid(id, `has "${name}" with ${JSON.stringify(found)}, expected a string`)
    return (await render(String(found))) || undefined
  }
  const choice = async <Value extends string>(name: string, values: readonly Value[]): Promise<Value | undefined> => {
    const found = await text(name)
    if (found === undefined) return undefined
    const known = values.find((each) => each.toLowerCase() === found.trim().toLowerCase())
    if (known !== undefined) return known
    throw invalid(id, `has "${name}": "${found}", expected ${values.map((each) => `"${each}"`).join(', ')}`)
  }
  const type = await text('Type')
  if (type?.toLowerCase() !== 'oauth2') throw invalid(id, `has "Type": "${type ?? ''}", expected "OAuth2"`)
  const grantType = await choice('Grant Type', grantTypes)
  if (grantType === undefined) throw invalid(id, 'has no "Grant Type"')
  const clientId = await text('Client ID')
  if (clientId === undefined) throw invalid(id, 'has no "Client ID"')
  const pkce = members.get('pkce')
  const pkceMembers = membersOf(pkce ?? null)
  const method = pkceMembers?.get('code challenge method')
  const isPlain = typeof method === 'string' && method.toLowerCase() === 'plain'
  if (typeof method === 'string' && !challengeMethods.some((each) => each.toLowerCase() === method.toLowerCase())) {
    throw invalid(id, `has "Code Challenge Method": "${method}", expected "SHA-256" or "Plain"`)
  }
  const verifier = pkceMembers?.get('code verifier')
  return {
    id,
    grantType,
    clientId,
    tokenUrl: await text('Token URL'),
    authUrl: await text('Auth URL'),
    redirectUrl: await text('Redirect URL'),
    deviceAuthUrl: await text('Device Auth URL'),
    clientSecret: await text('Client Secret'),
    clientCredentials: (await choice('Client Credentials', places)) ?? 'basic',
    scope: await text('Scope'),
    username: await text('Username'),
    password: await text('Password'),
    hasPkce: pkceMembers !== undefined || pkce === true || pkce === 'true',
    pkceMethod: isPlain ? 'plain' : 'S256',
    codeVerifier: typeof verifier === 'string' ? await render(verifier) : undefined,
    shouldAcquireAutomatically: members.get('acquire automatically') !== false,
    shouldUseIdToken: members.get('use id token') === true,
    parameters: await customParameters(id, 'Custom Request Parameters', members, render),
    headers: await customParameters(id, 'Custom Headers', members, render),
  }
}

/** A setting that a grant requires. @throws HttpcliError `invalid-auth`. */
export function required(value: string | undefined, name: string, { id, grantType }: OAuthSettings): string {
  if (value !== undefined) return value
  throw invalid(id, `has no "${name}", which the grant type "${grantType}" needs`)
}

/** A URL of the settings. @throws HttpcliError `invalid-auth`. */
export function requiredUrl(value: string | undefined, name: string, settings: OAuthSettings): URL {
  const text = required(value, name, settings)
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw invalid(settings.id, `has "${name}": "${text}", which is not an http or https URL`)
  }
  return new URL(text)
}

/** The error if the user would have to sign in and cannot be asked to. */
export function needsPerson({ id, grantType }: OAuthSettings): HttpcliError {
  const message = `the authorization "${id}" (${grantType}) needs a user to sign in, and no terminal was found to ask on`
  return new RunError('not-supported', message, { hint: 'Use the grant type "Client Credentials"' })
}

/** The error if the user was asked to sign in, and did not. */
export function notSignedIn({ id }: OAuthSettings): HttpcliError {
  const message = `the user did not sign in for the authorization "${id}" in time`
  return new RunError('token-refused', message, {
    hint: 'For runs without a user, such as in a pipeline, use the grant type "Client Credentials"',
  })
}

async function customParameters(
  id: string,
  name: string,
  members: Members,
  render: (text: string) => Promise<string>,
): Promise<readonly CustomParameter[]> {
  const custom = members.get(name.toLowerCase())
  if (custom === undefined) return []
  if (!isJsonObject(custom)) throw invalid(id, `has "${name}" that is not an object`)
  const found: CustomParameter[] = []
  for (const [key, value] of Object.entries(custom)) {
    const scoped = membersOf(value)
    const written = scoped === undefined ? value : (scoped.get('value') ?? '')
    const use = scoped === undefined ? 'everywhere' : String(scoped.get('use') ?? 'everywhere').toLowerCase()
    const known = uses.find((each) => each === use)
    if (known === undefined) {
      throw invalid(
        id,
        `has "Use": "${use}" at "${key}", expected "Everywhere", "In Auth Request" or "In Token Request"`,
      )
    }
    const values = await Promise.all((Array.isArray(written) ? written : [written]).map((each) => render(String(each))))
    found.push({ name: key, values, use: known })
  }
  return found
}

/** Members by their names in lower case. */
function membersOf(value: JsonValue): Members | undefined {
  if (!isJsonObject(value)) return undefined
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]))
}

function invalid(id: string, what: string): HttpcliError {
  return new RunError('invalid-auth', `the authorization "${id}" of the environment ${what}`)
}
