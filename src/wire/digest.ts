/**
 * Digest authentication (RFC 7616; RFC 2069 if a challenge has no qop).
 *
 * Rules: until a challenge is known, a request is sent without its body: a server that requires authentication discards
 * it, so a body is sent once, and a body from a pipe need not be read twice. Any other answer means that the server
 * does not require authentication; then the whole request follows. The first challenge with a known algorithm is
 * answered, since a server lists its preferred one first. One challenge serves many requests: the nonce count increases
 * until the server says `stale` or sends another nonce. If the server repeats its challenge after an answer, and it is
 * not stale, the user or the password is wrong. All texts are binary strings: names and passwords become UTF-8, and
 * what the server sent is returned and hashed byte for byte.
 */
import type { Hash } from 'node:crypto'
import { type HeaderList, type HttpRequest, octetString, octetsOf, utf8Bytes, visible } from '../message/index.ts'
import { proxyCredentials } from './connection/proxy.ts'
import type { Credentials } from './credentials.ts'
import type { Exchange } from './http1/conversation.ts'
import { originForm } from './http1/origin-form.ts'

interface Challenge {
  readonly realm: string
  readonly nonce: string
  readonly opaque: string | undefined
  /** As the server wrote it; undefined if it was missing. */
  readonly algorithm: string | undefined
  /** The platform's name of the hash. */
  readonly hash: string
  readonly isSession: boolean
  readonly qop: 'auth' | 'auth-int' | undefined
  readonly isStale: boolean
  readonly isUserHashed: boolean
  readonly isUtf8: boolean
}

/** RFC 7616 section 6.1, with the platform's names. */
const hashes: Readonly<Record<string, string>> = { md5: 'md5', 'sha-256': 'sha256', 'sha-512-256': 'sha512-256' }

/** The parties that require authentication, and the fields that they use. RFC 7616 sections 3.3 to 3.5, 3.8. */
const parties = {
  server: {
    status: 401,
    challenge: 'WWW-Authenticate',
    answer: 'Authorization',
    information: 'Authentication-Info',
  },
  proxy: {
    status: 407,
    challenge: 'Proxy-Authenticate',
    answer: 'Proxy-Authorization',
    information: 'Proxy-Authentication-Info',
  },
} as const

type CreateHash = (algorithm: string) => Hash

/** The challenges of one server, or of one proxy, and the answers to them. */
export class DigestAuthentication {
  readonly #credentials: Credentials
  readonly #makeClientNonce: () => string
  readonly #party: (typeof parties)[keyof typeof parties]
  #challenge: Challenge | undefined
  #count = 0
  /** Whether the server has answered without a challenge: it does not require authentication. */
  #isOpen = false

  /**
   * @param credentials texts for a server; for a proxy the bytes of its URL
   * @param makeClientNonce unpredictable text of letters and digits
   */
  constructor({ user, password }: Credentials, makeClientNonce: () => string, party: keyof typeof parties = 'server') {
    this.#credentials = party === 'proxy' ? { user, password } : { user: utf8(user), password: utf8(password) }
    this.#makeClientNonce = makeClientNonce
    this.#party = parties[party]
  }

  /**
   * Sends a request, and sends it again if the server requires authentication.
   * @param send sends it once; `isRepeated` is false the first time
   * @param onRepeat is called with each response that is followed by another, and closes it
   * @throws errors of `send` and `onRepeat`; errors from reading the body for `auth-int`
   */
  async exchange(
    request: HttpRequest,
    send: (request: HttpRequest, isRepeated: boolean) => Promise<Exchange>,
    onRepeat: (result: Exchange) => Promise<void>,
  ): Promise<Exchange> {
    let answerCount = 0
    for (let isRepeated = false; ; isRepeated = true) {
      const answered = await this.answer(request)
      const isAnswered = answered !== request
      if (isAnswered) answerCount++
      const isWithoutBody = !isAnswered && !this.#isOpen && hasContent(request)
      const result = await send(isWithoutBody ? withoutContent(request) : answered, isRepeated)
      const { status, headers } = result.response
      const isChallenged = this.take(status, headers, isAnswered)
      // A proxy that refuses a request has not forwarded it to the server.
      if (status !== this.#party.status && status !== 407) this.#isOpen = true
      // At most two stale answers are accepted: no server's nonces expire faster than that.
      const isFinal = isChallenged ? answerCount === 2 : !(isWithoutBody && this.#isOpen)
      if (isFinal) return result
      await onRepeat(result)
    }
  }

  /**
   * Reads the fields of a response: a challenge, or the nonce for the next request (RFC 7616 section 3.5).
   * @param wasAnswered whether the request contained an answer
   * @returns whether the request should be sent again, with an answer
   */
  take(status: number, headers: HeaderList, wasAnswered: boolean): boolean {
    const { status: asking, challenge: field, information } = this.#party
    if (status !== asking) {
      const nonce = parametersOf(headers.first(information) ?? '').get('nextnonce')
      if (nonce !== undefined && this.#challenge !== undefined) this.#use({ ...this.#challenge, nonce })
      return false
    }
    const challenge = challengesOf(headers.all(field)).map(readChallenge).find(isKnown)
    if (challenge === undefined) return false
    this.#use(challenge)
    return !wasAnswered || challenge.isStale
  }

  /** The request with an answer; unchanged if no challenge is known yet. @throws errors from reading its body. */
  async answer(request: HttpRequest): Promise<HttpRequest> {
    const challenge = this.#challenge
    if (challenge === undefined) return request
    const { createHash } = await import('node:crypto')
    this.#count++
    const text = await answerText(request, challenge, this.#credentials, {
      createHash,
      clientNonce: this.#makeClientNonce(),
      count: this.#count.toString(16).padStart(8, '0'),
    })
    return request.withHeader(this.#party.answer, text)
  }

  #use(challenge: Challenge): void {
    if (challenge.nonce !== this.#challenge?.nonce) this.#count = 0
    this.#challenge = challenge
  }
}

/** Digest for the proxies whose URLs have user and password. Each has its own challenges, which serve many requests. */
export class ProxyDigest {
  readonly #makeClientNonce: () => string
  readonly #known: Map<string, DigestAuthentication> = new Map()

  /** @param makeClientNonce as for DigestAuthentication */
  constructor(makeClientNonce: () => string) {
    this.#makeClientNonce = makeClientNonce
  }

  /** Undefined for a proxy without user and password. */
  of(proxy: URL): DigestAuthentication | undefined {
    const credentials = proxyCredentials(proxy)
    if (credentials === undefined) return undefined
    const known = this.#known.get(proxy.href)
    if (known !== undefined) return known
    const digest = new DigestAuthentication(credentials, this.#makeClientNonce, 'proxy')
    this.#known.set(proxy.href, digest)
    return digest
  }
}

function hasContent({ body }: HttpRequest): boolean {
  return body !== undefined && !(body.framing.type === 'length' && body.framing.length === 0)
}

function withoutContent(request: HttpRequest): HttpRequest {
  return request.withBody(new Uint8Array(0)).withoutHeaders('Expect', 'Trailer')
}

interface Attempt {
  readonly createHash: CreateHash
  readonly clientNonce: string
  /** Eight hexadecimal digits. */
  readonly count: string
}

/** RFC 7616 section 3.4. */
async function answerText(
  request: HttpRequest,
  challenge: Challenge,
  { user, password }: Credentials,
  { createHash, clientNonce, count }: Attempt,
): Promise<string> {
  const { realm, nonce, opaque, algorithm, qop, isSession, isUserHashed, isUtf8 } = challenge
  const hashed = (text: string): string => createHash(challenge.hash).update(octetsOf(text)).digest('hex')
  const uri = request.method === 'CONNECT' ? request.target : originForm(request)
  const plainSecret = hashed(`${user}:${realm}:${password}`)
  const secret = isSession ? hashed(`${plainSecret}:${nonce}:${clientNonce}`) : plainSecret
  const content = qop === 'auth-int' ? `:${await contentHash(request, createHash(challenge.hash))}` : ''
  const subject = hashed(`${request.method}:${uri}${content}`)
  const middle = qop === undefined ? nonce : `${nonce}:${count}:${clientNonce}:${qop}`
  const parameters = [
    userParameter(isUserHashed ? hashed(`${user}:${realm}`) : user, isUtf8),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${count}`]),
    ...(qop === undefined && !isSession ? [] : [`cnonce=${quoted(clientNonce)}`]),
    `response="${hashed(`${secret}:${middle}:${subject}`)}"`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(isUserHashed ? ['userhash=true'] : []),
  ]
  return `Digest ${parameters.join(', ')}`
}

/** RFC 7616 section 3.4.3: the content before it is framed. */
async function contentHash({ body }: HttpRequest, hash: Hash): Promise<string> {
  if (body !== undefined) for await (const piece of body) hash.update(piece)
  return hash.digest('hex')
}

/** RFC 7616 section 3.4: non-ASCII names have a separate form, `username*`. */
function userParameter(user: string, isUtf8: boolean): string {
  if (!isUtf8 || /^[\x20-\x7e]*$/.test(user)) return `username=${quoted(user)}`
  const escaped = user.replace(
    /[^A-Za-z0-9!#$&+.^_`|~-]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
  return `username*=UTF-8''${escaped}`
}

function utf8(text: string): string {
  return octetString(utf8Bytes(text))
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** The platform's name of the hash; undefined if it is unknown. */
function hashOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const key = (parameters.get('algorithm') ?? 'MD5').toLowerCase().replace(/-sess$/, '')
  return Object.hasOwn(hashes, key) ? hashes[key] : undefined
}

function readChallenge(parameters: ReadonlyMap<string, string>): Challenge | undefined {
  const algorithm = parameters.get('algorithm')
  const nonce = parameters.get('nonce')
  const isSession = /-sess$/i.test(algorithm ?? '')
  const hash = hashOf(parameters)
  if (nonce === undefined || hash === undefined) return undefined
  const offered = parameters
    .get('qop')
    ?.toLowerCase()
    .split(',')
    .map((word) => word.trim())
  const qop = (['auth', 'auth-int'] as const).find((word) => offered?.includes(word))
  if (offered !== undefined && qop === undefined) return undefined
  return {
    realm: parameters.get('realm') ?? '',
    nonce,
    opaque: parameters.get('opaque'),
    algorithm,
    hash,
    isSession,
    qop,
    isStale: parameters.get('stale')?.toLowerCase() === 'true',
    isUserHashed: parameters.get('userhash')?.toLowerCase() === 'true',
    isUtf8: parameters.get('charset')?.toLowerCase() === 'utf-8',
  }
}

/** Why none of the challenges of a 401 can be answered; undefined if one can. */
export function digestObstacle(headers: HeaderList): string | undefined {
  const fields = headers.all(parties.server.challenge)
  const challenges = challengesOf(fields)
  if (challenges.map(readChallenge).some(isKnown)) return undefined
  const [challenge] = challenges
  if (challenge !== undefined) return `the Digest challenge has ${flawOf(challenge)}`
  const schemes = fields.flatMap(partsOf).flatMap(({ name, value }) => (value === undefined ? [name] : []))
  return schemes.length === 0
    ? 'the 401 has no WWW-Authenticate that names a scheme'
    : `the server offers ${visible([...new Set(schemes)].join(', ')).slice(0, MAX_SHOWN_LENGTH)}; not Digest`
}

/** The flaw of a challenge that `readChallenge` refuses. */
function flawOf(challenge: ReadonlyMap<string, string>): string {
  const named = (name: string): string =>
    `the ${name} "${visible(challenge.get(name) ?? '').slice(0, MAX_SHOWN_LENGTH)}", expected`
  if (!challenge.has('nonce')) return 'no nonce'
  return hashOf(challenge) === undefined
    ? `${named('algorithm')} MD5, SHA-256 or SHA-512-256`
    : `${named('qop')} auth or auth-int`
}

const MAX_SHOWN_LENGTH = 80

function isKnown(challenge: Challenge | undefined): challenge is Challenge {
  return challenge !== undefined
}

/**
 * A scheme, or a parameter, with the blanks and commas that follow it (RFC 9110 section 11.6.1). Values with control
 * characters end the list: an answer cannot repeat them.
 */
const PART =
  /([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\\0-\x08\n-\x1f\x7f]|\\[^\0-\x08\n-\x1f\x7f])*)"|([^\s,"\0-\x1f\x7f]+(?=[\s,]|$)))|(?=[\s,]|$))[\s,]*/y

/** The parameters of each Digest challenge; one field may contain several challenges. */
function challengesOf(fields: readonly string[]): readonly ReadonlyMap<string, string>[] {
  const challenges: Map<string, string>[] = []
  let current: Map<string, string> | undefined
  for (const field of fields) {
    for (const { name, value } of partsOf(field)) {
      if (value !== undefined) current?.set(name, value)
      else if (name === 'digest') challenges.push((current = new Map()))
      else current = undefined
    }
  }
  return challenges
}

function parametersOf(field: string): ReadonlyMap<string, string> {
  return new Map(partsOf(field).map(({ name, value = '' }) => [name, value]))
}

function partsOf(field: string): readonly { readonly name: string; readonly value: string | undefined }[] {
  const parts: { readonly name: string; readonly value: string | undefined }[] = []
  // Elements of a list may be empty (RFC 9110 section 5.6.1.2).
  PART.lastIndex = field.search(/[^\s,]|$/)
  for (let match = PART.exec(field); match !== null; match = PART.exec(field)) {
    const [, name = '', inQuotes, bare] = match
    parts.push({ name: name.toLowerCase(), value: inQuotes?.replace(/\\(.)/g, '$1') ?? bare })
  }
  return parts
}
