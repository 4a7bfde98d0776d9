/**
 * Parts of a request that k6 cannot send or check.
 *
 * Rules: a request is omitted if k6 could only send a different one; otherwise only the part is omitted. Each loss is
 * reported with its line.
 */
import {
  type Assertion,
  type Capture,
  type HeaderNode,
  type Request,
  type Span,
  type Subject,
  type Template,
  templateText,
} from '../../http-file/index.ts'

export type ReportLoss = (place: Pick<Span, 'line'>, message: string) => void

const foreignMethods = new Set(['GRPC', 'RSOCKET', 'SSE', 'EVENTSOURCE', 'WS', 'MQTT', 'AMQP', 'RABBITMQ', 'KAFKA'])

/** Charsets that the runtime can encode. */
const charset =
  /charset\s*=\s*"?(?!utf-?(?:8|16(?:le|be)?)\b|us-ascii\b|ascii\b|iso-?8859-1\b|latin1\b|\{\{)([^\s;"]+)/i

/** Tags that the runtime reads. Unsupported tags that change the request cause the same error as in `run`. */
const keptTags = new Set([
  ...['no-redirect', 'no-cookie-jar', 'no-auto-encoding', 'timeout', 'retry'],
  ...['loop', 'disabled', 'if', 'if-not', 'stdin-cmd-pre'],
])

/** Whether the request can be sent. */
export function isSendable({ line, tags }: Request, report: ReportLoss): boolean {
  const method = line.method ?? 'GET'
  const isAsWritten = tags.some(({ name }) => name === 'no-auto-encoding')
  if (foreignMethods.has(method)) report(line.span, `a ${method} request`)
  else if (templateText(line.target) === '*') report(line.span, 'a request with the target *')
  else if (line.version === 'HTTP/2 (Prior Knowledge)') report(line.span, 'HTTP/2 with prior knowledge')
  else if (isAsWritten && /%(?![\da-f]{2})/i.test(target({ line }))) {
    report(line.span, '@no-auto-encoding: k6 cannot send the URL')
  } else return true
  return false
}

/** Reports the differences of a request that is sent. */
export function reportRequest(request: Request, report: ReportLoss): void {
  const { line, headers, redirects, tags } = request
  if (line.version === 'HTTP/1.0') report(line.span, 'HTTP/1.0: k6 sends HTTP/1.1')
  const seen = new Set<string>()
  for (const header of headers) reportHeader(header, seen, report)
  for (const { span, path } of redirects) report(span, `>> ${templateText(path)}: k6 writes no files`)
  for (const tag of tags) {
    if (tag.name === 'connection-timeout') report(tag.span, '@connection-timeout: k6 has one limit for a request')
    if (tag.name === 'use-os-credentials') report(tag.span, '@use-os-credentials')
  }
  if (tags.some(({ name }) => name === 'no-auto-encoding') && /[^\x21-\x7e]|["<>\\^`|]/.test(target(request))) {
    report(line.span, '@no-auto-encoding: k6 escapes the URL')
  }
}

function target({ line }: Pick<Request, 'line'>): string {
  return templateText(line.target).replace(/\{\{[^{}]*\}\}/g, '')
}

function reportHeader({ name, value, span }: HeaderNode, seen: Set<string>, report: ReportLoss): void {
  const key = templateText(name).toLowerCase()
  const text = templateText(value)
  if (key === 'transfer-encoding') report(span, 'Transfer-Encoding: k6 sends Content-Length')
  else if (key === 'trailer' || key === 'te' || key === 'upgrade') report(span, `the header ${templateText(name)}`)
  else if (seen.has(key)) report(span, `a repeated header: k6 sends one ${templateText(name)}`)
  if (key === 'user-agent' && text === '') report(span, 'an empty User-Agent: k6 sends none')
  if (key === 'content-type') {
    const [, found] = charset.exec(text) ?? []
    if (found !== undefined) report(span, `a body in ${found}`)
  }
  seen.add(key)
}

/** The tags to keep, as written. */
export function sentTags({ tags }: Request): readonly string[] {
  return tags
    .filter(({ name }) => keptTags.has(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)))
    .map(({ name, value }) => `${name} ${value}`.trim())
}

/** Why a check is not possible; undefined if it is possible. */
export function checkLoss(check: Assertion | Capture): string | undefined {
  const { subject } = check
  if (subject.kind === 'xpath' || filterTypes(subject).includes('xpath')) return 'XPath'
  if (subject.kind === 'certificate') return 'the certificate of the server'
  if (filterTypes(subject).includes('htmlUnescape')) return 'the filter htmlUnescape'
  if (subject.kind === 'cookie' && subject.attribute === 'samesite') return 'the attribute SameSite'
  if (subject.kind === 'header' && subject.selection !== undefined && !isSetCookie(subject)) {
    return 'k6 joins the values of a repeated header'
  }
  return undefined
}

/** k6 lists the cookies of a response one by one, so repeated fields of this name are not joined. */
function isSetCookie({ argument }: Subject): boolean {
  return argument !== undefined && /^set-cookie$/i.test(templateText(argument))
}

/** The captures and assertions that are possible, in this order. */
export function keptChecks({ captures, assertions }: Request): readonly (Assertion | Capture)[] {
  return [...captures, ...assertions].filter((check) => checkLoss(check) === undefined)
}

function filterTypes({ filters }: Subject): readonly string[] {
  return filters.map(({ type }) => type)
}

const ownRandom = /^\$random\.(?:uuid|integer|float|alphabetic|alphanumeric|hexadecimal|email)\b/
/** `login.response.body.//token`, in the body of a request or response. */
const documentPath = /^[\w-]+\.re(?:quest|sponse)\.body\.(?:\/|asXml\.)/
const placeNames = /^\$(?:projectRoot|historyFolder|placeholder)\b/

/** Reports variables that have no value in k6. */
export function reportVariables({ parts }: Template, place: Pick<Span, 'line'>, report: ReportLoss): void {
  for (const part of parts) {
    if (part.type === 'text') continue
    const { expression } = part
    const isFake = expression.startsWith('$random.') && !ownRandom.test(expression)
    const at = part.span.line === 1 && place.line > 1 ? place : part.span
    if (isFake || placeNames.test(expression) || /^\$dotenv\b/.test(expression)) report(at, `{{${expression}}}`)
    if (documentPath.test(expression)) report(at, `{{${expression}}}: XPath`)
  }
}
