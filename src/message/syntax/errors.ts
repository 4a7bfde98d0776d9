/**
 * Errors in messages, with their positions.
 *
 * Rules: every error that this package throws on purpose has one base class; branch on `code`, not on the class. The
 * message says what was found and what was expected; the hint says what to do. Offsets count bytes from 0, lines and
 * columns from 1. Codes for rules of HTTP are in upper case (`ErrorCode`), all others in kebab-case.
 */

/** A place in a text: a file (if there is one), a line and a column, both from 1. */
export interface SourcePlace {
  readonly file?: string
  readonly line: number
  readonly column: number
  /** The end of the place: a line, and the first column after it. */
  readonly end?: { readonly line: number; readonly column: number }
}

/** Details of an error besides its code and message. */
export interface HttpcliErrorDetails {
  /** A remedy for the user: one sentence. */
  readonly hint?: string | undefined
  /** Where in a text the error is. */
  readonly where?: SourcePlace
  /** The line with the error, control characters shown as escapes, and a second line with a caret. */
  readonly excerpt?: string
  /** The error that caused this one. */
  readonly cause?: unknown
}

/**
 * The codes of each module, which are closed sets: a module that throws adds a member with its own. A program knows the
 * codes of the modules that it imports.
 */
export interface ErrorCodes {
  readonly message: BuildErrorCode | MessageErrorCode
}

/** Every code of an error. */
export type HttpcliErrorCode = ErrorCodes[keyof ErrorCodes]

/**
 * Base class of every error that this package throws on purpose. `code` is stable, the message is for people. Each
 * module throws its own classes, with its own codes.
 */
export abstract class HttpcliError extends Error {
  readonly code: HttpcliErrorCode
  readonly hint: string | undefined
  readonly where: SourcePlace | undefined
  readonly excerpt: string | undefined

  constructor(code: HttpcliErrorCode, message: string, details: HttpcliErrorDetails = {}) {
    super(message, details.cause ? { cause: details.cause } : undefined)
    this.name = new.target.name
    this.code = code
    this.hint = details.hint
    this.where = details.where
    this.excerpt = details.excerpt
  }
}

/**
 * Base class of the errors that are thrown: their codes are a closed set. It differs from HttpcliError only in its
 * types.
 */
export const CodedError: abstract new <Code extends HttpcliErrorCode>(
  code: Code,
  message: string,
  details?: HttpcliErrorDetails,
) => HttpcliError & { readonly code: Code } = HttpcliError as never

/** An error that another module reports again, in other words or with a position; the code stays the same. */
export class RestatedError extends HttpcliError {
  constructor(error: HttpcliError, message: string, details?: HttpcliErrorDetails) {
    super(error.code, message, details)
  }
}

/** Wrong use of a message or its body, which breaks no rule of HTTP. The set is closed. */
export type MessageErrorCode =
  /** A body that can be read only once was read again. */
  | 'body-used'
  /** The content does not match its Content-Encoding, or decodes to more than the limit. */
  | 'content-coding'
  /** A content coding that can only be decoded piece by piece. */
  | 'content-coding-waits'
  | 'unknown-content-coding'
  | 'unknown-charset'
  | 'invalid-json'
  | 'invalid-form'
  /** An invalid argument or option. */
  | 'invalid-option'
  /** An unknown name of a violation. */
  | 'invalid-violation'

/** Thrown by bodies and by checks of arguments. @internal */
export class MessageError extends CodedError<MessageErrorCode> {}

/** A position in the bytes of a message: `offset` from 0, `line` and `column` (in bytes) from 1. */
export interface Position {
  readonly offset: number
  readonly line: number
  readonly column: number
}

/** The rule of HTTP/1.1 that a message breaks, with the section that defines it. The set is closed. */
export type ErrorCode =
  /** RFC 9112 sections 3 and 4: no start line, or a reason phrase with a control character. */
  | 'START_LINE'
  /** RFC 9110 section 9.1: a method is a token. */
  | 'METHOD'
  /** RFC 9112 section 3.2, RFC 9110 section 4.2. */
  | 'TARGET'
  /** RFC 9112 section 2.3. */
  | 'VERSION'
  /** RFC 9112 section 4, RFC 9110 section 15. */
  | 'STATUS'
  /** RFC 9112 section 3.2: exactly one, and a host with an optional port. */
  | 'HOST'
  /** RFC 9110 section 5.1. */
  | 'HEADER_NAME'
  /** RFC 9110 section 5.5. */
  | 'HEADER_VALUE'
  /** RFC 9112 section 5: a line without ":". */
  | 'HEADER_COLON'
  /** RFC 9112 sections 3 and 5.1: white space that the grammar does not allow. */
  | 'WHITESPACE'
  /** RFC 9112 section 5.2. */
  | 'FOLD'
  /** RFC 9112 section 2.2. */
  | 'BARE_CR'
  /** RFC 9112 section 2.2. */
  | 'BARE_LF'
  /** RFC 9110 section 8.6, RFC 9112 section 6.3. */
  | 'CONTENT_LENGTH'
  /** RFC 9112 section 6.1. */
  | 'TRANSFER_ENCODING'
  /** RFC 9112 section 6.3: both Content-Length and Transfer-Encoding. */
  | 'FRAMING_CONFLICT'
  /** RFC 9112 section 7.1. */
  | 'CHUNK_SIZE'
  /** RFC 9112 section 7.1.1. */
  | 'CHUNK_EXTENSION'
  /** RFC 9112 section 7.1: no CRLF after the data of a chunk. */
  | 'CHUNK_DATA'
  /** RFC 9112 section 7.1.2: anything wrong with a trailer line. */
  | 'TRAILER'
  /** One of `ParserLimits` is exceeded. */
  | 'LIMIT'
  /** RFC 9112 section 8: the input ends inside a message. */
  | 'INCOMPLETE'
  /** RFC 9112 section 9.2, RFC 9110 section 7.8: a response without a request. */
  | 'UNEXPECTED'

/** The status with which a server answers a request that it cannot accept (RFC 9110 sections 15.5 and 15.6). */
export type AnswerStatus = 400 | 408 | 413 | 414 | 417 | 431 | 501 | 505

/**
 * The other side sent a message that cannot be accepted: which rule it breaks, where, and the status with which a
 * server should answer. `offset` counts bytes from 0, `line` and `column` from 1. A wrong value from this program is an
 * `HttpBuildError`.
 */
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
      hint,
    })
    this.offset = position.offset
    this.line = position.line
    this.column = position.column
    this.status = status
  }
}

/** Wrong use of a connection by the program. The set is closed. */
export type LocalProtocolErrorCode =
  /** An event out of turn: content before its head, a second response. */
  | 'out-of-turn'
  /** A head that cannot be written: method, target, status, a field, its framing. */
  | 'invalid-head'
  /** More or fewer bytes than the head or a chunk declares. */
  | 'content-mismatch'
  /**
   * A trailer section in a message that is not chunked, or a field that is not allowed in one (RFC 9110 section 6.5.1).
   */
  | 'invalid-trailer'

/** Errors of the program: a rule of HTTP that a value breaks, or one of these codes. */
export type BuildErrorCode =
  | ErrorCode
  | LocalProtocolErrorCode
  /** The framing fields contradict each other, the body or the status. */
  | 'framing'
  /** A body of unknown length in an HTTP/1.0 request. */
  | 'chunked-in-http-1.0'
  /** The given value cannot be a body, or its source yielded something other than bytes. */
  | 'invalid-body'
  /** A body does not have its declared length. */
  | 'content-length-mismatch'
  /** A message ends inside a chunk, or a chunk does not have its declared size. */
  | 'chunk-size-mismatch'

/**
 * A value or a body from this program that is not valid in a message. It is never an error of the other side, so it has
 * no status to answer with. `where` and `excerpt` are positions in the value.
 */
export class HttpBuildError extends CodedError<BuildErrorCode> {}

/** Repairs by a parser. A repair never moves the end of a header section or of a message. */
export type RepairCode =
  /** A UTF-8 byte order mark was skipped. */
  | 'bom'
  /** An empty line before the start line was skipped. */
  | 'leading-empty-line'
  /** Lines ended with LF alone (reported once). */
  | 'bare-lf'
  /** Runs of white space in a start line became one SP. */
  | 'request-line-whitespace'
  /** `http://` was put before the target. */
  | 'missing-scheme'
  /** HTTP/1.1 was added. */
  | 'missing-version'
  /** Host was taken from the target. */
  | 'missing-host'
  /** Host differed from the target's host, which replaced it. */
  | 'replaced-host'
  /** An empty Host was filled from the target. */
  | 'empty-host'
  /** User and password were dropped from the target. */
  | 'userinfo'
  /** Bytes of the target were percent-encoded. */
  | 'illegal-target-character'
  /** The fragment of the target was dropped. */
  | 'fragment'
  /** Folded lines were joined by one SP. */
  | 'obs-fold'
  /** A control character in a value of a response was kept. */
  | 'control-character'
  /** A text ended before its empty line, which was added. */
  | 'missing-empty-line'
  /** Equal lengths were reduced to one. */
  | 'repeated-content-length'
  /** Content-Length of a response was removed. */
  | 'content-length-with-transfer-encoding'
  /** Transfer-Encoding in an HTTP/1.0 response, which was read as HTTP/1.1. */
  | 'transfer-encoding-in-http-1.0'
  /** White space after the size of a chunk was dropped (reported once). */
  | 'chunk-whitespace'
  /** Chunk extensions that break the grammar were kept, and are not written (reported once). */
  | 'chunk-extension'
  /** Content-Length was added for the text below the empty line. */
  | 'missing-content-length'
  /** Bytes after the end of the message were ignored. */
  | 'trailing-data'

/** One repaired place, for a hint to the author of the message. */
export interface Repair extends Position {
  readonly code: RepairCode
  readonly message: string
}
