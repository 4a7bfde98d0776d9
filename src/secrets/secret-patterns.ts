/**
 * Turns a secret into the patterns that find it.
 *
 * Rules: a value is searched for unchanged, with its spaces as forms write them, in lower case as host names are
 * written, in hexadecimal, in base64 and base64url anywhere in a longer base64 text, and in other character sets.
 * Patterns do not cover escapes, which are decoded first (decoded-view.ts); a secret that itself looks like an escape
 * is also searched for in its decoded form. A value of several lines is also searched for line by line, and a long
 * value piece by piece, so that the length of a pattern is bounded; pieces overlap, so that adjacent matches join. A
 * word of less than MIN_FREE_CHARACTERS matches only as a whole word, and a number only without adjacent digits,
 * because they would be found in other words; a value of less than MIN_ENCODED_CHARACTERS is not searched for in base64
 * and hexadecimal. A value of less than MIN_CHARACTERS, and `true`, `false` and `null`, are not secrets, because they
 * are everywhere. RFC 4648 sections 4, 5 and 8.
 */
import { DecodedView, marksOfLanguages } from './decoded-view.ts'
import { isMark } from './escapes.ts'

/** Characters that must not be adjacent to a match. */
export type PatternNeighbour = 'word' | 'letter' | 'digit'

export interface SecretPattern {
  /** At least three bytes. */
  readonly bytes: Uint8Array
  /** Undefined if any neighbour is allowed. */
  readonly notBeside?: PatternNeighbour
  /** For base64: one of these bytes must follow and belongs to the match, and so do up to two `=`. */
  readonly lastBytes?: Uint8Array
}

const MIN_CHARACTERS = 3
const MIN_ENCODED_CHARACTERS = 4
const MIN_FREE_CHARACTERS = 8
const MAX_PIECE_CHARACTERS = 48
/** Chosen so that characters omitted at the edges of a base64 piece are inside its neighbour. */
const OVERLAP_CHARACTERS = 3

const plainWords: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** All patterns of a value; empty if it is not a secret. */
export function patternsOf(value: string): readonly SecretPattern[] {
  const text = value.trim()
  const withLf = text.replace(/\r\n?/g, '\n')
  const lines = withLf.includes('\n') ? withLf.split('\n').map((line) => line.trim()) : []
  const whole = [text, withLf, withLf.replaceAll('\n', '\r\n')]
  const texts = new Set([...whole, ...lines.filter((line) => line.length >= MIN_ENCODED_CHARACTERS)])
  return [...texts].flatMap(patternsOfText)
}

function patternsOfText(text: string): readonly SecretPattern[] {
  const characters = [...text]
  if (characters.length < MIN_CHARACTERS || plainWords.has(text.toLowerCase())) return []
  if (characters.length < MIN_ENCODED_CHARACTERS) {
    return writtenForms(text).map((bytes) => ({ bytes, notBeside: 'word' }))
  }
  const notBeside = /^\d+$/.test(text) ? 'digit' : isShortWord(text) ? 'letter' : undefined
  return piecesOf(characters).flatMap((piece) => patternsOfPiece(piece, notBeside))
}

/** Whether it may be part of other words. */
function isShortWord(text: string): boolean {
  return text.length < MIN_FREE_CHARACTERS && /^\w+$/.test(text)
}

function piecesOf(characters: readonly string[]): readonly string[] {
  const count = Math.ceil(characters.length / MAX_PIECE_CHARACTERS)
  const size = Math.ceil(characters.length / count)
  return Array.from({ length: count }, (_, index) => {
    return characters.slice(Math.max(0, index * size - OVERLAP_CHARACTERS), (index + 1) * size).join('')
  })
}

function patternsOfPiece(text: string, notBeside: PatternNeighbour | undefined): readonly SecretPattern[] {
  const folded = text.toLowerCase()
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const inner = isPlain.test(text)
    ? [text]
    : new Set([text, encodeForm(text), ...encodedUris(text), JSON.stringify(text).slice(1, -1)])
  return [
    ...[...writtenForms(text), ...(folded === text ? [] : writtenForms(folded))].map((each) => {
      return { bytes: each, ...(notBeside === undefined ? {} : { notBeside }) }
    }),
    ...[...new Set([hex, hex.toUpperCase()])].map((digits) => ({ bytes: Buffer.from(digits) })),
    ...[...inner].flatMap((each) => base64Patterns(Buffer.from(each))),
  ]
}

/** Written the same way in a URL, in a form and in JSON. */
const isPlain = /^[A-Za-z0-9_.-]*$/

/** Printable ASCII without blanks and characters that begin an escape. */
const hasOneForm = /^[!-$'-[\]-~]*$/

/** Unchanged, as a form writes it, as this program prints control characters, and in other character sets. */
function writtenForms(text: string): readonly Uint8Array[] {
  const utf8 = Buffer.from(text)
  if (hasOneForm.test(text)) return text.length < MIN_CHARACTERS ? [] : [utf8]
  const shown = text.replaceAll('\t', ' ').replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '·')
  // Views decode references, but also backslashes: a value that contains both would lose its backslashes.
  const referenced = text.includes('\\') ? withReferences(text) : text
  const forms: Buffer[] = [text, text.replaceAll(' ', '+'), shown, referenced].map((each) => Buffer.from(each))
  if (utf8.some((byte) => byte >= 0x80)) {
    const utf16 = Buffer.from(text, 'utf16le')
    forms.push(Buffer.from(utf8.toString('latin1')), withoutNuls(utf16), withoutNuls(Buffer.from(utf16).swap16()))
    if (!/[^\0-\xff]/.test(text)) forms.push(Buffer.from(text, 'latin1'))
  }
  const views = forms.flatMap(viewsOf)
  // Too little is left of a value that looks like an escape, so search for the forms that JSON and HTML write.
  if (views.some(({ length }) => length < MIN_CHARACTERS)) {
    const json = JSON.stringify(text).slice(1, -1)
    for (const each of [json, JSON.stringify(json).slice(1, -1), withReferences(text)]) forms.push(Buffer.from(each))
  }
  const distinct = new Map([...forms, ...views].map((each) => [each.toString('latin1'), each]))
  return [...distinct.values()].filter(({ length }) => length >= MIN_CHARACTERS)
}

/** As HTML and XML write it, for text and for attributes in quotation marks. */
export function withReferences(text: string): string {
  return text.replace(/[&<>"']/g, (character) => references[character] as string)
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** How views show a secret that looks like an escape, and each of its written forms. */
function viewsOf(bytes: Buffer): readonly Buffer[] {
  return marksOfLanguages
    .map((marks) => Buffer.from(new DecodedView(bytes, true, marks).bytes))
    .filter((view) => view.length < bytes.length && view.some((byte) => !isMark(byte)))
}

/** As views show it. */
function withoutNuls(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.filter((byte) => byte !== 0))
}

const alphabets = ['+/', '-_'].map((last) => `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${last}`)
const BITS = 6

/**
 * Base64 of the bytes within a longer text: they may begin at any of three offsets in a group. The first character that
 * contains bits of the preceding byte is omitted; only some bits of the last character are fixed; the padding after it
 * would reveal their length.
 */
function base64Patterns(bytes: Uint8Array): readonly SecretPattern[] {
  return [0, 1, 2].flatMap((skipped) => {
    const plain = Buffer.concat([Buffer.alloc(skipped), bytes])
      .toString('base64')
      .replace(/(?<!=)=+$/, '')
    const firstWhole = Math.ceil((skipped * 8) / BITS)
    const bits = (skipped + bytes.length) * 8
    const wholeEnd = Math.floor(bits / BITS)
    const last = alphabets[0]?.indexOf(plain[wholeEnd] ?? '') ?? -1
    return alphabets
      .filter((_, index) => index === 0 || /[+/]/.test(plain))
      .map((alphabet) => {
        const whole = plain
          .slice(firstWhole, wholeEnd)
          .replace(/[+/]/g, (each) => alphabet['+/'.indexOf(each) + 62] as string)
        const freeBits = BITS - (bits % BITS)
        return { bytes: Buffer.from(whole), ...(freeBits === BITS ? {} : { lastBytes: lastBytesOf(last, freeBits) }) }
      })
  })
}

/** All characters of both alphabets that begin with the same bits. */
function lastBytesOf(first: number, freeBits: number): Uint8Array {
  const key = first * BITS + freeBits
  const known = knownLastBytes.get(key)
  if (known !== undefined) return known
  const characters = new Set(alphabets.flatMap((each) => [...each.slice(first, first + 2 ** freeBits)]))
  const bytes = Buffer.from([...characters].join(''))
  knownLastBytes.set(key, bytes)
  return bytes
}

/** Shared by the patterns of long values, which have hundreds of thousands. */
const knownLastBytes: Map<number, Uint8Array> = new Map()

function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function encodedUris(text: string): readonly string[] {
  // Half of a surrogate pair has no bytes.
  const whole = text.replace(/[\ud800-\udfff]/gu, '\ufffd')
  return [encodeURIComponent(whole), encodeURI(whole)]
}
