/**
 * Converts one entry of a Hurl file to a draft.
 *
 * Rules (Hurl, "Request", "Options"): parameters of `[Query]` are added to the URL; `[Options]` of an entry become tags
 * or options of `httpcli run`. Hurl follows redirects only with the option `location`.
 */

import type { RequestVersion } from '../../http-file/index.ts'
import { authorizationOf, basicAuthorization } from '../draft/authorization.ts'
import {
  type BodyDraft,
  draftOf,
  type Entry,
  type MultipartEntry,
  type NamedValue,
  type RequestDraft,
} from '../draft/draft.ts'
import { fileType, moreTypes, octetsBody } from '../draft/known-types.ts'
import { literal, mapText } from '../draft/literal-text.ts'
import type { Losses } from '../draft/losses.ts'
import { withoutPassphrase, withoutPassword } from '../draft/passwords.ts'
import { hasHeader, withQuery } from '../draft/request-parts.ts'
import { encodedComponent, isSentAsTyped, withoutDotSegments } from '../draft/request-url.ts'
import { assertText, captureText } from './checks.ts'
import { type HurlBody, type HurlEntry, type HurlLine, type HurlPair, type HurlPart, pairOf } from './entry.ts'
import { bytesOf, hurlLiteral, hurlTemplates, hurlText } from './text.ts'

/** Options that do not change what is sent: omitting them is not a loss. */
const silentOptions =
  /^(?:verbose|very-verbose|verbosity|output|color|continue-on-error|compressed|path-as-is|http1\.1|http2|http1\.0)$/

const runOptions: Readonly<Record<string, string>> = {
  insecure: '-i',
  proxy: '--proxy',
  cacert: '--cacert',
  cert: '--cert',
  key: '--key',
  resolve: '--resolve',
  'unix-socket': '--unix-socket',
}

export function entryDraft(entry: HurlEntry, losses: Losses): RequestDraft {
  const notes: string[] = []
  const lose = (line: number, message: string): void => {
    notes.push(losses.add(`line ${line}`, message))
  }
  const options = pairsOf(entry, 'options')
  const option = (name: string): string | undefined => options.findLast((pair) => pair.name === name)?.value
  const follows = followsRedirects(option)
  for (const { name, value, line } of options) {
    const own = runOptions[name]
    if (own !== undefined) {
      const shown = name === 'proxy' ? withoutPassword(value) : name === 'cert' ? withoutPassphrase(value) : value
      const advice = own === '-i' ? own : `${own} ${shown}`
      losses.add(`line ${line}`, `the option ${name}: give ${advice} to "httpcli run"`)
      notes.push(`Run with: httpcli run ${advice}`)
    } else if (name === 'max-redirs' && !follows) continue
    else if (!silentOptions.test(name) && !knownOptions.has(name)) lose(line, `the option ${name}`)
    else if (isUnreadable(name, value)) lose(line, `the option ${name}: ${value}`)
  }
  const url = urlOf(entry, option('path-as-is') === 'true')
  const body = bodyOf(entry, lose)
  // Without the tag, `run` also encodes values of variables and of forms, as Hurl does.
  const isEscaped = body?.type === 'form' || url.includes('{{') || isSentAsTyped(url)
  const [name = '', ...comments] = entry.comments
  const draft = draftOf({
    name,
    tags: [
      ...optionTags(option),
      ...(isEscaped ? [] : [{ name: 'no-auto-encoding', value: '' }]),
      ...checkTags(entry, lose),
    ],
    variables: pairsOf(entry, 'options')
      .filter((pair) => pair.name === 'variable')
      .map(({ value }) => ({ name: value.split('=')[0]?.trim() ?? '', value: value.replace(/^[^=]*=/, '').trim() })),
    method: entry.method,
    url,
    version: versions.get(options.findLast(({ name, value }) => versions.has(name) && value === 'true')?.name ?? ''),
    headers: headersOf(entry, option, lose),
    body,
    responseFile: option('output'),
  })
  return { ...draft, comments: [...comments, ...notes] }
}

const versions: ReadonlyMap<string, RequestVersion | undefined> = new Map([
  ['http1.0', 'HTTP/1.0'],
  ['http1.1', undefined],
  ['http2', 'HTTP/2'],
])

const knownOptions: ReadonlySet<string> = new Set([
  ...['location', 'location-trusted', 'retry', 'retry-interval', 'variable', 'user', 'max-time'],
  ...['connect-timeout', 'header', 'user-agent', 'digest'],
])

function pairsOf({ sections }: HurlPart, name: string): readonly HurlPair[] {
  return (sections.get(name) ?? []).flatMap(({ text, number }) => pairOf(text, number) ?? [])
}

function followsRedirects(option: (name: string) => string | undefined): boolean {
  return option('location') === 'true' || option('location-trusted') === 'true'
}

function optionTags(option: (name: string) => string | undefined): readonly NamedValue[] {
  const tags: readonly (readonly [name: string, value: string | undefined])[] = [
    ['no-redirect', followsRedirects(option) ? undefined : ''],
    ['timeout', durationOf(option('max-time'))],
    ['connection-timeout', durationOf(option('connect-timeout'))],
    ['retry', retryOf(option('retry'), option('retry-interval'))],
  ]
  return tags.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

function retryOf(count: string | undefined, interval: string | undefined): string | undefined {
  if (count === undefined || !(Number(count) > 0)) return undefined
  // Without a unit Hurl uses milliseconds here.
  const wait = durationOf(/^\d+$/.test(interval ?? '') ? `${interval}ms` : interval)
  return wait === undefined ? count : `${count} ${wait}`
}

function durationOf(value: string | undefined): string | undefined {
  const match = /^(\d+)\s*(ms|s|m)?$/.exec(value ?? '')
  return match === null ? undefined : `${match[1]} ${match[2] ?? 's'}`
}

/** Whether the value of a time or count cannot be in a tag, such as a variable, or -1 for retries without an end. */
function isUnreadable(name: string, value: string): boolean {
  if (name === 'retry') return !/^\d+$/.test(value)
  return /^(?:max-time|connect-timeout|retry-interval)$/.test(name) && durationOf(value) === undefined
}

/** Captures first: asserts may use their values. */
function checkTags({ response }: HurlEntry, lose: (line: number, message: string) => void): readonly NamedValue[] {
  if (response === undefined) return []
  const tags: NamedValue[] = []
  const add = (name: string, value: string | undefined, line: HurlLine): void => {
    if (value === undefined) lose(line.number, `${name === 'assert' ? 'the assert' : 'the capture'} ${line.text}`)
    else tags.push({ name, value })
  }
  for (const line of response.sections.get('captures') ?? []) {
    const pair = /^([\w-]+)\s*:\s*(.*)$/s.exec(line.text)
    add('capture', pair === null ? undefined : captureText(pair[1] as string, pair[2] as string), line)
    if (pair !== null && /\sredact$/.test((pair[2] as string).trimEnd())) {
      lose(line.number, `redact: the value of ${pair[1]} is not masked`)
    }
  }
  if (response.status !== '*') tags.push({ name: 'assert', value: `status == ${response.status}` })
  if (/^[\d.]+$/.test(response.version)) tags.push({ name: 'assert', value: `version == HTTP/${response.version}` })
  for (const { name, value, line } of response.headers) {
    const text = assertText(`header "${name}" == ${JSON.stringify(value)}`)
    add('assert', text, { text: `${name}: ${value}`, number: line })
  }
  for (const line of response.sections.get('asserts') ?? []) add('assert', assertText(line.text), line)
  const { body } = response
  if (body !== undefined) add('assert', bodyAssert(body), { text: 'of the whole body', number: body.line })
  return tags
}

/** A complete expected body. */
function bodyAssert(body: HurlBody): string | undefined {
  const { kind, text } = body
  if (kind === 'json') {
    const value = hurlTemplates(text)
    return assertText(`jsonpath "$" == ${value.replace(/(?<!\s)\s*\n\s*/g, ' ')}`)
  }
  if (kind === 'file') return undefined
  const bytes = bytesOf(body.kind, body.text)
  if (bytes !== undefined) return assertText(`bytes == hex,${bytes.toString('hex')};`)
  // The text of an assertion has JSON's escapes, so several lines are one.
  return assertText(`body == ${JSON.stringify(textOf(body))}`)
}

/** The text of a body with the templates of request files. */
function textOf({ kind, text, attributes = [] }: HurlBody): string {
  const hasVariables = !attributes.includes('novariable')
  if (kind === 'oneline' || attributes.includes('escape')) return hasVariables ? hurlText(text) : hurlLiteral(text)
  return hasVariables ? hurlTemplates(text) : literal(text)
}

/** Hurl escapes the values of a query and non-ASCII characters; dot segments are removed from the path. */
function urlOf(entry: HurlEntry, shouldKeepDotSegments: boolean): string {
  const url = shouldKeepDotSegments ? entry.url : withoutDotSegments(entry.url)
  const query = pairsOf(entry, 'query').map(({ name, value }) => {
    return `${mapText(name, (text) => text.replace(/[\s#]/g, encodedComponent))}=${mapText(value, encodedComponent)}`
  })
  return mapText(withQuery(url, query.join('&')), (text) => text.replace(/[^\0-\x7f]+/g, encodedComponent))
}

function headersOf(
  entry: HurlEntry,
  option: (name: string) => string | undefined,
  lose: (line: number, message: string) => void,
): readonly Entry[] {
  const [credentials] = pairsOf(entry, 'basicauth')
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(option('user') ?? '') ?? []
  const login =
    credentials === undefined
      ? authorizationOf(schemeOf(option), (name) => (name === 'username' ? user : password))
      : basicAuthorization(credentials.name, credentials.value)
  if (login.lost !== undefined) lose(credentials?.line ?? entry.line, login.lost)
  const cookies = pairsOf(entry, 'cookies').map(({ name, value }) => `${name}=${value}`)
  const type = contentType(entry)
  return [
    ...login.headers,
    ...(type === undefined || hasHeader(entry.headers, 'content-type') ? [] : [{ name: 'Content-Type', value: type }]),
    ...(option('compressed') === 'true' ? [{ name: 'Accept-Encoding', value: 'gzip, deflate, br' }] : []),
    ...entry.headers,
    ...addedHeaders(entry, option),
    ...(cookies.length === 0 ? [] : [{ name: 'Cookie', value: cookies.join('; ') }]),
  ]
}

/** Of the option `user`; '' for one that `run` does not have: the password must not be sent in another form. */
function schemeOf(option: (name: string) => string | undefined): string {
  const isLost = option('aws-sigv4') !== undefined || option('ntlm') === 'true' || option('negotiate') === 'true'
  if (option('user') === undefined || isLost) return ''
  return option('digest') === 'true' ? 'digest' : 'basic'
}

/** Those of `[Options]`. */
function addedHeaders(entry: HurlEntry, option: (name: string) => string | undefined): readonly Entry[] {
  const given = pairsOf(entry, 'options').filter(({ name }) => name === 'header')
  const agent = option('user-agent')
  return [
    ...given.flatMap(({ value }) => {
      const [, name, text = ''] = /^([^:]*):(.*)$/s.exec(value) ?? []
      return name === undefined ? [] : [{ name: name.trim(), value: text.trim() }]
    }),
    ...(agent === undefined || hasHeader(entry.headers, 'user-agent') ? [] : [{ name: 'User-Agent', value: agent }]),
  ]
}

/** Whether Hurl never sends the request. */
export function isSkipped(entry: HurlEntry): boolean {
  return pairsOf(entry, 'options').some(({ name, value }) => name === 'skip' && value === 'true')
}

/** The header that Hurl adds by itself. */
function contentType({ body }: HurlEntry): string | undefined {
  const types: Readonly<Record<string, string>> = {
    json: 'application/json',
    xml: 'application/xml',
    graphql: 'application/json',
  }
  return body === undefined ? undefined : types[body.kind]
}

function bodyOf(entry: HurlEntry, lose: (line: number, message: string) => void): BodyDraft | undefined {
  const form = pairsOf(entry, 'form')
  if (form.length > 0) return { type: 'form', entries: form.map(({ name, value }) => ({ name, value })) }
  const multipart = pairsOf(entry, 'multipart')
  if (multipart.length > 0) return { type: 'multipart', parts: multipart.map(partOf) }
  const { body } = entry
  if (body === undefined) return undefined
  switch (body.kind) {
    case 'file':
      return { type: 'file', path: hurlText(body.text) }
    case 'base64':
    case 'hex':
      return octetsBody(bytesOf(body.kind, body.text) as Buffer)
    case 'graphql':
      return graphqlBody(body.text)
    case 'oneline':
    case 'json':
    case 'xml':
    case 'text':
    case 'raw':
      return { type: 'text', text: textOf(body) }
    default:
      lose(body.line, `the kind ${body.kind} of a body: it is sent as text`)
      return { type: 'text', text: textOf(body) }
  }
}

/** `variables { … }` follows the query. */
function graphqlBody(text: string): BodyDraft {
  const whole = text.trimEnd()
  const starts = whole.endsWith('}') ? whole.matchAll(/(?<!\s)(\s+)variables\s*(?=\{)/g) : []
  for (const { 0: start, 1: blanks = '', index } of starts) {
    if (!blanks.includes('\n')) continue
    const variables = whole.slice(index + start.length)
    return { type: 'graphql', query: hurlTemplates(whole.slice(0, index)), variables: hurlTemplates(variables) }
  }
  return { type: 'graphql', query: hurlTemplates(text), variables: '' }
}

/** `file,path;`, optionally followed by a media type. */
function partOf({ name, value }: HurlPair): MultipartEntry {
  const file = /^file\s*,([^;]*)(?:;(.*))?$/s.exec(value)
  if (file === null) return { name, content: { text: value } }
  const path = (file[1] as string).trim()
  return { name, content: { path }, contentType: file[2]?.trim() || fileType(path, moreTypes) }
}
