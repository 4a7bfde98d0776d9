/**
 * Fetches tokens by OAuth 2 (RFC 6749, 7636, 8252, 8628).
 *
 * Rules: requests use the same wire as all others, with its proxy and TLS settings. A refresh token is tried first; if
 * the server refuses it, the grant starts again. The user gets instructions; no browser is opened. An abort ends the
 * waiting. OAuth is implemented here because the well-maintained library for it uses fetch, and needs the issuer, which
 * these settings do not contain.
 */
import { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { pause } from '../base/pause.ts'
import { authorizationCode } from './oauth-authorization-code.ts'
import { needsPerson, notSignedIn, type OAuthSettings, required, requiredUrl } from './oauth-settings.ts'
import type { Token, TokenContext } from './token-context.ts'
import { type Parameters, postForm, refusal, type TokenAnswer, tokenParameters } from './token-endpoint.ts'

const MAX_MARGIN_MS = 5000

type Grant = (settings: OAuthSettings, context: TokenContext) => Promise<TokenAnswer>

const grants: Readonly<Record<OAuthSettings['grantType'], Grant>> = {
  'client credentials': (settings, context) => requestToken([['grant_type', 'client_credentials']], settings, context),
  password: (settings, context) =>
    requestToken(
      [
        ['grant_type', 'password'],
        ['username', required(settings.username, 'Username', settings)],
        ['password', required(settings.password, 'Password', settings)],
      ],
      settings,
      context,
    ),
  'device authorization': deviceAuthorization,
  'authorization code': async (settings, context) => {
    const { parameters } = await authorizationCode(settings, context)
    return requestToken(parameters, settings, context, false)
  },
  implicit: ({ id }) => {
    const message = `the authorization "${id}" uses the grant type "Implicit", whose token only a browser can see`
    throw new RunError('not-supported', message, { hint: 'Use "Authorization Code" with "PKCE": true' })
  },
}

/**
 * @param old the expired token, if there was one
 * @throws HttpcliError `invalid-auth`, `token-refused`, `not-supported`; WireError.
 */
export async function fetchToken(
  settings: OAuthSettings,
  old: Token | undefined,
  context: TokenContext,
): Promise<Token> {
  if (!settings.shouldAcquireAutomatically) {
    const message = `no token found for the authorization "${settings.id}", which says "Acquire Automatically": false`
    throw new RunError('token-refused', message, { hint: 'Remove "Acquire Automatically", or set it to true' })
  }
  const answer = (await refreshed(settings, old, context)) ?? (await grants[settings.grantType](settings, context))
  const { access_token: access, id_token: idToken, refresh_token: refresh, expires_in: lifetime } = answer
  const seconds = Number(lifetime)
  return {
    access: settings.shouldUseIdToken ? idToken : access,
    id: idToken,
    refresh: refresh ?? old?.refresh,
    renewAtMs: seconds > 0 ? context.sources.now() + seconds * 1000 - marginMs(seconds) : undefined,
  }
}

/** A tenth of the token's lifetime, but a few seconds at most. */
function marginMs(lifetimeS: number): number {
  return Math.min(MAX_MARGIN_MS, lifetimeS * 100)
}

async function refreshed(
  settings: OAuthSettings,
  old: Token | undefined,
  context: TokenContext,
): Promise<TokenAnswer | undefined> {
  if (old?.refresh === undefined) return undefined
  try {
    const parameters: Parameters = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', old.refresh],
    ]
    return await requestToken(parameters, settings, context)
  } catch (error) {
    if (error instanceof HttpcliError && error.code === 'token-refused') return undefined
    throw error
  }
}

async function requestToken(
  parameters: Parameters,
  settings: OAuthSettings,
  context: TokenContext,
  hasScope = true,
): Promise<TokenAnswer> {
  const url = requiredUrl(settings.tokenUrl, 'Token URL', settings)
  const scope: Parameters = hasScope && settings.scope !== undefined ? [['scope', settings.scope]] : []
  const { status, answer } = await postForm(
    url,
    tokenParameters([...parameters, ...scope], settings),
    settings,
    context,
  )
  if (status >= 300 || (answer.access_token === undefined && answer.id_token === undefined)) {
    throw refusal(url, status, answer, settings)
  }
  return answer
}

/** RFC 8628 section 3.2 and 3.5, in seconds. */
const DEFAULT_INTERVAL_S = 5
const SLOWER_S = 5
const DEFAULT_LIFETIME_S = 1800

async function deviceAuthorization(settings: OAuthSettings, context: TokenContext): Promise<TokenAnswer> {
  const url = requiredUrl(settings.deviceAuthUrl, 'Device Auth URL', settings)
  const scope: Parameters = settings.scope === undefined ? [] : [['scope', settings.scope]]
  const started = await postForm(url, tokenParameters(scope, settings), settings, context)
  const { device_code: code, user_code: userCode, verification_uri: plainUrl } = started.answer
  const page = started.answer.verification_uri_complete ?? plainUrl ?? started.answer.verification_url
  if (started.status >= 300 || code === undefined || page === undefined) {
    throw refusal(url, started.status, started.answer, settings)
  }
  if (context.askUser === undefined) throw needsPerson(settings)
  await context.askUser({ url: page, code: userCode })
  const tokenUrl = requiredUrl(settings.tokenUrl, 'Token URL', settings)
  const parameters = tokenParameters(
    [
      ['grant_type', 'urn:ietf:params:oauth:grant-type:device_code'],
      ['device_code', code],
    ],
    settings,
  )
  const endMs = context.sources.now() + (Number(started.answer.expires_in) || DEFAULT_LIFETIME_S) * 1000
  const wantedS = Number(started.answer.interval)
  let intervalS = wantedS > 0 ? wantedS : DEFAULT_INTERVAL_S
  for (;;) {
    // The last question comes when the code expires.
    await pause(Math.min(intervalS * 1000, endMs - context.sources.now()), context.signal)
    if (context.signal?.aborted === true) throw new RunError('aborted', 'the sign-in was aborted')
    const { status, answer } = await postForm(tokenUrl, parameters, settings, context)
    if (status < 300 && answer.access_token !== undefined) return answer
    if (answer.error === 'slow_down') intervalS += SLOWER_S
    else if (answer.error !== 'authorization_pending') throw refusal(tokenUrl, status, answer, settings)
    if (context.sources.now() >= endMs) throw notSignedIn(settings)
  }
}
