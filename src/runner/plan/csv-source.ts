/**
 * Parses comma-separated values (RFC 4180) with the line of every record.
 *
 * Rules: fields in quotes may contain commas, line endings and doubled quotes; a quote anywhere else is an error,
 * because its meaning is unclear. Lines end in CRLF, LF or CR. Empty lines between records are ignored. Fields are
 * text, including blanks. Every error is reported; a record with an error is omitted.
 */
import { excerptAt, type Span } from '../../http-file/index.ts'
import type { FileDiagnostic } from '../base/error-codes.ts'

export interface CsvRecord {
  readonly fields: readonly string[]
  /** The start of a record; one character long. */
  readonly span: Span
}

export interface ParsedCsv {
  readonly records: readonly CsvRecord[]
  readonly errors: readonly FileDiagnostic[]
}

/** A field, quoted or not, and what ends it. */
const plainField = /([^",\r\n]*)(,|\r\n|\n|\r|$|")/y
const quotedField = /"([^"]*(?:""[^"]*)*)"(,|\r\n|\n|\r|$)/y

/** Never throws. */
export function parseCsv(source: string): ParsedCsv {
  return new CsvReader(source).read()
}

class CsvReader {
  readonly #source: string
  readonly #records: CsvRecord[] = []
  readonly #errors: FileDiagnostic[] = []
  #offset: number
  #line = 1
  #lineStart: number

  constructor(source: string) {
    this.#source = source
    this.#offset = source.startsWith('\ufeff') ? 1 : 0
    this.#lineStart = this.#offset
  }

  read(): ParsedCsv {
    while (this.#offset < this.#source.length) {
      const span = this.#here()
      const fields = this.#readRecord()
      const isEmptyLine = fields?.length === 1 && fields[0] === '' && this.#source[span.offset] !== '"'
      if (fields !== undefined && !isEmptyLine) this.#records.push({ fields, span })
    }
    return { records: this.#records, errors: this.#errors }
  }

  /** Undefined if the record is invalid; parsing continues after the end of its line. */
  #readRecord(): readonly string[] | undefined {
    const fields: string[] = []
    for (;;) {
      const isQuoted = this.#source[this.#offset] === '"'
      const pattern = isQuoted ? quotedField : plainField
      pattern.lastIndex = this.#offset
      const match = pattern.exec(this.#source)
      const [whole = '', text = '', ending = ''] = match ?? []
      if (match === null || ending === '"') {
        this.#report(isQuoted, match === null ? 0 : text.length)
        return undefined
      }
      fields.push(isQuoted ? text.replaceAll('""', '"') : text)
      this.#advance(whole.length)
      if (ending !== ',') return fields
    }
  }

  #report(isQuoted: boolean, skipped: number): void {
    this.#advance(skipped)
    const span = this.#here()
    const closing = isQuoted ? closingQuote(this.#source, span.offset) : -1
    const message = !isQuoted
      ? 'a quote inside a field that does not begin with one'
      : closing === -1
        ? 'a field begins with a quote that is never closed'
        : 'text after the quote that closes a field'
    this.#errors.push({
      code: 'bad-csv',
      message,
      hint: 'Put a field that contains a quote in quotes, and double the quote in it: "5"" disk".',
      span,
      excerpt: excerptAt(this.#source, span),
    })
    const from = closing === -1 && isQuoted ? this.#source.length : Math.max(span.offset, closing)
    const end = /\r\n|\n|\r|$/g
    end.lastIndex = from
    const found = end.exec(this.#source)
    this.#advance((found?.index ?? from) + (found?.[0].length ?? 0) - this.#offset)
  }

  #here(): Span {
    return { offset: this.#offset, line: this.#line, column: this.#offset - this.#lineStart + 1, length: 1 }
  }

  #advance(length: number): void {
    const end = this.#offset + length
    // Searches only this piece: searching the whole rest for each field would read a long record again and again.
    for (const { 0: lineEnd, index } of this.#source.slice(this.#offset, end).matchAll(/\r\n|\n|\r/g)) {
      this.#line++
      this.#lineStart = this.#offset + index + lineEnd.length
    }
    this.#offset = end
  }
}

/** The offset of the quote that closes the field that begins there, or -1. */
function closingQuote(source: string, opening: number): number {
  for (let at = source.indexOf('"', opening + 1); at !== -1; at = source.indexOf('"', at + 2)) {
    if (source[at + 1] !== '"') return at
  }
  return -1
}
