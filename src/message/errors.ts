/**
 * What goes wrong with a message, and where.
 *
 * Rules: one base class for every error that this package throws on purpose; branch on `code`, not on the class; a
 * message says what was found and what was expected, the hint says what to do. Positions count octets from 0, lines
 * and columns from 1.
 */

/** A place in a text that a person can go to: a file (where there is one), a line and a column, both from 1. */
export interface SourcePlace {
  readonly file?: string
  readonly line: number
  readonly column: number
}

export interface HttpcliErrorDetails {
  /** What the user can do about it: one sentence. */
  readonly hint?: string
  readonly where?: SourcePlace
  /** The line where it happened, control characters shown as escapes, and a second line with a caret. */
  readonly excerpt?: string
  readonly cause?: unknown
}

/** Base of every error thrown on purpose by any room of this package. `code` is stable, the message is for people. */
export class HttpcliError extends Error {
  readonly code: string
  readonly hint: string | undefined
  readonly where: SourcePlace | undefined
  readonly excerpt: string | undefined

  constructor(code: string, message: string, details: HttpcliErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.hint = details.hint
    this.where = details.where
    this.excerpt = details.excerpt
  }
}

/** A position in the octets of a message: `offset` from 0, `line` and `column` (in octets) from 1. */
export interface Position {
  readonly offset: number
  readonly line: number
  readonly column: number
}

/** Which rule of RFC 9110 or RFC 9112 a message breaks. The set is closed. */
export type ErrorCode =
  | 'START_LINE'
  | 'METHOD'
  | 'TARGET'
  | 'VERSION'
  | 'STATUS'
  | 'HOST'
  | 'HEADER_NAME'
  | 'HEADER_VALUE'
  | 'HEADER_COLON'
  | 'WHITESPACE'
  | 'FOLD'
  | 'BARE_CR'
  | 'BARE_LF'
  | 'CONTENT_LENGTH'
  | 'TRANSFER_ENCODING'
  | 'FRAMING_CONFLICT'
  | 'CHUNK_SIZE'
  | 'CHUNK_EXTENSION'
  | 'CHUNK_DATA'
  | 'TRAILER'
  | 'LIMIT'
  | 'INCOMPLETE'

/** The status with which a server answers a request that it cannot take (RFC 9110 section 15.5 and 15.6). */
export type AnswerStatus = 400 | 408 | 413 | 414 | 417 | 431 | 501 | 505

/** A message that cannot be taken: which rule, where, and what a server should answer. */
export class HttpParseError extends HttpcliError implements Position {
  declare readonly code: ErrorCode
  declare readonly excerpt: string
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly status: AnswerStatus

  constructor(
    code: ErrorCode,
    message: string,
    position: Position,
    excerpt: string,
    status: AnswerStatus = 400,
    hint?: string,
  ) {
    super(code, message, {
      where: { line: position.line, column: position.column },
      excerpt,
      ...(hint === undefined ? {} : { hint }),
    })
    this.offset = position.offset
    this.line = position.line
    this.column = position.column
    this.status = status
  }
}

/** What the lenient preset mended. A repair never moves the end of a header section or of a message. */
export type RepairCode =
  | 'bom'
  | 'leading-empty-line'
  | 'bare-lf'
  | 'request-line-whitespace'
  | 'missing-scheme'
  | 'missing-version'
  | 'missing-host'
  | 'empty-host'
  | 'userinfo'
  | 'illegal-target-character'
  | 'obs-fold'
  | 'control-character'
  | 'missing-empty-line'
  | 'repeated-content-length'
  | 'content-length-with-transfer-encoding'
  | 'missing-content-length'
  | 'trailing-data'

/** One mended place, for a hint to the person who wrote the message. */
export interface Repair extends Position {
  readonly code: RepairCode
  readonly message: string
}
