/**
 * Determines the content that follows a head: the rules of RFC 9112 section 6.3, in their order.
 *
 * Rules: they are the same under every preset and have no switch, because any leniency here is a way to smuggle a
 * message past another reader. The only repairs are those after which every reader sees the same end: equal lengths
 * that are repeated, and, in a response, a Content-Length that Transfer-Encoding overrides (the connection is not used
 * again then).
 */
import type { AnswerStatus, ErrorCode, RepairCode } from '../syntax/errors.ts'
import { isToken, parseDecimal } from '../syntax/grammar.ts'
import { asciiLowerCase, trimWhitespace } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import type { HeaderList } from './headers.ts'

/**
 * How the end of content is found: by its `length`, by chunks, or by the end of the connection (RFC 9112 section 6.3).
 */
export type Framing =
  | { readonly type: 'length'; readonly length: number }
  | { readonly type: 'chunked' }
  | { readonly type: 'close' }

export interface FramingResult {
  /** Undefined if the message has no content. */
  readonly framing: Framing | undefined
  /** The headers, without the fields that a repair removed. */
  readonly headers: HeaderList
  /** Whether the framing allows another message on the connection. */
  readonly isReusable: boolean
}

/** The message to frame. For a response, `requestMethod` is the method of the request that it answers. */
export type FramedMessage =
  | { readonly type: 'request'; readonly version: HttpVersion }
  | {
      readonly type: 'response'
      readonly version: HttpVersion
      readonly status: number
      readonly requestMethod: string
    }

/** Problems are reported by field name; the caller knows the line of the field. */
export interface FramingContext {
  readonly options: ParserOptions
  readonly isLenient: boolean
  repairField(code: RepairCode, field: string, message: string): void
  failField(code: ErrorCode, field: string, message: string, status?: AnswerStatus, hint?: string): never
}

const CONTENT_LENGTH = 'content-length'
const TRANSFER_ENCODING = 'transfer-encoding'
const CODING_IN_1_0 = 'Transfer-Encoding in HTTP/1.0'

// RFC 9112 section 7.2: codings that were applied before chunking. We do not decode them.
const compressionCodings = ['gzip', 'x-gzip', 'deflate', 'compress', 'x-compress']

/**
 * RFC 9112 section 6.3; the comments below give the numbers of its rules. Canonical heads: `declaredFraming` of
 * fast/canonical-head.ts, based on `isLengthTaken` and `isEncodingTaken` of fast/fast-head.ts and on
 * fast/head-scan.wat.
 * @throws HttpParseError `CONTENT_LENGTH`, `TRANSFER_ENCODING`, `FRAMING_CONFLICT` or `LIMIT`.
 */
export function determineFraming(message: FramedMessage, headers: HeaderList, context: FramingContext): FramingResult {
  if (message.type === 'response' && neverHasContent(message.status, message.requestMethod)) {
    return { framing: undefined, headers, isReusable: true }
  }
  const encodings = headers.all(TRANSFER_ENCODING)
  const lengths = headers.all(CONTENT_LENGTH)
  if (encodings.length === 0) return byLength(message, headers, lengths, context)
  if (message.type === 'request') return requestByEncoding(message, headers, encodings, lengths, context)
  return responseByEncoding(message, headers, encodings, lengths, context)
}

/** Rules 1 and 2: these messages end with their head. */
export function neverHasContent(status: number, requestMethod: string): boolean {
  if (requestMethod === 'HEAD') return true
  if (requestMethod === 'CONNECT' && status >= 200 && status < 300) return true
  return status < 200 || status === 204 || status === 304
}

/** Rules 3 and 4 for requests: chunked, without Content-Length, or an error. */
function requestByEncoding(
  message: FramedMessage,
  headers: HeaderList,
  encodings: readonly string[],
  lengths: readonly string[],
  context: FramingContext,
): FramingResult {
  if (message.version === 'HTTP/1.0') {
    failEncoding(context, CODING_IN_1_0)
  }
  const codings = readCodings(encodings, context)
  const unknown = codings.find((coding) => coding !== 'chunked' && !compressionCodings.includes(coding))
  if (unknown !== undefined) unsupportedCoding(unknown, context)
  if (lengths.length > 0) failConflict(context)
  if (codings.at(-1) !== 'chunked') {
    failEncoding(context, 'the last transfer coding is not chunked')
  }
  if (codings.length > 1 && context.options.preset === 'server') unsupportedCoding(codings[0] as string, context)
  return { framing: { type: 'chunked' }, headers, isReusable: true }
}

function failConflict(context: FramingContext): never {
  const problem = 'both Content-Length and Transfer-Encoding: readers could see different ends'
  return context.failField('FRAMING_CONFLICT', TRANSFER_ENCODING, problem, 400, 'Remove one of them')
}

/** RFC 9112 section 6.1. */
function unsupportedCoding(coding: string, context: FramingContext): never {
  return failEncoding(context, `the transfer coding "${coding}" is not supported`, 501)
}

function failEncoding(context: FramingContext, message: string, status?: AnswerStatus): never {
  return context.failField('TRANSFER_ENCODING', TRANSFER_ENCODING, message, status)
}

/** Rules 3 and 4 for responses: chunked, or until the connection ends. Transfer-Encoding overrides Content-Length. */
function responseByEncoding(
  message: FramedMessage,
  headers: HeaderList,
  encodings: readonly string[],
  lengths: readonly string[],
  context: FramingContext,
): FramingResult {
  const codings = readCodings(encodings, context)
  const isChunked = codings.at(-1) === 'chunked'
  const framing: Framing = { type: isChunked ? 'chunked' : 'close' }
  // RFC 9112 section 6.1: Transfer-Encoding in HTTP/1.0 is faulty framing: read it, then close.
  const isFaulty = message.version === 'HTTP/1.0'
  if (isFaulty) {
    if (!context.isLenient) failEncoding(context, CODING_IN_1_0)
    context.repairField('transfer-encoding-in-http-1.0', TRANSFER_ENCODING, `${CODING_IN_1_0} was read as in HTTP/1.1`)
  }
  const isReusable = isChunked && !isFaulty
  if (lengths.length === 0) return { framing, headers, isReusable }
  if (!context.isLenient) failConflict(context)
  context.repairField(
    'content-length-with-transfer-encoding',
    CONTENT_LENGTH,
    'Content-Length was removed: Transfer-Encoding overrides it',
  )
  return { framing, headers: headers.without(CONTENT_LENGTH), isReusable: false }
}

/**
 * RFC 9112 sections 6.1 and 7:
 *
 * - `Transfer-Encoding = #transfer-coding`
 * - `transfer-coding = token *( OWS ";" OWS transfer-parameter )`
 *
 * Returns the codings in lower case. Empty elements, parameters and a repeated `chunked` are errors: peers disagree on
 * them.
 */
function readCodings(encodings: readonly string[], context: FramingContext): string[] {
  const codings = encodings.flatMap((value) => value.split(',')).map((coding) => asciiLowerCase(trimWhitespace(coding)))
  for (const coding of codings) {
    if (isToken(coding)) continue
    const found = coding === '' ? 'an empty element' : `"${coding}"`
    failEncoding(context, `${found} in Transfer-Encoding, expected chunked`)
  }
  const chunked = codings.indexOf('chunked')
  if (chunked !== -1 && chunked !== codings.length - 1) {
    const isLastOne = codings.lastIndexOf('chunked') === chunked
    failEncoding(context, isLastOne ? 'chunked is not the last transfer coding' : 'chunked is applied twice')
  }
  return codings
}

/** Rules 5 to 8: a valid Content-Length, or none. */
function byLength(
  message: FramedMessage,
  headers: HeaderList,
  lengths: readonly string[],
  context: FramingContext,
): FramingResult {
  if (lengths.length === 0) {
    const framing: Framing | undefined = message.type === 'request' ? undefined : { type: 'close' }
    return { framing, headers, isReusable: framing === undefined }
  }
  const values = lengths.flatMap((value) => value.split(',')).map(trimWhitespace)
  const first = values[0] as string
  const length = readLength(values, context)
  const { body } = context.options.limits
  if (length > body) {
    context.failField('LIMIT', CONTENT_LENGTH, `Content-Length ${first} is above the limit of ${body} bytes`, 413)
  }
  const isRepeated = values.length > 1
  if (isRepeated) {
    context.repairField('repeated-content-length', CONTENT_LENGTH, 'the repeated Content-Length was reduced to one')
  }
  const kept = isRepeated ? headers.with(CONTENT_LENGTH, first) : headers
  return { framing: { type: 'length', length }, headers: kept, isReusable: true }
}

function failLength(context: FramingContext, message: string, status?: AnswerStatus): never {
  return context.failField('CONTENT_LENGTH', CONTENT_LENGTH, message, status)
}

/** RFC 9110 section 8.6: `Content-Length = 1*DIGIT`. Equal lengths, in a list or in several lines, count as one. */
function readLength(values: readonly string[], context: FramingContext): number {
  for (const value of values) {
    if (parseDecimal(value) !== undefined) continue
    const isDigits = /^[0-9]+$/.test(value)
    const found = isDigits ? `${value} is above 2^53` : `"${value}" is not a number of bytes`
    failLength(context, `Content-Length ${found}`, isDigits ? 413 : 400)
  }
  const first = values[0] as string
  if (values.some((value) => value !== first)) {
    failLength(context, `several different Content-Length values: ${values.join(', ')}`)
  }
  if (values.length > 1 && !context.isLenient) {
    failLength(context, 'Content-Length is repeated')
  }
  return parseDecimal(first) as number
}
