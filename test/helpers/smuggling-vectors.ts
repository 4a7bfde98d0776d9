/**
 * Requests that two servers in a row may read differently (request smuggling), as bytes.
 *
 * Each has its own path, `/api/v<index>`. A request that must never arrive is `/api/smuggled`. A vector is either
 * refused, or it means one request: its method, its body, its path. RFC 9112 section 11.2.
 */

/** The required outcome of a vector. `either`: refused, or forwarded with exactly its meaning. */
export type Verdict = 'refused' | 'forwarded' | 'either'

export interface Vector {
  readonly name: string
  readonly path: string
  /** A binary string. */
  readonly text: string
  readonly verdict: Verdict
  readonly method: string
  readonly body: string
}

interface Draft {
  readonly name: string
  readonly verdict: Verdict
  readonly method?: string
  /** The request line; `%P` stands for the path. */
  readonly line?: string
  readonly host?: string
  /** Lines after Host, each with its line ending. */
  readonly fields?: string
  /** Bytes after the header section. */
  readonly content?: string
  readonly body?: string
}

const smuggled = 'GET /api/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

/** `body` in one chunk. */
function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

function lengthOf(body: string): string {
  return `Content-Length: ${body.length}\r\n`
}

const controls = ['\x00', '\x01', '\x08', '\x0b', '\x0c', '\x1b', '\x7f']

const wrongCodings: readonly string[] = [
  ...[
    'identity',
    'chunked, identity',
    'identity, chunked',
    'xchunked',
    'chunkedx',
    'chunked-',
    '-chunked',
    'chunk',
    'chunke',
  ],
  ...['"chunked"', "'chunked'", 'chunked;q=1', 'chunked; a=b', 'chunked;', ';chunked', 'chunked=1', 'chunked chunked'],
  ...[
    'chunked, chunked',
    'chunked\tchunked',
    'chunked\\',
    '[chunked]',
    '(chunked)',
    'chunked/1',
    'chunked:',
    ':chunked',
  ],
  ...['\xa0chunked', 'chunked\xa0', 'chu\xadnked', '\xefchunked', 'chunked, x', 'x', '', 'cow', 'deflate', 'gzip, x'],
  ...controls.flatMap((control) => [`${control}chunked`, `chunked${control}`, `chun${control}ked`]),
]

const wrongLengths: readonly string[] = [
  ...[
    '+5',
    '-5',
    '5 5',
    '5,6',
    '5, 6',
    '6, 5',
    '0x5',
    '0X5',
    '5h',
    '5;',
    '5.0',
    '5e0',
    '1e1',
    '5_0',
    "5'",
    '"5"',
    '',
    ' ',
    'a',
  ],
  ...[
    'five',
    '\xb25',
    '5\xa0',
    '\xa05',
    '18446744073709551616',
    '18446744073709551621',
    '9007199254740993',
    '5 ,',
    '5\\',
  ],
  ...['4294967301, 5', '0, 5', '5, 0', '%35', '{5}', '5/5', '5:5', '=5', '5=', '5%'],
  ...controls.flatMap((control) => [`5${control}`, `${control}5`]),
]

const wrongChunks: readonly string[] = [
  ...[
    '0x5',
    '+5',
    '-5',
    '5_',
    'g',
    '5 5',
    '5h',
    '"5"',
    "5'",
    '5,',
    '5.',
    '',
    ' ',
    '\t5',
    ' 5',
    '\x005',
    '5\x00',
    '5\x0b',
    '5\x0c',
  ],
  ...['FFFFFFFFFFFFFFFFF5', '10000000000000005', '100000000000000000000', '%35', '5;a="b', '5;a="\n"'],
  ...[
    '5;\n',
    '5\n',
    '5;a=b\n',
    '5\r',
    '5;\x00',
    '5;a\x00=b',
    '5;a=\x7f',
    '5;=b',
    '5;a=',
    '5\xa0',
    '\xa05',
    '5:a',
    '5/a',
    '5=a',
  ],
]

const wrongFieldLines: readonly string[] = [
  ...[
    'Content-Length : 5',
    'Content-Length\t: 5',
    ' Content-Length: 5',
    '\tContent-Length: 5',
    'Content-Length',
    ': 5',
    ' : 5',
  ],
  ...[
    'Transfer-Encoding : chunked',
    'Transfer-Encoding\t: chunked',
    ' Transfer-Encoding: chunked',
    'Transfer-Encoding',
  ],
  ...[
    '\tTransfer-Encoding: chunked',
    'Transfer-Encoding:\r\n chunked',
    'Transfer-Encoding: x\r\n\tchunked',
    'X: a\r\n b',
  ],
  ...[
    'Content-Length:\r\n 5',
    'X : a',
    'X\t: a',
    'X Y: a',
    'X(: a',
    'X"Y: a',
    'X/Y: a',
    'X=Y: a',
    'X,Y: a',
    '@: a',
    'X[]: a',
  ],
  ...['\xe9: a', 'X\xa0: a', '\xa0X: a', 'X\x80Y: a', '{}: a', 'X;: a', 'X?: a', '<X>: a', 'X\\: a', 'no colon at all'],
  ...controls.flatMap((control) => [
    `X${control}: a`,
    `${control}X: a`,
    `X${control}Y: a`,
    `X: a${control}b`,
    `X: ${control}`,
  ]),
]

/** Endings of a field line that some readers accept as such. */
const lineEnds = ['\n', '\r', '\n\r', '\r\r\n', '\x0b', '\x0c', '\x85', '\x00', '\n\n', '\r\r']

const requestLines: readonly (readonly [line: string, verdict: Verdict])[] = [
  ...[
    ...[
      'GET  %P HTTP/1.1',
      'GET\t%P HTTP/1.1',
      'GET %P\tHTTP/1.1',
      'GET %P  HTTP/1.1',
      ' GET %P HTTP/1.1',
      'GET %P HTTP/1.1 ',
    ],
    ...['GET %P HTTP/1.1\t', 'GET %P HTTP/1.1 x', 'GET %P x HTTP/1.1', 'GET %P', 'GET %P HTTP/1', 'GET %P HTTP/01.1'],
    ...[
      'GET %P HTTP/1.01',
      'GET %P HTTP/1.11',
      'GET %P http/1.1',
      'GET %P HTTP/1,1',
      'GET %P HTTP/2.0',
      'GET %P HTTP/0.9',
    ],
    ...[
      'GET %P HTTP/3.0',
      'GET %P HTTP /1.1',
      'GET %P HTTP/ 1.1',
      'GET %P HTTP/-1.1',
      'GET %P HTTP/+1.1',
      'GET %P TTP/1.1',
    ],
    ...[
      'GET %P ICE/1.0',
      'GET %P RTSP/1.0',
      'GET %P HTTP/1.1\x00',
      'GET\x00 %P HTTP/1.1',
      'GET %P\x00 HTTP/1.1',
      'GET\xa0%P HTTP/1.1',
    ],
    ...[
      'GET %P\\x HTTP/1.1',
      'GET %P#x HTTP/1.1',
      'GET %P?a b HTTP/1.1',
      'GET %P%zz HTTP/1.1',
      'GET %P% HTTP/1.1',
      'GET %P\x7f HTTP/1.1',
    ],
    ...['GET %P\xff HTTP/1.1', '\nGET %P HTTP/1.1', '\rGET %P HTTP/1.1'],
    ...[
      'G(T %P HTTP/1.1',
      'GET, %P HTTP/1.1',
      '"GET" %P HTTP/1.1',
      ' %P HTTP/1.1',
      'GET: %P HTTP/1.1',
      'G\xcaT %P HTTP/1.1',
    ],
    ...[
      'GET http://a@evil%P HTTP/1.1',
      'GET http://evil%P HTTP/1.1',
      'GET http://a:b@a%P HTTP/1.1',
      'GET http://%P HTTP/1.1',
    ],
    ...[
      'GET http:%P HTTP/1.1',
      'GET //%P@a HTTP/1.1 ',
      'GET http://evil\\%P HTTP/1.1',
      'CONNECT %P HTTP/1.1',
      'TRACE %P HTTP/1.1',
    ],
    ...[
      'GET * HTTP/1.1',
      'GET api HTTP/1.1',
      'GET ?%P HTTP/1.1',
      'GET %P/..%2f..%2fx HTTP/1.1',
      'GET %P/..;/x HTTP/1.1',
    ],
  ].map((line) => [line, 'refused'] as const),
  ...[
    'GET %P HTTP/1.1',
    'GET http://a%P HTTP/1.1',
    'GET %P/./ HTTP/1.1',
    '\r\nGET %P HTTP/1.1',
    'GET %P/x/.. HTTP/1.1',
    'GET /x/..%P HTTP/1.1',
  ].map((line) => [line, 'forwarded'] as const),
  ...[
    'GET HTTP://A%P HTTP/1.1',
    'GET https://a%P HTTP/1.1',
    'GET /%P HTTP/1.1',
    'GET %P?a|b HTTP/1.1',
    'get %P HTTP/1.1',
  ].map((line) => [line, 'either'] as const),
]

const hosts: readonly (readonly [fields: string, verdict: Verdict])[] = [
  ...[
    ...[
      '',
      'Host: a\r\nHost: a\r\n',
      'Host: a\r\nHost: b\r\n',
      'Host: a, b\r\n',
      'Host: a b\r\n',
      'Host: a/x\r\n',
      'Host: a@b\r\n',
    ],
    ...[
      'Host: http://a\r\n',
      'Host: a:x\r\n',
      'Host: a:99999\r\n',
      'Host: a:-1\r\n',
      'Host: [::1\r\n',
      'Host: a\\b\r\n',
      'Host: a?b\r\n',
    ],
    ...[
      'Host: a#b\r\n',
      'Host: a\x00\r\n',
      'Host:\r\n a\r\n',
      ' Host: a\r\n',
      'Host : a\r\n',
      'Host: a\r\n Host: b\r\n',
      'Host: "a"\r\n',
    ],
    ...[
      'Host: a:1:2\r\n',
      'Host: <a>\r\n',
      'Host: a\tb\r\n',
      'Host: \xe9\r\n',
      'Host: a\nHost: b\r\n',
      'Host: a%zz\r\n',
      'Host: :80\r\n',
    ],
  ].map((fields) => [fields, 'refused'] as const),
  ...['Host: a\r\n', 'Host: a:80\r\n', 'Host:a\r\n', 'Host:  a \r\n', 'host: a\r\n', 'Host: [::1]:8\r\n'].map(
    (fields) => [fields, 'forwarded'] as const,
  ),
]

const connectionValues = [
  ...[
    'close',
    'keep-alive',
    'close, X',
    'X',
    'Content-Length',
    'Host',
    'Transfer-Encoding',
    'Content-Length, Host',
    'Via',
    'TE',
  ],
  ...[
    'Cookie',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Connection',
    'Upgrade',
    'upgrade, http2-settings',
    'Content-Type',
    ', ,X',
  ],
  ...['close, close', 'CLOSE', 'Keep-Alive, Content-Length', 'Expect', 'Trailer', '"close"', 'close;a=b', '\tclose'],
]

const drafts: readonly Draft[] = [
  // TE.CL, CL.TE, TE.TE: a coding that one of two servers does not recognise, with and without a length.
  ...wrongCodings.flatMap((coding): Draft[] =>
    [`Transfer-Encoding: ${coding}\r\n`, `Content-Length: 5\r\nTransfer-Encoding: ${coding}\r\n`].map((fields) => ({
      name: `coding ${JSON.stringify(fields)}`,
      verdict: 'refused',
      fields,
      content: `0\r\n\r\n${smuggled}`,
    })),
  ),
  ...['chunked', 'Chunked', 'CHUNKED', ' chunked', '\tchunked', 'chunked ', 'chunked\t'].map(
    (coding): Draft => ({
      name: `coding ${JSON.stringify(coding)}`,
      verdict: 'forwarded',
      fields: `Transfer-Encoding:${coding}\r\n`,
      content: chunked(smuggled),
      body: smuggled,
    }),
  ),
  ...[
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
      'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
    ],
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    ],
    ...['Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', 'Content-Length: 0\r\nTransfer-Encoding: chunked\r\n'],
    ...[
      'Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n',
    ],
  ].map(
    (fields): Draft => ({
      name: `fields ${JSON.stringify(fields)}`,
      verdict: 'refused',
      fields,
      content: `0\r\n\r\n${smuggled}`,
    }),
  ),
  ...wrongLengths.map(
    (length): Draft => ({
      name: `length ${JSON.stringify(length)}`,
      verdict: 'refused',
      fields: `Content-Length: ${length}\r\n`,
      content: `x=1&y${smuggled}`,
    }),
  ),
  ...[
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    'Content-Length: 5\r\nContent-Length: 0\r\n',
    'Content-Length: 0\r\ncontent-length: 5\r\n',
  ].map(
    (fields): Draft => ({
      name: `fields ${JSON.stringify(fields)}`,
      verdict: 'refused',
      fields,
      content: `x=1&y${smuggled}`,
    }),
  ),
  ...[
    lengthOf(smuggled),
    `Content-Length:${smuggled.length}\r\n`,
    `content-length:  ${smuggled.length}  \r\n`,
    `Content_Length: 0\r\n${lengthOf(smuggled)}`,
    `Transfer_Encoding: chunked\r\n${lengthOf(smuggled)}`,
    `X-Content-Length: 0\r\n${lengthOf(smuggled)}`,
    `TE: chunked\r\n${lengthOf(smuggled)}`,
    `X: Transfer-Encoding: chunked\r\n${lengthOf(smuggled)}`,
  ].map(
    (fields): Draft => ({
      name: `fields ${JSON.stringify(fields)}`,
      verdict: 'forwarded',
      fields,
      content: smuggled,
      body: smuggled,
    }),
  ),
  ...[
    `Content-Length: 0${smuggled.length}\r\n`,
    `${lengthOf(smuggled)}${lengthOf(smuggled)}`,
    `Content-Length: ${smuggled.length}, ${smuggled.length}\r\n`,
  ].map(
    (fields): Draft => ({
      name: `fields ${JSON.stringify(fields)}`,
      verdict: 'either',
      fields,
      content: smuggled,
      body: smuggled,
    }),
  ),
  ...wrongChunks.map(
    (size): Draft => ({
      name: `chunk ${JSON.stringify(size)}`,
      verdict: 'refused',
      fields: 'Transfer-Encoding: chunked\r\n',
      content: `${size}\r\nx=1&y\r\n0\r\n\r\n${smuggled}`,
    }),
  ),
  ...[
    ...[
      '5\r\nx=1&yX\r\n0\r\n\r\n',
      '5\r\nx=1&y\n0\r\n\r\n',
      '5\r\nx=1&y0\r\n\r\n',
      '5\r\nx=1&y\r\n0\n\n',
      '5\r\nx=1&y\r\n0\r\n\n',
    ],
    ...[
      '5\r\nx=1&y\r\n0\r\nX : a\r\n\r\n',
      '5\r\nx=1&y\r\n0\r\n X: a\r\n\r\n',
      '5\r\nx=1&y\r\n0\r\nX\r\n\r\n',
      '5\nx=1&y\n0\n\n',
    ],
    ...[
      '5\r\nx=1&y\r\r\n0\r\n\r\n',
      '5\r\nx=1&y\r\n0\r\nX: a\n\n',
      '5\r\nx=1&y\r\n0\rX: a\r\n\r\n',
      '5\r\nx=1&y\r\n\r\n0\r\n\r\n',
    ],
    ...[
      '5\r\nx=1&y\r\n0\r\nX\x00: a\r\n\r\n',
      '5\r\nx=1&y\r\n-0\r\n\r\n',
      '5\r\nx=1&y\r\n0 0\r\n\r\n',
      '5\r\nx=1&y\r\n0x0\r\n\r\n',
    ],
  ].map(
    (content): Draft => ({
      name: `chunks ${JSON.stringify(content)}`,
      verdict: 'refused',
      fields: 'Transfer-Encoding: chunked\r\n',
      content: content + smuggled,
    }),
  ),
  ...[
    ...[
      '5\r\nx=1&y\r\n0\r\n\r\n',
      '05\r\nx=1&y\r\n0\r\n\r\n',
      '5;a=b\r\nx=1&y\r\n0\r\n\r\n',
      '5;a="b;c"\r\nx=1&y\r\n0;x\r\n\r\n',
    ],
    ...[
      '2\r\nx=\r\n3\r\n1&y\r\n000\r\n\r\n',
      '5\r\nx=1&y\r\n0\r\nX: a\r\n\r\n',
      '5\r\nx=1&y\r\n0\r\nContent-Length: 9\r\n\r\n',
    ],
    ...['5\r\nx=1&y\r\n0\r\nTransfer-Encoding: x\r\nHost: b\r\n\r\n', '5;a;b;c=d\r\nx=1&y\r\n00000\r\n\r\n'],
  ].map(
    (content): Draft => ({
      name: `chunks ${JSON.stringify(content)}`,
      verdict: 'either',
      fields: 'Transfer-Encoding: chunked\r\n',
      content,
      body: 'x=1&y',
    }),
  ),
  ...wrongFieldLines.flatMap((line): Draft[] =>
    ['GET', 'POST'].map((method) => ({
      name: `line ${JSON.stringify(line)} of ${method}`,
      verdict: 'refused',
      method,
      fields: `${line}\r\n${method === 'GET' ? '' : 'Content-Length: 5\r\n'}`,
      content: method === 'GET' ? smuggled : `x=1&y${smuggled}`,
    })),
  ),
  ...lineEnds.flatMap((end): Draft[] =>
    ['Content-Length: 40', 'Transfer-Encoding: chunked', 'X: b', smuggled.trimEnd()].map((hidden) => ({
      name: `line end ${JSON.stringify(end)} before ${JSON.stringify(hidden)}`,
      // A byte beyond ASCII is part of a value, for every server.
      verdict: end === '\x85' ? 'either' : 'refused',
      fields: `X: a${end}${hidden}\r\n`,
      ...(end === '\x85' ? {} : { content: smuggled }),
    })),
  ),
  ...requestLines.map(
    ([line, verdict]): Draft => ({
      name: `request line ${JSON.stringify(line)}`,
      verdict,
      line,
      method: line.trim().split(' ')[0]!,
    }),
  ),
  ...hosts.map(([host, verdict]): Draft => ({ name: `hosts ${JSON.stringify(host)}`, verdict, host })),
  ...connectionValues.flatMap((value): Draft[] => [
    {
      name: `connection ${JSON.stringify(value)}`,
      verdict: 'forwarded',
      method: 'GET',
      fields: `Connection: ${value}\r\nX: 1\r\n`,
    },
    {
      name: `connection ${JSON.stringify(value)} with content`,
      verdict: 'forwarded',
      fields: `Connection: ${value}\r\n${lengthOf(smuggled)}`,
      content: smuggled,
      body: smuggled,
    },
    {
      name: `connection ${JSON.stringify(value)} with chunks`,
      verdict: 'forwarded',
      fields: `Connection: ${value}\r\nTransfer-Encoding: chunked\r\n`,
      content: chunked(smuggled),
      body: smuggled,
    },
  ]),
  ...['h2c', 'websocket', 'TLS/1.0', 'x', 'h2c, websocket'].map(
    (protocol): Draft => ({
      name: `upgrade to ${protocol} with content`,
      verdict: 'forwarded',
      fields: `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n${lengthOf(smuggled)}`,
      content: smuggled,
      body: smuggled,
    }),
  ),
  ...['1.0', '1.1'].map(
    (version): Draft => ({
      name: `content of HTTP/${version}`,
      verdict: 'forwarded',
      line: `POST %P HTTP/${version}`,
      fields: lengthOf(smuggled),
      content: smuggled,
      body: smuggled,
    }),
  ),
  {
    name: 'chunks of HTTP/1.0',
    verdict: 'refused',
    line: 'POST %P HTTP/1.0',
    fields: 'Transfer-Encoding: chunked\r\n',
    content: `0\r\n\r\n${smuggled}`,
  },
]

export const vectors: readonly Vector[] = drafts.map((draft, index) => {
  const { name, verdict, method = 'POST', host = 'Host: a\r\n', fields = '', content = '', body = '' } = draft
  const path = `/api/v${index}`
  const line = (draft.line ?? `${method} %P HTTP/1.1`).replace('%P', path)
  return { name, path, text: `${line}\r\n${host}${fields}\r\n${content}`, verdict, method, body }
})
