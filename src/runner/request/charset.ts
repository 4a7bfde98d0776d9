/**
 * Encodes text in the charset of a Content-Type, and decodes bytes.
 *
 * Rules: UTF-8 and UTF-16 are implemented directly; ISO-8859-1 and US-ASCII follow their definitions (the web reads
 * these names as windows-1252, but authors mean what they write). For any other charset, the platform's decoder is
 * called once for each one- and two-byte code, and the resulting table is inverted. The decoder is used as a stream: in
 * a single call, Node 20 decodes windows-1252 as ISO-8859-1.
 */
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'

/** The number of characters of a charset that are encoded as one byte each, from U+0000 on. */
const plainCharsets: Readonly<Record<string, number>> = {
  'us-ascii': 0x80,
  ascii: 0x80,
  'iso-8859-1': 0x100,
  'iso8859-1': 0x100,
  iso_8859_1: 0x100,
  latin1: 0x100,
}

/** @throws HttpcliError `bad-charset` for an unknown charset, or a character without a code in it. */
export function encodeText(text: string, charset: string): Uint8Array {
  const name = charset.toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return Buffer.from(text, 'utf8')
  if (name === 'utf-16le' || name === 'utf-16') return Buffer.from(text, 'utf16le')
  if (name === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  const size = Object.hasOwn(plainCharsets, name) ? plainCharsets[name] : undefined
  if (size !== undefined) {
    const foreign = [...text].find((character) => (character.codePointAt(0) as number) >= size)
    if (foreign !== undefined) throw foreignCharacter(foreign, charset)
    return Buffer.from(text, 'latin1')
  }
  const codes = codesOf(charset)
  return Buffer.concat(
    [...text].map((character) => {
      const code = codes.get(character)
      if (code === undefined) throw foreignCharacter(character, charset)
      return code
    }),
  )
}

/** @throws HttpcliError `bad-charset` for an unknown charset, or bytes that are invalid in it. */
export function decodeText(octets: Uint8Array, charset: string): string {
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    throw new RunError('bad-charset', `${JSON.stringify(charset)} is not a charset that can be read`, { cause })
  }
  const text = decoded(decoder, octets)
  if (text !== undefined) return text
  const hint = 'Name the charset of the file: <@windows-1252 path, or send it without variables: < path.'
  throw new RunError('bad-charset', `the file is not ${charset} text`, { hint })
}

/** Decodes without errors: an unknown charset is read as UTF-8, and invalid bytes are replaced. */
export function decodeLeniently(octets: Uint8Array, charset: string): string {
  const decoder = lenientDecoder(charset)
  return decoder.decode(octets, { stream: true }) + decoder.decode()
}

/** An unknown charset is read as UTF-8. */
export function lenientDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset === '' ? 'utf-8' : charset)
  } catch {
    return new TextDecoder()
  }
}

function foreignCharacter(character: string, charset: string): HttpcliError {
  const message = `${JSON.stringify(character)} cannot be written in ${charset}`
  return new RunError('bad-charset', message)
}

/** Cached by the name of the charset, because building a table calls the decoder for each code. */
const knownCodes = new Map<string, ReadonlyMap<string, Uint8Array>>()

/** The code of each character, for a charset other than Unicode. */
function codesOf(charset: string): ReadonlyMap<string, Uint8Array> {
  const known = knownCodes.get(charset)
  if (known !== undefined) return known
  const decoder = decoderOf(charset)
  const codes = new Map<string, Uint8Array>()
  knownCodes.set(charset, codes)
  const learn = (code: Uint8Array): boolean => {
    const character = decoded(decoder, code)
    if (character === undefined || [...character].length !== 1) return false
    if (!codes.has(character)) codes.set(character, code)
    return true
  }
  for (let first = 0; first < 0x100; first++) {
    if (learn(Uint8Array.of(first))) continue
    for (let second = 0x30; second < 0x100; second++) learn(Uint8Array.of(first, second))
  }
  return codes
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    // Its codes depend on the preceding bytes.
    if (decoder.encoding !== 'iso-2022-jp') return decoder
  } catch {
    // The error is reported below.
  }
  throw new RunError('bad-charset', `${JSON.stringify(charset)} is not a charset that text can be written in`, {
    hint: 'Use utf-8, or send a file: < path.',
  })
}

function decoded(decoder: InstanceType<typeof TextDecoder>, octets: Uint8Array): string | undefined {
  try {
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return undefined
  }
}
