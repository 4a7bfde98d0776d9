/**
 * Cases for Content-Length, up to lengths that no number can hold.
 *
 * RFC 9110 section 8.6, RFC 9112 section 6.3.
 */
import { asked, bye, type ConnectionCase, head, next, ok, requests, responses } from './connection-rows.ts'

const length = (value: string): string => asked('POST /p HTTP/1.1', `Content-Length: ${value}`)

export const lengths: readonly ConnectionCase[] = [
  requests('a length', `${length('5')}hello${next}`, ['POST /p length 5', 'data hello', 'end', 'GET /b', 'end']),
  ...['0', '00', '000000000000000000000000'].map((value) =>
    requests(`the length ${value}`, length(value) + next, ['POST /p length 0', 'end', 'GET /b', 'end']),
  ),
  requests('a length with leading zeros is decimal', `${length('010')}${'x'.repeat(10)}`, [
    'POST /p length 10',
    `data ${'x'.repeat(10)}`,
    'end',
  ]),
  requests('a length on a GET', `${asked('GET /a HTTP/1.1', 'Content-Length: 2')}hi${next}`, [
    'GET /a length 2',
    'data hi',
    'end',
    'GET /b',
    'end',
  ]),
  requests('a length on a HEAD', `${asked('HEAD /a HTTP/1.1', 'Content-Length: 2')}hi${next}`, [
    'HEAD /a length 2',
    'data hi',
    'end',
    'GET /b',
    'end',
  ]),
  requests('a length on a DELETE', `${asked('DELETE /a HTTP/1.1', 'Content-Length: 2')}hi`, [
    'DELETE /a length 2',
    'data hi',
    'end',
  ]),
  requests('white space around a length', `${asked('POST /p HTTP/1.1', 'Content-Length:\t 2 \t')}hi`, [
    'POST /p length 2',
    'data hi',
    'end',
  ]),
  requests('the largest length', `${length('9007199254740991')}ab`, [
    'POST /p length 9007199254740991',
    'data ab',
    'INCOMPLETE 400 5:3',
  ]),
  ...['9007199254740992', '9223372036854775808', '18446744073709551616', '18446744073709551621', '9'.repeat(400)].map(
    (value) =>
      requests(`the length ${value.slice(0, 24)} is too large`, `${length(value)}a`, ['CONTENT_LENGTH 413 3:17']),
  ),
  ...[
    '+5',
    '-5',
    '-0',
    '5 5',
    '5.0',
    '5e0',
    '0x5',
    '5;',
    '"5"',
    '\xb5',
    '5\xa0',
    'five',
    '5_0',
    '05h',
    '٥',
    'NaN',
    'Infinity',
  ].map((value) =>
    requests(
      `the length ${JSON.stringify(value)}`,
      `${length(Buffer.from(value, value === '٥' ? 'utf8' : 'latin1').toString('latin1'))}hello`,
      ['CONTENT_LENGTH 400 3:17'],
    ),
  ),
  requests('an empty length', asked('POST /p HTTP/1.1', 'Content-Length:'), ['CONTENT_LENGTH 400 3:16']),
  requests('the same length in two lines', `${asked('POST /p HTTP/1.1', 'Content-Length: 2', 'Content-Length: 2')}hi`, {
    lenient: ['POST /p length 2', 'data hi', 'end'],
    strict: ['CONTENT_LENGTH 400 4:17'],
  }),
  requests('the same length in a list', `${length('2, 2')}hi`, {
    lenient: ['POST /p length 2', 'data hi', 'end'],
    strict: ['CONTENT_LENGTH 400 3:17'],
  }),
  requests('two lengths', `${asked('POST /p HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3')}hi`, [
    'CONTENT_LENGTH 400 4:17',
  ]),
  requests('two spellings of one length', `${asked('POST /p HTTP/1.1', 'Content-Length: 2', 'Content-Length: 02')}hi`, [
    'CONTENT_LENGTH 400 4:17',
  ]),
  requests('a list of lengths with an empty element', `${length('2,')}hi`, ['CONTENT_LENGTH 400 3:17']),
  requests(
    'a length in the case of an invalid framing field',
    `${asked('POST /p HTTP/1.1', 'Content-Lengtj: 2')}${next}`,
    ['POST /p', 'end', 'GET /b', 'end'],
  ),
  requests('content cut', `${length('5')}hel`, ['POST /p length 5', 'data hel', 'INCOMPLETE 400 5:4']),
  requests('content missing', length('5'), ['POST /p length 5', 'INCOMPLETE 400 5:1']),
  responses('a response with a length', `${head(ok, 'Content-Length: 5')}hello`, [
    '200 OK length 5',
    'data hello',
    'end',
  ]),
  responses('a response without a length', `${head(ok)}hello`, ['200 OK until close last', 'data hello', 'end']),
  responses('a response without length and content', head(ok), ['200 OK until close last', 'end']),
  responses('a response with an invalid length', `${head(ok, 'Content-Length: x')}hello`, ['CONTENT_LENGTH 400 2:17']),
  responses('a truncated response', `${head(ok, 'Content-Length: 5')}hel`, [
    '200 OK length 5',
    'data hel',
    'INCOMPLETE 400 4:4',
  ]),
  responses('205 has the content that it says', `${head('HTTP/1.1 205 Reset Content', 'Content-Length: 0')}${bye}`, [
    '205 Reset Content length 0',
    'end',
    '204 No Content',
    'end',
  ]),
]
