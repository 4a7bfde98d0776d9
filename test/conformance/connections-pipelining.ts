/**
 * Cases for messages in a row on one connection: where the next one begins, and when none follows.
 *
 * RFC 9112 sections 9.3, 9.6 and 6.3, RFC 9110 sections 10.1.1 and 15.2.
 */
import {
  asked,
  bye,
  type ConnectionCase,
  chunkedPost,
  get,
  head,
  next,
  ok,
  posted,
  requests,
  responses,
} from './connection-rows.ts'

export const pipelining: readonly ConnectionCase[] = [
  requests('two requests', get + next, ['GET /a', 'end', 'GET /b', 'end']),
  requests('a body with a length, then another', `${asked('PUT /x HTTP/1.1', 'Content-Length: 3')}abc${next}`, [
    'PUT /x length 3',
    'data abc',
    'end',
    'GET /b',
    'end',
  ]),
  requests(
    'a body that looks like a request',
    `${asked('PUT /x HTTP/1.1', `Content-Length: ${next.length}`)}${next}${get}`,
    [`PUT /x length ${next.length}`, `data ${next}`, 'end', 'GET /a', 'end'],
  ),
  requests('a chunked body, then another', `${chunkedPost('3\r\nabc\r\n0\r\n\r\n')}${next}`, [
    ...posted,
    'data abc',
    'end',
    'GET /b',
    'end',
  ]),
  requests('trailers, then another', `${chunkedPost('1\r\na\r\n0\r\nX: y\r\n\r\n')}${next}`, [
    ...posted,
    'data a',
    'end X: y',
    'GET /b',
    'end',
  ]),
  requests('ten in a row', get.repeat(10), Array.from({ length: 10 }, () => ['GET /a', 'end']).flat()),
  requests('a length of zero between', `${asked('POST /x HTTP/1.1', 'Content-Length: 0')}${next}`, [
    'POST /x length 0',
    'end',
    'GET /b',
    'end',
  ]),
  requests('an empty line between', `${get}\r\n${next}`, {
    lenient: ['GET /a', 'end', 'GET /b', 'end'],
    strict: ['GET /a', 'end', 'START_LINE 400 1:1'],
    server: ['GET /a', 'end', 'GET /b', 'end'],
  }),
  requests('two empty lines between', `${get}\r\n\r\n${next}`, {
    lenient: ['GET /a', 'end', 'GET /b', 'end'],
    strict: ['GET /a', 'end', 'START_LINE 400 1:1'],
    server: ['GET /a', 'end', 'GET /b', 'end'],
  }),
  requests('a body longer than its length', `${asked('POST /x HTTP/1.1', 'Content-Length: 1')}ab${next}`, {
    lenient: ['POST /x length 1', 'data a', 'end', 'bGET /b', 'end'],
    strict: ['POST /x length 1', 'data a', 'end', 'bGET /b', 'end'],
  }),
  requests('nothing is read after Connection: close', `${asked('GET /a HTTP/1.1', 'Connection: close')}${next}`, [
    'GET /a last',
    'end',
  ]),
  requests('nothing is read after HTTP/1.0', `GET /a HTTP/1.0\r\n\r\n${next}`, ['GET /a last', 'end']),
  requests('HTTP/1.0 with keep-alive goes on', `GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${next}`, [
    'GET /a',
    'end',
    'GET /b',
    'end',
  ]),
  requests('an error in the second', `${get}GET /b HTTP/1.1\r\nHost : a\r\n\r\n`, [
    'GET /a',
    'end',
    'WHITESPACE 400 2:5',
  ]),
  requests('the second is cut', `${get}GET /b HTTP/1.1\r\nHost: a`, ['GET /a', 'end', 'INCOMPLETE 400 2:8']),
  requests('the connection ends after a request', get, ['GET /a', 'end']),
  requests('nothing at all', '', []),
  responses('two responses', `${head(ok, 'Content-Length: 2')}hi${bye}`, [
    '200 OK length 2',
    'data hi',
    'end',
    '204 No Content',
    'end',
  ]),
  responses(
    'HEAD, then GET',
    `${head(ok, 'Content-Length: 2')}${head(ok, 'Content-Length: 2')}hi`,
    ['200 OK', 'end', '200 OK length 2', 'data hi', 'end'],
    { methods: ['HEAD', 'GET'] },
  ),
  responses(
    'HEAD of a chunked resource, then GET',
    `${head(ok, 'Transfer-Encoding: chunked')}${bye}`,
    ['200 OK', 'end', '204 No Content', 'end'],
    { methods: ['HEAD', 'GET'] },
  ),
  responses('304 with a length has no body', `${head('HTTP/1.1 304 Not Modified', 'Content-Length: 50')}${bye}`, [
    '304 Not Modified',
    'end',
    '204 No Content',
    'end',
  ]),
  responses('204 with a length has no body', `${head('HTTP/1.1 204 No Content', 'Content-Length: 50')}${bye}`, [
    '204 No Content',
    'end',
    '204 No Content',
    'end',
  ]),
  responses('nothing is read after a body without length', `${head(ok)}hi${bye}`, [
    `200 OK until close last`,
    `data hi${bye}`,
    'end',
  ]),
  responses('nothing is read after Connection: close', `${head(ok, 'Connection: close', 'Content-Length: 0')}${bye}`, [
    '200 OK length 0 last',
    'end',
  ]),
]

export const interim: readonly ConnectionCase[] = [
  responses('100 comes before the answer', `HTTP/1.1 100 Continue\r\n\r\n${head(ok, 'Content-Length: 1')}a`, [
    'interim 100 Continue',
    '200 OK length 1',
    'data a',
    'end',
  ]),
  responses('several of them', `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${bye}`, [
    'interim 102 Processing',
    'interim 103 Early Hints',
    '204 No Content',
    'end',
  ]),
  responses('it has no content, even with a length', `${head('HTTP/1.1 100 Continue', 'Content-Length: 5')}${bye}`, [
    'interim 100 Continue',
    '204 No Content',
    'end',
  ]),
  responses('an unknown number', `HTTP/1.1 199 Hm\r\n\r\n${bye}`, ['interim 199 Hm', '204 No Content', 'end']),
  responses(
    'it belongs to the same request',
    `HTTP/1.1 100 Continue\r\n\r\n${head(ok, 'Content-Length: 9')}${bye}`,
    ['interim 100 Continue', '200 OK', 'end', '204 No Content', 'end'],
    { methods: ['HEAD', 'GET'] },
  ),
  requests('Expect: 100-continue', `${asked('PUT / HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 1')}a`, [
    'PUT / length 1 waits',
    'data a',
    'end',
  ]),
  requests('Expect in another case', `${asked('PUT / HTTP/1.1', 'expect: 100-Continue', 'Content-Length: 1')}a`, [
    'PUT / length 1 waits',
    'data a',
    'end',
  ]),
  requests('another expectation', asked('PUT / HTTP/1.1', 'Expect: payment', 'Content-Length: 0'), [
    'PUT / length 0',
    'end',
  ]),
  requests('Expect in HTTP/1.0 is nothing', 'PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n', [
    'PUT / length 0 last',
    'end',
  ]),
]

export const keepAlive: readonly ConnectionCase[] = [
  ...[
    'close',
    'Close',
    'CLOSE',
    'x, close',
    'close, x',
    'close,',
    ',close',
    'keep-alive, close',
    'close, keep-alive',
    ' close ',
  ].map((value) =>
    requests(`Connection: ${JSON.stringify(value)}`, asked('GET /a HTTP/1.1', `Connection: ${value}`) + next, [
      'GET /a last',
      'end',
    ]),
  ),
  ...['keep-alive', 'clown', 'closed', 'clos', 'xclose', '"close"', 'close x', '', 'close;x', 'c lose'].map((value) =>
    requests(`Connection: ${JSON.stringify(value)}`, asked('GET /a HTTP/1.1', `Connection: ${value}`) + next, [
      'GET /a',
      'end',
      'GET /b',
      'end',
    ]),
  ),
  ...['keep-alive', 'Keep-Alive', 'x, keep-alive'].map((value) =>
    requests(`Connection: ${value} in HTTP/1.0`, `GET /a HTTP/1.0\r\nConnection: ${value}\r\n\r\n${next}`, [
      'GET /a',
      'end',
      'GET /b',
      'end',
    ]),
  ),
  ...['close', 'keep-alive, close', 'keepalive', 'keep-aliv', 'x'].map((value) =>
    requests(`Connection: ${value} in HTTP/1.0`, `GET /a HTTP/1.0\r\nConnection: ${value}\r\n\r\n${next}`, [
      'GET /a last',
      'end',
    ]),
  ),
  requests('close in the second of two lines', asked('GET /a HTTP/1.1', 'Connection: x', 'connection: close') + next, [
    'GET /a last',
    'end',
  ]),
  requests('Proxy-Connection is not Connection', asked('GET /a HTTP/1.1', 'Proxy-Connection: close') + next, [
    'GET /a',
    'end',
    'GET /b',
    'end',
  ]),
  requests('Keep-Alive alone keeps nothing in HTTP/1.0', `GET /a HTTP/1.0\r\nKeep-Alive: timeout=5\r\n\r\n${next}`, [
    'GET /a last',
    'end',
  ]),
  responses('a response in HTTP/1.0', head('HTTP/1.0 200 OK', 'Content-Length: 0') + bye, [
    '200 OK length 0 last',
    'end',
  ]),
  responses(
    'a response in HTTP/1.0 with keep-alive',
    head('HTTP/1.0 200 OK', 'Content-Length: 0', 'Connection: keep-alive') + bye,
    ['200 OK length 0', 'end', '204 No Content', 'end'],
  ),
]
