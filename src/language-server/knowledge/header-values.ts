/** Well-known values of header fields, by the name of the field in lower case. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of snippets
import { mediaTypes } from './media-types.ts'
import type { Topic } from './topic.ts'

export interface HeaderValue extends Topic {
  readonly value: string
  /** The snippet to insert; the value itself by default. */
  readonly snippet?: string
}

const value = (text: string, description: string, snippet?: string): HeaderValue => ({
  value: text,
  text: description,
  ...(snippet === undefined ? {} : { snippet }),
})

const types: readonly HeaderValue[] = Object.entries(mediaTypes).map(([name, topic]) => ({ ...topic, value: name }))

const codings: readonly HeaderValue[] = [
  value('gzip', 'Compressed with gzip, RFC 9110 section 8.4.1.3.'),
  value('br', 'Compressed with Brotli, RFC 7932.'),
  value('zstd', 'Compressed with Zstandard, RFC 8878.'),
  value('deflate', 'Compressed with zlib, RFC 9110 section 8.4.1.2.'),
  value('identity', 'Not encoded.'),
]

const schemes: readonly HeaderValue[] = [
  value('Basic', 'User and password; httpcli encodes them, RFC 7617.', 'Basic ${1:user} ${2:password}'),
  value('Bearer', 'A token, RFC 6750.', 'Bearer ${1:{{token\\}\\}}'),
  value('Digest', 'User and password; httpcli answers the challenge, RFC 7616.', 'Digest ${1:user} ${2:password}'),
]

const methodNames: readonly HeaderValue[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((name) => value(name, ''))

export const headerValues: Readonly<Record<string, readonly HeaderValue[]>> = {
  accept: [value('*/*', 'Anything.'), ...types],
  'content-type': types.map((each) =>
    each.value === 'multipart/form-data'
      ? { ...each, value: 'multipart/form-data; boundary=part', snippet: 'multipart/form-data; boundary=${1:part}' }
      : each,
  ),
  'accept-encoding': [value('gzip, deflate, br', 'The codings that browsers send.'), ...codings],
  'content-encoding': codings.filter((each) => each.value !== 'identity'),
  'accept-language': [
    value('en', 'English.'),
    value('en-US, en;q=0.9', 'American English, or other English.'),
    value('*', 'Any language.'),
  ],
  'accept-charset': [value('utf-8', 'UTF-8.')],
  authorization: schemes,
  'proxy-authorization': schemes,
  'cache-control': [
    value('no-cache', 'A stored response is used only after the server has confirmed it.'),
    value('no-store', 'Nothing is stored.'),
    value('max-age=0', 'A stored response may have this age in seconds.'),
    value('max-stale', 'A stale response is fine.'),
    value('min-fresh=60', 'The response stays fresh for at least this number of seconds.'),
    value('no-transform', 'Proxies do not change the content.'),
    value('only-if-cached', 'Only a stored response; otherwise 504.'),
  ],
  connection: [
    value('keep-alive', 'The connection stays open.'),
    value('close', 'The connection is closed after the response.'),
    value('Upgrade', 'The Upgrade field applies.'),
  ],
  'content-disposition': [
    value('form-data; name="field"', 'A field of a form.', 'form-data; name="${1:field}"'),
    value(
      'form-data; name="file"; filename="file.txt"',
      'A file of a form.',
      'form-data; name="${1:file}"; filename="${2:file.txt}"',
    ),
    value('attachment', 'To be saved as a file.'),
  ],
  expect: [value('100-continue', 'The body is sent only after the server has agreed.')],
  'if-match': [value('*', 'Any version, but it must exist.')],
  'if-none-match': [value('*', 'It must not exist yet.')],
  pragma: [value('no-cache', 'As `Cache-Control: no-cache`, for HTTP/1.0.')],
  prefer: [
    value('return=minimal', 'A response without the changed resource.'),
    value('return=representation', 'A response with the changed resource.'),
    value('respond-async', 'An early 202 is fine.'),
    value('wait=10', 'The client waits this number of seconds.'),
    value('handling=strict', 'Any mistake is an error.'),
    value('handling=lenient', 'Mistakes are repaired where possible.'),
  ],
  range: [
    value('bytes=0-499', 'The first 500 bytes.', 'bytes=${1:0}-${2:499}'),
    value('bytes=-500', 'The last 500 bytes.'),
  ],
  'sec-fetch-dest': [value('document', ''), value('empty', ''), value('image', ''), value('script', '')],
  'sec-fetch-mode': [value('cors', ''), value('navigate', ''), value('no-cors', ''), value('same-origin', '')],
  'sec-fetch-site': [value('same-origin', ''), value('same-site', ''), value('cross-site', ''), value('none', '')],
  'access-control-request-method': methodNames,
  te: [value('trailers', 'Trailer fields are processed.')],
  'transfer-encoding': [value('chunked', 'The body is sent in chunks.')],
  upgrade: [value('websocket', 'RFC 6455.'), value('h2c', 'HTTP/2 over a plain connection.')],
  'upgrade-insecure-requests': [value('1', 'The client prefers https.')],
  'x-requested-with': [value('XMLHttpRequest', 'As JavaScript libraries send it.')],
}
