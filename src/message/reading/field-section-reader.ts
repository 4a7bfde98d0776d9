/**
 * Reads a header or trailer section, line by line up to its empty line, within its limits (RFC 9112 sections 5 and
 * 7.1.2).
 *
 *   *( field-line CRLF ) CRLF
 *
 * State: the fields read so far, and where the section began.
 *
 * Rules: an error in one field (FieldSection) is reported at its line; an error in the combination of fields
 * (framing.ts, head.ts) at the last field of the name.
 */
import { FieldSection, type SectionKind } from '../head/field-section.ts'
import type { FramingContext } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import type { AnswerStatus, ErrorCode, RepairCode } from '../syntax/errors.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import { type LineReader, lineKind } from './line-reader.ts'
import type { Reporter } from './reporter.ts'

/** Limits of a section: the number of bytes including line endings, and the number of lines. */
export interface SectionLimits {
  readonly maxBytes: number
  readonly maxLines: number
}

const lineKinds = {
  header: lineKind('header section', 431, false),
  trailer: lineKind('trailer section', 431, true),
}

export class FieldSectionReader implements FramingContext {
  readonly options: ParserOptions
  readonly isLenient: boolean
  readonly #buffer: ReceiveBuffer
  readonly #lines: LineReader
  readonly #reporter: Reporter
  readonly #kind: SectionKind
  readonly #limits: SectionLimits
  #section: FieldSection
  #start = 0

  constructor(buffer: ReceiveBuffer, lines: LineReader, reporter: Reporter, kind: SectionKind, limits: SectionLimits) {
    this.options = reporter.options
    this.isLenient = reporter.isLenient
    this.#buffer = buffer
    this.#lines = lines
    this.#reporter = reporter
    this.#kind = kind
    this.#limits = limits
    this.#section = new FieldSection(kind, reporter)
  }

  /** A section begins at the next byte. */
  begin(): void {
    this.#section = new FieldSection(this.#kind, this.#reporter)
    this.#start = this.#buffer.offset
  }

  /** The section up to its empty line; undefined if more bytes are needed. */
  read(): HeaderList | undefined {
    const { maxBytes, maxLines } = this.#limits
    const what = this.#kind.isTrailer ? 'trailer' : 'header'
    for (;;) {
      const line = this.#lines.read(lineKinds[what], maxBytes - (this.#buffer.offset - this.#start))
      if (line === undefined) return undefined
      if (line === '') return this.#section.headers()
      this.#section.add(line)
      if (this.#section.count > maxLines) {
        this.#reporter.fail('LIMIT', 0, `more than ${maxLines} ${what} lines`, 431)
      }
    }
  }

  /** Reports at the last field of that name, or at the first byte of the message. */
  repairField(code: RepairCode, field: string, message: string): void {
    this.#reporter.repairAt(code, this.#section.placeOf(field) ?? { offset: 0, line: 1, column: 0 }, message)
  }

  /** Reports at the last field of that name, or at the empty line. */
  failField(code: ErrorCode, field: string, message: string, status?: AnswerStatus, hint?: string): never {
    return this.#reporter.failAt(code, this.#section.placeOf(field) ?? this.#reporter.placeAt(0), message, status, hint)
  }
}
