/**
 * Makes text from a server fit for a terminal: in UTF-8, with visible control characters.
 *
 * Rules: the charset is that of Content-Type. Content that is UTF-8 regardless, as many servers with a fixed
 * Content-Type send it, stays unchanged. Control characters except tab and line feed become `\x1B` and so on, including
 * those that UTF-8 encodes in two bytes (U+0080 to U+009F), and a carriage return within a line, which could overwrite
 * other text. All other bytes are unchanged. A stream may be split anywhere. Loaded only for output to a terminal.
 */
import { concatBytes, utf8Bytes } from '../../../message/index.ts'
import { escapedByte } from './response-text.ts'

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DEL = 0x7f
/** The first byte of U+0080 to U+00BF in UTF-8; the controls among them have a second one below FIRST_PRINTABLE. */
const LATIN_LEAD = 0xc2
const FIRST_CONTINUATION = 0x80
const FIRST_PRINTABLE = 0xa0

export class TerminalText {
  /** CR or LATIN_LEAD at the end of the last piece: its meaning depends on the next byte. */
  #held: number | undefined

  /** The next bytes, made safe. */
  write(bytes: Uint8Array): Uint8Array {
    const safe: number[] = []
    for (const octet of bytes) this.#take(octet, safe)
    return Uint8Array.from(safe)
  }

  /** Returns the held byte at the end of the stream. */
  end(): Uint8Array {
    const safe: number[] = []
    this.#release(safe)
    return Uint8Array.from(safe)
  }

  #take(octet: number, safe: number[]): void {
    const held = this.#held
    if (held === CR && octet === LF) {
      this.#held = undefined
      safe.push(CR, LF)
      return
    }
    if (held === LATIN_LEAD && octet >= FIRST_CONTINUATION && octet < FIRST_PRINTABLE) {
      this.#held = undefined
      pushEscape(octet, safe)
      return
    }
    this.#release(safe)
    if (octet === CR || octet === LATIN_LEAD) this.#held = octet
    else if ((octet < SPACE && octet !== TAB && octet !== LF) || octet === DEL) pushEscape(octet, safe)
    else safe.push(octet)
  }

  #release(safe: number[]): void {
    if (this.#held === CR) pushEscape(CR, safe)
    else if (this.#held !== undefined) safe.push(this.#held)
    this.#held = undefined
  }
}

function pushEscape(octet: number, safe: number[]): void {
  for (const character of escapedByte(octet)) safe.push(character.charCodeAt(0))
}

/** Text in another charset as UTF-8. */
export class CharsetText {
  #decoder: TextDecoder | undefined
  #isExamined = false
  /** The beginning of the first character that is not ASCII, until its other bytes show what it is. */
  #held: Uint8Array = new Uint8Array(0)

  /** A charset that is missing or unknown leaves the content unchanged. */
  constructor(contentType: string) {
    this.#decoder = decoderOf(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1])
  }

  write(bytes: Uint8Array): Uint8Array {
    if (this.#decoder === undefined) return bytes
    if (this.#isExamined) return this.#decoded(bytes)
    const known = concatBytes([this.#held, bytes])
    const start = known.findIndex((octet) => octet >= FIRST_OTHER)
    const character = start === -1 ? known.subarray(known.length) : known.subarray(start)
    const isOpen = isBeginning(character) || (character.length === 1 && this.#decoder.encoding === 'utf-16le')
    this.#held = isOpen ? character.slice() : new Uint8Array(0)
    if (!isOpen && character.length > 0) this.#examine(character)
    return this.#decoded(isOpen ? known.subarray(0, start) : known)
  }

  end(): Uint8Array {
    return concatBytes([this.#decoded(this.#held), utf8Bytes(this.#decoder?.decode() ?? '')])
  }

  /** @param text from the first character that is not ASCII */
  #examine(text: Uint8Array): void {
    this.#isExamined = true
    if (isUtf8(text)) this.#decoder = undefined
    else if (this.#decoder?.encoding === 'utf-16le' && hasReversedMark(text))
      this.#decoder = new TextDecoder('utf-16be')
  }

  #decoded(bytes: Uint8Array): Uint8Array {
    return this.#decoder === undefined ? bytes : utf8Bytes(this.#decoder.decode(bytes, { stream: true }))
  }
}

/** The first byte that is not ASCII. */
const FIRST_OTHER = 0x80

/** Whether UTF-16 begins with the high byte of a byte order mark (RFC 2781 section 3.2). */
function hasReversedMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xfe && bytes[1] === 0xff
}

/** Names that the platform reads as windows-1252, but whose content is ASCII or UTF-8. */
const asciiNames: ReadonlySet<string> = new Set(['ascii', 'us-ascii'])

function decoderOf(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined || asciiNames.has(charset.toLowerCase())) return undefined
  try {
    const decoder = new TextDecoder(charset)
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    return undefined
  }
}

/** Whether all characters are UTF-8; the last one may be incomplete. */
function isUtf8(bytes: Uint8Array): boolean {
  return decodedUtf8(bytes) !== undefined
}

/** Whether the bytes are the beginning of one character of UTF-8, but not all of it. */
function isBeginning(bytes: Uint8Array): boolean {
  return bytes.length > 0 && decodedUtf8(bytes) === ''
}

function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}
