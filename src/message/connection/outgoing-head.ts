/**
 * Heads to send, checked and completed: Host, framing and Connection.
 *
 * Rules: the framing rules are those of the parser (framing.ts) in their strict form, so nothing is written that the
 * parser would reject. This side speaks HTTP/1.1, whatever the version of a forwarded head (RFC 9110 section 2.5).
 * Anything that a head leaves open is decided here: a response without a length is chunked, or, for an HTTP/1.0 client,
 * ends with the connection (RFC 9112 section 6).
 */
import { changedResponseHead } from '../head/changed-head.ts'
import { wantsKeepAlive } from '../head/connection-fields.ts'
import { neverHasContent } from '../head/framing.ts'
import { completeRequestHead, completeResponseHead, type RequestHead, type ResponseHead } from '../head/head.ts'
import { HeaderList } from '../head/headers.ts'
import { visible } from '../syntax/excerpt.ts'
import { FIELD_VALUE, indexOfOther, isToken } from '../syntax/grammar.ts'
import { equalsIgnoringCase } from '../syntax/octets.ts'
import { ParserOptions } from '../syntax/options.ts'
import { reasonPhrase } from '../syntax/reason-phrases.ts'
import type { HttpVersion, StatusLine } from '../syntax/start-line.ts'
import { parseTarget, type Target } from '../syntax/target.ts'
import type { OutgoingRequestHead, OutgoingResponseHead } from './outgoing.ts'
import { LocalProtocolError } from './protocol-error.ts'

/** The request that the response belongs to. */
export interface AnsweredRequest {
  readonly method: string
  readonly version: HttpVersion
  readonly upgrade: readonly string[]
}

const VERSION = 'HTTP/1.1'

/** The parser's rules, with their findings reported as errors of the program. */
const sending = {
  options: ParserOptions.STRICT,
  isLenient: false,
  repairField(): void {},
  failField(_code: string, _field: string, message: string, _status?: number, hint?: string): never {
    throw invalid(message, hint)
  },
}

/** @throws LocalProtocolError `invalid-head`; HttpParseError from `HeaderList.of`. */
export function requestToSend(head: OutgoingRequestHead): RequestHead {
  const { method } = head
  if (!isToken(method)) throw invalid(`"${visible(method)}" is not a method: expected a token such as GET`)
  const target = checkedTarget(head.target, method)
  const fields = checkedFields(head.headers)
  return completeRequestHead({ method, target, version: VERSION }, withHostOf(target, fields), [], sending)
}

function checkedTarget(text: string, method: string): Target {
  const target = parseTarget(text, method, { tolerance: 'visible', allowsFragment: false })
  if ('problem' in target) throw invalid(`the target cannot be sent: ${target.problem}`)
  if (target.userinfo === undefined) return target
  throw invalid('the target holds a user and a password (RFC 9110 section 4.2.4)', 'Send an Authorization field')
}

/** RFC 9112 section 3.2.2: the target's authority overrides Host. */
function withHostOf({ authority }: Target, headers: HeaderList): HeaderList {
  if (authority === '') return headers
  return headers.has('host') ? headers.with('Host', authority) : headers.prepend('Host', authority)
}

/** @throws as `requestToSend` does. */
export function informationalToSend(head: OutgoingResponseHead, request: AnsweredRequest): ResponseHead {
  const { status } = head
  if (!Number.isInteger(status) || status < 100 || status > 199 || status === 101) {
    throw invalid(`the status ${status} is not informational`, 'Send 101 and 200 to 999 as a response')
  }
  if (request.version === 'HTTP/1.0') {
    throw invalid(`${status} cannot be sent to a client of HTTP/1.0 (RFC 9110 section 15.2)`)
  }
  const headers = checkedFields(head.headers).without('content-length', 'transfer-encoding')
  return completeResponseHead(statusLine(head), headers, request.method, [], sending)
}

/**
 * The final response to a request; without a request, the response to bytes that were not a valid request.
 * `isReusable`: whether the request allows the connection to be used again.
 * @throws as `requestToSend` does.
 */
export function responseToSend(
  head: OutgoingResponseHead,
  request: AnsweredRequest | undefined,
  isReusable: boolean,
): ResponseHead {
  const { status } = head
  if (!Number.isInteger(status) || (status < 200 && status !== 101) || status > 999) {
    throw invalid(`the status ${status} is not a final status`, 'Send 101 or 200 to 999')
  }
  const method = request?.method ?? 'GET'
  const fields = checkedFields(head.headers)
  if (isSwitch(status, method)) return switchingResponse(head, fields, request)
  const framed = framedResponse(head, fields, method, request?.version ?? 'HTTP/1.0')
  const isKeptOpen = isReusable && framed.keepAlive && framed.framing?.type !== 'close'
  return changedResponseHead(framed, {
    headers: withConnection(framed.headers, isKeptOpen, request?.version === 'HTTP/1.0'),
    framing: neverHasContent(status, method) ? undefined : framed.framing,
    keepAlive: isKeptOpen,
  })
}

function isSwitch(status: number, method: string): boolean {
  return status === 101 || (method === 'CONNECT' && status < 300)
}

/** RFC 9110 sections 7.8 and 9.3.6: another protocol follows, so the message has no framing. */
function switchingResponse(
  head: OutgoingResponseHead,
  fields: HeaderList,
  request: AnsweredRequest | undefined,
): ResponseHead {
  const headers = fields.without('content-length', 'transfer-encoding')
  if (head.status === 101) {
    const offered = request?.upgrade ?? []
    const chosen = headers.list('upgrade')
    if (chosen.length === 0) throw invalid('101 without Upgrade', 'Name the protocol that follows in Upgrade')
    const other = chosen.find((protocol) => !offered.some((one) => equalsIgnoringCase(one, protocol)))
    if (other !== undefined) throw invalid(`101 to "${visible(other)}", which the client did not offer`)
  }
  return completeResponseHead(statusLine(head), headers, request?.method ?? 'GET', [], sending)
}

/** Has the framing fields of the response to GET, even for HEAD (RFC 9110 section 9.3.2). */
function framedResponse(
  head: OutgoingResponseHead,
  fields: HeaderList,
  method: string,
  version: HttpVersion,
): ResponseHead {
  const { status } = head
  const line = statusLine(head)
  // RFC 9110 section 8.6 and RFC 9112 section 6.1: neither field may be sent with 204.
  const headers = status === 204 ? fields.without('content-length', 'transfer-encoding') : fields
  const framed = completeResponseHead(line, headers, method === 'HEAD' ? 'GET' : method, [], sending)
  const { framing } = framed
  if (framing === undefined || framing.type === 'length') return framed
  const encodings = framed.headers.list('transfer-encoding')
  if (version === 'HTTP/1.0') {
    if (encodings.length > 1) throw invalid('a transfer coding for a client of HTTP/1.0, which supports none')
    return changedResponseHead(framed, {
      headers: framed.headers.without('transfer-encoding', 'trailer'),
      framing: { type: 'close' },
    })
  }
  if (framing.type === 'chunked') return framed
  if (encodings.length > 0) throw invalid('the last transfer coding is not chunked', 'End Transfer-Encoding with it')
  return changedResponseHead(framed, {
    headers: framed.headers.append('Transfer-Encoding', 'chunked'),
    framing: { type: 'chunked' },
    keepAlive: wantsKeepAlive(VERSION, framed.headers),
  })
}

/** RFC 9112 section 9.3: `close` if the connection ends; `keep-alive` if it stays open for an HTTP/1.0 client. */
function withConnection(headers: HeaderList, isKeptOpen: boolean, isOldClient: boolean): HeaderList {
  const options = headers.list('connection')
  const [wanted, unwanted] = isKeptOpen ? ['keep-alive', 'close'] : ['close', 'keep-alive']
  if ((isKeptOpen && !isOldClient) || headers.has('connection', wanted)) return headers
  const kept = options.filter((option) => !equalsIgnoringCase(option, unwanted as string))
  return headers.with('Connection', [...kept, wanted].join(', '))
}

function statusLine({ status, reason = reasonPhrase(status) }: OutgoingResponseHead): StatusLine {
  const index = indexOfOther(reason, FIELD_VALUE)
  if (index === -1) return { status, reason, version: VERSION }
  throw invalid(`character ${index + 1} of the reason phrase "${visible(reason)}" is not allowed there`)
}

/** RFC 9110 section 5.5: a lenient parser keeps control characters, but they are not passed on. */
function checkedFields(init: OutgoingRequestHead['headers']): HeaderList {
  const headers = HeaderList.of(init)
  for (const [name, value] of headers) {
    const index = indexOfOther(value, FIELD_VALUE)
    if (index !== -1) throw invalid(`character ${index + 1} of the value of ${name} is not allowed in a field value`)
  }
  return headers
}

function invalid(message: string, hint?: string): LocalProtocolError {
  return new LocalProtocolError('invalid-head', message, hint === undefined ? {} : { hint })
}
