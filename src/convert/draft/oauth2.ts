/**
 * Converts OAuth 2 settings of another tool to the `Security` block of an environment.
 *
 * Rules: equal settings share one entry, regardless of the number of requests. Grant types that are not listed here have
 * no equivalent.
 */
import type { JsonObject } from '../../http-file/index.ts'
import { type Authorization, noAuthorization } from './authorization.ts'
import type { EnvironmentVariable } from './draft.ts'
import { fileNameOf, unusedName } from './file-name.ts'

export interface OAuth2Settings {
  /** `client_credentials`, `password`, `authorization_code` or another. */
  readonly grantType: string
  readonly tokenUrl: string
  readonly authorizationUrl: string
  readonly redirectUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly username: string
  readonly password: string
  /** Whether the client credentials are sent in the body. */
  readonly hasClientInBody: boolean
  readonly usesPkce: boolean
}

const grantTypes: Readonly<Record<string, string>> = {
  client_credentials: 'Client Credentials',
  password: 'Password',
  resource_owner_password_credentials: 'Password',
  authorization_code: 'Authorization Code',
}

const secretSettings: ReadonlySet<string> = new Set(['Client Secret', 'Password'])

/** The authorizations of a conversion, collected while its requests are read. */
export class OAuth2Block {
  readonly #entries = new Map<string, { readonly id: string; readonly settings: JsonObject }>()

  /**
   * @param name name of the request, for the name of a new entry
   * @param withToken receives the template of the token
   */
  authorization(settings: OAuth2Settings, name: string, withToken: (token: string) => Authorization): Authorization {
    const entry = entryOf(settings)
    if (entry === undefined) {
      const lost = `OAuth 2 authorization with the grant type ${settings.grantType || '(none)'}`
      return { ...noAuthorization, lost }
    }
    const key = JSON.stringify(entry)
    const used = new Set([...this.#entries.values()].map(({ id }) => id))
    const id = this.#entries.get(key)?.id ?? unusedName(fileNameOf(name) || 'auth', used, '-')
    this.#entries.set(key, { id, settings: entry })
    return withToken(`{{$auth.token("${id}")}}`)
  }

  /**
   * The block as variables of an environment: the public and the private part, which `run` merges. In the private part
   * every value is secret, so a URL or a scope there would be masked wherever it appears.
   */
  get variables(): readonly EnvironmentVariable[] {
    return [false, true].flatMap((isSecret) => {
      const entries = [...this.#entries.values()].flatMap(({ id, settings }) => {
        const part = Object.entries(settings).filter(([name]) => secretSettings.has(name) === isSecret)
        return part.length === 0 ? [] : [[id, Object.fromEntries(part)] as const]
      })
      return entries.length === 0 ? [] : [{ name: 'Security', value: { Auth: Object.fromEntries(entries) }, isSecret }]
    })
  }
}

function entryOf(settings: OAuth2Settings): JsonObject | undefined {
  const grantType = Object.hasOwn(grantTypes, settings.grantType) ? grantTypes[settings.grantType] : undefined
  if (grantType === undefined || settings.tokenUrl === '') return undefined
  const named: Readonly<Record<string, string>> = {
    'Token URL': settings.tokenUrl,
    'Auth URL': grantType === 'Authorization Code' ? settings.authorizationUrl : '',
    'Redirect URL': grantType === 'Authorization Code' ? settings.redirectUrl : '',
    'Client ID': settings.clientId,
    'Client Secret': settings.clientSecret,
    'Client Credentials': settings.hasClientInBody ? 'in body' : 'basic',
    Scope: settings.scope,
    Username: grantType === 'Password' ? settings.username : '',
    Password: grantType === 'Password' ? settings.password : '',
  }
  const written = Object.entries(named).filter(([, value]) => value !== '')
  return {
    Type: 'OAuth2',
    'Grant Type': grantType,
    ...Object.fromEntries(written),
    ...(settings.usesPkce && grantType === 'Authorization Code' ? { PKCE: true } : {}),
  }
}
