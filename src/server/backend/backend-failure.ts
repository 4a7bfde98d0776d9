/**
 * The answer to a client if a backend could not answer: 502, 504, or an error in the request itself.
 *
 * Rules: the client gets one line that says what happened, without an address. RFC 9110 sections 15.6.3 to 15.6.5.
 */
import {
  HttpBuildError,
  HttpcliError,
  type HttpcliErrorCode,
  HttpParseError,
  LocalProtocolError,
} from '../../message/index.ts'
import { type Answer, busyAnswer, textAnswer } from '../semantics/answer.ts'
import { ServerError } from '../semantics/errors.ts'

/** Thrown if a response of a backend cannot be used. */
export function unusableResponse(fault: string): HttpcliError {
  return new ServerError('invalid-response', `the backend answered ${fault}`)
}

const notHttp = 'the backend did not answer with a valid response'
const isAway = 'the backend cannot be reached'

/** By the error code of an HTTP client. Other codes: 502. */
const answers: Readonly<Partial<Record<HttpcliErrorCode, readonly [status: number, detail: string]>>> = {
  'connect-timeout': [504, 'the backend could not be reached in time'],
  'first-byte-timeout': [504, 'the backend did not answer in time'],
  'idle-timeout': [504, 'the backend stopped responding'],
  'connect-refused': [502, 'the backend refused the connection'],
  'connect-unreachable': [502, isAway],
  'connect-failed': [502, isAway],
  'name-not-found': [502, isAway],
  'name-lookup-failed': [502, isAway],
  'invalid-response': [502, notHttp],
  'connection-reset': [502, 'the backend closed the connection before it answered'],
  'connection-cut-short': [502, 'the backend closed the connection before it answered'],
}

export class BackendFailure extends HttpcliError {
  readonly answer: Answer
  /** Whether the client's request is at fault rather than the backend. */
  readonly isOfClient: boolean

  constructor(cause: unknown) {
    const { code, message } = cause instanceof HttpcliError ? cause : new ServerError('internal', String(cause))
    super(code, message, { cause })
    this.isOfClient = cause instanceof HttpParseError || code === 'request-timeout' || code === 'request-unforwardable'
    this.answer = answerTo(cause, code)
  }
}

function answerTo(cause: unknown, code: HttpcliErrorCode): Answer {
  if (cause instanceof HttpParseError) return textAnswer(cause.status ?? 400, cause.message)
  if (code === 'request-timeout') return textAnswer(408, (cause as Error).message)
  if (code === 'request-unforwardable') return textAnswer(400, (cause as Error).message)
  if (code === 'loop') return textAnswer(508, 'the backend is this server itself')
  if (code === 'too-many-open-files') return busyAnswer()
  if (cause instanceof LocalProtocolError || cause instanceof HttpBuildError) return textAnswer(502, notHttp)
  const isCertificate = code.startsWith('certificate-')
  const [status, detail] = answers[code] ?? [
    502,
    isCertificate ? 'the certificate of the backend is not trusted' : 'the request to the backend failed',
  ]
  return textAnswer(status, detail)
}
