/**
 * Vectors that hide a request, or the host that it is for, behind odd lines.
 *
 * RFC 9112 sections 2.2, 3 and 3.2.
 */
import { head } from './connection-rows.ts'
import { hidden, type Vector } from './smuggling-rows.ts'

const heads: readonly (readonly [string, string])[] = [
  ['two Hosts', head('GET / HTTP/1.1', 'Host: a', 'Host: b')],
  ['Host in a folded line', head('GET / HTTP/1.1', 'X: y', ' Host: b')],
  ['a list of hosts', head('GET / HTTP/1.1', 'Host: a, b')],
  ['a blank before the colon of Host', head('GET / HTTP/1.1', 'Host : a')],
  ['a second Host with a blank before its colon', head('GET / HTTP/1.1', 'Host: a', 'Host : b')],
  ['a second Host after a blank', head('GET / HTTP/1.1', 'Host: a', ' Host: b')],
  ['a second Host after a CR', head('GET / HTTP/1.1', 'Host: a\rHost: b')],
  ['a user in Host', head('GET / HTTP/1.1', 'Host: a@b')],
  ['a path in Host', head('GET / HTTP/1.1', 'Host: a/b')],
  ['a fragment in Host', head('GET / HTTP/1.1', 'Host: a#@b')],
  ['a backslash in Host', head('GET / HTTP/1.1', 'Host: a\\b')],
  ['NUL in Host', head('GET / HTTP/1.1', 'Host: a\0b')],
  ['an invalid port in Host', head('GET / HTTP/1.1', 'Host: a:b')],
  ['a port that overflows in Host', head('GET / HTTP/1.1', 'Host: a:65616')],
  ['an open bracket in Host', head('GET / HTTP/1.1', 'Host: [::1')],
  ['no Host and a URL', head('GET http://b/ HTTP/1.1')],
  ['a URL with a user', head('GET http://a@b/ HTTP/1.1', 'Host: a')],
  ['a URL without a host', head('GET http:///b HTTP/1.1', 'Host: a')],
  ['a URL with a backslash', head('GET http://a\\@b/ HTTP/1.1', 'Host: a')],
  ['a URL with a fragment before its user', head('GET http://a#@b/ HTTP/1.1', 'Host: a')],
  ['a path without a slash', head('GET @b/ HTTP/1.1', 'Host: a')],
  ['a host for a path', head('GET b:80/ HTTP/1.1', 'Host: a')],
  ['a scheme alone', head('GET http: HTTP/1.1', 'Host: a')],
  ['a target with a blank', head('GET /a b HTTP/1.1', 'Host: a')],
  ['a target with a tab', head('GET /a\tb HTTP/1.1', 'Host: a')],
  ['two versions', head('GET / HTTP/1.1 HTTP/1.0', 'Host: a')],
  ['a version in the target', head('GET /HTTP/1.1', 'Host: a')],
  ['no version', head('GET /', 'Host: a')],
  ['HTTP/0.9', `GET /\r\n`],
  ['two blanks before the version', head('GET /  HTTP/1.1', 'Host: a')],
  ['a tab before the version', head('GET /\tHTTP/1.1', 'Host: a')],
  ['a VT before the version', head('GET /\x0bHTTP/1.1', 'Host: a')],
  ['a blank after the version', head('GET / HTTP/1.1 ', 'Host: a')],
  ['a blank before the method', head(' GET / HTTP/1.1', 'Host: a')],
  ['a CR for a line end', 'GET / HTTP/1.1\rHost: a\r\r'],
  ['an LF for a line end', 'GET / HTTP/1.1\nHost: a\n\n'],
  ['an LF after the request line', 'GET / HTTP/1.1\nHost: a\r\n\r\n'],
  ['an LF for the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\n'],
  ['a CR for the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\rGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CR CR LF for the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\r\r\n'],
  ['a line of one blank for the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n \r\n'],
  ['NUL for the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\0\r\n'],
  ['NUL after the request line', 'GET / HTTP/1.1\0\r\nHost: a\r\n\r\n'],
  ['a blank before the first field', 'GET / HTTP/1.1\r\n Host: a\r\n\r\n'],
  ['another protocol name', head('GET / HTTQ/1.1', 'Host: a')],
  ['a version in small letters', head('GET / http/1.1', 'Host: a')],
  ['a minor version of two digits', head('GET / HTTP/1.10', 'Host: a')],
  ['a request of HTTP/2', head('GET / HTTP/2.0', 'Host: a')],
  ['`*` for GET', head('GET * HTTP/1.1', 'Host: a')],
  ['a byte order mark', `\xef\xbb\xbf${head('GET / HTTP/1.1', 'Host: a')}`],
]

export const headVectors: Readonly<Record<string, readonly Vector[]>> = {
  'lines, targets and hosts': heads.map(([title, octets]) => ({ title, octets: octets + hidden })),
}
