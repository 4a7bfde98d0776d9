/**
 * Checklist rows for Host.
 *
 * RFC 9112 section 3.2; RFC 9110 section 7.2.
 */
import { accepted, fields, type Rule, rejected, repaired, request } from './checklist-rows.ts'

const badHost = rejected('HOST')
const absolute = (...lines: readonly string[]): string =>
  ['GET http://one.test:8080/p HTTP/1.1', ...lines, '', ''].join('\r\n')

export const HOST: readonly Rule[] = [
  {
    rule: 'a request in HTTP/1.1 has a Host',
    rfc: '9112 3.2',
    cases: [
      request('no Host, a path', 'GET / HTTP/1.1\r\n\r\n', badHost),
      request('no Host, other fields', 'GET / HTTP/1.1\r\nX: y\r\nHostname: a\r\n\r\n', badHost),
      request('no Host, an absolute target', absolute('X: y'), {
        lenient: repaired('missing-host', {
          headers: ['Host: one.test:8080', 'X: y'],
        }),
        strict: badHost,
      }),
      request('empty Host, a path', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', badHost),
      request('empty Host, an absolute target', absolute('Host: '), {
        lenient: repaired('empty-host', { headers: ['Host: one.test:8080'], url: 'http://one.test:8080/p' }),
        strict: badHost,
      }),
      request('no Host in HTTP/1.0', 'GET /p HTTP/1.0\r\n\r\n', accepted({ version: 'HTTP/1.0', target: '/p' })),
    ],
  },
  {
    rule: 'there is one Host line',
    rfc: '9112 3.2',
    cases: [
      request('two', fields('Host: b'), badHost),
      request('two of one value', fields('host: a'), badHost),
      request('two in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n', badHost),
      request('two with an absolute target', absolute('Host: one.test', 'Host: one.test'), badHost),
      request('a list', 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n', badHost),
    ],
  },
  {
    rule: 'Host is a host with an optional port',
    rfc: '9112 3.2, 9110 7.2',
    cases: [
      ...['a/b', 'a b', 'me@h', 'a:b', 'http://a', '[::1', '::1', 'a?b', 'a#b', 'a\\b', '[::1]x', 'a:1:2', '\xe9'].map(
        (host) => request(host, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, badHost),
      ),
      ...['a', 'a:80', 'a:', '127.0.0.1:1', '[::1]', '[::1]:8080', 'A-b.c_d', 'a%20b'].map((host) =>
        request(`${host} is one`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, accepted({ headers: [`Host: ${host}`] })),
      ),
    ],
  },
]
