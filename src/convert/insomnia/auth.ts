/**
 * Maps the authorization of an Insomnia request to the setting names of authorization.ts.
 *
 * Source: Insomnia, "Authentication".
 */
import { type Authorization, authorizationOf, authorizing, noAuthorization } from '../draft/authorization.ts'
import { type JsonObject, textOf } from '../draft/document.ts'
import type { OAuth2Block } from '../draft/oauth2.ts'

/** @param textWith translates variables to those of request files */
export function insomniaAuthorization(
  auth: JsonObject,
  name: string,
  oauth2: OAuth2Block,
  textWith: (text: string) => string,
): Authorization {
  const value = (setting: string): string => textWith(textOf(auth[setting]))
  const type = textOf(auth.type)
  if (auth.disabled === true || type === 'none' || type === '') return noAuthorization
  switch (type) {
    case 'bearer':
    case 'singleToken':
      return authorizing(`${value('prefix') || 'Bearer'} ${value('token')}`)
    case 'apikey':
      if (value('addTo') === 'cookie')
        return { ...noAuthorization, headers: [{ name: 'Cookie', value: `${value('key')}=${value('value')}` }] }
      return authorizationOf(type, (setting) =>
        setting === 'in' ? (value('addTo') === 'queryParams' ? 'query' : 'header') : value(setting),
      )
    case 'oauth2':
      return oauth2Authorization(auth, value, name, oauth2)
    default:
      return authorizationOf(type, value)
  }
}

function oauth2Authorization(
  auth: JsonObject,
  value: (name: string) => string,
  name: string,
  block: OAuth2Block,
): Authorization {
  const settings = {
    grantType: textOf(auth.grantType),
    tokenUrl: value('accessTokenUrl'),
    authorizationUrl: value('authorizationUrl'),
    redirectUrl: value('redirectUrl'),
    clientId: value('clientId'),
    clientSecret: value('clientSecret'),
    scope: value('scope'),
    username: value('username'),
    password: value('password'),
    hasClientInBody: auth.credentialsInBody === true,
    usesPkce: auth.usePkce === true,
  }
  return block.authorization(settings, name, (token) => authorizing(`${value('tokenPrefix') || 'Bearer'} ${token}`))
}
