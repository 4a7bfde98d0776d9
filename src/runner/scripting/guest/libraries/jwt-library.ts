/**
 * `jwt.sign`, `jwt.verify`, `jwt.decode`: JSON Web Tokens, RFC 7519 in the compact form of RFC 7515.
 *
 * Rules: the caller chooses the algorithm, by default HS256; verification never relies on the token's algorithm alone:
 * a PEM key allows only algorithms for such keys, a secret only those with a secret. `none` is refused.
 */
import type { ask as Ask } from '../host.ts'

interface Header {
  readonly alg: string
  readonly [name: string]: unknown
}
type Claims = Readonly<Record<string, unknown>>

interface SignOptions {
  readonly algorithm?: string
  readonly header?: { readonly alg?: unknown; readonly [name: string]: unknown }
  readonly keyid?: string
  /** Seconds, or a text such as `1h`. */
  readonly expiresIn?: number | string
  readonly notBefore?: number | string
  readonly issuer?: unknown
  readonly audience?: unknown
  readonly subject?: unknown
  readonly jwtid?: unknown
  readonly noTimestamp?: boolean
}

interface VerifyOptions {
  readonly algorithms?: readonly string[]
  readonly algorithm?: string
  readonly issuer?: unknown
  readonly audience?: unknown
  readonly subject?: unknown
  readonly ignoreExpiration?: boolean
  readonly clockTolerance?: number
  readonly complete?: boolean
}

const secretAlgorithms = ['HS256', 'HS384', 'HS512']
const keyAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 }

function seconds(time: number | string): number {
  if (typeof time === 'number') return time
  const match = /^(\d+)\s*([smhdwy]?)$/.exec(time)
  if (match === null)
    throw new RangeError(`jwt: ${JSON.stringify(time)} is not a time: expected seconds, or a string such as "1h"`)
  return Number(match[1]) * (unitSeconds[match[2] || 's'] as number)
}

const isPem = (key: unknown): boolean => String(key).includes('-----BEGIN')

/** The algorithm may also be given by its name alone. */
function optionsOf<Options extends object>(value: unknown): Options & { readonly algorithm?: string } {
  return (typeof value === 'string' ? { algorithm: value } : (value ?? {})) as Options & { readonly algorithm?: string }
}

function claimsWith(payload: unknown, options: SignOptions): unknown {
  if (typeof payload !== 'object' || payload === null) return payload
  const nowSeconds = Math.floor(Date.now() / 1000)
  const { expiresIn, notBefore, issuer, audience, subject, jwtid } = options
  const added = Object.entries({
    exp: expiresIn === undefined ? undefined : nowSeconds + seconds(expiresIn),
    nbf: notBefore === undefined ? undefined : nowSeconds + seconds(notBefore),
    iss: issuer,
    aud: audience,
    sub: subject,
    jti: jwtid,
  }).filter(([, value]) => value !== undefined)
  const issued = options.noTimestamp === true || 'iat' in payload ? {} : { iat: nowSeconds }
  return { ...payload, ...issued, ...Object.fromEntries(added) }
}

function checkClaims(claims: Claims, options: VerifyOptions): void {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const { exp, nbf, iss, aud, sub } = claims
  const tolerance = options.clockTolerance ?? 0
  if (typeof exp === 'number' && options.ignoreExpiration !== true && nowSeconds >= exp + tolerance) {
    throw new Error(`jwt: the token expired at ${new Date(exp * 1000).toISOString()}`)
  }
  if (typeof nbf === 'number' && nowSeconds < nbf - tolerance) {
    throw new Error(`jwt: the token is not valid before ${new Date(nbf * 1000).toISOString()}`)
  }
  check('issuer', options.issuer, [iss])
  check('subject', options.subject, [sub])
  check('audience', options.audience, Array.isArray(aud) ? aud : [aud])
}

function check(what: string, wanted: unknown, found: readonly unknown[]): void {
  if (wanted === undefined) return
  const allowed = Array.isArray(wanted) ? wanted : [wanted]
  if (found.some((each) => allowed.includes(each))) return
  throw new Error(
    `jwt: the ${what} is ${found.map((each) => JSON.stringify(each)).join(', ')}, expected ${allowed.join(' or ')}`,
  )
}

export function createTokens(ask: typeof Ask): object {
  const encode = (text: string): string => ask('convert', ['text', text], 'base64url') as string
  const parsed = (part: string): unknown => {
    const text = ask('convert', ['base64url', part], 'text') as string
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  const split = (token: unknown): [string, string, string] => {
    const parts = String(token).split('.')
    if (parts.length !== 3)
      throw new SyntaxError(`jwt: a token has 3 parts with dots between them, found ${parts.length}`)
    return parts as [string, string, string]
  }
  const headerOf = (part: string): Header => {
    const header = parsed(part)
    if (typeof header !== 'object' || header === null || !('alg' in header)) {
      throw new SyntaxError('jwt: the first part is not the header of a token')
    }
    return header as Header
  }

  return Object.freeze({
    sign(payload: unknown, key: unknown, optionsOrName?: unknown): string {
      const options = optionsOf<SignOptions>(optionsOrName)
      const algorithm = String(options.algorithm ?? options.header?.alg ?? (isPem(key) ? 'RS256' : 'HS256'))
      if (![...secretAlgorithms, ...keyAlgorithms].includes(algorithm)) {
        throw new RangeError(`jwt: unknown algorithm ${JSON.stringify(algorithm)}`)
      }
      const keyid = options.keyid === undefined ? {} : { kid: options.keyid }
      const header = { alg: algorithm, typ: 'JWT', ...keyid, ...options.header }
      const claims = claimsWith(payload, options)
      const body = typeof claims === 'string' ? claims : JSON.stringify(claims)
      const signed = `${encode(JSON.stringify(header))}.${encode(body)}`
      return `${signed}.${ask('jwt-sign', algorithm, String(key), signed)}`
    },

    /** Returns the claims. @throws Error if the token is not valid */
    verify(token: unknown, key: unknown, optionsOrName?: unknown): unknown {
      const options = optionsOf<VerifyOptions>(optionsOrName)
      const [head, body, signature] = split(token)
      const header = headerOf(head)
      const fitting = isPem(key) ? keyAlgorithms : secretAlgorithms
      const allowed = options.algorithms ?? (options.algorithm === undefined ? fitting : [options.algorithm])
      if (!allowed.includes(header.alg) || !fitting.includes(header.alg)) {
        throw new Error(`jwt: the token says ${header.alg}, expected ${allowed.join(' or ')}`)
      }
      if (ask('jwt-verify', header.alg, String(key), `${head}.${body}`, signature) !== true) {
        throw new Error('jwt: the signature does not match the token')
      }
      const payload = parsed(body)
      if (typeof payload === 'object' && payload !== null) checkClaims(payload as Claims, options)
      return options.complete === true ? { header, payload, signature } : payload
    },

    /** The content of a token, not verified. */
    decode(token: unknown, options?: { readonly complete?: boolean }): unknown {
      const [head, body, signature] = split(token)
      const payload = parsed(body)
      return options?.complete === true ? { header: headerOf(head), payload, signature } : payload
    },
  })
}
