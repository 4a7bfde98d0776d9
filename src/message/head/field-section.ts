/**
 * Field lines of a header section or a trailer section (RFC 9112 section 5).
 *
 * Rules: white space before a colon, before the first field, or a fold in a field that frames the message is rejected
 * under every preset: other readers see another message there. Other folds become one SP where the options say so.
 */

import type { ErrorCode } from '../syntax/errors.ts'
import { FIELD_VALUE, indexOfOther, TOKEN } from '../syntax/grammar.ts'
import type { LineContext } from '../syntax/line-context.ts'
import { equalsIgnoringCase, isWhitespace, trimWhitespace } from '../syntax/octets.ts'
import { HeaderList } from './headers.ts'

const framingFields = ['content-length', 'transfer-encoding', 'host']

/** What differs between a request's, a response's and a trailer section. */
export interface SectionKind {
  /** Control characters in a value: an error in a request; kept in a response, which a client must be able to read. */
  readonly keepsControlCharacters: boolean
  readonly folds: 'unfold' | 'reject'
  readonly isTrailer: boolean
}

/** Where the value of a field stands: `offset` of that octet in the message, `column` its index in the line `text`. */
export interface FieldPlace {
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly text: string
}

/** Collects the lines of one section, in order. */
export class FieldSection {
  readonly #kind: SectionKind
  readonly #names: string[] = []
  readonly #values: string[] = []
  readonly #lines: number[] = []
  readonly #places: FieldPlace[] = []

  constructor(kind: SectionKind) {
    this.#kind = kind
  }

  get count(): number {
    return this.#names.length
  }

  /**
   * One line without its line end; `lineNumber` counts from 1 in the message, `offset` is where the line begins.
   * @throws HttpParseError `HEADER_COLON`, `HEADER_NAME`, `HEADER_VALUE`, `WHITESPACE` or `FOLD`; of a trailer
   * section, `TRAILER` for all of them.
   */
  add(line: string, lineNumber: number, offset: number, context: LineContext): void {
    if (isWhitespace(line.charCodeAt(0))) {
      this.#fold(line, context)
      return
    }
    const colon = line.indexOf(':')
    if (colon === -1) {
      this.#fail('HEADER_COLON', line.length, 'a header line without ":"', context, 'write Name: value')
    }
    const name = line.slice(0, colon)
    this.#checkName(name, context)
    this.#checkValue(line, colon + 1, context)
    this.#names.push(name)
    this.#values.push(trimWhitespace(line.slice(colon + 1)))
    this.#lines.push(lineNumber)
    let column = colon + 1
    while (isWhitespace(line.charCodeAt(column))) column++
    this.#places.push({ offset: offset + column, line: lineNumber, column, text: line })
  }

  /** The place of the last field of that name. */
  placeOf(name: string): FieldPlace | undefined {
    const index = this.#names.findLastIndex((other) => equalsIgnoringCase(other, name))
    return index === -1 ? undefined : this.#places[index]
  }

  headers(): HeaderList {
    return HeaderList.fromParser(this.#names, this.#values, this.#lines)
  }

  #checkName(name: string, context: LineContext): void {
    if (name === '') this.#fail('HEADER_NAME', 0, 'a header line without a name before ":"', context)
    const index = indexOfOther(name, TOKEN)
    if (index === -1) return
    if (isWhitespace(name.charCodeAt(index)) && trimWhitespace(name.slice(index)) === '') {
      this.#fail('WHITESPACE', index, `white space between the name and ":"`, context, 'write Name: value')
    }
    this.#fail('HEADER_NAME', index, 'a character in the header name that may not stand there', context)
  }

  #checkValue(line: string, start: number, context: LineContext): void {
    for (let index = indexOfOther(line, FIELD_VALUE, start); index !== -1; ) {
      if (line.charCodeAt(index) === 0 || !this.#kind.keepsControlCharacters) {
        const what = line.charCodeAt(index) === 0 ? 'NUL' : 'a control character'
        this.#fail('HEADER_VALUE', index, `${what} in a header value`, context)
      }
      if (context.repairs) context.repair('control-character', index, 'a control character in a header value was kept')
      index = indexOfOther(line, FIELD_VALUE, index + 1)
    }
  }

  /** obs-fold (RFC 9112 section 5.2): the line goes on with the value before it. */
  #fold(line: string, context: LineContext): void {
    const last = this.#names.length - 1
    if (last === -1) {
      this.#fail('WHITESPACE', 0, 'white space before the first header line', context, 'begin the line with its name')
    }
    const name = this.#names[last] as string
    if (framingFields.some((field) => equalsIgnoringCase(field, name))) {
      this.#fail('FOLD', 0, `a folded line in ${name}`, context, 'write the value on one line')
    }
    if (this.#kind.folds === 'reject') {
      this.#fail('FOLD', 0, `a folded line in ${name}, which is obsolete`, context, 'write the value on one line')
    }
    this.#checkValue(line, 0, context)
    if (context.repairs) context.repair('obs-fold', 0, `the folded lines of ${name} were joined by one space`)
    // Both are trimmed, so nothing looks at the whole value again for each line.
    const value = this.#values[last] as string
    const more = trimWhitespace(line)
    this.#values[last] = value === '' || more === '' ? value || more : `${value} ${more}`
  }

  #fail(code: ErrorCode, column: number, message: string, context: LineContext, hint?: string): never {
    const where = this.#kind.isTrailer ? ` (in the trailer section)` : ''
    return context.fail(this.#kind.isTrailer ? 'TRAILER' : code, column, message + where, 400, hint)
  }
}
