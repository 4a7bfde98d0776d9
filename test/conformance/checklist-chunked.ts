/**
 * Checklist rows for the chunked coding.
 *
 * RFC 9112 sections 2.2, 7.1, 7.1.1, 7.1.2 and 8.
 */
import {
  accepted,
  answer,
  chunks,
  incomplete,
  type Rule,
  rejected,
  repaired,
  request,
  response,
} from './checklist-rows.ts'

const zero = '0\r\n\r\n'
const badSize = rejected('CHUNK_SIZE')
const badData = rejected('CHUNK_DATA')
const badTrailer = rejected('TRAILER')
const bareLf = rejected('BARE_LF')
const bareCr = rejected('BARE_CR')
const extended = (extension: string): string => chunks(`5${extension}\r\nhello\r\n${zero}`)

export const CHUNKED: readonly Rule[] = [
  {
    rule: 'a chunk size is 1*HEXDIG',
    rfc: '9112 7.1',
    cases: [
      ...['0x5', '+5', '-5', ' 5', '\t5', '5_0', '', 'g', '5g', 'h5', '5.', '@', '`'].map((size) =>
        request(`"${size}"`, chunks(`${size}\r\nhello\r\n${zero}`), badSize),
      ),
      request(
        'both cases and zeros',
        chunks(`00A\r\nhelloworld\r\n00b\r\nhelloworld!\r\n000\r\n\r\n`),
        accepted({ body: 'helloworldhelloworld!' }),
      ),
      response('in a response', answer(['Transfer-Encoding: chunked'], `0x5\r\nhello\r\n${zero}`), badSize),
    ],
  },
  {
    rule: 'no white space follows a chunk size',
    rfc: '9112 7.1.1',
    cases: [
      request('SP', extended(' '), {
        lenient: repaired('chunk-whitespace', { body: 'hello' }),
        strict: badSize,
      }),
      response('HTAB, in a response', answer(['Transfer-Encoding: chunked'], `5\t\r\nhello\r\n0 \r\n\r\n`), {
        lenient: repaired('chunk-whitespace', { body: 'hello' }),
        strict: badSize,
      }),
      request('SP and more digits', extended(' 5'), badSize),
    ],
  },
  {
    rule: 'a chunk size does not overflow',
    rfc: '9112 7.1',
    cases: [
      ...['20000000000000', 'ffffffffffffffff', '10000000000000005', '100000000000000000000005', 'f'.repeat(400)].map(
        (size) => request(size.slice(0, 24), chunks(`${size}\r\nhello\r\n${zero}`), rejected('CHUNK_SIZE', 413)),
      ),
      request('2^32 + 5 does not wrap', chunks(`100000005\r\nhello\r\n${zero}`), incomplete),
    ],
  },
  {
    rule: 'extensions are read by their grammar and shown, with white space around ; and =',
    rfc: '9112 7.1.1',
    cases: [
      request('a name', extended(';a'), accepted({ body: 'hello', extensions: ['a'] })),
      request('a name and a value', extended(';a=b'), accepted({ body: 'hello', extensions: ['a=b'] })),
      request('several', extended(';a=b;c;d=e'), accepted({ body: 'hello', extensions: ['a=b;c;d=e'] })),
      request(
        'on the last chunk',
        chunks('5\r\nhello\r\n0;a=b\r\n\r\n'),
        accepted({ body: 'hello', extensions: [''] }),
      ),
      request('white space', extended(' ; a\t= b'), accepted({ body: 'hello', extensions: ['a\t= b'] })),
      request('no name', extended(';'), {
        lenient: repaired('chunk-extension', { body: 'hello' }),
        strict: rejected('CHUNK_EXTENSION'),
      }),
      ...[';=b', ';a=', ';a;;b', ';a(', ';a=b c', ';a="b'].map((extension) =>
        request(`"${extension}"`, extended(extension), {
          lenient: repaired('chunk-extension', { body: 'hello', extensions: [extension.slice(1)] }),
          strict: rejected('CHUNK_EXTENSION'),
        }),
      ),
    ],
  },
  {
    rule: 'a quoted value may hold a semicolon',
    rfc: '9112 7.1.1',
    cases: [
      request('semicolon', extended(';a="x;y"'), accepted({ body: 'hello', extensions: ['a="x;y"'] })),
      request('quoted pair', extended(';a="x\\";y";b'), accepted({ body: 'hello', extensions: ['a="x\\";y";b'] })),
      request('obs-text and HTAB', extended(';a="\xe9\t "'), accepted({ body: 'hello' })),
      ...['\x01', '\x1b', '\x1f', '\x7f', '\0'].map((octet) =>
        request(`byte ${octet.charCodeAt(0).toString(16)} in it`, extended(`;a="x${octet}y"`), {
          lenient: 'free',
          strict: rejected('CHUNK_EXTENSION'),
        }),
      ),
      request('a line end in it', extended(';a="x\r\ny"'), { lenient: 'free', strict: rejected('CHUNK_EXTENSION') }),
    ],
  },
  {
    rule: 'a bare LF ends a chunk line only where a text may have one',
    rfc: '9112 7.1',
    cases: [
      request('after the size', chunks(`5\nhello\r\n${zero}`), {
        lenient: repaired('bare-lf', { body: 'hello' }),
        strict: bareLf,
      }),
      request('after an extension', chunks(`5;a=b\nhello\r\n${zero}`), {
        lenient: repaired('bare-lf', { body: 'hello', extensions: ['a=b'] }),
        strict: bareLf,
      }),
      request('after the data', chunks(`5\r\nhello\n${zero}`), {
        lenient: repaired('bare-lf', { body: 'hello' }),
        strict: badData,
      }),
      request('after the last chunk', chunks(`5\r\nhello\r\n0\n\r\n`), {
        lenient: repaired('bare-lf', { body: 'hello' }),
        strict: bareLf,
      }),
      request('as the last line', chunks(`5\r\nhello\r\n0\r\n\n`), {
        lenient: repaired('bare-lf', { body: 'hello' }),
        strict: bareLf,
      }),
    ],
  },
  {
    rule: 'a bare CR is in no chunk line',
    rfc: '9112 2.2',
    cases: [
      request('in an extension', extended(';a=\rb'), bareCr),
      request('after the size', chunks(`5\rhello\r\n${zero}`), bareCr),
      request('CR CR LF', chunks(`5\r\r\nhello\r\n${zero}`), bareCr),
      request('after the data', chunks(`5\r\nhello\r0\r\n\r\n`), badData),
    ],
  },
  {
    rule: 'CRLF follows the data of a chunk',
    rfc: '9112 7.1',
    cases: [
      request('more data', chunks(`5\r\nhello!\r\n${zero}`), badData),
      request('the next size', chunks(`5\r\nhello0\r\n\r\n`), badData),
      request('less data', chunks(`6\r\nhello\r\n${zero}`), badData),
    ],
  },
  {
    rule: 'extensions have a limit in sum',
    rfc: '9112 7.1.1',
    cases: [
      request('16 KiB in one', extended(`;a=${'b'.repeat(16 * 1024)}`), rejected('LIMIT', 413)),
      request(
        '16 KiB in many',
        chunks(`${`1;a=${'b'.repeat(1021)}\r\nx\r\n`.repeat(17)}${zero}`),
        rejected('LIMIT', 413),
      ),
    ],
  },
  {
    rule: 'trailers are kept apart from the headers',
    rfc: '9112 7.1.2',
    cases: [
      request(
        'one',
        chunks('5\r\nhello\r\n0\r\nX: y\r\n\r\n'),
        accepted({ body: 'hello', trailers: ['X: y'], headers: ['Host: a', 'Transfer-Encoding: chunked'] }),
      ),
      request(
        'several, in order',
        chunks('0\r\nB: 1\r\na: 2\r\nB: 3\r\n\r\n'),
        accepted({ trailers: ['B: 1', 'a: 2', 'B: 3'] }),
      ),
      request('without a colon', chunks('0\r\nBroken\r\n\r\n'), badTrailer),
      request('with a space before the colon', chunks('0\r\nX : y\r\n\r\n'), badTrailer),
      request('with NUL', chunks('0\r\nX: \0\r\n\r\n'), badTrailer),
      request('with a bare CR', chunks('0\r\nX: y\rz\r\n\r\n'), bareCr),
    ],
  },
  {
    rule: 'a body without its last chunk is incomplete',
    rfc: '9112 8',
    cases: [
      request('no last chunk', chunks('5\r\nhello\r\n'), incomplete),
      request('nothing', chunks(''), incomplete),
      request('in the data', chunks('5\r\nhel'), incomplete),
      request('in the size', chunks('5'), incomplete),
      response('in a response', answer(['Transfer-Encoding: chunked'], '5\r\nhello\r\n'), incomplete),
    ],
  },
  {
    rule: 'a text may end after the line of the last chunk',
    rfc: '9112 8',
    cases: [
      request('0 CRLF', chunks('5\r\nhello\r\n0\r\n'), {
        lenient: accepted({ body: 'hello', repairs: 'any' }),
        strict: incomplete,
      }),
    ],
  },
]
