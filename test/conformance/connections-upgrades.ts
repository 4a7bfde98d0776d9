/**
 * Cases for connections that become another protocol's.
 *
 * RFC 9110 sections 7.8, 9.3.6 and 15.2.2.
 */
import { asked, bye, type ConnectionCase, head, next, ok, requests, responses } from './connection-rows.ts'

export const upgrades: readonly ConnectionCase[] = [
  requests('Upgrade without Connection asks for nothing', asked('GET / HTTP/1.1', 'Upgrade: websocket') + next, [
    'GET /',
    'end',
    'GET /b',
    'end',
  ]),
  requests('Connection: Upgrade without Upgrade asks for nothing', asked('GET / HTTP/1.1', 'Connection: Upgrade'), [
    'GET /',
    'end',
  ]),
  requests(
    'a WebSocket handshake',
    asked('GET /chat HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'),
    ['GET /chat to websocket', 'end'],
  ),
  requests(
    'names and tokens in any case',
    asked('GET /chat HTTP/1.1', 'CONNECTION: x, uPgRaDe', 'UPGRADE: WebSocket'),
    ['GET /chat to WebSocket', 'end'],
  ),
  requests('several protocols', asked('GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c, websocket/13'), [
    'GET / to h2c+websocket/13',
    'end',
  ]),
  requests(
    'a body comes before the other protocol',
    `${asked('POST / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: x', 'Content-Length: 2')}hi`,
    ['POST / length 2 to x', 'data hi', 'end'],
  ),
  requests(
    'what follows an offer is HTTP until the server switches',
    asked('GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c') + next,
    ['GET / to h2c', 'end', 'GET /b', 'end'],
  ),
  requests('HTTP/1.0 offers nothing', 'GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', [
    'GET / last',
    'end',
  ]),
  requests('CONNECT hands over what follows', `${head('CONNECT b:443 HTTP/1.1', 'Host: b:443')}\x16\x03\x01`, [
    'CONNECT b:443',
    'end',
    'upgrade \x16\x03\x01',
  ]),
  requests('CONNECT to an IPv6 address', head('CONNECT [::1]:443 HTTP/1.1', 'Host: [::1]:443'), [
    'CONNECT [::1]:443',
    'end',
    'upgrade ',
  ]),
  requests('CONNECT with a path', head('CONNECT b:443/x HTTP/1.1', 'Host: b'), ['TARGET 400 1:14']),
  requests('CONNECT with a URL', head('CONNECT http://b/ HTTP/1.1', 'Host: b'), ['TARGET 400 1:14']),
  requests('CONNECT without a port', head('CONNECT b HTTP/1.1', 'Host: b'), ['TARGET 400 1:10']),
  responses(
    '101 hands over what follows',
    `${head('HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: Upgrade')}frames`,
    ['101 Switching Protocols', 'end', 'upgrade frames'],
  ),
  responses('101 has no content, even with a length', `${head('HTTP/1.1 101 Go', 'Content-Length: 3')}abc`, [
    '101 Go',
    'end',
    'upgrade abc',
  ]),
  responses(
    'an accepted CONNECT',
    `${head('HTTP/1.1 200 Connection established')}abc`,
    ['200 Connection established', 'end', 'upgrade abc'],
    { methods: ['CONNECT'] },
  ),
  responses(
    'an accepted CONNECT has no content',
    `${head(ok, 'Content-Length: 3')}abc`,
    ['200 OK', 'end', 'upgrade abc'],
    { methods: ['CONNECT'] },
  ),
  responses(
    'an accepted CONNECT is not chunked',
    `${head(ok, 'Transfer-Encoding: chunked')}abc`,
    ['200 OK', 'end', 'upgrade abc'],
    { methods: ['CONNECT'] },
  ),
  responses(
    'a refused CONNECT is an answer',
    `${head('HTTP/1.1 407 Proxy Authentication Required', 'Content-Length: 2')}no${bye}`,
    ['407 Proxy Authentication Required length 2', 'data no', 'end', '204 No Content', 'end'],
    { methods: ['CONNECT', 'GET'] },
  ),
  responses(
    '426 says what to upgrade to',
    head('HTTP/1.1 426 Upgrade Required', 'Upgrade: x', 'Connection: Upgrade', 'Content-Length: 0'),
    ['426 Upgrade Required length 0', 'end'],
  ),
]
