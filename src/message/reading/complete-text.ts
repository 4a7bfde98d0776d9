/**
 * Rules for the end of a complete text, which do not apply to the end of a connection.
 *
 * State: none.
 *
 * Rules: the end closes an open line and supplies a missing empty line. If a request has no framing fields, the bytes
 * after its header section are its content, unless they are only line endings; after any other message they are ignored
 * and reported. A parser passes these rules to its reader; a decoder, which reads connections, works without this file.
 */
import { changedRequestHead } from '../head/changed-head.ts'
import type { RequestHead } from '../head/head.ts'
import { byteCount, octetString } from '../syntax/octets.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import type { Reporter } from './reporter.ts'

/** How the end of the input is treated. */
export interface TextRules {
  /** The rest of the input, as a line. */
  closeLine(buffer: ReceiveBuffer, reporter: Reporter): string
  /** @throws HttpParseError `INCOMPLETE` if no bytes are left to begin a message. */
  refuseEmpty(reporter: Reporter): never
  withInferredLength(head: RequestHead, buffer: ReceiveBuffer, reporter: Reporter): RequestHead
  reportTrailingData(buffer: ReceiveBuffer, reporter: Reporter): void
}

export const completeText: TextRules = {
  closeLine(buffer, reporter) {
    const { bytes, start, end, length } = buffer
    reporter.beginLine('')
    reporter.repairOnce('missing-empty-line', length, 'the empty line at the end of the text was added')
    const text = octetString(bytes, start, end)
    return text.endsWith('\r') ? text.slice(0, -1) : text
  },

  refuseEmpty(reporter) {
    return reporter.failAhead('INCOMPLETE', 0, 'the message is empty')
  },

  withInferredLength(head, buffer, reporter) {
    const { inferContentLength, limits } = reporter.options
    const { length } = buffer
    const hasFraming = head.framing !== undefined || head.headers.has('content-length')
    if (!inferContentLength || hasFraming || buffer.hasLineEndsOnly) return head
    if (length > limits.body) reporter.failContentLimit()
    reporter.beginLine('')
    reporter.repair('missing-content-length', 0, `Content-Length: ${length} was added`)
    return changedRequestHead(head, {
      headers: head.headers.append('Content-Length', String(length)),
      framing: { type: 'length', length },
    })
  },

  reportTrailingData(buffer, reporter) {
    if (!reporter.isLenient || buffer.hasLineEndsOnly) return
    reporter.beginLine('')
    reporter.repair('trailing-data', 0, `ignored ${byteCount(buffer.length)} after the end of the message`)
  },
}
