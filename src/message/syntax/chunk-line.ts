/**
 * The line before each chunk: `chunk-size [ chunk-ext ]` (RFC 9112 section 7.1).
 *
 * Rules: the size is 1*HEXDIG below 2^52, read digit by digit with the number of digits bounded first, since
 * `n * 16 + d` loses precision and `<<` wraps. White space after the size and extensions that break the grammar are
 * for the lenient preset only. Extensions are kept as written behind the first ";".
 */
import { HEXDIG, indexOfOther, isOctet, TOKEN } from './grammar.ts'
import type { LineContext } from './line-context.ts'
import { CR, isWhitespace, LF, trimWhitespace } from './octets.ts'

export interface ChunkLine {
  readonly sizeBytes: number
  /** As written behind the first ";", without white space around; empty where there are none. */
  readonly extensions: string
}

/** 13 digits stay below 2^52. Leading zeros do not count: some servers pad the size to a fixed width. */
const MAX_SIZE_DIGITS = 13

/** @throws HttpParseError `CHUNK_SIZE` or `CHUNK_EXTENSION`. */
export function parseChunkLine(line: string, context: LineContext): ChunkLine {
  const end = indexOfOther(line, HEXDIG)
  const digits = end === -1 ? line : line.slice(0, end)
  if (digits === '') context.fail('CHUNK_SIZE', 0, 'expected the size of a chunk in hexadecimal digits')
  if (digits.replace(/^0+/, '').length > MAX_SIZE_DIGITS)
    context.fail('CHUNK_SIZE', 0, 'the size of a chunk is above 2^52', 413)
  const sizeBytes = Number.parseInt(digits, 16)
  if (end === -1) return { sizeBytes, extensions: '' }
  const start = skipWhitespace(line, end)
  if (start === line.length) {
    if (!context.repairs) context.fail('CHUNK_SIZE', end, 'white space after the size of a chunk')
    return { sizeBytes, extensions: '' }
  }
  if (line[start] !== ';') context.fail('CHUNK_SIZE', start, 'expected ";" or a line end after the size of a chunk')
  checkExtensions(line, start, context)
  return { sizeBytes, extensions: trimWhitespace(line.slice(start + 1)) }
}

/**
 * The fast path for `1*6HEXDIG CRLF` at `start`: size and number of digits as `size << 3 | digits`, or -1 where the line
 * is another one or not complete.
 */
export function canonicalChunkLine(bytes: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end - 2, start + 6)
  let size = 0
  let at = start
  for (; at < limit; at++) {
    const octet = bytes[at] as number
    if (!isOctet(octet, HEXDIG)) break
    size = size * 16 + (octet <= 0x39 ? octet - 0x30 : (octet | 0x20) - 0x57)
  }
  if (at === start || at > end - 2 || bytes[at] !== CR || bytes[at + 1] !== LF) return -1
  return (size << 3) | (at - start)
}

/** What is wrong with chunk extensions, and at which index. */
export interface ExtensionProblem {
  readonly problem: string
  readonly index: number
}

function checkExtensions(line: string, start: number, context: LineContext): void {
  const control = indexOfControl(line, start)
  if (control !== -1) context.fail('CHUNK_EXTENSION', control, 'a control character in a chunk extension')
  if (context.repairs) return
  const wrong = extensionProblem(line, start)
  if (wrong !== undefined) context.fail('CHUNK_EXTENSION', wrong.index, wrong.problem)
}

function indexOfControl(line: string, start: number): number {
  for (let i = start; i < line.length; i++) {
    const code = line.charCodeAt(i)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return i
  }
  return -1
}

/**
 * Holds a text against the grammar from `start` on: *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), a
 * value being a token or a quoted string. Undefined: it is right.
 */
export function extensionProblem(line: string, start: number): ExtensionProblem | undefined {
  const control = indexOfControl(line, start)
  if (control !== -1) return { problem: 'a control character in a chunk extension', index: control }
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
    if (at === value) return { problem: 'expected a token or a whole quoted string after "="', index: value }
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

/** Behind the closing quote; at the opening one where there is none. */
function skipQuoted(line: string, quote: number): number {
  for (let at = quote + 1; at < line.length; at++) {
    if (line[at] === '"') return at + 1
    if (line[at] === '\\') at++
  }
  return quote
}
