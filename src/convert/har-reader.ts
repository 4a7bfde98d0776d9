/**
 * Converts HTTP archives (HAR 1.2) to requests.
 *
 * Rules: programs other than browsers may write a query only in `queryString`: it is added to the URL. Headers that a
 * browser adds by itself, and those of the connection, are left out, except for a Host that differs from the URL.
 * Cookies become a header if the archive has no such header. Archives have no variables: braces are literal. A redirect
 * is the next entry of the archive, so it is not followed. Entries that are not HTTP, and tunnels of a proxy, are
 * reported and left out.
 */
import { isObject, type JsonObject, objectOf, objectsOf, readJson, textOf } from './draft/document.ts'
import {
  type BodyDraft,
  type Conversion,
  conversionOf,
  draftOf,
  type Entry,
  type MultipartEntry,
  type RequestDraft,
} from './draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from './draft/errors.ts'
import { octetsBody } from './draft/known-types.ts'
import { literal, literalUrl } from './draft/literal-text.ts'
import { Losses } from './draft/losses.ts'
import { hasHeader, withQuery } from './draft/request-parts.ts'
import { encodedComponent } from './draft/request-url.ts'

/** HTTP/2 pseudo-header fields, fields of the connection, and hints of a browser about itself. */
const noise =
  /^(?::.*|host|content-length|connection|keep-alive|proxy-connection|transfer-encoding|te|upgrade|http2-settings|upgrade-insecure-requests|priority|dnt|sec-(?:fetch|ch|gpc|websocket)\b.*)$/i

/** @throws ConvertSyntaxError */
export function readHar(source: SourceText): Conversion {
  const log = objectOf(objectOf(readJson(source)).log)
  if (!Array.isArray(log.entries)) {
    throw ConvertSyntaxError.at(source, { line: 1, column: 1 }, 'expected an HTTP archive, found no "log.entries"')
  }
  const losses = new Losses()
  const requests = objectsOf(log.entries).flatMap((entry, index) => entryDraft(entry, `log.entries[${index}]`, losses))
  const [page] = objectsOf(log.pages)
  return conversionOf({ title: textOf(page?.title), requests, losses: losses.all })
}

function entryDraft(entry: JsonObject, place: string, losses: Losses): readonly RequestDraft[] {
  const request = objectOf(entry.request)
  const url = withListedQuery(request)
  const isWebSocket = /^wss?:/i.test(url)
  if (!isWebSocket && !/^https?:/i.test(url)) {
    losses.add(`${place}.request.url`, url === '' ? 'an entry without a URL' : `the URL ${url.slice(0, 60)}`)
    return []
  }
  if (textOf(request.method) === 'CONNECT') {
    losses.add(`${place}.request.method`, 'CONNECT, which opens the tunnel of a proxy')
    return []
  }
  const status = Number(objectOf(entry.response).status ?? 0)
  const comment = textOf(entry.comment) || textOf(request.comment)
  return [
    draftOf({
      name: `${textOf(request.method) || 'GET'} ${pathOf(url)}`,
      comments: comment === '' ? [] : [comment],
      tags: status >= 300 && status < 400 && status !== 304 ? [{ name: 'no-redirect', value: '' }] : [],
      method: textOf(request.method) || 'GET',
      url: literalUrl(url),
      headers: headersOf(request, url),
      body: isWebSocket ? messagesOf(entry, place, losses) : bodyOf(request, place, losses),
    }),
  ]
}

/** Browsers have the query in the URL as well, with names as written there or decoded. */
function withListedQuery(request: JsonObject): string {
  const url = textOf(request.url).replace(/#.*$/s, '')
  const query = /\?(.*)/s.exec(url)?.[1] ?? ''
  const names = new Set([
    ...query.split('&').map((pair) => pair.replace(/=.*$/s, '')),
    ...new URLSearchParams(query).keys(),
  ])
  const listed = objectsOf(request.queryString).filter(({ name }) => textOf(name) !== '')
  if (listed.some(({ name }) => names.has(textOf(name)) || names.has(decoded(name)))) return url
  const pairs = listed.map(({ name, value }) => [name, value].map((text) => encodedComponent(decoded(text))).join('='))
  return withQuery(url, pairs.join('&'))
}

function pathOf(url: string): string {
  return url.replace(/^[^:]+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '') || '/'
}

function headersOf(request: JsonObject, url: string): readonly Entry[] {
  const mimeType = textOf(objectOf(request.postData).mimeType)
  const isMultipart = /^multipart\//i.test(mimeType) && !hasBoundaryText(request)
  const headers = objectsOf(request.headers)
    .map(({ name, value }) => ({ name: literal(textOf(name)), value: literal(textOf(value)) }))
    .filter(({ name, value }) => name !== '' && (!noise.test(name) || isOtherHost(name, value, url)))
    .filter(({ name }) => !(isMultipart && /^content-type$/i.test(name)))
  const cookies = objectsOf(request.cookies).map(({ name, value }) => `${textOf(name)}=${textOf(value)}`)
  return [
    ...(mimeType === '' || isMultipart || hasHeader(headers, 'content-type')
      ? []
      : [{ name: 'Content-Type', value: literal(mimeType) }]),
    ...headers,
    ...(cookies.length === 0 || hasHeader(headers, 'cookie')
      ? []
      : [{ name: 'Cookie', value: literal(cookies.join('; ')) }]),
  ]
}

/** Whether the field names a different host from the URL, such as a virtual host at an address. */
function isOtherHost(name: string, value: string, url: string): boolean {
  if (!/^host$/i.test(name)) return false
  const written = `${/^[a-z]+:/i.exec(url)?.[0]}//${value}`
  return URL.canParse(url) && URL.canParse(written) && new URL(written).host !== new URL(url).host
}

/** Whether a multipart text contains its delimiters and so keeps the media type that names them. */
function hasBoundaryText(request: JsonObject): boolean {
  return (
    textOf(objectOf(request.postData).text).startsWith('--') &&
    objectsOf(objectOf(request.postData).params).length === 0
  )
}

function bodyOf(request: JsonObject, place: string, losses: Losses): BodyDraft | undefined {
  if (!isObject(request.postData)) return undefined
  const { postData } = request
  const params = objectsOf(postData.params)
  const text = textOf(postData.text)
  if (/^multipart\/form-data\b/i.test(textOf(postData.mimeType)) && params.length > 0) {
    return {
      type: 'multipart',
      parts: params.map((param, index) => partOf(param, `${place}.request.postData.params[${index}]`, losses)),
    }
  }
  if (textOf(postData.encoding) === 'base64') return octetsBody(Buffer.from(text, 'base64'))
  if (text !== '') return { type: 'text', text: literal(text) }
  if (params.length === 0) return undefined
  return {
    type: 'form',
    entries: params.map(({ name, value }) => ({ name: literal(decoded(name)), value: literal(decoded(value)) })),
  }
}

/** Some browsers escape parameters, some do not. */
function decoded(value: JsonObject[string] | undefined): string {
  const text = textOf(value)
  try {
    return /%[0-9A-Fa-f]{2}/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
  } catch {
    return text
  }
}

function partOf(param: JsonObject, place: string, losses: Losses): MultipartEntry {
  const fileName = textOf(param.fileName)
  const contentType = literal(textOf(param.contentType))
  const type = contentType === '' ? {} : { contentType }
  const name = literal(textOf(param.name))
  if (fileName === '') return { name, content: { text: literal(textOf(param.value)) }, ...type }
  const text = textOf(param.value)
  if (text !== '' && !text.includes('\0'))
    return { name, content: { text: literal(text) }, fileName: literal(fileName), ...type }
  losses.add(place, `the content of the file ${fileName}: the request reads it from ./${fileName}`)
  return { name, content: { path: literal(`./${fileName}`) }, ...type }
}

/** The opcode of text (RFC 6455 section 5.2); the data of others is in base64. */
const TEXT_OPCODE = 1

/** Messages that the browser sent over a WebSocket, as Chrome archives them. */
function messagesOf(entry: JsonObject, place: string, losses: Losses): BodyDraft | undefined {
  const messages = objectsOf(entry._webSocketMessages).flatMap(({ type, opcode, data }, index) => {
    if (type !== 'send') return []
    if ((opcode ?? TEXT_OPCODE) === TEXT_OPCODE) return [literal(textOf(data))]
    losses.add(`${place}._webSocketMessages[${index}]`, 'a message that is not text')
    return []
  })
  return { type: 'messages', messages }
}
