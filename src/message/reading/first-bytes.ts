/**
 * Checks the bytes before or instead of a start line: a byte order mark, another protocol.
 *
 * Rules: a peer that speaks TLS or another protocol waits for an answer, so it is refused at its first byte, not when a
 * line ends. A text from an editor may begin with a UTF-8 byte order mark.
 */
import { DIGIT, isOctet, TOKEN } from '../syntax/grammar.ts'
import { CR, isWhitespace, LF, octetString } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import type { Role } from './head-reader.ts'
import type { Reporter } from './reporter.ts'

const CAPITAL_H = 0x48
/** RFC 8446 section 5.1: the content types with which a TLS connection can begin. */
const TLS_ALERT = 21
const TLS_HANDSHAKE = 22
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** The errors for a request or an answer in another protocol. */
const otherProtocols = {
  server: {
    code: 'METHOD',
    tls: 'a TLS handshake, expected plain HTTP',
    other: 'the first byte does not begin a method',
    scheme: 'http',
  },
  client: {
    code: 'VERSION',
    tls: 'an answer in TLS, expected plain HTTP',
    other: 'the answer is not HTTP/1.1: it does not begin with "HTTP/"',
    scheme: 'https',
  },
} as const

/** Skips a byte order mark. False if more bytes are needed to decide. */
export function skipMark(buffer: ReceiveBuffer, reporter: Reporter): boolean {
  const { bytes, start, length, offset, isEnded } = buffer
  if (!reporter.isLenient || offset > 0) return true
  const other = BYTE_ORDER_MARK.findIndex((byte, index) => bytes[start + index] !== byte || index >= length)
  if (other !== -1) return other < length || isEnded
  reporter.beginLine('')
  reporter.repair('bom', 0, 'the byte order mark was skipped')
  buffer.start += BYTE_ORDER_MARK.length
  return true
}

/** @throws HttpParseError `METHOD` or `VERSION` if the next byte cannot begin a start line. */
export function refuseOtherProtocol(role: Role, { bytes, start, length }: ReceiveBuffer, reporter: Reporter): void {
  const first = bytes[start] as number
  const isLineStart = length === 0 || isWhitespace(first) || first === CR || first === LF
  if (isLineStart || canStart(first, role, reporter.options)) return
  const { code, tls, other, scheme } = otherProtocols[role]
  const isTls = first === TLS_ALERT || first === TLS_HANDSHAKE
  reporter.beginLine(octetString(Uint8Array.of(first)))
  reporter.fail(code, 0, isTls ? tls : other, 400, isTls ? `Use ${scheme}:// in the URL` : undefined)
}

/** Whether the byte can begin a request line, or a status line. */
function canStart(first: number, role: Role, { insertVersion }: ParserOptions): boolean {
  if (role === 'server') return isOctet(first, TOKEN)
  return first === CAPITAL_H || (insertVersion && isOctet(first, DIGIT))
}
