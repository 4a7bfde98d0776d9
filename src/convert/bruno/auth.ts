/**
 * Maps the authorization of a Bruno request to the setting names of authorization.ts.
 *
 * Source: Bruno, "Authentication".
 */
import { type Authorization, authorizationOf, authorizing, noAuthorization } from '../draft/authorization.ts'
import type { OAuth2Block } from '../draft/oauth2.ts'

const names: Readonly<Record<string, string>> = { in: 'placement' }

export interface BrunoAuthSettings {
  /** `none`, `basic` and so on; '' if not set. */
  readonly type: string
  readonly settings: ReadonlyMap<string, string>
  /** The name of the request. */
  readonly name: string
  readonly oauth2: OAuth2Block
}

/** @param textWith translates variables to those of request files */
export function brunoAuthorization(
  { type, settings, name, oauth2 }: BrunoAuthSettings,
  textWith: (text: string) => string,
): Authorization {
  const value = (setting: string): string => textWith(settings.get(names[setting] ?? setting) ?? '')
  if (type === 'oauth2') return oauth2Authorization(value, name, oauth2)
  if (type === 'apikey') {
    const placement = value('in') === 'queryparams' || value('in') === 'query' ? 'query' : 'header'
    return authorizationOf(type, (setting) => (setting === 'in' ? placement : value(setting)))
  }
  return authorizationOf(type === 'none' ? '' : type, value)
}

function oauth2Authorization(value: (name: string) => string, name: string, block: OAuth2Block): Authorization {
  const settings = {
    grantType: value('grant_type'),
    tokenUrl: value('access_token_url'),
    authorizationUrl: value('authorization_url'),
    redirectUrl: value('callback_url'),
    clientId: value('client_id'),
    clientSecret: value('client_secret'),
    scope: value('scope'),
    username: value('username'),
    password: value('password'),
    hasClientInBody: /body/.test(value('credentials_placement') || value('placement')),
    usesPkce: value('pkce') === 'true',
  }
  const isInQuery = /^(?:url|query)/.test(value('token_placement'))
  return block.authorization(settings, name, (token) =>
    isInQuery ? { ...noAuthorization, query: `access_token=${token}` } : authorizing(`Bearer ${token}`),
  )
}
