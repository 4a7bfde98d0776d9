/**
 * Vectors that hide a request behind Transfer-Encoding: both framing fields, and a field that only some readers see.
 *
 * RFC 9112 sections 5.1, 5.2, 6.1, 6.3 and 11.2.
 */
import { head } from './connection-rows.ts'
import { asChunk, endThenHidden, quoted, type Vector, vector } from './smuggling-rows.ts'

/** Ways to write Transfer-Encoding so that some readers see it and some do not, or see something else. */
const codingLines: readonly string[] = [
  ...['chunked ,', ',chunked', ', chunked', 'chunked,', 'chunked, ', ',,chunked', 'chunked,,', 'chunked, ,'],
  ...[
    'xchunked',
    'chunkedx',
    'x chunked',
    'chunked x',
    'chunk',
    'chunke',
    'chunkedd',
    'ch\tunked',
    'chun ked',
    'chunked\\',
  ],
  ...[
    'identity',
    'identity, chunked',
    'chunked, identity',
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'deflate, chunked',
  ],
  ...['cow', 'cow, chunked', 'chunked, cow', 'trailers', 'chunked, chunked', 'chunked, Chunked', 'chunked,chunked'],
  ...['chunked;', 'chunked;q=0', 'chunked;x', 'chunked; x=y', 'chunked ;x', 'chunked=1', 'q=1;chunked', 'chunked(x)'],
  ...[
    '"chunked"',
    "'chunked'",
    '"chunked',
    'chunked"',
    '[chunked]',
    '{chunked}',
    '<chunked>',
    '(chunked)',
    '`chunked`',
  ],
  ...['\x0bchunked', 'chunked\x0b', '\x0cchunked', 'chunked\x0c', '\0chunked', 'chunked\0', 'chun\0ked', '\x01chunked'],
  ...[
    'chunked\x7f',
    '\x1fchunked',
    '\x08chunked',
    '\x1bchunked',
    '\xa0chunked',
    'chunked\xa0',
    '\x85chunked',
    '\xad chunked',
  ],
  ...[
    '\xefbbbfchunked',
    'chun\xe2\x84\xaaed',
    '\xe3\x80\x80chunked',
    'chunked\xff',
    '\xffchunked',
    'c\xadhunked',
    'chunked\xc2\xa0',
  ],
  ...[
    '',
    ' ',
    '\t',
    ',',
    ' , ',
    ';',
    '"',
    '0',
    'true',
    'none',
    'null',
    '*',
    'chunked:',
    ':chunked',
    ': chunked',
    'chunked/1.1',
  ],
].map((value) => `Transfer-Encoding: ${value}`)

/** Ways to write the name of the field and the text around it. */
const nameLines: readonly string[] = [
  ...[
    'Transfer-Encoding : chunked',
    'Transfer-Encoding\t: chunked',
    'Transfer-Encoding  : chunked',
    'Transfer-Encoding\x0b: chunked',
  ],
  ...[
    'Transfer-Encoding\0: chunked',
    'Transfer-Encoding\x0c: chunked',
    'Transfer-Encoding\xa0: chunked',
    'Transfer-Encoding\x85: chunked',
  ],
  ...[
    ' Transfer-Encoding: chunked',
    '\tTransfer-Encoding: chunked',
    '\x0bTransfer-Encoding: chunked',
    '\0Transfer-Encoding: chunked',
  ],
  ...[
    '\xa0Transfer-Encoding: chunked',
    '\xefbbbfTransfer-Encoding: chunked',
    '"Transfer-Encoding": chunked',
    '(Transfer-Encoding): chunked',
  ],
  ...[
    'Transfer Encoding: chunked',
    'Transfer-Encoding',
    'Transfer-Encoding chunked',
    'Transfer-Encoding; chunked',
    'Transfer-Encoding= chunked',
  ],
  ...[
    'Transfer-\r\n Encoding: chunked',
    'Transfer-\rEncoding: chunked',
    'Transfer-\0Encoding: chunked',
    'Transfer\xadEncoding: chunked',
  ],
  ...[
    ': Transfer-Encoding: chunked',
    'Transfer-Encoding,: chunked',
    'Transfer-Encoding/: chunked',
    'Transfer-Encoding@: chunked',
    'Transf\xc3\xa9r-Encoding: chunked',
  ],
  ...[
    'Transfer-Encoding:\r\n chunked',
    'Transfer-Encoding:\r\n\tchunked',
    'Transfer-Encoding: x\r\n chunked',
    'Transfer-Encoding: chunked\r\n x',
  ],
  ...[
    'X: y\r\n Transfer-Encoding: chunked',
    'X: y\r\n\tTransfer-Encoding: chunked',
    'X:\r\n \r\n\tTransfer-Encoding: chunked',
  ],
  ...[
    'X: y\rTransfer-Encoding: chunked',
    'X: y\r\rTransfer-Encoding: chunked',
    'X: y\nTransfer-Encoding: chunked',
    'X: y\n\nTransfer-Encoding: chunked',
  ],
  ...[
    'X: y\r\r\nTransfer-Encoding: chunked',
    'X: y\n\rTransfer-Encoding: chunked',
    'X: y\0Transfer-Encoding: chunked',
    'X: y\x0bTransfer-Encoding: chunked\0',
  ],
  ...[
    'Transfer-Encoding: chunked\nX: y',
    'Transfer-Encoding: chunked\rX: y',
    'Transfer-Encoding: chunked\r\r\nX: y',
    'Transfer-Encoding: \nchunked',
  ],
]

const shownLength = `Content-Length: ${asChunk.length}`

export const codingVectors: Readonly<Record<string, readonly Vector[]>> = {
  'CL.TE and TE.CL: both fields': [
    ...[
      'Transfer-Encoding: chunked',
      'transfer-encoding: chunked',
      'TRANSFER-ENCODING: CHUNKED',
      'Transfer-Encoding:chunked',
      'Transfer-Encoding: \tchunked\t ',
    ].flatMap((line) => [
      vector(`${quoted(line)} after the length`, [`Content-Length: ${endThenHidden.length}`, line], endThenHidden),
      vector(`${quoted(line)} before the length`, [line, 'Content-Length: 4'], asChunk),
      vector(`${quoted(line)} between two lengths`, ['Content-Length: 4', line, 'Content-Length: 4'], asChunk),
      vector(`${quoted(line)} with a length of 0`, ['Content-Length: 0', line], endThenHidden),
    ]),
    vector('twice chunked', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], endThenHidden),
    vector('chunked and identity', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], endThenHidden),
    vector('identity and chunked', ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'], endThenHidden),
    vector('chunked and something else', ['Transfer-Encoding: chunked', 'Transfer-encoding: cow'], endThenHidden),
    vector('something else and chunked', ['Transfer-Encoding: x', 'Transfer-Encoding: chunked'], endThenHidden),
    vector('chunked and an empty one', ['Transfer-Encoding: chunked', 'Transfer-Encoding:'], endThenHidden),
    {
      title: 'chunked in HTTP/1.0',
      octets: head('POST / HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked') + endThenHidden,
    },
    {
      title: 'chunked in HTTP/1.0 with a length',
      octets: head('POST / HTTP/1.0', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked') + endThenHidden,
    },
    {
      title: 'chunked in HTTP/1.0 kept alive',
      octets: head('POST / HTTP/1.0', 'Connection: keep-alive', 'Transfer-Encoding: chunked') + endThenHidden,
    },
  ],
  'TE.TE: a coding that some see': codingLines.flatMap((line) => [
    vector(`${quoted(line)} alone`, [line], asChunk),
    vector(`${quoted(line)} with a length`, [shownLength, line], asChunk),
    vector(`${quoted(line)} after chunked`, ['Transfer-Encoding: chunked', line], endThenHidden),
  ]),
  'a field that some see': nameLines.flatMap((line) => [
    vector(`${quoted(line)} alone`, [line], asChunk),
    vector(`${quoted(line)} after a length`, [shownLength, line], asChunk),
  ]),
}
