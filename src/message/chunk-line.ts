/**
 * The line before each chunk: `chunk-size [ chunk-ext ]` (RFC 9112 section 7.1).
 *
 * Rules: the size is 1*HEXDIG below 2^53, read digit by digit with the number of digits bounded first, since
 * `n * 16 + d` loses precision and `<<` wraps. White space after the size and extensions that break the grammar are
 * for the lenient preset only. Extensions are kept as written behind the first ";".
 */
import { HEXDIG, indexOfOther, isOctet, TOKEN } from './grammar.ts'
import type { LineContext } from './line-context.ts'
import { isWhitespace, trimWhitespace } from './octets.ts'

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

/** chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), a value being a token or quoted. */
function checkExtensions(line: string, start: number, context: LineContext): void {
  for (let i = start; i < line.length; i++) {
    const code = line.charCodeAt(i)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) {
      context.fail('CHUNK_EXTENSION', i, 'a control character in a chunk extension')
    }
  }
  if (context.repairs) return
  let at = start
  while (at < line.length) {
    at = skipWhitespace(line, at)
    if (line[at] !== ';') context.fail('CHUNK_EXTENSION', at, 'expected ";" before a chunk extension')
    at = skipToken(line, skipWhitespace(line, at + 1), 'the name of a chunk extension', context)
    const equals = skipWhitespace(line, at)
    if (line[equals] !== '=') continue
    const value = skipWhitespace(line, equals + 1)
    at = line[value] === '"' ? skipQuoted(line, value, context) : skipToken(line, value, 'a value after "="', context)
  }
}

function skipWhitespace(line: string, from: number): number {
  let at = from
  while (at < line.length && isWhitespace(line.charCodeAt(at))) at++
  return at
}

function skipToken(line: string, from: number, what: string, context: LineContext): number {
  let at = from
  while (at < line.length && isOctet(line.charCodeAt(at), TOKEN)) at++
  if (at === from) context.fail('CHUNK_EXTENSION', from, `expected ${what}`)
  return at
}

function skipQuoted(line: string, quote: number, context: LineContext): number {
  for (let at = quote + 1; at < line.length; at++) {
    if (line[at] === '"') return at + 1
    if (line[at] === '\\') at++
  }
  return context.fail('CHUNK_EXTENSION', quote, 'a quoted value of a chunk extension that does not end')
}
