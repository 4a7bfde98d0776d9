/**
 * Converts between bytes and strings.
 *
 * Rules: text in HTTP/1.1 is bytes; each character of a binary string represents one byte (U+0000 to U+00FF), so no
 * byte is lost or reinterpreted (RFC 9110 section 5.5 keeps obs-text opaque). Only SP and HTAB are white space:
 * `trim()` and `\s` would also remove U+00A0 and U+FEFF. Only A to Z are folded: `toLowerCase()` maps U+212A to `k`.
 */
import { checkType } from './checked-input.ts'

export const CR = 0x0d
export const LF = 0x0a
const SP = 0x20
const HTAB = 0x09

/**
 * Bytes in an unshared buffer, as fetch and WebCrypto require: `Uint8Array<ArrayBuffer>`. TypeScript before 5.7 does
 * not have that type, but every version has the return type of `slice`.
 */
export type OwnOctets = ReturnType<Uint8Array['slice']>

interface PlatformBuffer {
  from(text: string): Uint8Array
  readonly prototype?: { latin1Slice?(this: Uint8Array, start: number, end: number): string }
}

// The platform's own conversions, if it has them (Node.js, Bun): looked up once.
const platformBuffer = (globalThis as { Buffer?: PlatformBuffer }).Buffer
// 20 times faster than a loop. TextDecoder('latin1') is not a substitute: by its standard it means windows-1252.
const platformSlice = platformBuffer?.prototype?.latin1Slice

const PIECE = 4096

/** The bytes from `start` to `end` (exclusive) as a string of one character each. */
export function octetString(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  if (platformSlice !== undefined) return platformSlice.call(bytes, start, end)
  let text = ''
  for (let from = start; from < end; from += PIECE) {
    text += String.fromCharCode(...bytes.subarray(from, Math.min(end, from + PIECE)))
  }
  return text
}

/** The bytes that a binary string represents. The caller guarantees that no character is above U+00FF. */
export function octetsOf(text: string): OwnOctets {
  checkType(text, 'string', 'the text')
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

const utf8Encoder = /* @__PURE__ */ new TextEncoder()

/** UTF-8 bytes of a text. */
export function utf8Bytes(text: string): OwnOctets {
  return utf8Encoder.encode(checkType(text, 'string', 'the text'))
}

/**
 * UTF-8 bytes of a text, for parsing. On Node.js they share the Buffer pool, which takes a third of the time.
 */
export function parsedBytes(text: string): Uint8Array {
  return platformBuffer === undefined ? utf8Bytes(text) : platformBuffer.from(text)
}

/** Bytes as text for people: UTF-8 where they are valid UTF-8, one character for each byte otherwise. */
export function readableText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return octetString(bytes)
  }
}

/** At least two hexadecimal digits, in upper case. */
export function hexDigits(code: number): string {
  return code.toString(16).padStart(2, '0').toUpperCase()
}

/** Folds only A to Z. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether two binary strings are the same except for the case of A to Z. */
export function equalsIgnoringCase(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const one = a.charCodeAt(i)
    const other = b.charCodeAt(i)
    if (one === other) continue
    // `| 0x20` folds more than letters: the result must be a letter.
    const folded = one | 0x20
    if (folded !== (other | 0x20) || folded < 0x61 || folded > 0x7a) return false
  }
  return true
}

/** Removes SP and HTAB, and nothing else, from both ends (OWS, RFC 9110 section 5.6.3). */
export function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start++
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

/** SP or HTAB (RFC 5234 WSP). */
export function isWhitespace(octet: number): boolean {
  return octet === SP || octet === HTAB
}

/** `length` bytes from index `start` on, not copied. Cheaper than `subarray`, especially for a Buffer. */
export function viewOf(bytes: Uint8Array, start: number, length: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, length)
}

/** A copy with its own memory: `slice` of a Node.js Buffer returns a view. */
export function copyOf(bytes: Uint8Array, start = 0, end: number = bytes.length): OwnOctets {
  const copy = new Uint8Array(end - start)
  copy.set(bytes.length === copy.length ? bytes : bytes.subarray(start, end))
  return copy
}

/** Joins several pieces. A single piece is returned without a copy. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array
  let length = 0
  for (const piece of pieces) length += piece.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** `1 byte`, `2 bytes`, for messages. */
export function byteCount(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}
