/**
 * The line before each chunk (RFC 9112 sections 7.1 and 7.1.1).
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string
 *
 * reading/chunked-reader.ts reads the chunks around it, fast/canonical-message.ts the chunks of a message in memory.
 *
 * Rules: the size is 1*HEXDIG below 2^52. The number of digits is checked first, since `n * 16 + d` loses precision and
 * `<<` wraps. White space after the size and extensions that break the grammar are accepted only by the lenient preset.
 * Extensions are kept as written after the first ";".
 */
import type { ChunkStart } from '../head/events.ts'
import { HEXDIG, indexOfOther, isOctet, TOKEN } from './grammar.ts'
import type { LineContext } from './line-context.ts'
import { CR, isWhitespace, LF, trimWhitespace } from './octets.ts'

/** 13 digits stay below 2^52. Leading zeros do not count: some servers pad the size to a fixed width. */
const MAX_SIZE_DIGITS = 13

/**
 * `chunk-size [ chunk-ext ]`; `canonicalChunkLine` reads lines with few digits and no extension.
 * @throws HttpParseError `CHUNK_SIZE` or `CHUNK_EXTENSION`.
 */
export function parseChunkLine(line: string, context: LineContext): ChunkStart {
  const end = indexOfOther(line, HEXDIG)
  const digits = end === -1 ? line : line.slice(0, end)
  if (digits === '') context.fail('CHUNK_SIZE', 0, 'expected the size of a chunk in hexadecimal digits')
  if (digits.replace(/^0+/, '').length > MAX_SIZE_DIGITS)
    context.fail('CHUNK_SIZE', 0, 'the size of a chunk is above 2^52', 413)
  const sizeBytes = Number.parseInt(digits, 16)
  if (end === -1) return { sizeBytes, extensions: '' }
  const start = skipWhitespace(line, end)
  if (start === line.length) {
    const problem = 'white space after the size of a chunk'
    if (!context.isLenient) context.fail('CHUNK_SIZE', end, problem)
    context.repairOnce('chunk-whitespace', end, `${problem} was dropped`)
    return { sizeBytes, extensions: '' }
  }
  if (line[start] !== ';') context.fail('CHUNK_SIZE', start, 'expected ";" or a line end after the size of a chunk')
  checkExtensions(line, start, context)
  return { sizeBytes, extensions: trimWhitespace(line.slice(start + 1)) }
}

/** The values of the last canonical line, until the next one is read. */
export const canonicalChunk = { sizeBytes: 0 }

/**
 * The fast path for `1*6HEXDIG CRLF` at `start`: returns the number of bytes of the line with its CRLF, and sets
 * `canonicalChunk`. Returns 0 if the line has another form or is incomplete; `parseChunkLine` reads such lines.
 */
export function canonicalChunkLine(bytes: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end - 2, start + 6)
  let sizeBytes = 0
  let at = start
  for (; at < limit; at++) {
    const octet = bytes[at] as number
    if (!isOctet(octet, HEXDIG)) break
    sizeBytes = sizeBytes * 16 + (octet <= 0x39 ? octet - 0x30 : (octet | 0x20) - 0x57)
  }
  if (at === start || at > end - 2 || bytes[at] !== CR || bytes[at + 1] !== LF) return 0
  canonicalChunk.sizeBytes = sizeBytes
  return at + 2 - start
}

/** The error in chunk extensions, and its index. Control characters are refused under every preset. */
export interface ExtensionProblem {
  readonly problem: string
  readonly index: number
  readonly isControl?: true
}

function checkExtensions(line: string, start: number, context: LineContext): void {
  const wrong = extensionProblem(line, start)
  if (wrong === undefined) return
  if (wrong.isControl || !context.isLenient) context.fail('CHUNK_EXTENSION', wrong.index, wrong.problem)
  context.repairOnce('chunk-extension', wrong.index, `${wrong.problem}: not written`)
}

function controlProblem(line: string, start: number): ExtensionProblem | undefined {
  const index = line.slice(start).search(/[\0-\x08\n-\x1f\x7f]/)
  return index === -1
    ? undefined
    : { problem: 'a control character in a chunk extension', index: start + index, isControl: true }
}

/** The error in the `chunk-ext` that begins at `start`, if any. */
export function extensionProblem(line: string, start: number): ExtensionProblem | undefined {
  const control = controlProblem(line, start)
  if (control !== undefined) return control
  let at = start
  while (at < line.length) {
    at = skipWhitespace(line, at)
    if (line[at] !== ';') return { problem: 'expected ";" before a chunk extension', index: at }
    const name = skipWhitespace(line, at + 1)
    at = skipToken(line, name)
    if (at === name) return { problem: 'expected the name of a chunk extension', index: name }
    const equals = skipWhitespace(line, at)
    if (line[equals] !== '=') continue
    const value = skipWhitespace(line, equals + 1)
    at = line[value] === '"' ? skipQuoted(line, value) : skipToken(line, value)
    if (at === value) return { problem: 'expected a token or a quoted string after "="', index: value }
  }
  return undefined
}

function skipWhitespace(line: string, from: number): number {
  let at = from
  while (at < line.length && isWhitespace(line.charCodeAt(at))) at++
  return at
}

function skipToken(line: string, from: number): number {
  const end = indexOfOther(line, TOKEN, from)
  return end === -1 ? line.length : end
}

/** The index after the closing quote, or of the opening quote if there is no closing one. */
function skipQuoted(line: string, quote: number): number {
  for (let at = quote + 1; at < line.length; at++) {
    if (line[at] === '"') return at + 1
    if (line[at] === '\\') at++
  }
  return quote
}
