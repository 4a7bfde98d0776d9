/**
 * Looks up the subjects of checks in a response.
 *
 * Rules: a missing value is of the type `nothing`, with the reason: what was looked for and what was found instead.
 * Variables in names, paths and patterns are replaced first. Nothing is compared here.
 */
import type { JsonValue, Subject } from '../../http-file/index.ts'
import { readableField } from '../../secrets/index.ts'
import { attributeOf, pairOf } from '../cookies/cookie-rules.ts'
import type { CheckedResponse } from './checked-response.ts'
import { type FoundValue, nothing, shownNames, text, textsOf, unread, value } from './found-value.ts'
import type { ResponseContent } from './response-content.ts'
import { type FilterContext, filtered } from './value-filters.ts'

export interface SubjectContext extends Omit<FilterContext, 'octets'> {
  readonly response: CheckedResponse
  /** Undefined if it was too large to keep. */
  readonly content: ResponseContent | undefined
  readonly variable: (name: string) => JsonValue | undefined
}

type Reader = (argument: string, subject: Subject, context: SubjectContext) => FoundValue

const readers: Readonly<Record<Subject['kind'], Reader>> = {
  status: (_argument, _subject, { response }) => value(response.status),
  version: (_argument, _subject, { response }) => text(response.version),
  reason: (_argument, _subject, { response }) => text(response.reason),
  url: (_argument, _subject, { response }) => text(response.url),
  ip: (_argument, _subject, { response }) =>
    'address' in response.remote
      ? text(response.remote.address)
      : nothing('the response came over a Unix domain socket'),
  redirects: (_argument, _subject, { response }) => value(response.locations.length),
  locations: (_argument, _subject, { response }) => value(response.locations),
  duration: (_argument, _subject, { response }) => value(Math.round(response.durationMs * 1000) / 1000),
  size: (_argument, _subject, { response }) => value(response.sizeBytes),
  header: (name, { selection }, { response }) => headerValue(response, name, selection),
  cookie: (name, { attribute }, { response }) => cookieValue(response, name, attribute),
  certificate: (attribute, _subject, { response, nowMs }) => certificateValue(response, attribute, nowMs),
  body: (_argument, _subject, { content }) => (content === undefined ? tooLarge : text(content.text)),
  jsonpath: (path, _subject, { content }) => content?.atPath(path) ?? tooLarge,
  xpath: (path, _subject, { content }) => content?.atXPath(path) ?? tooLarge,
  variable: (name, _subject, context) => variableValue(name, context),
  text: (argument) => text(argument),
}

const tooLarge = unread('the body is too large to be checked')

/** @throws HttpcliError of a variable; SyntaxError of a path. */
export function readSubject(subject: Subject, context: SubjectContext): FoundValue {
  const argument = subject.argument === undefined ? '' : context.render(subject.argument)
  const found = readers[subject.kind](argument, subject, context)
  const octets = subject.kind === 'body' ? context.content?.octets : undefined
  return subject.filters.reduce((so, filter, index) => {
    const { render, lookups, nowMs } = context
    return filtered(so, filter, { render, lookups, nowMs, octets: index === 0 ? octets : undefined })
  }, found)
}

function headerValue({ headers }: CheckedResponse, name: string, selection: Subject['selection']): FoundValue {
  const values = headers.all(name).map(readableField)
  if (values.length === 0) {
    const names = [...new Set([...headers].map(([each]) => each.toLowerCase()))]
    return nothing(`the response has no header ${name}: it has ${names.length === 0 ? 'none' : shownNames(names)}`)
  }
  if (selection === undefined) return textsOf(values)
  if (selection === 'all') return value(values)
  const chosen = values.at(selection)
  const count = `${values.length} time${values.length === 1 ? '' : 's'}`
  return chosen === undefined
    ? nothing(`the response has the header ${name} ${count}: none is [${selection}]`)
    : text(chosen)
}

/** If two have the same name, the last one counts. */
function cookieValue({ headers }: CheckedResponse, name: string, attribute = 'value'): FoundValue {
  const cookies = headers.all('set-cookie').map(setCookieOf)
  const cookie = cookies.findLast((each) => each.name === name)
  if (cookie === undefined) {
    const names = cookies.map((each) => each.name)
    return nothing(`the response sets no cookie ${name}: it sets ${names.length === 0 ? 'none' : shownNames(names)}`)
  }
  if (attribute === 'value') return text(cookie.value)
  const found = cookie.attributes.get(attribute)
  if (found === undefined) return nothing(`the cookie ${name} has no ${attribute}`)
  return found === '' ? value(true) : text(found)
}

interface SetCookie {
  readonly name: string
  readonly value: string
  /** By name in lower case; an empty text for those without a value. */
  readonly attributes: ReadonlyMap<string, string>
}

/** RFC 6265 section 5.2. */
function setCookieOf(field: string): SetCookie {
  const [pair = '', ...attributes] = readableField(field).split(';')
  const [name, content] = pairOf(pair)
  return { name, value: content, attributes: new Map(attributes.map(attributeOf)) }
}

function variableValue(name: string, { variable }: SubjectContext): FoundValue {
  const found = variable(name)
  return found === undefined ? nothing(`no variable ${name} found`) : value(found)
}

// Properties of the server's certificate.
//
// Dates are ISO 8601, so that they can be compared with each other; `days` are whole days until it expires.

const DAY_MS = 86_400_000

/** @param attribute subject, issuer, names, serial, start, expires, days or value */
function certificateValue({ certificate }: CheckedResponse, attribute: string, nowMs: number): FoundValue {
  if (certificate === undefined) return nothing('the response came without TLS, so it has no certificate')
  const { subject, issuer, subjectAltName = '', serialNumber, validFrom, validTo } = certificate
  const expiresMs = Date.parse(validTo)
  if (attribute === 'days') return value(Math.floor((expiresMs - nowMs) / DAY_MS))
  const texts: Readonly<Record<string, string>> = {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    names: subjectAltName,
    serial: serialNumber,
    start: new Date(Date.parse(validFrom)).toISOString(),
    expires: new Date(expiresMs).toISOString(),
    value: certificate.toString(),
  }
  return text(texts[attribute] as string)
}

/** `CN=example.org, O=Example`: the platform writes it on several lines. */
function nameOf(lines: string): string {
  return lines.split('\n').join(', ')
}
