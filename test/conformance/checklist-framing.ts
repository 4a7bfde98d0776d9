/**
 * Checklist rows for message framing: where a body ends.
 *
 * RFC 9112 sections 6.1, 6.3, 7.1 and 8; RFC 9110 section 8.6.
 */
import {
  accepted,
  answer,
  chunks,
  incomplete,
  post,
  type Rule,
  rejected,
  repaired,
  request,
  response,
} from './checklist-rows.ts'

const badCoding = rejected('TRANSFER_ENCODING')
const badLength = rejected('CONTENT_LENGTH')
const conflict = rejected('FRAMING_CONFLICT')
const hello = accepted({ body: 'hello' })
const zero = '0\r\n\r\n'
const five = `5\r\nhello\r\n${zero}`

export const FRAMING: readonly Rule[] = [
  {
    rule: 'a request has Content-Length or Transfer-Encoding, never both',
    rfc: '9112 6.1, 6.3',
    cases: [
      request('length first', post(['Content-Length: 5', 'Transfer-Encoding: chunked'], five), conflict),
      request('coding first', post(['Transfer-Encoding: chunked', 'Content-Length: 5'], five), conflict),
      request('length 0', post(['Content-Length: 0', 'Transfer-Encoding: chunked'], five), conflict),
    ],
  },
  {
    rule: 'in a response Transfer-Encoding wins over Content-Length and the connection ends',
    rfc: '9112 6.3',
    cases: [
      response('both', answer(['Content-Length: 3', 'Transfer-Encoding: chunked'], five), {
        lenient: repaired('content-length-with-transfer-encoding', {
          body: 'hello',
          headers: ['Transfer-Encoding: chunked'],
          keepAlive: false,
        }),
        strict: rejected('FRAMING_CONFLICT', 'any'),
      }),
    ],
  },
  {
    rule: 'the Transfer-Encoding of a request ends in chunked',
    rfc: '9112 6.3',
    cases: [
      request('gzip', post(['Transfer-Encoding: gzip'], five), badCoding),
      request('chunked, gzip', post(['Transfer-Encoding: chunked, gzip'], five), badCoding),
      request(
        'gzip in a second line',
        post(['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip'], five),
        badCoding,
      ),
      ...['identity', 'xchunked', 'chunkedx', 'chunke', 'chunked x', '"chunked"', 'chun ked', '', ','].map((coding) =>
        request(`"${coding}"`, post([`Transfer-Encoding: ${coding}`], five), rejected('TRANSFER_ENCODING', 'any')),
      ),
      request(
        'U+212A is not a k',
        post(['Transfer-Encoding: chun\xe2\x84\xaaed'], five),
        rejected('TRANSFER_ENCODING', 'any'),
      ),
      request('a VT after it', post(['Transfer-Encoding: chunked\v'], five), rejected('HEADER_VALUE')),
      request('capitals are the same', post(['transfer-encoding:\tChunKED '], five), hello),
    ],
  },
  {
    rule: 'a coding that is not known is not taken, with a length or without',
    rfc: '9112 6.3',
    cases: [
      request('with Content-Length', post(['Transfer-Encoding: foo', 'Content-Length: 5'], 'hello'), {
        lenient: rejected('TRANSFER_ENCODING', 'any'),
        strict: rejected('TRANSFER_ENCODING', 501),
      }),
    ],
  },
  {
    rule: 'chunked is applied once, without parameter, in a plain list',
    rfc: '9112 6.1, 7.1',
    cases: [
      request('twice', post(['Transfer-Encoding: chunked, chunked'], five), badCoding),
      request('in two lines', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], five), badCoding),
      request('with a parameter', post(['Transfer-Encoding: chunked;q=1'], five), badCoding),
      request('after an empty element', post(['Transfer-Encoding: ,chunked'], five), badCoding),
      request('before an empty element', post(['Transfer-Encoding: chunked,'], five), badCoding),
    ],
  },
  {
    rule: 'HTTP/1.0 has no Transfer-Encoding',
    rfc: '9112 6.1',
    cases: [
      request('request', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${five}`, rejected('TRANSFER_ENCODING')),
      response('response', `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${five}`, {
        lenient: repaired('transfer-encoding-in-http-1.0', {
          version: 'HTTP/1.1',
          body: 'hello',
          keepAlive: false,
          line: 'HTTP/1.1 200 OK',
        }),
        strict: rejected('TRANSFER_ENCODING', 'any'),
      }),
    ],
  },
  {
    rule: 'a response whose Transfer-Encoding does not end in chunked lasts until the connection ends',
    rfc: '9112 6.3',
    cases: [
      response('gzip', answer(['Transfer-Encoding: gzip'], 'hello'), {
        lenient: accepted({ body: 'hello', keepAlive: false, repairs: 'any' }),
        strict: 'free',
      }),
    ],
  },
  {
    rule: 'Content-Length is 1*DIGIT',
    rfc: '9112 6.3, 9110 8.6',
    cases: [
      ...['+5', '-5', '0x5', '5.0', '5e0', '5 5', '5;', '"5"', '', 'five', '5z', '1_0', '5\xa0', '\xd9\xa5'].flatMap(
        (length) => [
          request(`"${length}"`, post([`Content-Length: ${length}`], 'hello'), badLength),
          response(`"${length}" in a response`, answer([`Content-Length: ${length}`], 'hello'), badLength),
        ],
      ),
      request('white space around it', post(['Content-Length:\t5 '], 'hello'), hello),
    ],
  },
  {
    rule: 'a repeated length is collapsed in a text, an error elsewhere',
    rfc: '9112 6.3',
    cases: [
      request('5, 5', post(['Content-Length: 5, 5'], 'hello'), {
        lenient: repaired('repeated-content-length', { body: 'hello', headers: ['Host: a', 'Content-Length: 5'] }),
        strict: badLength,
      }),
      request('two lines', post(['Content-Length: 5', 'X: y', 'Content-Length: 5'], 'hello'), {
        lenient: repaired('repeated-content-length', {
          body: 'hello',
          headers: ['Host: a', 'Content-Length: 5', 'X: y'],
        }),
        strict: badLength,
      }),
      response('two lines of a response', answer(['Content-Length: 5', 'Content-Length: 5'], 'hello'), {
        lenient: repaired('repeated-content-length', { body: 'hello', headers: ['Content-Length: 5'] }),
        strict: badLength,
      }),
    ],
  },
  {
    rule: 'two lengths are an error',
    rfc: '9112 6.3',
    cases: [
      request('5, 6', post(['Content-Length: 5, 6'], 'hello!'), badLength),
      request('two lines', post(['Content-Length: 5', 'Content-Length: 6'], 'hello!'), badLength),
      response('two lines of a response', answer(['Content-Length: 5', 'Content-Length: 6'], 'hello!'), badLength),
    ],
  },
  {
    rule: 'a length is below 2^53',
    rfc: '9110 8.6',
    cases: [
      ...[
        '9007199254740992',
        '18446744073709551616',
        '18446744073709551621',
        '4294967296000000000005',
        '9'.repeat(400),
      ].map((length) =>
        request(length.slice(0, 24), post([`Content-Length: ${length}`], 'hello'), {
          lenient: rejected('CONTENT_LENGTH', 'any'),
          strict: rejected('CONTENT_LENGTH', 413),
        }),
      ),
      request('2^53 - 1 is one, and more is missing', post(['Content-Length: 9007199254740991'], 'hello'), incomplete),
      request('2^32 + 5 does not wrap', post(['Content-Length: 4294967301'], 'hello'), incomplete),
    ],
  },
  {
    rule: 'leading zeros are decimal',
    rfc: '9110 8.6',
    cases: [
      request('0005', post(['Content-Length: 0005'], 'hello'), hello),
      request('010 is ten', post(['Content-Length: 010'], 'helloworld'), accepted({ body: 'helloworld' })),
      request('thirty zeros', post([`Content-Length: ${'0'.repeat(30)}5`], 'hello'), hello),
    ],
  },
  {
    rule: 'a body shorter than its length is incomplete',
    rfc: '9112 6.3, 8',
    cases: [
      request('request', post(['Content-Length: 6'], 'hello'), incomplete),
      request('no body', post(['Content-Length: 1'], ''), incomplete),
      response('response', answer(['Content-Length: 6'], 'hello'), incomplete),
    ],
  },
  {
    rule: 'a request without length and coding has no body; a text with one gets its length',
    rfc: '9112 6.3',
    cases: [
      request('POST', post([], ''), accepted({ headers: ['Host: a'] })),
      ...['POST', 'PUT', 'PATCH', 'GET', 'DELETE', 'FIND'].map((method) =>
        request(`${method} with a body`, `${method} / HTTP/1.1\r\nHost: a\r\n\r\nh\xe9llo`, {
          lenient: repaired('missing-content-length', {
            body: 'h\xe9llo',
            headers: ['Host: a', 'Content-Length: 5'],
          }),
          strict: accepted({ body: '', headers: ['Host: a'] }),
          decoder: 'free',
        }),
      ),
      request('only line ends after the empty line', post([], '\r\n\r\n'), {
        lenient: accepted({ body: '', headers: ['Host: a'] }),
        strict: accepted({ body: '' }),
        decoder: 'free',
      }),
    ],
  },
  {
    rule: 'bytes after the end are not part of the message',
    rfc: '9112 6.3, 2.2',
    cases: [
      request('after a length', post(['Content-Length: 5'], 'helloGET'), {
        lenient: repaired('trailing-data', { body: 'hello' }),
        strict: hello,
        decoder: 'free',
      }),
      request('after the last chunk', chunks(`${five}GET`), {
        lenient: repaired('trailing-data', { body: 'hello' }),
        strict: hello,
        decoder: 'free',
      }),
      request('blank lines only', post(['Content-Length: 5'], 'hello\r\n\r\n'), {
        lenient: hello,
        strict: hello,
        decoder: 'free',
      }),
      response('after a length in a response', answer(['Content-Length: 5'], 'hello!'), {
        lenient: repaired('trailing-data', { body: 'hello' }),
        strict: hello,
        decoder: 'free',
      }),
    ],
  },
  {
    rule: '1xx, 204, 304 and the answer to HEAD have no body',
    rfc: '9112 6.3',
    cases: [
      response('204', 'HTTP/1.1 204 No Content\r\n\r\n', accepted({ status: 204, keepAlive: true })),
      response(
        '304 with a length',
        'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
        accepted({ status: 304 }),
      ),
      response(
        '304 with chunked',
        'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n',
        accepted({ status: 304 }),
      ),
      response(
        '101',
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        accepted({ status: 101 }),
      ),
      response('HEAD with a length', answer(['Content-Length: 5']), {
        lenient: accepted({ keepAlive: true }),
        strict: accepted({ keepAlive: true }),
        answers: 'HEAD',
      }),
      response('HEAD with chunked', answer(['Transfer-Encoding: chunked']), {
        lenient: accepted({ keepAlive: true }),
        strict: accepted({ keepAlive: true }),
        answers: 'HEAD',
      }),
      response('HEAD without either', answer([]), {
        lenient: accepted({ keepAlive: true }),
        strict: accepted({ keepAlive: true }),
        answers: 'HEAD',
      }),
      response('GET with a length', answer(['Content-Length: 5'], 'hello'), hello),
      response('GET without either', answer([], 'hello'), accepted({ body: 'hello', keepAlive: false })),
    ],
  },
]
