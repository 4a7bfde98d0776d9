/**
 * Names of the web platform that scripts use: `URLSearchParams`, `atob`, `btoa`, `TextEncoder`, `TextDecoder`.
 *
 * Rules: URL Standard section 6.2 for parameters, Infra Standard section 7 for forgiving Base64, Encoding Standard for
 * UTF-8, which is the only encoding here.
 */
import type { ask as Ask } from '../host.ts'

/** Lone surrogates have no encoding. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

class Utf8Encoder {
  readonly encoding = 'utf-8'
  encode(input: unknown = ''): Uint8Array {
    const escaped = encodeURIComponent(wellFormed(String(input)))
    const octets: number[] = []
    for (let i = 0; i < escaped.length; i++) {
      if (escaped[i] === '%') {
        octets.push(Number.parseInt(escaped.slice(i + 1, i + 3), 16))
        i += 2
      } else octets.push(escaped.charCodeAt(i))
    }
    return Uint8Array.from(octets)
  }
}

/** The bytes of any object that contains bytes. */
function octetsOf(input: unknown): Uint8Array {
  if (input instanceof Uint8Array) return input
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  return new Uint8Array(input as ArrayBuffer)
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function btoa(input: unknown): string {
  const text = String(input)
  let result = ''
  for (let i = 0; i < text.length; i += 3) {
    const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)] as [number, number, number]
    if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa takes characters up to U+00FF only')
    const bits = (a << 16) | ((b || 0) << 8) | (c || 0)
    result += (digits[bits >> 18] as string) + digits[(bits >> 12) & 63]
    result += Number.isNaN(b) ? '=' : digits[(bits >> 6) & 63]
    result += Number.isNaN(c) ? '=' : digits[bits & 63]
  }
  return result
}

function atob(input: unknown): string {
  const spaceless = String(input).replace(/[\t\n\f\r ]/g, '')
  const text = spaceless.length % 4 === 0 ? spaceless.replace(/==?$/, '') : spaceless
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError('atob: this is not Base64')
  let result = ''
  let bits = 0
  let count = 0
  for (const digit of text) {
    bits = ((bits << 6) | digits.indexOf(digit)) & 0xffffff
    count += 6
    if (count >= 8) {
      count -= 8
      result += String.fromCharCode((bits >> count) & 255)
    }
  }
  return result
}

type Pair = [name: string, value: string]

class Parameters {
  #pairs: Pair[] = []

  constructor(init: unknown = '') {
    if (typeof init === 'object' && init !== null) {
      const isList = typeof (init as Iterable<unknown>)[Symbol.iterator] === 'function'
      const entries = isList ? [...(init as Iterable<Pair>)] : Object.entries(init)
      this.#pairs = entries.map(([name, value]) => [String(name), String(value)])
    } else {
      const text = String(init).replace(/^\?/, '')
      for (const piece of text.split('&')) {
        if (piece === '') continue
        const at = piece.indexOf('=')
        const [name, value] = at === -1 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)]
        this.#pairs.push([decoded(name), decoded(value)])
      }
    }
  }

  get size(): number {
    return this.#pairs.length
  }

  append(name: unknown, value: unknown): void {
    this.#pairs.push([String(name), String(value)])
  }

  delete(name: unknown, value?: unknown): void {
    this.#pairs = this.#pairs.filter((pair) => !isNamed(pair, name, value))
  }

  get(name: unknown): string | null {
    return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null
  }

  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1])
  }

  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => isNamed(pair, name, value))
  }

  /** Sets the value of the first pair with that name and removes the others. */
  set(name: unknown, value: unknown): void {
    const first: Pair = this.#pairs.find((pair) => pair[0] === String(name)) ?? [String(name), '']
    first[1] = String(value)
    if (this.has(name)) this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name))
    else this.#pairs.push(first)
  }

  sort(): void {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  }

  forEach(action: (value: string, name: string, parameters: Parameters) => void, self?: unknown): void {
    for (const [name, value] of this.#pairs) action.call(self, value, name, this)
  }

  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value]
  }

  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name
  }

  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value
  }

  [Symbol.iterator](): Generator<Pair> {
    return this.entries()
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  }

  toJSON(): string {
    return this.toString()
  }
}

function isNamed(pair: Pair, name: unknown, value: unknown): boolean {
  return pair[0] === String(name) && (value === undefined || pair[1] === String(value))
}

function encoded(text: string): string {
  const escaped = encodeURIComponent(wellFormed(text))
  return escaped.replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`).replace(/%20/g, '+')
}

function decoded(text: string): string {
  const spaced = text.replace(/\+/g, ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    // Text that is not an escape stays unchanged, and so do bytes that are not UTF-8.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes)
      } catch {
        return escapes
      }
    })
  }
}

/** @param ask calls the host, which decodes bytes to text faster than any code here */
export function create(ask: typeof Ask): object {
  class Utf8Decoder {
    readonly encoding = 'utf-8'
    decode(input?: unknown): string {
      if (input === undefined) return ''
      let binary = ''
      for (const octet of octetsOf(input)) binary += String.fromCharCode(octet)
      return ask('utf8-decode', binary) as string
    }
  }
  return {
    URLSearchParams: Parameters,
    atob,
    btoa,
    TextEncoder: Utf8Encoder,
    TextDecoder: Utf8Decoder,
  }
}
