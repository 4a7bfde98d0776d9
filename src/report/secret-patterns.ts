/**
 * A secret as the patterns that find it.
 *
 * Rules: a value is looked for as it is, in every spelling of its characters (secret-spellings.ts), in small letters as
 * host names are written, in hexadecimal, in UTF-16, and in base64 and base64url, wherever in a longer base64 text it
 * stands. A value of several lines is its lines, too. A long value is looked for piece by piece, so that a pattern has a
 * bounded length; pieces overlap, so that what is found of neighbours joins. A value of less than MIN_FREE_CHARACTERS
 * counts as a whole word only, a number only where no digit stands beside it, because they would be found everywhere. One
 * of less than MIN_CHARACTERS, and `true`, `false` and `null`, are no secrets: they tell nothing. RFC 4648 sections 4, 5
 * and 8.
 */
import { base64Spellings, type Spellings, spellingsOf } from './secret-spellings.ts'

/** Octets that are always written so, or ways to write a character, '' where it may be left out. Octet strings. */
export type PatternPart = string | Spellings

/** What may not stand beside a pattern. */
export type PatternNeighbour = 'word' | 'digit'

export interface SecretPattern {
  readonly parts: readonly PatternPart[]
  /** Undefined: it counts wherever it stands. */
  readonly notBeside?: PatternNeighbour
}

const MIN_CHARACTERS = 3
const MIN_FREE_CHARACTERS = 4
const MAX_PIECE_CHARACTERS = 48
/** So that what is left out at the edges of a piece in base64 is inside of its neighbour. */
const OVERLAP_CHARACTERS = 3

const plainWords: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** All patterns of a value; none where it is no secret. Each finds three octets at least. */
export function patternsOf(value: string): readonly SecretPattern[] {
  const text = value.trim()
  const withLf = text.replace(/\r\n?/g, '\n')
  const lines = withLf.includes('\n') ? withLf.split('\n').map((line) => line.trim()) : []
  const texts = new Set([text, withLf, ...lines.filter((line) => line.length >= MIN_FREE_CHARACTERS)])
  return [...texts].flatMap(patternsOfText)
}

function patternsOfText(text: string): readonly SecretPattern[] {
  const characters = [...text]
  if (characters.length < MIN_CHARACTERS || plainWords.has(text.toLowerCase())) return []
  if (characters.length < MIN_FREE_CHARACTERS) return [{ parts: partsOf(text, spellingsOf), notBeside: 'word' }]
  const isNumber = /^\d+$/.test(text)
  return piecesOf(characters).flatMap((piece) => patternsOfPiece(piece, isNumber))
}

function piecesOf(characters: readonly string[]): readonly string[] {
  const count = Math.ceil(characters.length / MAX_PIECE_CHARACTERS)
  const size = Math.ceil(characters.length / count)
  return Array.from({ length: count }, (_, index) => {
    return characters.slice(Math.max(0, index * size - OVERLAP_CHARACTERS), (index + 1) * size).join('')
  })
}

function patternsOfPiece(text: string, isNumber: boolean): readonly SecretPattern[] {
  const folded = text.toLowerCase()
  const octets = Buffer.from(text, 'utf8')
  const hex = octets.toString('hex')
  const inner = isPlain.test(text)
    ? [text]
    : new Set([text, encodeForm(text), ...encodedUris(text), JSON.stringify(text).slice(1, -1)])
  return [
    { parts: partsOf(text, spellingsOf), ...(isNumber ? { notBeside: 'digit' } : {}) },
    ...(folded === text ? [] : [{ parts: partsOf(folded, spellingsOf) }]),
    ...[...new Set([hex, hex.toUpperCase()])].map((digits) => ({ parts: [digits] })),
    ...[false, true].map((isBigEndian) => ({ parts: [utf16(text, isBigEndian)] })),
    ...[...inner].flatMap((each) => base64Patterns(Buffer.from(each, 'utf8'))),
  ]
}

/** Written the same in a URL, in a form and in JSON. */
const isPlain = /^[A-Za-z0-9_.-]*$/

/** What is always written so stays together. */
function partsOf(text: string, spellings: (character: string) => Spellings): readonly PatternPart[] {
  return Array.from(text.matchAll(/[A-Za-z0-9]+|[^A-Za-z0-9]/gu), ([part]) => {
    return /^[A-Za-z0-9]/.test(part) ? part : spellings(part)
  })
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BITS = 6
const padding: Spellings = ['', ...['=', '%3D', '%3d', '\\u003d'].flatMap((sign) => [sign, sign + sign])]

/**
 * The octets in the middle of a longer text: they may begin at any of three places in a group. The first character that
 * holds bits of what stands before is left out, of the last one those bits are fixed that are ours; the padding behind it
 * would tell how long they are.
 */
function base64Patterns(octets: Uint8Array): readonly SecretPattern[] {
  return [0, 1, 2].map((skipped) => {
    const text = Buffer.concat([Buffer.alloc(skipped), octets])
      .toString('base64')
      .replace(/(?<!=)=+$/, '')
    const firstWhole = Math.ceil((skipped * 8) / BITS)
    const wholeEnd = Math.floor(((skipped + octets.length) * 8) / BITS)
    const parts = partsOf(text.slice(firstWhole, wholeEnd), base64Spellings)
    const last = text[wholeEnd]
    return { parts: last === undefined ? parts : [...parts, lastSpellings(last, octets.length + skipped), padding] }
  })
}

const knownLast = new Map<string, Spellings>()

/** Any character that begins with the bits that are left of `size` octets. */
function lastSpellings(character: string, size: number): Spellings {
  const freeBits = BITS - ((size * 8) % BITS)
  const key = character + freeBits
  let spellings = knownLast.get(key)
  if (spellings === undefined) {
    const first = BASE64.indexOf(character)
    spellings = [...BASE64.slice(first, first + 2 ** freeBits)].flatMap(base64Spellings)
    knownLast.set(key, spellings)
  }
  return spellings
}

function utf16(text: string, isBigEndian: boolean): string {
  const octets = Buffer.from(text, 'utf16le')
  return (isBigEndian ? octets.swap16() : octets).toString('latin1')
}

function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** With all that a part of a URI may not hold escaped, and with all that a URI may not. */
function encodedUris(text: string): readonly string[] {
  // Half of a surrogate pair has no octets.
  const whole = text.replace(/[\ud800-\udfff]/gu, '\ufffd')
  return [encodeURIComponent(whole), encodeURI(whole)]
}
