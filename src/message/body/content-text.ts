/**
 * Content in memory as text: for programs decoded by its charset, for people in a form that always works.
 *
 * Rules: the charset comes from Content-Type; without one it is UTF-8 (RFC 9110 section 8.3.2). Creating text for
 * people never fails.
 */
import type { Framing } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import { checkType } from '../syntax/checked-input.ts'
import { HttpcliError, MessageError } from '../syntax/errors.ts'
import { equalsIgnoringCase, octetString, readableText, trimWhitespace, viewOf } from '../syntax/octets.ts'
import { ChunkSizes } from './chunk-list.ts'
import { type Content, encodedParts, encodeMemory, type MemoryContent } from './content.ts'

/**
 * RFC 9110 section 5.6.6: `parameter = parameter-name "=" ( token / quoted-string )`. A ";" inside quotes does not
 * start a parameter. Blanks around "=" and unclosed quotes are accepted.
 */
const parameterPattern = /;[ \t]*([^;=" \t]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)|([^;]*))/g

/** The charset parameter of Content-Type; UTF-8 without one. */
export function charsetOf(headers: HeaderList): string {
  for (const [, name = '', quoted, plain = ''] of (headers.first('content-type') ?? '').matchAll(parameterPattern)) {
    const charset = trimWhitespace(quoted?.replace(/\\(.)/g, '$1') ?? plain)
    if (charset !== '' && equalsIgnoringCase(name, 'charset')) return charset
  }
  return 'utf-8'
}

/**
 * Content in memory as it is sent, framing included, as text: decoded by its charset, or one character for each byte if
 * the charset is unknown or wrong. UTF-8 is decoded without loss, so the text can be parsed again.
 */
export function readableWire(framing: Framing, memory: MemoryContent, headers: HeaderList): string {
  const charset = charsetOf(headers)
  const decoder = /^utf-?8$/i.test(charset) ? undefined : knownDecoder(charset)
  if (decoder === undefined) return readableText(encodeMemory(framing, withWholeCharacters(memory)))
  if (framing.type !== 'chunked') return decoder.decode(memory.data)
  let text = ''
  for (const { octets, isContent } of encodedParts(framing, memory)) {
    text += isContent ? decoder.decode(octets, { stream: true }) : octetString(octets)
  }
  return text
}

/** The same content, but a UTF-8 character that is split between two chunks moves to the second one. */
function withWholeCharacters(memory: MemoryContent): MemoryContent {
  if (memory.chunks === undefined) return memory
  const chunks = new ChunkSizes()
  let restBytes = 0
  let index = 0
  let at = 0
  for (const { data, extensions } of memory.chunks.of(memory.data)) {
    index += 1
    const octets = viewOf(memory.data, at - restBytes, restBytes + data.length)
    const isLast = index === memory.chunks.count
    const end = isLast ? octets.length : endOfCharacters(octets)
    if (end > 0) {
      chunks.begin(extensions)
      chunks.grow(end)
    }
    at += data.length
    restBytes = octets.length - end
  }
  return { ...memory, chunks }
}

/** The index where an incomplete UTF-8 character begins; the end of the bytes if every character is complete. */
function endOfCharacters(octets: Uint8Array): number {
  for (let lengthBytes = 1; lengthBytes <= Math.min(3, octets.length); lengthBytes++) {
    const octet = octets[octets.length - lengthBytes] as number
    if (octet < 0x80) break
    if (octet < 0xc0) continue
    const neededBytes = octet >= 0xf0 ? 4 : octet >= 0xe0 ? 3 : 2
    return neededBytes > lengthBytes ? octets.length - lengthBytes : octets.length
  }
  return octets.length
}

/** Content for `console.log`: text if it is UTF-8, otherwise bytes. */
export function shownContent(content: Content | undefined): string | Uint8Array | null {
  if (content === undefined) return null
  if (content.memory === undefined) return '(not read yet)'
  const { data } = content.memory
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    return data
  }
}

function knownDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { ignoreBOM: true })
  } catch {
    return undefined
  }
}

/** @throws HttpcliError `unknown-charset`. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return textDecoder(charset).decode(bytes)
}

function textDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(checkType(charset, 'string', 'the charset'))
  } catch (cause) {
    if (cause instanceof HttpcliError) throw cause
    throw new MessageError('unknown-charset', `unknown charset "${charset}"`, { cause })
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MessageError('invalid-json', `the body is not JSON: ${reason}`, { cause })
  }
}
