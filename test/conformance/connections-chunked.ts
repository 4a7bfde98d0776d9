/**
 * Cases for transfer codings and for chunks with their extensions and trailers.
 *
 * RFC 9112 sections 6.1 and 7.1.
 */
import {
  asked,
  bye,
  type ConnectionCase,
  chunkedPost,
  head,
  next,
  ok,
  posted,
  requests,
  responses,
} from './connection-rows.ts'

export const chunkedCoding: readonly ConnectionCase[] = [
  requests('one chunk', chunkedPost('5\r\nhello\r\n0\r\n\r\n'), [...posted, 'data hello', 'end']),
  requests('no chunk', chunkedPost('0\r\n\r\n'), [...posted, 'end']),
  requests('chunks of one byte', chunkedPost('1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n'), [
    ...posted,
    'data abc',
    'end',
  ]),
  requests('sizes in both cases', chunkedPost(`A\r\n${'x'.repeat(10)}\r\na\r\n${'y'.repeat(10)}\r\n0\r\n\r\n`), [
    ...posted,
    `data ${'x'.repeat(10)}${'y'.repeat(10)}`,
    'end',
  ]),
  requests('sizes with leading zeros', chunkedPost('0000000000000000000000001\r\na\r\n000\r\n\r\n'), [
    ...posted,
    'data a',
    'end',
  ]),
  requests('data that look like the last chunk', chunkedPost('5\r\n0\r\n\r\n\r\n0\r\n\r\n'), [
    ...posted,
    'data 0\r\n\r\n',
    'end',
  ]),
  requests('a chunk of 65536 bytes', chunkedPost(`10000\r\n${'z'.repeat(65536)}\r\n0\r\n\r\n`), [
    ...posted,
    `data ${'z'.repeat(65536)}`,
    'end',
  ]),
  ...[
    ';a',
    ';a=b',
    ';a="b"',
    ';a=b;c=d',
    ';a="b;c"',
    ';a="\\""',
    ' ;a',
    ' ; a = b',
    '\t;\ta\t=\t"b"',
    ';a;b;c',
    ';a=""',
    ";!#$%&'*+-.^_`|~=1",
    ';a="\xe4\t"',
  ].map((extension) =>
    requests(`the extensions ${JSON.stringify(extension)}`, chunkedPost(`1${extension}\r\na\r\n0\r\n\r\n`), [
      ...posted,
      `extensions ${extension.replace(/^[ \t]*;[ \t]*/, '')}`,
      'data a',
      'end',
    ]),
  ),
  requests('extensions of the last chunk', chunkedPost('0;sig="x"\r\n\r\n'), [...posted, 'end ;sig="x"']),
  ...(
    [
      ['1;', 3],
      ['1;;a', 3],
      ['1;=b', 3],
      ['1;a=', 5],
      ['1;a="b', 5],
      ['1;a=b c', 7],
      ['1;(', 3],
      ['1;a="b"c', 8],
      ['1;a={}', 5],
      ['1; ', 4],
    ] as const
  ).map(([line, column]) =>
    requests(`extensions outside the grammar, ${JSON.stringify(line)}`, chunkedPost(`${line}\r\na\r\n0\r\n\r\n`), {
      lenient:
        line.endsWith('; ') || line.endsWith('1;')
          ? [...posted, 'data a', 'end']
          : [...posted, `extensions ${line.slice(2)}`, 'data a', 'end'],
      strict: [...posted, `CHUNK_EXTENSION 400 5:${column}`],
    }),
  ),
  ...['1;a\x01', '1;\0', '1;a="\x7f"', '1;a=\x0b'].map((line) =>
    requests(`a control character in extensions, ${JSON.stringify(line)}`, chunkedPost(`${line}\r\na\r\n0\r\n\r\n`), [
      ...posted,
      `CHUNK_EXTENSION 400 5:${line.search(/[\0-\x1f\x7f]/) + 1}`,
    ]),
  ),
  ...(
    [
      ['', 1],
      ['g', 1],
      [' 1', 1],
      ['\t1', 1],
      ['+1', 1],
      ['-1', 1],
      ['0x1', 2],
      ['0X1', 2],
      ['1_0', 2],
      ['1.0', 2],
      ['1,0', 2],
      ['x', 1],
      ['"1"', 1],
      ['\xb9', 1],
      ['1h', 2],
      ['1\xa0', 2],
      ['1\x0b', 2],
      ['1\x0c', 2],
      ['1:', 2],
      ['1=a', 2],
      ['1 a', 3],
      ['1\0', 2],
    ] as const
  ).map(([line, column]) =>
    requests(`the size ${JSON.stringify(line)}`, chunkedPost(`${line}\r\na\r\n0\r\n\r\n`), [
      ...posted,
      `CHUNK_SIZE 400 5:${column}`,
    ]),
  ),
  ...['1 ', '1\t', '1  \t'].map((line) =>
    requests(`white space after the size, ${JSON.stringify(line)}`, chunkedPost(`${line}\r\na\r\n0\r\n\r\n`), {
      lenient: [...posted, 'data a', 'end'],
      strict: [...posted, 'CHUNK_SIZE 400 5:2'],
    }),
  ),
  ...['10000000000000', 'ffffffffffffffff', '10000000000000000', 'FFFFFFFFFFFFFFFFFFFFFFFF', '1'.repeat(60)].map(
    (size) =>
      requests(`the size ${size.slice(0, 24)} overflows`, chunkedPost(`${size}\r\na`), [
        ...posted,
        'CHUNK_SIZE 413 5:1',
      ]),
  ),
  requests('the largest size is waited for', chunkedPost('fffffffffffff\r\nab'), [
    ...posted,
    'data ab',
    'INCOMPLETE 400 6:3',
  ]),
  requests('an empty size line for the last chunk', chunkedPost('\r\n\r\n'), [...posted, 'CHUNK_SIZE 400 5:1']),
  requests('an empty size line after a chunk', chunkedPost('1\r\na\r\n\r\n\r\n'), [
    ...posted,
    'data a',
    'CHUNK_SIZE 400 7:1',
  ]),
  requests('a blank and LF alone after the size', chunkedPost('1 \na\r\n0\r\n\r\n'), [...posted, 'BARE_LF 400 5:3']),
  requests('a blank and LF alone after the last size', chunkedPost('0 \n\r\n'), [...posted, 'BARE_LF 400 5:3']),
  requests('no CRLF after the data', chunkedPost('1\r\nab\r\n0\r\n\r\n'), [...posted, 'data a', 'CHUNK_DATA 400 6:2']),
  requests('a size too small', chunkedPost('4\r\nhello\r\n0\r\n\r\n'), [...posted, 'data hell', 'CHUNK_DATA 400 6:5']),
  requests('a size too large', chunkedPost('6\r\nhello\r\n0\r\n\r\n'), [
    ...posted,
    'data hello\r',
    'CHUNK_DATA 400 6:7',
  ]),
  requests('LF alone after the size', chunkedPost('1\na\r\n0\r\n\r\n'), [...posted, 'BARE_LF 400 5:2']),
  requests('LF alone after the data', chunkedPost('1\r\na\n0\r\n\r\n'), [...posted, 'data a', 'CHUNK_DATA 400 6:2']),
  requests('CR alone after the size', chunkedPost('1\ra\r\n0\r\n\r\n'), [...posted, 'BARE_CR 400 5:2']),
  requests('CR alone after the data', chunkedPost('1\r\na\r0\r\n\r\n'), [...posted, 'data a', 'CHUNK_DATA 400 6:2']),
  requests('two trailers', chunkedPost('0\r\nX: 1\r\nY:2\r\n\r\n'), [...posted, 'end X: 1 Y: 2']),
  requests('a trailer with white space around', chunkedPost('0\r\nX: \t1 \t\r\n\r\n'), [...posted, 'end X: 1']),
  requests('an empty trailer', chunkedPost('0\r\nX:\r\n\r\n'), [...posted, 'end X: ']),
  ...(
    [
      ['X', 2],
      [': y', 1],
      ['X : y', 2],
      ['X\0: y', 2],
      ['X: \0', 4],
      ['X: \x7f', 4],
      ['(: y', 1],
      [' X: y', 1],
    ] as const
  ).map(([line, column]) =>
    requests(`the trailer ${JSON.stringify(line)}`, chunkedPost(`0\r\n${line}\r\n\r\n`), [
      ...posted,
      `TRAILER 400 6:${column}`,
    ]),
  ),
  requests(
    'framing fields as trailers frame nothing',
    chunkedPost(`0\r\nContent-Length: 50\r\nTransfer-Encoding: gzip\r\nHost: b\r\n\r\n${next}`),
    [...posted, 'end Content-Length: 50 Transfer-Encoding: gzip Host: b', 'GET /b', 'end'],
  ),
  requests('cut after the last chunk', chunkedPost('1\r\na\r\n0\r\n'), [...posted, 'data a', 'INCOMPLETE 400 8:1']),
  requests('cut in the data', chunkedPost('5\r\nab'), [...posted, 'data ab', 'INCOMPLETE 400 6:3']),
  requests('cut in the size', chunkedPost('5'), [...posted, 'INCOMPLETE 400 5:2']),
  requests('cut before the first chunk', chunkedPost(''), [...posted, 'INCOMPLETE 400 5:1']),
  responses('of a response', `${head(ok, 'Transfer-Encoding: chunked')}3;x\r\nabc\r\n0\r\nX: y\r\n\r\n${bye}`, [
    '200 OK chunked',
    'extensions x',
    'data abc',
    'end X: y',
    '204 No Content',
    'end',
  ]),
  responses(
    'with control characters in a trailer of a response',
    `${head(ok, 'Transfer-Encoding: chunked')}0\r\nX: \x01\r\n\r\n`,
    { lenient: ['200 OK chunked', 'end X: \x01'], strict: ['200 OK chunked', 'TRAILER 400 5:4'] },
  ),
]

export const codingCases: readonly ConnectionCase[] = [
  ...['chunked', 'Chunked', 'CHUNKED', ' chunked ', '\tchunked\t'].map((coding) =>
    requests(
      `Transfer-Encoding: ${JSON.stringify(coding)}`,
      `${head('POST /p HTTP/1.1', 'Host: a', `Transfer-Encoding:${coding}`)}1\r\na\r\n0\r\n\r\n`,
      [...posted, 'data a', 'end'],
    ),
  ),
  ...(
    [
      ['identity', 501],
      ['xchunked', 501],
      ['chunkedx', 501],
      ['chunke', 501],
      ['x-chunked', 501],
      ['gzip', 400],
      ['deflate', 400],
      ['br', 501],
      ['', 400],
      [',', 400],
      [',chunked', 400],
      ['chunked,', 400],
      ['chunked,,', 400],
      ['chunked, chunked', 400],
      ['chunked, gzip', 400],
      ['chunked, identity', 400],
      ['identity, chunked', 501],
      ['chunked;q=1', 400],
      ['chunked q', 400],
      ['"chunked"', 400],
      ["'chunked'", 501],
      ['chunked\xa0', 400],
      ['\xa0chunked', 400],
      ['chun\xadked', 400],
      ['chunked=', 400],
      ['chunked/1', 400],
      ['[chunked]', 400],
    ] as const
  ).map(([coding, status]) =>
    requests(
      `Transfer-Encoding: ${JSON.stringify(coding)}`,
      `${asked('POST /p HTTP/1.1', `Transfer-Encoding: ${coding}`)}0\r\n\r\n`,
      [`TRANSFER_ENCODING ${status} 3:${20}`],
    ),
  ),
  requests(
    'gzip, then chunked',
    `${asked('POST /p HTTP/1.1', 'Transfer-Encoding: gzip, chunked')}1\r\na\r\n0\r\n\r\n`,
    {
      lenient: [...posted, 'data a', 'end'],
      strict: [...posted, 'data a', 'end'],
      server: ['TRANSFER_ENCODING 501 3:20'],
    },
  ),
  requests(
    'a length as well',
    `${asked('POST /p HTTP/1.1', 'Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ['FRAMING_CONFLICT 400 4:20'],
  ),
  requests('a coding in HTTP/1.0', `${head('POST /p HTTP/1.0', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [
    'TRANSFER_ENCODING 400 2:20',
  ]),
  responses('gzip without chunked lasts until the end', `${head(ok, 'Transfer-Encoding: gzip')}abc`, [
    '200 OK until close last',
    'data abc',
    'end',
  ]),
  responses('identity lasts until the end', `${head(ok, 'Transfer-Encoding: identity')}abc`, [
    '200 OK until close last',
    'data abc',
    'end',
  ]),
  responses('gzip, then chunked', `${head(ok, 'Transfer-Encoding: gzip, chunked')}1\r\na\r\n0\r\n\r\n`, [
    '200 OK chunked',
    'data a',
    'end',
  ]),
  responses('chunked, then gzip', head(ok, 'Transfer-Encoding: chunked, gzip'), ['TRANSFER_ENCODING 400 2:20']),
  responses('a length as well', `${head(ok, 'Transfer-Encoding: chunked', 'Content-Length: 3')}1\r\na\r\n0\r\n\r\n`, {
    lenient: ['200 OK chunked last', 'data a', 'end'],
    strict: ['FRAMING_CONFLICT 400 2:20'],
  }),
  responses(
    'a coding in HTTP/1.0',
    `${head('HTTP/1.0 200 OK', 'Transfer-Encoding: chunked', 'Connection: keep-alive')}1\r\na\r\n0\r\n\r\n${bye}`,
    { lenient: ['200 OK chunked last', 'data a', 'end'], strict: ['TRANSFER_ENCODING 400 2:20'] },
  ),
]
