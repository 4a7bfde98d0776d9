/**
 * Cases for request lines and status lines: methods, targets, versions, white space.
 *
 * RFC 9112 sections 2.3, 3 and 4.
 */
import { asked, type ConnectionCase, head, requests, responses } from './connection-rows.ts'

export const startLines: readonly ConnectionCase[] = [
  ...[
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PATCH',
    'PROPFIND',
    'PROPPATCH',
    'MKCOL',
    'COPY',
    'MOVE',
    'LOCK',
    'UNLOCK',
    'SEARCH',
    'BIND',
    'REPORT',
    'MKACTIVITY',
    'CHECKOUT',
    'MERGE',
    'M-SEARCH',
    'NOTIFY',
    'SUBSCRIBE',
    'PURGE',
    'MKCALENDAR',
    'LINK',
    'SOURCE',
    'QUERY',
    'PRI',
    'get',
    'Get',
    'G',
    "!#$%&'*+-.^_`|~0",
  ].map((method) => requests(`the method ${method}`, asked(`${method} / HTTP/1.1`), [`${method} /`, 'end'])),
  ...(
    [
      ['G(T', 2],
      ['G@T', 2],
      ['G,T', 2],
      ['G:T', 2],
      ['G/T', 2],
      ['G"T', 2],
      ['G\\T', 2],
      ['G{T', 2],
      ['G\x80T', 2],
      ['G\x7fT', 2],
      ['G\0T', 2],
    ] as const
  ).map(([method, column]) =>
    requests(`the method ${JSON.stringify(method)}`, asked(`${method} / HTTP/1.1`), [`METHOD 400 1:${column}`]),
  ),
  ...[
    '/',
    '//',
    '///a//',
    '/a/../b',
    '/.',
    '/%00',
    '/%2e%2e/',
    '/a;b=c',
    '/a?b',
    '/a??b=/?',
    '/?',
    '/~x',
    "/!$&'()*+,;=:@",
    '/a?x=http://b/',
  ].map((target) => requests(`the target ${target}`, asked(`GET ${target} HTTP/1.1`), [`GET ${target}`, 'end'])),
  ...[
    'http://b/',
    'http://b',
    'HTTP://B/x',
    'https://b:443/?q',
    'http://[::1]:80/',
    'http://[2001:db8::1]/',
    'http://127.0.0.1:8080/a',
    'http://b?x',
    'http://b:/x',
    'coap://b/x',
  ].map((target) => requests(`the target ${target}`, asked(`GET ${target} HTTP/1.1`), [`GET ${target}`, 'end'])),
  ...(
    [
      ['/\xe4', 6],
      ['/a\x7f', 7],
      ['/%', 6],
      ['/%g0', 6],
      ['/a%2', 7],
      ['http:///x', 12],
      ['http://a:x/', 14],
      ['http://a:70000/', 14],
      ['http://[::1/', 16],
      ['http://[:::]/', 13],
      ['*', 5],
    ] as const
  ).map(([target, column]) =>
    requests(`the target ${JSON.stringify(target)}`, asked(`GET ${target} HTTP/1.1`), [`TARGET 400 1:${column}`]),
  ),
  requests('a fragment', asked('GET /a#b HTTP/1.1'), { lenient: ['GET /a', 'end'], strict: ['TARGET 400 1:7'] }),
  requests('a user in the URL', asked('GET http://u:p@a/ HTTP/1.1'), {
    lenient: ['GET http://a/', 'end'],
    strict: ['TARGET 400 1:5'],
  }),
  requests('square brackets and braces in a query', asked('GET /?a[0]={b}|c HTTP/1.1'), {
    lenient: ['TARGET 400 1:12'],
    strict: ['TARGET 400 1:12'],
    server: ['GET /?a[0]={b}|c', 'end'],
  }),
  requests('the whole server', asked('OPTIONS * HTTP/1.1'), ['OPTIONS *', 'end']),
  requests('no version', `GET /\r\nHost: a\r\n\r\n`, { lenient: ['GET /', 'end'], strict: ['VERSION 400 1:6'] }),
  ...(
    [
      ['HTTP/0.9', 505],
      ['HTTP/2.0', 505],
      ['HTTP/3.0', 505],
      ['HTTP/9.9', 505],
      ['HTTP/1', 400],
      ['HTTP/1.', 400],
      ['HTTP/.1', 400],
      ['HTTP/11', 400],
      ['HTTP/1.1.1', 400],
      ['HTTP/1.10', 400],
      ['HTTP/01.1', 400],
      ['HTTP/1,1', 400],
      ['http/1.1', 400],
      ['Http/1.1', 400],
      ['HTTP/2', 400],
      ['HTTP/a.b', 400],
      ['HTTP/-1.1', 400],
      ['HTTP/1.\xb2', 400],
      ['RTSP/1.0', 400],
      ['ICE/1.0', 400],
      ['SIP/2.0', 400],
    ] as const
  ).map(([version, status]) =>
    requests(`the version ${JSON.stringify(version)}`, asked(`GET / ${version}`), [`VERSION ${status} 1:7`]),
  ),
  ...['HTTP/1.2', 'HTTP/1.9'].map((version) =>
    requests(`${version} is HTTP/1.1`, asked(`GET / ${version}`), ['GET /', 'end']),
  ),
  ...(
    [
      ['GET  / HTTP/1.1', 5],
      ['GET /  HTTP/1.1', 7],
      ['GET / HTTP/1.1 ', 16],
      ['GET\t/ HTTP/1.1', 4],
      ['GET /\tHTTP/1.1', 6],
    ] as const
  ).map(([line, column]) =>
    requests(`white space in ${JSON.stringify(line)}`, asked(line), {
      lenient: ['GET /', 'end'],
      strict: [`WHITESPACE 400 1:${column}`],
    }),
  ),
  requests('a blank before the method', asked(' GET / HTTP/1.1'), {
    lenient: ['GET /', 'end'],
    strict: ['WHITESPACE 400 1:1'],
  }),
  requests('TLS on this port', '\x16\x03\x01\x02\x00\x01', ['METHOD 400 1:1']),
  requests('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ['VERSION 505 1:7']),
  ...(
    [
      ['HTTP/1.1 200 OK', '200 OK'],
      ['HTTP/1.1 200 ', '200'],
      ['HTTP/1.1 200', '200'],
      ['HTTP/1.1 404 Not Found', '404 Not Found'],
      ['HTTP/1.1 999 What', '999 What'],
      ['HTTP/1.1 200 \t', '200'],
      ['HTTP/1.1 200 \xdcber', '200 \xdcber'],
      ['HTTP/1.1 200 OK OK OK', '200 OK OK OK'],
      ['HTTP/1.1 200 HTTP/1.1 200', '200 HTTP/1.1 200'],
      ['HTTP/1.3 200 OK', '200 OK'],
    ] as const
  ).map(([line, reported]) =>
    responses(`the status line ${JSON.stringify(line)}`, head(line, 'Content-Length: 0'), [
      `${reported} length 0`,
      'end',
    ]),
  ),
  ...(
    [
      ['HTTP/1.1 20 OK', 'STATUS 400 1:10'],
      ['HTTP/1.1 2000 OK', 'STATUS 400 1:10'],
      ['HTTP/1.1 2x0 OK', 'STATUS 400 1:10'],
      ['HTTP/1.1 099 No', 'STATUS 400 1:10'],
      ['HTTP/1.1 000 No', 'STATUS 400 1:10'],
      ['HTTP/1.1 -20 No', 'STATUS 400 1:10'],
      ['HTTP/1.1 OK', 'STATUS 400 1:10'],
      ['HTTP/1.1', 'STATUS 400 1:9'],
      ['HTTP/1.1 200\tOK', 'STATUS 400 1:10'],
      ['HTTP/1.1 200 O\x01', 'START_LINE 400 1:15'],
      ['HTTP/2.0 200 OK', 'VERSION 505 1:1'],
      ['HTTP/1 200 OK', 'VERSION 400 1:1'],
      ['HTTQ/1.1 200 OK', 'VERSION 400 1:1'],
      ['http/1.1 200 OK', 'VERSION 400 1:1'],
      ['ICY 200 OK', 'VERSION 400 1:1'],
      ['200x', 'VERSION 400 1:1'],
    ] as const
  ).map(([line, reported]) =>
    responses(`the status line ${JSON.stringify(line)}`, head(line, 'Content-Length: 0'), [reported]),
  ),
  responses('two blanks before the status', head('HTTP/1.1  200 OK', 'Content-Length: 0'), {
    lenient: ['200 OK length 0', 'end'],
    strict: ['STATUS 400 1:10'],
  }),
]
