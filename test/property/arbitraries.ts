/**
 * Messages for property tests: valid ones of every framing, and broken ones made of them.
 *
 * Rules: bytes are written as latin1 strings. Valid messages stay within the grammar of RFC 9112 on purpose, unusual
 * corners included; mutations insert what parsers have been seen to disagree on.
 */
import * as fc from 'fast-check'

const tokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

export const token: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...tokenCharacters),
  minLength: 1,
  maxLength: 12,
})

const visible = fc.integer({ min: 0x21, max: 0x7e })
const obsoleteText = fc.integer({ min: 0x80, max: 0xff })
const inner = fc.oneof({ weight: 8, arbitrary: visible }, obsoleteText, fc.constantFrom(0x20, 0x09))

/** A field value without blanks at its ends. */
export const fieldValue: fc.Arbitrary<string> = fc
  .array(inner, { maxLength: 20 })
  .map((codes) => String.fromCharCode(...codes).replace(/^[ \t]+|[ \t]+$/g, ''))

/** Names that decide on framing or on the connection, and would change what the message is. */
const meaningfulNames =
  /^(?:content-length|transfer-encoding|host|connection|upgrade|expect|trailer|te|keep-alive|proxy-connection)$/i

const fieldName = fc.oneof(
  token.filter((name) => !meaningfulNames.test(name)),
  fc.constantFrom('Accept', 'accept', 'COOKIE', 'Set-Cookie', 'X-A', 'x-a', 'Content-Type', 'ETag', '__proto__'),
)

export const fields: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.array(fc.tuple(fieldName, fieldValue), {
  maxLength: 4,
})

export const content: fc.Arbitrary<string> = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((octets) => Buffer.from(octets).toString('latin1')),
  fc.constantFrom('', '\r\n', '0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'a\nb', '\0'),
)

const pathSegment = fc.string({
  unit: fc.constantFrom(...'abcXYZ019-._~!$&()*+,;=:@', '%20', '%2F', '%ff'),
  maxLength: 6,
})
const originTarget = fc
  .tuple(fc.array(pathSegment, { maxLength: 3 }), fc.option(pathSegment, { nil: undefined }))
  .map(([segments, query]) => `/${segments.join('/')}${query === undefined ? '' : `?${query}`}`)

const blanks = fc.constantFrom('', ' ', '  ', '\t', ' \t ')
const fieldLine = fc.tuple(fieldName, blanks, fieldValue, blanks).map((parts) => {
  const [name, before, value, behind] = parts
  return `${name}:${before}${value}${behind}\r\n`
})

const extension = fc.constantFrom('', ';a', ';a=b', ';a="b;c"', ' ; a = b')

/** The content as chunks, each part one, with extensions and trailers. */
const chunkedBody: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.tuple(
        content.filter((part) => part !== ''),
        extension,
        fc.boolean(),
      ),
      { maxLength: 3 },
    ),
    extension,
    fc.array(fieldLine, { maxLength: 2 }),
  )
  .map(([chunks, lastExtension, trailers]) => {
    const lines = chunks.map(([data, chunkExtension, isUpperCase]) => {
      const size = data.length.toString(16)
      return `${isUpperCase ? size.toUpperCase() : `0${size}`}${chunkExtension}\r\n${data}\r\n`
    })
    return `${lines.join('')}0${lastExtension}\r\n${trailers.join('')}\r\n`
  })

/** Framing fields and the body that they announce. */
const framedBody = fc.oneof(
  fc.constant({ lines: '', body: '' }),
  content.map((body) => ({ lines: `Content-Length: ${body.length}\r\n`, body })),
  fc.tuple(chunkedBody, fc.constantFrom('chunked', 'Chunked', ' chunked ')).map(([body, coding]) => ({
    lines: `Transfer-Encoding:${coding}\r\n`,
    body,
  })),
)

const connectionLine = fc.constantFrom('', '', 'Connection: keep-alive\r\n', 'Connection: close\r\n')
const versions = fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0')

const knownMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'M-SEARCH')

const requestWith = (method: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .record({
      method,
      target: fc.oneof(
        { weight: 4, arbitrary: originTarget },
        originTarget.map((path) => `http://example.com:8080${path}`),
      ),
      version: versions,
      before: fc.array(fieldLine, { maxLength: 3 }),
      behind: fc.array(fieldLine, { maxLength: 2 }),
      connection: connectionLine,
      framed: framedBody,
    })
    .filter(
      ({ method, version, framed }) => method !== 'CONNECT' && (version === 'HTTP/1.1' || !/^Tr/.test(framed.lines)),
    )
    .map(({ method, target, version, before, behind, connection, framed }) => {
      const head = `${method} ${target} ${version}\r\n`
      return `${head}${before.join('')}Host: example.com:8080\r\n${framed.lines}${connection}${behind.join('')}\r\n${framed.body}`
    })

/** One valid request. */
export const requestOctets: fc.Arbitrary<string> = requestWith(fc.oneof(knownMethod, token))

/** One valid request with a method that every parser knows. */
export const knownRequestOctets: fc.Arbitrary<string> = requestWith(knownMethod)

/** One valid response, sometimes after an interim one; its end may be the end of the connection. */
export const responseOctets: fc.Arbitrary<string> = fc
  .record({
    interim: fc.constantFrom('', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    version: versions,
    status: fc.oneof(fc.constantFrom(200, 200, 204, 206, 304, 404, 500), fc.integer({ min: 200, max: 599 })),
    reason: fc.oneof(fc.constantFrom('OK', '', 'Not Found'), fieldValue),
    before: fc.array(fieldLine, { maxLength: 3 }),
    connection: connectionLine,
    framed: framedBody,
    untilClose: content,
  })
  .filter(({ version, framed }) => version === 'HTTP/1.1' || !/^Tr/.test(framed.lines))
  .map(({ interim, version, status, reason, before, connection, framed, untilClose }) => {
    const head = `${interim}${version} ${status} ${reason}\r\n${before.join('')}${framed.lines}${connection}\r\n`
    if (status === 204 || status === 304) return head
    return head + (framed.lines === '' ? untilClose : framed.body)
  })

/** Pieces of bytes on which parsers disagree. */
const troublesome = fc.constantFrom(
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\r\n',
    '\n\r',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '"',
    '%',
    '#',
    '\x7f',
    '\xa0',
    '\xff',
    '\ufeff',
  ],
  ...[
    '\r\n ',
    '\r\n\t',
    '\r\n\r\n',
    ' :',
    '0',
    'f',
    '-',
    '+1',
    '0x',
    '1e3',
    '99999999999999999999',
    'ffffffffffffffffff',
  ],
  ...['Content-Length: 3\r\n', 'Content-Length: 3, 3\r\n', 'content-length:\r\n', 'Content-Length: +3\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip\r\n', 'Transfer-Encoding: xchunked\r\n'],
  ...['Host: b\r\n', 'Host:\r\n', 'Connection: close\r\n', 'Upgrade: h2c\r\n', 'Expect: 100-continue\r\n'],
  ...['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1', ' HTTP/1.1', 'GET / HTTP/1.1\r\n'],
)

const asOctets = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

type Mutation =
  | { readonly type: 'insert'; readonly at: number; readonly text: string }
  | { readonly type: 'replace'; readonly at: number; readonly text: string; readonly length: number }
  | { readonly type: 'remove' | 'double'; readonly at: number; readonly length: number }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'bare-lf'; readonly at: number }

/** Share of the length; without bias, because otherwise most changes would hit the first bytes. */
const place = fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((millionths) => millionths / 1_000_000)
const pieceLength = fc.integer({ min: 1, max: 8 })
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ type: fc.constant('insert' as const), at: place, text: troublesome.map(asOctets) }),
  fc.record({ type: fc.constant('replace' as const), at: place, text: troublesome.map(asOctets), length: pieceLength }),
  fc.record({ type: fc.constantFrom('remove' as const, 'double' as const), at: place, length: pieceLength }),
  fc.record({ type: fc.constant('cut' as const), at: place }),
  fc.record({ type: fc.constant('bare-lf' as const), at: place }),
)

function mutate(octets: string, change: Mutation): string {
  const at = Math.floor(change.at * (octets.length + 1))
  const [before, behind] = [octets.slice(0, at), octets.slice(at)]
  switch (change.type) {
    case 'insert':
      return before + change.text + behind
    case 'replace':
      return before + change.text + behind.slice(change.length)
    case 'remove':
      return before + behind.slice(change.length)
    case 'double':
      return before + behind.slice(0, change.length) + behind
    case 'cut':
      return before
    case 'bare-lf':
      return before + behind.replace('\r\n', '\n')
  }
}

/** One to three changes to what the arbitrary gives. */
export function mutated(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([octets, changes]) => changes.reduce(mutate, octets))
}

/** Anything: noise, or noise that begins like a message. */
export const noise: fc.Arbitrary<string> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((octets) => Buffer.from(octets).toString('latin1')),
  fc.array(fc.oneof(troublesome.map(asOctets), token, fieldValue), { maxLength: 20 }).map((parts) => parts.join('')),
)
