/**
 * Checklist rows for line structure and the request line.
 *
 * RFC 9112 sections 2.2, 2.3, 3, 3.2 and 8; RFC 9110 sections 2.5, 4.2.1, 6.2, 7.1, 9.1 and 9.3.6.
 */
import {
  accepted,
  fields,
  incomplete,
  line,
  type Rule,
  rejected,
  repaired,
  request,
  response,
} from './checklist-rows.ts'

const noToken = rejected('METHOD')
const badVersion = rejected('VERSION')
const badTarget = rejected('TARGET')
const badHost = rejected('HOST')
const bareCr = rejected('BARE_CR')
const bareLf = rejected('BARE_LF')
const whitespace = rejected('WHITESPACE')

export const LINE_STRUCTURE: readonly Rule[] = [
  {
    rule: 'a bare LF ends a start line or a field line',
    rfc: '9112 2.2',
    cases: [
      request('in the start line', 'GET / HTTP/1.1\nHost: a\r\n\r\n', { lenient: repaired('bare-lf'), strict: bareLf }),
      request('in a field line', 'GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n', {
        lenient: repaired('bare-lf', {
          headers: ['Host: a', 'X: y'],
        }),
        strict: bareLf,
      }),
      request('as the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\n', { lenient: repaired('bare-lf'), strict: bareLf }),
      request('everywhere', 'GET / HTTP/1.1\nHost: a\n\n', { lenient: repaired('bare-lf'), strict: bareLf }),
      response('in a response', 'HTTP/1.1 204 No Content\nX: y\n\n', {
        lenient: repaired('bare-lf', { headers: ['X: y'] }),
        strict: bareLf,
      }),
    ],
  },
  {
    rule: 'a bare CR is neither a line end nor content',
    rfc: '9112 2.2',
    cases: [
      request('in the target', line('GET /a\rb HTTP/1.1'), bareCr),
      request('between target and version', line('GET /\rHTTP/1.1'), bareCr),
      request('after the version', 'GET / HTTP/1.1\rHost: a\r\n\r\n', bareCr),
      request('in a field name', fields('X\rY: z'), bareCr),
      request('in a field value', fields('X: y\rz'), bareCr),
      request('at the start of a field value', fields('X:\ry'), bareCr),
      request('as the only line end', 'GET / HTTP/1.1\rHost: a\r\r', bareCr),
      request('as the line end before others', 'GET / HTTP/1.1\rHost: a\r\r\n\r\n', bareCr),
      response('in the reason phrase', 'HTTP/1.1 204 No\rContent\r\n\r\n', bareCr),
      response('in a field value', 'HTTP/1.1 204 No Content\r\nX: y\rz\r\n\r\n', bareCr),
    ],
  },
  {
    rule: 'CR CR LF is not a line end',
    rfc: '9112 2.2',
    cases: [
      request('after the start line', 'GET / HTTP/1.1\r\r\nHost: a\r\n\r\n', bareCr),
      request('after a field line', 'GET / HTTP/1.1\r\nHost: a\r\r\n\r\n', bareCr),
      request('as the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\r\r\n', bareCr),
    ],
  },
  {
    rule: 'CR and another byte do not end the header section',
    rfc: '9112 2.2',
    cases: [
      request('CR X', 'GET / HTTP/1.1\r\nHost: a\r\n\rX\r\n\r\n', bareCr),
      request('CR X at the end', 'GET / HTTP/1.1\r\nHost: a\r\n\rX', bareCr),
      request('CR X as the first field line', 'GET / HTTP/1.1\r\n\rHost: a\r\n\r\n', bareCr),
    ],
  },
  {
    rule: 'an empty line before the request line is ignored',
    rfc: '9112 2.2',
    cases: [
      request('one', `\r\n${fields()}`, {
        lenient: repaired('leading-empty-line', { line: 'GET / HTTP/1.1' }),
        strict: rejected('START_LINE'),
        server: accepted({ method: 'GET', repairs: 'any' }),
      }),
      request('with a bare LF', `\n${fields()}`, {
        lenient: repaired(['leading-empty-line', 'bare-lf'], { method: 'GET' }),
        strict: bareLf,
        server: bareLf,
      }),
    ],
  },
  {
    rule: 'whitespace before the first field line is not taken',
    rfc: '9112 2.2',
    cases: [
      request('SP before Host', 'GET / HTTP/1.1\r\n Host: a\r\n\r\n', whitespace),
      request('HTAB before Host', 'GET / HTTP/1.1\r\n\tHost: a\r\n\r\n', whitespace),
      request('a separate line', 'GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n', whitespace),
      response('in a response', 'HTTP/1.1 204 No Content\r\n X: y\r\n\r\n', whitespace),
    ],
  },
  {
    rule: 'the empty line ends the header section; a complete text may leave it out',
    rfc: '9112 8',
    cases: [
      request('missing', 'GET / HTTP/1.1\r\nHost: a\r\n', {
        lenient: repaired('missing-empty-line'),
        strict: incomplete,
      }),
      request('missing with the last line end', 'GET / HTTP/1.1\r\nHost: a', {
        lenient: repaired('missing-empty-line', { headers: ['Host: a'] }),
        strict: incomplete,
      }),
      response('missing in a response', 'HTTP/1.1 204 No Content\r\nX: y', {
        lenient: repaired('missing-empty-line', { headers: ['X: y'] }),
        strict: incomplete,
      }),
    ],
  },
]

export const START_LINE: readonly Rule[] = [
  {
    rule: 'the method is any token, and case-sensitive',
    rfc: '9110 9.1',
    cases: [
      request('unknown', line('M-SEARCH / HTTP/1.1'), accepted({ method: 'M-SEARCH' })),
      request('lower case', line('get / HTTP/1.1'), accepted({ method: 'get' })),
      request('one letter', line('X / HTTP/1.1'), accepted({ method: 'X' })),
      request(
        'every mark of a token',
        line("!#$%&'*+-.^_`|~09Az / HTTP/1.1"),
        accepted({ method: "!#$%&'*+-.^_`|~09Az" }),
      ),
    ],
  },
  {
    rule: 'the method has no other byte',
    rfc: '9112 3',
    cases: [
      request('parenthesis', line('GE(T / HTTP/1.1'), noToken),
      request('colon', line('GET: / HTTP/1.1'), noToken),
      request('at sign', line('G@T / HTTP/1.1'), noToken),
      request('bracket', line('G[T / HTTP/1.1'), noToken),
      request('NUL', line('G\0T / HTTP/1.1'), noToken),
      request('obs-text', line('G\xc9T / HTTP/1.1'), noToken),
      request('empty', line(' / HTTP/1.1'), { lenient: noToken, strict: whitespace }),
    ],
  },
  {
    rule: 'a missing version is HTTP/1.1 in a text, an error elsewhere',
    rfc: '9112 3',
    cases: [
      request('missing', line('GET /p'), {
        lenient: repaired('missing-version', { target: '/p', version: 'HTTP/1.1', line: 'GET /p HTTP/1.1' }),
        strict: badVersion,
      }),
    ],
  },
  {
    rule: 'a higher minor version is read as HTTP/1.1',
    rfc: '9110 6.2',
    cases: [
      request('HTTP/1.2', line('GET / HTTP/1.2'), accepted({ method: 'GET', target: '/', keepAlive: true })),
      request('HTTP/1.9', line('GET / HTTP/1.9'), accepted({ keepAlive: true })),
      request('HTTP/1.2 needs a Host too', 'GET / HTTP/1.2\r\n\r\n', badHost),
      response('HTTP/1.2', 'HTTP/1.2 204 No Content\r\n\r\n', accepted({ status: 204, keepAlive: true })),
    ],
  },
  {
    rule: 'another major version is not an HTTP/1 message',
    rfc: '9110 2.5',
    cases: [
      request('HTTP/2.0', line('GET / HTTP/2.0'), rejected('VERSION', 505)),
      request('HTTP/0.9', line('GET / HTTP/0.9'), rejected('VERSION', 505)),
      request('HTTP/3.1', line('GET / HTTP/3.1'), rejected('VERSION', 505)),
      response('HTTP/2.0', 'HTTP/2.0 200 OK\r\n\r\n', rejected('VERSION', 'any')),
    ],
  },
  {
    rule: 'a version is HTTP, a slash, one digit, a dot and one digit',
    rfc: '9112 2.3',
    cases: [
      ...['HTTP/1.10', 'HTTP/01.1', 'HTTP/1', 'HTTP/1.', 'HTTP/1.x', 'HTTP/1,1'].map((version) =>
        request(version, line(`GET / ${version}`), badVersion),
      ),
      ...['HTTP/.1', 'HTTP/', 'HTTP'].map((version) => request(version, line(`GET / ${version}`), badVersion)),
      request('lower case', line('GET / http/1.1'), badVersion),
      response('HTTP/1.10', 'HTTP/1.10 200 OK\r\n\r\n', badVersion),
    ],
  },
  {
    rule: 'another protocol name is not an HTTP message',
    rfc: '9112 2.3',
    cases: [
      request('RTSP/1.0', line('GET / RTSP/1.0'), badVersion),
      request('HTTPS/1.1', line('GET / HTTPS/1.1'), badVersion),
      request('ICE/1.0', line('SOURCE / ICE/1.0'), badVersion),
      response('RTSP/1.0', 'RTSP/1.0 200 OK\r\n\r\n', badVersion),
      response('ICY', 'ICY 200 OK\r\n\r\n', badVersion),
    ],
  },
  {
    rule: 'the parts are separated by one SP; a text may have more white space',
    rfc: '9112 3',
    cases: [
      ...[
        ['two SP', 'GET  /  HTTP/1.1'],
        ['two SP before the version', 'GET /  HTTP/1.1'],
        ['HTAB', 'GET\t/\tHTTP/1.1'],
        ['SP and HTAB', 'GET \t / \t HTTP/1.1'],
      ].map(([title, startLine]) =>
        request(title!, line(startLine!), {
          lenient: repaired('request-line-whitespace', { method: 'GET', target: '/', line: 'GET / HTTP/1.1' }),
          strict: whitespace,
        }),
      ),
      request('VT', line('GET\v/ HTTP/1.1'), noToken),
      request('VT before the version', line('GET /\vHTTP/1.1'), { lenient: badTarget, strict: badVersion }),
      request('FF', line('GET\f/ HTTP/1.1'), noToken),
      request('FF before the version', line('GET /\fHTTP/1.1'), { lenient: badTarget, strict: badVersion }),
      request('CR', line('GET\r/ HTTP/1.1'), bareCr),
      request('no-break space', line('GET\xa0/ HTTP/1.1'), noToken),
    ],
  },
  {
    rule: 'a request line has a target',
    rfc: '9112 3',
    cases: [
      request('missing', line('GET HTTP/1.1'), badTarget),
      request('missing between two SP', line('GET  HTTP/1.1'), { lenient: badTarget, strict: whitespace }),
      request('method only', line('GET'), badTarget),
    ],
  },
  {
    rule: 'the target has only bytes of a URI',
    rfc: '9112 3.2, 3986 3.3',
    cases: [
      request('space', line('GET /a b HTTP/1.1'), badTarget),
      ...['"', '<', '>', '\\', '`', '{', '}', '\x7f', '\0', '\x01', '\xe9', '\xa0', '\xff'].map((octet) =>
        request(`byte ${octet.charCodeAt(0).toString(16)}`, line(`GET /a${octet}b HTTP/1.1`), badTarget),
      ),
      // Browsers leave these as they are, and a server has to do with browsers.
      ...['[', ']', '|', '^'].map((octet) =>
        request(`byte ${octet} in a path`, line(`GET /a${octet}b HTTP/1.1`), {
          lenient: badTarget,
          strict: badTarget,
          server: accepted({ target: `/a${octet}b`, form: 'origin' }),
        }),
      ),
      request('UTF-8', line('GET /caf\xc3\xa9 HTTP/1.1'), badTarget),
      ...['%', '%4', '%zz', '%u0041', '%%41'].map((pct) =>
        request(`escape ${pct}`, line(`GET /a${pct} HTTP/1.1`), badTarget),
      ),
      request(
        'every byte that is allowed there',
        line("GET /az-._~!$&'()*+,;=:@%20%C3?a/b?c=%0d HTTP/1.1"),
        accepted({ target: "/az-._~!$&'()*+,;=:@%20%C3?a/b?c=%0d", form: 'origin' }),
      ),
    ],
  },
  {
    rule: 'a target is a path, a URL, an authority or *; a text may leave the scheme out',
    rfc: '9112 3.2',
    cases: [
      request('no scheme', 'GET one.test:81/p?q HTTP/1.1\r\n\r\n', {
        lenient: repaired(['missing-scheme', 'missing-host'], {
          url: 'http://one.test:81/p?q',
          headers: ['Host: one.test:81'],
          line: 'GET /p?q HTTP/1.1',
        }),
        strict: badTarget,
      }),
      request('a query alone', line('GET ?q HTTP/1.1'), badTarget),
      request('a scheme without authority', line('GET http:/p HTTP/1.1'), badTarget),
      request(
        'two slashes are a path',
        line('GET //b/p HTTP/1.1'),
        accepted({ target: '//b/p', url: 'http://a//b/p' }),
      ),
    ],
  },
  {
    rule: 'a fragment is not sent',
    rfc: '9112 3.2',
    cases: [
      request('after a path', line('GET /p?q#f HTTP/1.1'), {
        lenient: repaired('fragment', { target: '/p?q', line: 'GET /p?q HTTP/1.1' }),
        strict: badTarget,
      }),
      request('after a URL', line('GET http://a/p#f HTTP/1.1'), {
        lenient: repaired('fragment', { target: 'http://a/p', url: 'http://a/p' }),
        strict: badTarget,
      }),
    ],
  },
  {
    rule: 'the authority of an absolute target wins over Host',
    rfc: '9112 3.2.2',
    cases: [
      request('another host', 'GET http://one.test/p HTTP/1.1\r\nHost: two.test\r\n\r\n', {
        lenient: accepted({
          target: 'http://one.test/p',
          form: 'absolute',
          url: 'http://one.test/p',
          headers: ['Host: two.test'],
          line: 'GET /p HTTP/1.1',
        }),
        strict: repaired('replaced-host', {
          target: 'http://one.test/p',
          form: 'absolute',
          url: 'http://one.test/p',
          headers: ['Host: one.test'],
          line: 'GET /p HTTP/1.1',
        }),
      }),
      request(
        'the scheme in capitals',
        'GET HTTP://one.test/ HTTP/1.1\r\nHost: one.test\r\n\r\n',
        accepted({ form: 'absolute', url: 'http://one.test/' }),
      ),
      request(
        'origin-form takes it from Host',
        'GET /p?q HTTP/1.1\r\nHost: one.test:8080\r\n\r\n',
        accepted({ target: '/p?q', form: 'origin', url: 'http://one.test:8080/p?q' }),
      ),
    ],
  },
  {
    rule: 'an http URI has a host and no userinfo',
    rfc: '9110 4.2.1, 4.2.4',
    cases: [
      request('empty host', line('GET http:///p HTTP/1.1'), badTarget),
      request('empty host with a port', line('GET http://:80/p HTTP/1.1'), badTarget),
      request('empty host in https', line('GET https:///p HTTP/1.1'), badTarget),
      request('userinfo', 'GET http://me:secret@one.test/p HTTP/1.1\r\nHost: one.test\r\n\r\n', {
        lenient: repaired('userinfo', { url: 'http://one.test/p', line: 'GET /p HTTP/1.1' }),
        strict: badTarget,
      }),
    ],
  },
  {
    rule: 'CONNECT names a host and a port, and only that',
    rfc: '9110 9.3.6',
    cases: [
      request(
        'host and port',
        'CONNECT one.test:443 HTTP/1.1\r\nHost: one.test:443\r\n\r\n',
        accepted({ target: 'one.test:443', form: 'authority', line: 'CONNECT one.test:443 HTTP/1.1' }),
      ),
      request('IPv6 address', line('CONNECT [::1]:443 HTTP/1.1'), {
        lenient: accepted({ target: '[::1]:443', form: 'authority' }),
        strict: repaired('replaced-host', { target: '[::1]:443', form: 'authority', headers: ['Host: [::1]:443'] }),
      }),
      request('no port', line('CONNECT one.test HTTP/1.1'), badTarget),
      request('empty port', line('CONNECT one.test: HTTP/1.1'), badTarget),
      request('no host', line('CONNECT :443 HTTP/1.1'), badTarget),
      request('a path', line('CONNECT /p HTTP/1.1'), badTarget),
      request('userinfo', line('CONNECT me@one.test:443 HTTP/1.1'), badTarget),
    ],
  },
  {
    rule: 'the target * belongs to OPTIONS',
    rfc: '9110 7.1',
    cases: [
      request(
        'OPTIONS',
        line('OPTIONS * HTTP/1.1'),
        accepted({ target: '*', form: 'asterisk', line: 'OPTIONS * HTTP/1.1' }),
      ),
      request('GET', line('GET * HTTP/1.1'), badTarget),
      request('an unknown method', line('FIND * HTTP/1.1'), badTarget),
      request('OPTIONS with more than *', line('OPTIONS *a HTTP/1.1'), badTarget),
    ],
  },
  {
    rule: 'a request line of 8000 bytes is taken, one past the limit is not',
    rfc: '9112 3',
    cases: [
      request('8000 bytes', line(`GET /${'a'.repeat(7986)} HTTP/1.1`), accepted({ target: `/${'a'.repeat(7986)}` })),
      request('past 16 KiB', line(`GET /${'a'.repeat(16 * 1024)} HTTP/1.1`), rejected('LIMIT', 414)),
    ],
  },
]
