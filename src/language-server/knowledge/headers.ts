/** Header fields of requests, and response fields that are common in assertions. */
import type { Topics } from './topic.ts'

export const requestHeaders: Topics = {
  Accept: {
    text: 'The media types that the client accepts, with weights: `text/html, */*;q=0.1`.',
    source: 'RFC 9110 section 12.5.1',
  },
  'Accept-Charset': {
    text: 'The charsets that the client accepts. Obsolete: servers send UTF-8.',
    source: 'RFC 9110 section 12.5.2',
  },
  'Accept-Encoding': {
    text: 'The content codings that the client accepts. httpcli sends those that it can decode.',
    source: 'RFC 9110 section 12.5.3',
  },
  'Accept-Language': { text: 'The languages that the user prefers, with weights.', source: 'RFC 9110 section 12.5.4' },
  'Access-Control-Request-Headers': {
    text: 'In a preflight request: the header fields that the real request will have.',
    source: 'Fetch Standard section 3.3',
  },
  'Access-Control-Request-Method': {
    text: 'In a preflight request: the method of the real request.',
    source: 'Fetch Standard section 3.3',
  },
  Authorization: {
    text: 'Credentials for the server. `Basic user password` is encoded by httpcli, `Digest user password` answers the challenge.',
    source: 'RFC 9110 section 11.6.2',
  },
  'Cache-Control': {
    text: 'What caches on the way may do with the request and its response.',
    source: 'RFC 9111 section 5.2',
  },
  Connection: {
    text: 'Options for this connection only, such as `close`. HTTP/2 has none.',
    source: 'RFC 9110 section 7.6.1',
  },
  'Content-Disposition': {
    text: 'In a part of a form: its name, and the name of its file.',
    source: 'RFC 7578 section 4.2',
  },
  'Content-Encoding': {
    text: 'The codings of the body, such as gzip. The body must be encoded already.',
    source: 'RFC 9110 section 8.4',
  },
  'Content-Language': { text: 'The language of the intended readers of the body.', source: 'RFC 9110 section 8.5' },
  'Content-Length': { text: 'The bytes of the body. httpcli sets it.', source: 'RFC 9110 section 8.6' },
  'Content-Location': { text: 'The URL of the representation in the body.', source: 'RFC 9110 section 8.7' },
  'Content-MD5': { text: 'A digest of the body. Obsolete: use Content-Digest.', source: 'RFC 2616 section 14.15' },
  'Content-Range': { text: 'Which bytes of the whole the body contains.', source: 'RFC 9110 section 14.4' },
  'Content-Type': { text: 'The media type of the body, and its charset or boundary.', source: 'RFC 9110 section 8.3' },
  Cookie: {
    text: 'Cookies for this request, in addition to those of the cookie jar: `name=value; other=value`.',
    source: 'RFC 6265 section 4.2',
  },
  Date: { text: 'When the message was created.', source: 'RFC 9110 section 6.6.1' },
  Expect: {
    text: '`100-continue`: the body is sent only after the server has agreed.',
    source: 'RFC 9110 section 10.1.1',
  },
  Forwarded: { text: 'What proxies know about the client: its address, host and protocol.', source: 'RFC 7239' },
  From: { text: 'The mail address of the person who is responsible for a robot.', source: 'RFC 9110 section 10.1.2' },
  Host: {
    text: 'The host and port of the URL. httpcli sets it; with a target such as `/path` it gives the server.',
    source: 'RFC 9110 section 7.2',
  },
  'Idempotency-Key': {
    text: 'A unique key, so that a repeated request is processed once.',
    source: 'draft-ietf-httpapi-idempotency-key-header',
  },
  'If-Match': {
    text: 'The request applies only if the resource has one of these entity tags. Prevents lost updates.',
    source: 'RFC 9110 section 13.1.1',
  },
  'If-Modified-Since': {
    text: 'The response is 304 if the resource has not changed since this date.',
    source: 'RFC 9110 section 13.1.3',
  },
  'If-None-Match': {
    text: 'The response to GET is 304 if the resource has one of these entity tags. `*` creates only what does not exist.',
    source: 'RFC 9110 section 13.1.2',
  },
  'If-Range': {
    text: 'The Range applies only if the resource has this entity tag or date; otherwise all of it is sent.',
    source: 'RFC 9110 section 13.1.5',
  },
  'If-Unmodified-Since': {
    text: 'The request applies only if the resource has not changed since this date.',
    source: 'RFC 9110 section 13.1.4',
  },
  'Keep-Alive': {
    text: 'How long an idle connection stays open. A relic of HTTP/1.0.',
    source: 'RFC 9112 appendix C.2.2',
  },
  'Max-Forwards': { text: 'How many proxies may pass on a TRACE or OPTIONS.', source: 'RFC 9110 section 7.6.2' },
  Origin: { text: 'The origin of the page that caused the request.', source: 'RFC 6454 section 7' },
  Pragma: { text: '`no-cache` for HTTP/1.0. Obsolete: use Cache-Control.', source: 'RFC 9111 section 5.4' },
  Prefer: { text: 'Preferences for the response, such as `return=minimal` or `respond-async`.', source: 'RFC 7240' },
  'Proxy-Authorization': { text: 'Credentials for the proxy.', source: 'RFC 9110 section 11.7.2' },
  Range: {
    text: 'The parts of the content that the client wants, such as `bytes=0-499`.',
    source: 'RFC 9110 section 14.2',
  },
  Referer: { text: 'The URL of the page that led to this request.', source: 'RFC 9110 section 10.1.3' },
  'Sec-Fetch-Dest': {
    text: 'What a browser will use the response for, such as `document`.',
    source: 'Fetch Metadata Request Headers',
  },
  'Sec-Fetch-Mode': {
    text: "The mode of a browser's request, such as `cors`.",
    source: 'Fetch Metadata Request Headers',
  },
  'Sec-Fetch-Site': {
    text: "How the page and the target of a browser's request are related.",
    source: 'Fetch Metadata Request Headers',
  },
  'Sec-WebSocket-Key': {
    text: 'A random value that proves that the server understood the handshake.',
    source: 'RFC 6455 section 11.3.1',
  },
  'Sec-WebSocket-Protocol': { text: 'The subprotocols that the client offers.', source: 'RFC 6455 section 11.3.4' },
  'Sec-WebSocket-Version': { text: 'The version of WebSocket: 13.', source: 'RFC 6455 section 11.3.5' },
  TE: { text: '`trailers`: the client processes trailer fields.', source: 'RFC 9110 section 10.1.4' },
  Trailer: { text: 'The fields that follow a chunked body.', source: 'RFC 9110 section 6.6.2' },
  'Transfer-Encoding': {
    text: 'How the body is framed on this connection: `chunked`.',
    source: 'RFC 9112 section 6.1',
  },
  Upgrade: { text: 'The protocols that the client would switch to.', source: 'RFC 9110 section 7.8' },
  'Upgrade-Insecure-Requests': {
    text: '`1`: the client prefers https.',
    source: 'Upgrade Insecure Requests section 3.2.1',
  },
  'User-Agent': { text: 'The name and version of the client.', source: 'RFC 9110 section 10.1.5' },
  Via: { text: 'The proxies that the message has passed.', source: 'RFC 9110 section 7.6.3' },
  traceparent: { text: 'The trace and span that the request belongs to.', source: 'Trace Context section 3.2' },
  tracestate: { text: 'Data of tracing systems, next to traceparent.', source: 'Trace Context section 3.3' },
  'X-Api-Key': { text: 'A key for the service; not standardized.' },
  'X-Requested-With': { text: '`XMLHttpRequest`: sent by JavaScript libraries; not standardized.' },
  'X-Forwarded-For': { text: 'The addresses of the client and of proxies; Forwarded is the standard.' },
  'X-Request-Id': { text: 'An identifier of the request for logs; not standardized.' },
}

export const responseHeaders: Topics = {
  Age: {
    text: 'The seconds since the response was generated or validated at its origin.',
    source: 'RFC 9111 section 5.1',
  },
  Allow: { text: 'The methods that the resource supports.', source: 'RFC 9110 section 10.2.1' },
  'Access-Control-Allow-Origin': {
    text: 'The origin whose pages may read the response.',
    source: 'Fetch Standard section 3.3',
  },
  'Content-Security-Policy': { text: 'What a page may load and run.', source: 'Content Security Policy Level 3' },
  ETag: { text: 'An identifier of this version of the resource, for conditions.', source: 'RFC 9110 section 8.8.3' },
  Expires: { text: 'When the response becomes stale.', source: 'RFC 9111 section 5.3' },
  'Last-Modified': { text: 'When the resource was last changed.', source: 'RFC 9110 section 8.8.2' },
  Link: { text: 'Relations to other resources, such as the next page.', source: 'RFC 8288' },
  Location: { text: 'The target of a redirect, or the URL of a new resource.', source: 'RFC 9110 section 10.2.2' },
  'Retry-After': { text: 'When to try again: seconds, or a date.', source: 'RFC 9110 section 10.2.3' },
  Server: { text: 'The software of the server.', source: 'RFC 9110 section 10.2.4' },
  'Set-Cookie': { text: 'A cookie for the client, with its attributes.', source: 'RFC 6265 section 4.1' },
  'Strict-Transport-Security': { text: 'From now on, the host is reached only over https.', source: 'RFC 6797' },
  Vary: { text: 'The request fields that the choice of the response depends on.', source: 'RFC 9110 section 12.5.5' },
  'WWW-Authenticate': {
    text: 'The authentication schemes that the server accepts.',
    source: 'RFC 9110 section 11.6.1',
  },
  'X-Content-Type-Options': {
    text: '`nosniff`: the Content-Type counts, whatever the content looks like.',
    source: 'Fetch Standard section 3.5',
  },
}

const byLowerCase: ReadonlyMap<string, string> = new Map(
  [...Object.keys(responseHeaders), ...Object.keys(requestHeaders)].map((name) => [name.toLowerCase(), name]),
)

/** The usual spelling of a known field; undefined for an unknown one. */
export function fieldName(name: string): string | undefined {
  return byLowerCase.get(name.toLowerCase())
}
