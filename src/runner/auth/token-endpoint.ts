/**
 * A request to a token server, and its answer (RFC 6749 sections 2.3.1, 3.2, 5.1 and 5.2).
 *
 * Rules: parameters are sent as a form; the settings decide how the client's credentials are sent. An answer may be
 * JSON or, from some servers, a form. Errors contain neither secrets nor tokens.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type HttpcliError, HttpRequest, StringBody } from '../../message/index.ts'
import { exchange } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import type { CustomParameter, OAuthSettings } from './oauth-settings.ts'
import type { TokenContext } from './token-context.ts'

export type Parameters = readonly (readonly [name: string, value: string])[]

/** The members of the answer, as texts. */
export type TokenAnswer = Readonly<Partial<Record<string, string>>>

export interface TokenResponse {
  readonly status: number
  readonly answer: TokenAnswer
}

/** An answer has a few hundred bytes, or a few thousand with large tokens. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** The parameters, with the client's credentials and those of the settings. */
export function tokenParameters(parameters: Parameters, settings: OAuthSettings): Parameters {
  const { clientId, clientSecret, clientCredentials } = settings
  const isBasic = clientCredentials === 'basic' && clientSecret !== undefined
  const secret: Parameters =
    clientCredentials === 'in body' && clientSecret !== undefined ? [['client_secret', clientSecret]] : []
  const client: Parameters = isBasic ? [] : [['client_id', clientId], ...secret]
  return [...parameters, ...client, ...customParameters(settings.parameters, 'in token request')]
}

/** The custom parameters for one kind of request. */
export function customParameters(all: readonly CustomParameter[], use: CustomParameter['use']): Parameters {
  return all
    .filter((each) => each.use === 'everywhere' || each.use === use)
    .flatMap(({ name, values }) => values.map((value) => [name, value] as const))
}

/** @throws WireError; HttpcliError `token-refused` if the answer is too large. */
export async function postForm(
  url: URL,
  parameters: Parameters,
  settings: OAuthSettings,
  context: TokenContext,
): Promise<TokenResponse> {
  const { clientId, clientSecret, clientCredentials } = settings
  collectMembers(Object.fromEntries(parameters), context)
  if (clientSecret !== undefined) context.secrets?.add(clientSecret)
  const isBasic = clientCredentials === 'basic' && clientSecret !== undefined
  // RFC 6749 section 2.3.1: both are form-encoded first.
  const basic = isBasic ? Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64') : ''
  const request = new HttpRequest({
    method: 'POST',
    url,
    headers: [
      ['Accept', 'application/json'],
      ...(isBasic ? ([['Authorization', `Basic ${basic}`]] as const) : []),
      ...customParameters(settings.headers, 'in token request'),
    ],
    body: new StringBody(formText(parameters), 'application/x-www-form-urlencoded'),
  })
  const result = await exchange(request, await context.wireOptions(url))
  const { response } = result
  try {
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of response.body?.decoded() ?? []) {
      size += piece.length
      if (size > MAX_ANSWER_BYTES) throw new RunError('token-refused', `the response of ${url.host} is too large`)
      pieces.push(piece)
    }
    const answer = readAnswer(Buffer.concat(pieces).toString('utf8'))
    collectMembers(answer, context)
    return { status: response.status, answer }
  } finally {
    result.close()
  }
}

/**
 * Names of secrets in requests and answers. RFC 6749 sections 4 to 6, RFC 7521 section 4.2, RFC 7636 section 4.5, RFC
 * 8628 section 3.
 */
const secretMembers = [
  'access_token',
  'refresh_token',
  'id_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'password',
  'code',
  'code_verifier',
  'device_code',
]

function collectMembers(members: TokenAnswer, { secrets }: TokenContext): void {
  for (const name of secretMembers) {
    const value = members[name]
    if (value !== undefined) secrets?.add(value)
  }
}

function formText(parameters: Parameters): string {
  const form = new URLSearchParams()
  for (const [name, value] of parameters) form.append(name, value)
  return form.toString()
}

function formEncoded(text: string): string {
  return formText([['', text]]).slice(1)
}

/** The members that are texts or numbers; empty if the answer is neither JSON nor a form. */
export function readAnswer(text: string): TokenAnswer {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    return text.includes('=') && !text.includes('<') ? Object.fromEntries(new URLSearchParams(text)) : {}
  }
  if (typeof value !== 'object' || value === null) return {}
  const texts = Object.entries(value).filter(([, member]) => typeof member === 'string' || typeof member === 'number')
  return Object.fromEntries(texts.map(([name, member]) => [name, String(member)]))
}

export function refusal(url: URL, status: number, answer: TokenAnswer, { id }: OAuthSettings): HttpcliError {
  const { error, error_description: description } = answer
  const why = error === undefined ? `status ${status}, no token` : [error, description].filter(Boolean).join(': ')
  const message = `${url.origin}${url.pathname} returned no token for the authorization "${id}" (${why})`
  return new RunError('token-refused', message, { hint: 'Check the client, its secret and the scope' })
}
