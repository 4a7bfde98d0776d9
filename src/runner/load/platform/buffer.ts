/** The part of `Buffer` that the runner uses: bytes from and to text. */
const encodings: Readonly<
  Record<string, readonly [read: (text: string) => number[] | Uint8Array, write: (bytes: Uint8Array) => string]>
> = {
  utf8: [(text) => new TextEncoder().encode(text), (bytes) => new TextDecoder().decode(bytes)],
  latin1: [(text) => units(text, 0xff), (bytes) => characters(bytes)],
  utf16le: [
    (text) => units(text, 0xffff).flatMap((unit) => [unit & 0xff, unit >> 8]),
    (bytes) => new TextDecoder('utf-16le').decode(bytes),
  ],
  hex: [
    (text) => (text.match(/[\da-f]{2}/gi) ?? []).map((digits) => Number.parseInt(digits, 16)),
    (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  ],
  base64: [fromBase64, toBase64],
  base64url: [fromBase64, (bytes) => toBase64(bytes).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '')],
}

const names: Readonly<Record<string, string>> = { 'utf-8': 'utf8', binary: 'latin1', utf16: 'utf16le' }
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function encoding(name = 'utf8'): (typeof encodings)[string] {
  const found = encodings[names[name.toLowerCase()] ?? name.toLowerCase()]
  if (found === undefined) throw new TypeError(`unknown encoding: ${name}`)
  return found
}

function units(text: string, mask: number): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & mask)
}

function characters(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += 4096) {
    text += String.fromCharCode(...bytes.subarray(from, from + 4096))
  }
  return text
}

function fromBase64(text: string): number[] {
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const sign of text.replace(/-/g, '+').replace(/_/g, '/')) {
    const value = alphabet.indexOf(sign)
    if (value === -1) continue
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count >= 8) {
      count -= 8
      bytes.push((bits >> count) & 0xff)
    }
  }
  return bytes
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const [a = 0, b, c] = bytes.subarray(index, index + 3)
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    const signs = [word >> 18, (word >> 12) & 63, (word >> 6) & 63, word & 63].map((value) => alphabet[value])
    text +=
      signs.slice(0, b === undefined ? 2 : c === undefined ? 3 : 4).join('') +
      (b === undefined ? '==' : c === undefined ? '=' : '')
  }
  return text
}

export class Buffer extends Uint8Array {
  static override from(data: unknown, name?: unknown): Buffer {
    const bytes = typeof data === 'string' ? encoding(name as string | undefined)[0](data) : (data as ArrayLike<number>)
    const made = new Buffer(bytes.length)
    made.set(bytes)
    return made
  }

  static alloc(size: number): Buffer {
    return new Buffer(size)
  }

  static concat(pieces: readonly Uint8Array[]): Buffer {
    const made = new Buffer(pieces.reduce((sum, { length }) => sum + length, 0))
    let offset = 0
    for (const piece of pieces) {
      made.set(piece, offset)
      offset += piece.length
    }
    return made
  }

  static byteLength(text: string): number {
    return new TextEncoder().encode(text).length
  }

  override toString(name?: string): string {
    return encoding(name)[1](this)
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index])
  }

  swap16(): this {
    for (let index = 0; index + 1 < this.length; index += 2) {
      const low = this[index] as number
      this[index] = this[index + 1] as number
      this[index + 1] = low
    }
    return this
  }
}
