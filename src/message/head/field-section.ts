/**
 * Field lines of a header section or a trailer section (RFC 9112 section 5).
 *
 * Rules: white space before a colon, white space before the first field, and a fold in a field that frames the message
 * are rejected under every preset, because other readers see a different message there. Other folds become one SP if
 * the options allow it.
 */
import type { ErrorCode } from '../syntax/errors.ts'
import { FIELD_VALUE, indexOfOther, TOKEN } from '../syntax/grammar.ts'
import type { LineContext, LinePlace } from '../syntax/line-context.ts'
import { equalsIgnoringCase, isWhitespace, trimWhitespace } from '../syntax/octets.ts'
import { HeaderList } from './headers.ts'

const ON_ONE_LINE = 'Write the value on one line'
const framingFields = ['content-length', 'transfer-encoding', 'host']

/** The differences between the header sections of requests and responses, and a trailer section. */
export interface SectionKind {
  /** Control characters in a value: an error in a request; kept in a response, which a client must be able to read. */
  readonly allowsControls: boolean
  readonly folds: 'unfold' | 'reject'
  readonly isTrailer: boolean
}

/** Collects the lines of one section, in order. */
export class FieldSection {
  readonly #kind: SectionKind
  readonly #context: LineContext
  readonly #names: string[] = []
  readonly #values: string[] = []
  /** The place of each value. */
  readonly #places: LinePlace[] = []

  /** @param context reports problems of the line that is being added */
  constructor(kind: SectionKind, context: LineContext) {
    this.#kind = kind
    this.#context = context
  }

  get count(): number {
    return this.#names.length
  }

  /**
   * Adds one line, without its line end (RFC 9112 section 5).
   *
   * - `field-line = field-name ":" OWS field-value OWS`
   *
   * Canonical lines are also read by `scanWindow` of fast/fast-head.ts and by fast/head-scan.wat.
   * @throws HttpParseError `HEADER_COLON`, `HEADER_NAME`, `HEADER_VALUE`, `WHITESPACE` or `FOLD`; in a trailer section
   * always `TRAILER`.
   */
  add(line: string): void {
    if (isWhitespace(line.charCodeAt(0))) {
      this.#fold(line)
      return
    }
    const colon = line.indexOf(':')
    if (colon === -1) {
      this.#fail('HEADER_COLON', line.length, 'a header line without ":"', 'Write Name: value')
    }
    const name = line.slice(0, colon)
    this.#checkName(name)
    this.#checkValue(line, colon + 1)
    this.#names.push(name)
    this.#values.push(trimWhitespace(line.slice(colon + 1)))
    let column = colon + 1
    while (isWhitespace(line.charCodeAt(column))) column++
    this.#places.push(this.#context.placeAt(column))
  }

  /** The place of the last field of that name. */
  placeOf(name: string): LinePlace | undefined {
    const index = this.#names.findLastIndex((other) => equalsIgnoringCase(other, name))
    return index === -1 ? undefined : this.#places[index]
  }

  headers(): HeaderList {
    const lines = this.#places.map(({ line }) => line)
    return HeaderList.fromParser(this.#names, this.#values, lines)
  }

  /** RFC 9110 section 5.1: `field-name = token`. White space before the colon: RFC 9112 section 5.1. */
  #checkName(name: string): void {
    if (name === '') this.#fail('HEADER_NAME', 0, 'a header line without a name before ":"')
    const index = indexOfOther(name, TOKEN)
    if (index === -1) return
    if (isWhitespace(name.charCodeAt(index)) && trimWhitespace(name.slice(index)) === '') {
      this.#fail('WHITESPACE', index, `white space between the name and ":"`, 'Write Name: value')
    }
    this.#fail('HEADER_NAME', index, 'a character that is not allowed in a header name')
  }

  /**
   * RFC 9110 section 5.5:
   *
   * - `field-value = *field-content`
   * - `field-content = field-vchar [ 1*( SP / HTAB / field-vchar ) field-vchar ]`
   * - `field-vchar = VCHAR / obs-text`
   *
   * Also `endOfValue` of fast/fast-head.ts.
   */
  #checkValue(line: string, start: number): void {
    for (let index = indexOfOther(line, FIELD_VALUE, start); index !== -1; ) {
      if (line.charCodeAt(index) === 0 || !this.#kind.allowsControls) {
        const what = line.charCodeAt(index) === 0 ? 'NUL' : 'a control character'
        this.#fail('HEADER_VALUE', index, `${what} in a header value`)
      }
      if (this.#context.isLenient)
        this.#context.repair('control-character', index, 'a control character in a header value was kept')
      index = indexOfOther(line, FIELD_VALUE, index + 1)
    }
  }

  /** RFC 9112 section 5.2: `obs-fold = OWS CRLF RWS`. The line continues the value before it. */
  #fold(line: string): void {
    const last = this.#names.length - 1
    if (last === -1) {
      this.#fail('WHITESPACE', 0, 'white space before the first header line', 'Begin the line with its name')
    }
    const name = this.#names[last] as string
    if (framingFields.some((field) => equalsIgnoringCase(field, name))) {
      this.#fail('FOLD', 0, `a folded line in ${name}`, ON_ONE_LINE)
    }
    if (this.#kind.folds === 'reject') {
      this.#fail('FOLD', 0, `a folded line in ${name}, which is obsolete`, ON_ONE_LINE)
    }
    this.#checkValue(line, 0)
    if (this.#context.isLenient) this.#context.repair('obs-fold', 0, `the folded lines of ${name} were joined`)
    // Both parts are trimmed, so the whole value is not scanned again for each line.
    const value = this.#values[last] as string
    const more = trimWhitespace(line)
    this.#values[last] = value === '' || more === '' ? value || more : `${value} ${more}`
  }

  #fail(code: ErrorCode, column: number, message: string, hint?: string): never {
    const where = this.#kind.isTrailer ? ` (in the trailer section)` : ''
    return this.#context.fail(this.#kind.isTrailer ? 'TRAILER' : code, column, message + where, 400, hint)
  }
}
