/**
 * Checklist rows for field lines and for the status line.
 *
 * RFC 9112 sections 4, 5, 5.1, 5.2 and 11.2; RFC 9110 sections 5.1, 5.5 and 5.6.2.
 */
import { accepted, answer, fields, line, type Rule, rejected, repaired, request, response } from './checklist-rows.ts'

const badName = rejected('HEADER_NAME')
const badValue = rejected('HEADER_VALUE')
const fold = rejected('FOLD')
const beforeColon = rejected('WHITESPACE')
const host = 'Host: a'

export const FIELDS: readonly Rule[] = [
  {
    rule: 'no white space between a field name and its colon',
    rfc: '9112 5.1',
    cases: [
      request('SP', fields('X : y'), beforeColon),
      request('HTAB', fields('X\t: y'), beforeColon),
      request('before the colon of Host', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', beforeColon),
      request('before the colon of a framing field', fields('Content-Length : 5'), beforeColon),
      response('in a response', answer(['X : y', 'Content-Length: 0']), beforeColon),
    ],
  },
  {
    rule: 'a field line has a colon',
    rfc: '9112 5',
    cases: [
      request('none', fields('Broken'), rejected('HEADER_COLON')),
      request('none in the last line', 'GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n\r\n', rejected('HEADER_COLON')),
      response('none in a response', answer(['Broken', 'Content-Length: 0']), rejected('HEADER_COLON')),
    ],
  },
  {
    rule: 'a field has a name',
    rfc: '9110 5.1',
    cases: [
      request('none', fields(': y'), badName),
      response('none in a response', answer([': y', 'Content-Length: 0']), badName),
    ],
  },
  {
    rule: 'a field name is a token',
    rfc: '9110 5.6.2',
    cases: [
      ...[
        '(',
        ')',
        ',',
        '/',
        ';',
        '<',
        '=',
        '>',
        '?',
        '@',
        '[',
        '\\',
        ']',
        '{',
        '}',
        '"',
        '\0',
        '\x7f',
        '\x80',
        '\xe9',
      ].map((octet) => request(`byte ${octet.charCodeAt(0).toString(16)}`, fields(`X${octet}Y: z`), badName)),
      request('a space inside', fields('X Y: z'), badName),
      request('an at sign is not a small letter', fields('@: z'), badName),
      response('in a response', answer(['X(Y: z', 'Content-Length: 0']), badName),
      request(
        'every mark of a token',
        fields("!#$%&'*+-.^_`|~09Az: z"),
        accepted({ headers: [host, "!#$%&'*+-.^_`|~09Az: z"] }),
      ),
    ],
  },
  {
    rule: 'white space around a value is not part of it: SP and HTAB, nothing else',
    rfc: '9110 5.5',
    cases: [
      request('none', fields('X:y'), accepted({ headers: [host, 'X: y'] })),
      request('SP and HTAB', fields('X: \t y z\t \t'), accepted({ headers: [host, 'X: y z'] })),
      request('only white space', fields('X: \t '), accepted({ headers: [host, 'X: '] })),
      request('an empty value', fields('X:'), accepted({ headers: [host, 'X: '] })),
      request('inside it stays', fields('X: a \t b'), accepted({ headers: [host, 'X: a \t b'] })),
      request('a colon stays', fields('X: :a:'), accepted({ headers: [host, 'X: :a:'] })),
    ],
  },
  {
    rule: 'obs-text is kept as it came',
    rfc: '9110 5.5',
    cases: [
      request(
        '0x85 and 0xA0 are not white space',
        fields('X: \x85y\xa0'),
        accepted({ headers: [host, 'X: \x85y\xa0'] }),
      ),
      request('0x80 and 0xFF', fields('X: \x80\x9f\xff'), accepted({ headers: [host, 'X: \x80\x9f\xff'] })),
      request('UTF-8', fields('X: \xc3\xa9'), accepted({ headers: [host, 'X: \xc3\xa9'] })),
      request('the bytes of U+FEFF', fields('X: \xef\xbb\xbfy'), accepted({ headers: [host, 'X: \xef\xbb\xbfy'] })),
    ],
  },
  {
    rule: 'NUL is in no value',
    rfc: '9110 5.5',
    cases: [
      request('inside', fields('X: y\0z'), badValue),
      request('alone', fields('X: \0'), badValue),
      response('in a response', answer(['X: y\0z', 'Content-Length: 0']), badValue),
    ],
  },
  {
    rule: 'other controls are in no value of a request; a response may be read with them',
    rfc: '9110 5.5',
    cases: [
      ...['\x01', '\b', '\v', '\f', '\x1b', '\x1f', '\x7f'].flatMap((octet) => [
        request(`byte ${octet.charCodeAt(0).toString(16)}`, fields(`X: y${octet}z`), badValue),
        response(
          `byte ${octet.charCodeAt(0).toString(16)} in a response`,
          answer([`X: y${octet}z`, 'Content-Length: 0']),
          {
            lenient: repaired('control-character', { headers: [`X: y${octet}z`, 'Content-Length: 0'] }),
            strict: badValue,
          },
        ),
      ]),
      request('VT at the end is not trimmed away', fields('X: y\v'), badValue),
    ],
  },
  {
    rule: 'a folded line of a request is one value with one SP in a text, an error elsewhere',
    rfc: '9112 5.2',
    cases: [
      request('SP', fields('X: a', ' b'), {
        lenient: repaired('obs-fold', { headers: [host, 'X: a b'] }),
        strict: fold,
      }),
      request('HTAB and white space around', fields('X: a \t', '\t \tb '), {
        lenient: repaired('obs-fold', { headers: [host, 'X: a b'] }),
        strict: fold,
      }),
      request('what looks like a field', fields('X: a', ' Y: b'), {
        lenient: repaired('obs-fold', { headers: [host, 'X: a Y: b'] }),
        strict: fold,
      }),
    ],
  },
  {
    rule: 'a framing field is never folded',
    rfc: '9112 11.2',
    cases: [
      request('Transfer-Encoding', fields('Transfer-Encoding:', ' chunked'), fold),
      request('Transfer-Encoding after a value', fields('Transfer-Encoding: chunked', ' '), fold),
      request('Content-Length', fields('Content-Length:', ' 5'), fold),
      request('Content-Length after a digit', fields('Content-Length: 1', '\t0'), fold),
      response('Transfer-Encoding of a response', answer(['Transfer-Encoding:', ' chunked'], '0\r\n\r\n'), fold),
      response('Content-Length of a response', answer(['Content-Length:', ' 0']), fold),
    ],
  },
  {
    rule: 'a folded line of a response is one value with one SP',
    rfc: '9112 5.2',
    cases: [
      response('SP', answer(['X: a', '  b', 'Content-Length: 0']), {
        lenient: repaired('obs-fold', { headers: ['X: a b', 'Content-Length: 0'] }),
        strict: accepted({ headers: ['X: a b', 'Content-Length: 0'], repairs: 'any' }),
      }),
      response('two folds', answer(['X: a', '\tb', ' c', 'Content-Length: 0']), {
        lenient: repaired('obs-fold', { headers: ['X: a b c', 'Content-Length: 0'] }),
        strict: accepted({ headers: ['X: a b c', 'Content-Length: 0'], repairs: 'any' }),
      }),
    ],
  },
  {
    rule: 'HTTP/1.0 has no Expect and no Upgrade',
    rfc: '9110 10.1.1, 7.8',
    cases: [
      request(
        'HTTP/1.1 has',
        fields('Expect: 100-Continue', 'Connection: upgrade', 'Upgrade: a/1, b'),
        accepted({ expectContinue: true, upgrade: ['a/1', 'b'] }),
      ),
      request(
        'HTTP/1.0 has not',
        'GET / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n',
        accepted({ expectContinue: false, upgrade: [] }),
      ),
    ],
  },
  {
    rule: 'the connection is kept by version and by Connection',
    rfc: '9112 9.3',
    cases: [
      request('HTTP/1.1', fields(), accepted({ keepAlive: true })),
      request('close', fields('Connection: close'), accepted({ keepAlive: false })),
      request('close in capitals, in a list', fields('Connection: foo ,CLOSE'), accepted({ keepAlive: false })),
      request('close in a second line', fields('Connection: foo', 'Connection: close'), accepted({ keepAlive: false })),
      request('clown is not close', fields('Connection: clown'), accepted({ keepAlive: true })),
      request('closed is not close', fields('Connection: closed'), accepted({ keepAlive: true })),
      request('HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', accepted({ keepAlive: false })),
      request(
        'HTTP/1.0 with keep-alive',
        'GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n',
        accepted({ keepAlive: true }),
      ),
      request('close wins', 'GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n', accepted({ keepAlive: false })),
      response('until close', answer([], 'x'), accepted({ body: 'x', keepAlive: false })),
      response(
        'HTTP/1.0 with keep-alive',
        'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n',
        accepted({ keepAlive: true }),
      ),
    ],
  },
]

const badStatus = rejected('STATUS')

export const STATUS_LINE: readonly Rule[] = [
  {
    rule: 'the reason phrase may be empty, and its SP missing; it is sent with SP',
    rfc: '9112 4',
    cases: [
      response('empty', 'HTTP/1.1 204 \r\n\r\n', accepted({ status: 204, reason: '', line: 'HTTP/1.1 204 ' })),
      response('without SP', 'HTTP/1.1 204\r\n\r\n', accepted({ status: 204, reason: '', line: 'HTTP/1.1 204 ' })),
    ],
  },
  {
    rule: 'a missing version is HTTP/1.1 in a text, an error elsewhere',
    rfc: '9112 4',
    cases: [
      response('missing', '204 No Content\r\n\r\n', {
        lenient: repaired('missing-version', { status: 204, reason: 'No Content', version: 'HTTP/1.1' }),
        strict: rejected('VERSION'),
      }),
    ],
  },
  {
    rule: 'a status code has three digits',
    rfc: '9112 4',
    cases: [
      ...['20', '2000', '2x0', '+20', '-20', '2.0', '0x1'].map((code) =>
        response(code, `HTTP/1.1 ${code} OK\r\n\r\n`, badStatus),
      ),
      response('none', 'HTTP/1.1 \r\n\r\n', badStatus),
      response('a reason instead', 'HTTP/1.1 OK\r\n\r\n', badStatus),
      response('fullwidth digits', 'HTTP/1.1 \xef\xbc\x92\xef\xbc\x90\xef\xbc\x90 OK\r\n\r\n', badStatus),
    ],
  },
  {
    rule: 'a reason phrase may hold HTAB and obs-text',
    rfc: '9112 4',
    cases: [
      response('HTAB', 'HTTP/1.1 204 No\tContent\r\n\r\n', accepted({ reason: 'No\tContent' })),
      response('obs-text', 'HTTP/1.1 204 Ni\xe9 \xa0\r\n\r\n', accepted({ reason: 'Ni\xe9 \xa0' })),
      response('SP inside', 'HTTP/1.1 204 a  b\r\n\r\n', accepted({ reason: 'a  b' })),
    ],
  },
  {
    rule: 'a byte order mark before a text is dropped',
    rfc: '9112 2.2',
    cases: [
      request('request', `\xef\xbb\xbf${line('GET / HTTP/1.1')}`, {
        lenient: repaired('bom', { method: 'GET' }),
        strict: rejected('METHOD'),
      }),
      response('response', '\xef\xbb\xbfHTTP/1.1 204 No Content\r\n\r\n', {
        lenient: repaired('bom', { status: 204 }),
        strict: rejected('VERSION'),
      }),
    ],
  },
]
