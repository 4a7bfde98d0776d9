/**
 * `crypto` and `jwt`: the vendor's builders for digests, HMAC and signatures, the WebCrypto names, JSON Web Tokens.
 *
 * Rules: the host processes the bytes; it receives data and names of algorithms, never an object. All results are
 * available immediately, including those of `crypto.subtle`: `await` accepts them as they are.
 */
import type { ask as Ask } from '../host.ts'
import { createTokens } from './jwt-library.ts'
import { createSubtle } from './subtle-library.ts'

/** A piece of the input of a digest. */
type Piece = readonly [kind: 'text' | 'hex' | 'base64' | 'base64url', data: string, encoding?: string]

const digestNames = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
const sha3Bits = ['224', '256', '384', '512']

function base64Kind(isUrlSafe: unknown): 'base64' | 'base64url' {
  return isUrlSafe ? 'base64url' : 'base64'
}

function textPiece(text: unknown, encoding: unknown): Piece {
  return encoding === undefined ? ['text', String(text)] : ['text', String(text), String(encoding)]
}

/** The resulting bytes, in the requested text form. */
class Octets {
  readonly #ask: typeof Ask
  readonly #hex: string
  constructor(ask: typeof Ask, hex: string) {
    this.#ask = ask
    this.#hex = hex
  }
  toHex(): string {
    return this.#hex
  }
  toBase64(isUrlSafe?: unknown): string {
    return this.#ask('from-hex', this.#hex, base64Kind(isUrlSafe)) as string
  }
}

/** Collects the input piece by piece. */
abstract class Builder {
  protected readonly ask: typeof Ask
  protected readonly algorithm: string
  protected readonly pieces: Piece[] = []
  constructor(ask: typeof Ask, algorithm: string) {
    this.ask = ask
    this.algorithm = algorithm
  }
  updateWithText(text: unknown, encoding?: unknown): this {
    this.pieces.push(textPiece(text, encoding))
    return this
  }
  updateWithHex(hex: unknown): this {
    this.pieces.push(['hex', String(hex)])
    return this
  }
  updateWithBase64(base64: unknown, isUrlSafe?: unknown): this {
    this.pieces.push([base64Kind(isUrlSafe), String(base64)])
    return this
  }
}

class Digest extends Builder {
  digest(): Octets {
    return new Octets(this.ask, this.ask('digest', this.algorithm, this.pieces) as string)
  }
}

class Hmac extends Builder {
  #secret: Piece = ['text', '']
  withTextSecret(text: unknown, encoding?: unknown): this {
    this.#secret = textPiece(text, encoding)
    return this
  }
  withHexSecret(hex: unknown): this {
    this.#secret = ['hex', String(hex)]
    return this
  }
  withBase64Secret(base64: unknown, isUrlSafe?: unknown): this {
    this.#secret = [base64Kind(isUrlSafe), String(base64)]
    return this
  }
  digest(): Octets {
    return new Octets(this.ask, this.ask('hmac', this.algorithm, this.#secret, this.pieces) as string)
  }
}

/** RSA and ECDSA with keys in PEM. */
class Signature extends Builder {
  readonly #kind: string
  #key = ''
  constructor(ask: typeof Ask, kind: string, algorithm: string) {
    super(ask, algorithm)
    this.#kind = kind
  }
  withPrivateKey(pem: unknown): this {
    this.#key = String(pem)
    return this
  }
  withPublicKey(pem: unknown): this {
    this.#key = String(pem)
    return this
  }
  sign(): Octets {
    return new Octets(this.ask, this.ask('sign', this.#kind, this.algorithm, this.#key, this.pieces) as string)
  }
  verify(signature: unknown, encoding: unknown = 'base64'): boolean {
    const piece = [String(encoding), String(signature)]
    return this.ask('verify', this.#kind, this.algorithm, this.#key, this.pieces, piece) as boolean
  }
}

/** `sha256()` and similar functions, `sha3(256)` and `sha3_256()`. */
function family(make: (algorithm: string) => Builder): Record<string, (bits?: unknown) => Builder> {
  const sha3 = (bits: unknown = '256'): Builder => {
    if (!sha3Bits.includes(String(bits))) throw new RangeError(`sha3 has ${sha3Bits.join(', ')} bits, not ${bits}`)
    return make(`sha3-${bits}`)
  }
  const calls: Record<string, (bits?: unknown) => Builder> = { sha3 }
  for (const name of digestNames) calls[name] = () => make(name)
  for (const bits of sha3Bits) calls[`sha3_${bits}`] = () => make(`sha3-${bits}`)
  return calls
}

export function create(ask: typeof Ask): object {
  const subtle = createSubtle(ask)
  const crypto = Object.freeze({
    ...family((algorithm) => new Digest(ask, algorithm)),
    hmac: Object.freeze(family((algorithm) => new Hmac(ask, algorithm))),
    rsa: Object.freeze(family((algorithm) => new Signature(ask, 'rsa', algorithm))),
    ecdsa: Object.freeze(family((algorithm) => new Signature(ask, 'ecdsa', algorithm))),
    subtle,
    randomUUID: () => ask('random-uuid'),
    getRandomValues: <Target extends Uint8Array>(target: Target): Target => {
      const octets = new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
      const hex = ask('random-octets', octets.length) as string
      for (let i = 0; i < octets.length; i++) octets[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
      return target
    },
  })
  return { crypto, jwt: createTokens(ask) }
}
