/**
 * Cases for field lines and for Host.
 *
 * RFC 9112 sections 3.2, 5 and 5.2, RFC 9110 section 5.5.
 */
import { asked, type ConnectionCase, head, requests, responses } from './connection-rows.ts'

const withField = (line: string): string => head('GET / HTTP/1.1', 'Host: a', line)
const fieldsOf = (...fields: readonly string[]): { fields: readonly string[] } => ({ fields: ['Host: a', ...fields] })

export const fields: readonly ConnectionCase[] = [
  ...(
    [
      ['X:y', 'X: y'],
      ['X: y', 'X: y'],
      ['X:  y  ', 'X: y'],
      ['X:\ty\t', 'X: y'],
      ['X:', 'X: '],
      ['X: ', 'X: '],
      ['X: \t ', 'X: '],
      ['x-lower: a', 'x-lower: a'],
      ['X-MiXeD: a', 'X-MiXeD: a'],
      ['X: a:b:c', 'X: a:b:c'],
      ['X::', 'X: :'],
      ['X: a  b', 'X: a  b'],
      ['X: a\tb', 'X: a\tb'],
      ['X: \xe4\xff\x80', 'X: \xe4\xff\x80'],
      ['X: \xa0y\xa0', 'X: \xa0y\xa0'],
      ['X: \x85', 'X: \x85'],
      ["!#$%&'*+-.^_`|~9Az: y", "!#$%&'*+-.^_`|~9Az: y"],
      ['X: "a, b"', 'X: "a, b"'],
      ['X: (comment)', 'X: (comment)'],
      ['X: a\\b', 'X: a\\b'],
      ['1: 2', '1: 2'],
      ['__proto__: x', '__proto__: x'],
      [`X: ${'v'.repeat(5000)}`, `X: ${'v'.repeat(5000)}`],
      [`${'n'.repeat(3000)}: v`, `${'n'.repeat(3000)}: v`],
    ] as const
  ).map(([line, field]) =>
    requests(`the field ${JSON.stringify(line.slice(0, 30))}`, withField(line), ['GET /', 'end'], fieldsOf(field)),
  ),
  requests(
    'fields with one name keep their lines',
    head('GET / HTTP/1.1', 'Host: a', 'X: 1', 'x: 2', 'X: 1'),
    ['GET /', 'end'],
    fieldsOf('X: 1', 'x: 2', 'X: 1'),
  ),
  requests('Host comes last', head('GET / HTTP/1.1', 'X: 1', 'Host: a'), ['GET /', 'end'], {
    fields: ['X: 1', 'Host: a'],
  }),
  ...(
    [
      ['X', 'HEADER_COLON', 2],
      ['', '', 0],
      [': y', 'HEADER_NAME', 1],
      ['X : y', 'WHITESPACE', 2],
      ['X\t: y', 'WHITESPACE', 2],
      ['X  : y', 'WHITESPACE', 2],
      ['X y: z', 'HEADER_NAME', 2],
      ['X\xe4: y', 'HEADER_NAME', 2],
      ['(X): y', 'HEADER_NAME', 1],
      ['X/: y', 'HEADER_NAME', 2],
      ['X@: y', 'HEADER_NAME', 2],
      ['X[: y', 'HEADER_NAME', 2],
      ['X;: y', 'HEADER_NAME', 2],
      ['X"Y: y', 'HEADER_NAME', 2],
      ['X\0: y', 'HEADER_NAME', 2],
      ['X\x7f: y', 'HEADER_NAME', 2],
      ['X: \0', 'HEADER_VALUE', 4],
      ['X: a\0b', 'HEADER_VALUE', 5],
    ] as const
  )
    .filter(([line]) => line !== '')
    .map(([line, code, column]) =>
      requests(`the field ${JSON.stringify(line)}`, withField(line), [`${code} 400 3:${column}`]),
    ),
  ...['\x01', '\x08', '\x0b', '\x0c', '\x0e', '\x1b', '\x1f', '\x7f'].flatMap((octet) => [
    requests(`${JSON.stringify(octet)} in a value of a request`, withField(`X: a${octet}b`), ['HEADER_VALUE 400 3:5']),
    responses(`${JSON.stringify(octet)} in a value of a response`, head('HTTP/1.1 204 No Content', `X: a${octet}b`), {
      lenient: ['204 No Content', 'end'],
      strict: ['HEADER_VALUE 400 2:5'],
    }),
  ]),
  requests('CR in a value', withField('X: a\rb'), ['BARE_CR 400 3:5']),
  requests('CR CR LF', withField('X: a\r'), ['BARE_CR 400 3:5']),
  requests('LF alone', 'GET / HTTP/1.1\nHost: a\nX: y\n\n', {
    lenient: ['GET /', 'end'],
    strict: ['BARE_LF 400 1:15'],
  }),
  requests('LF alone at the empty line', 'GET / HTTP/1.1\r\nHost: a\r\n\n', {
    lenient: ['GET /', 'end'],
    strict: ['BARE_LF 400 3:1'],
  }),
  requests('a folded value', withField('X: a\r\n b\r\n\tc'), { lenient: ['GET /', 'end'], strict: ['FOLD 400 4:1'] }),
  requests('a folded line after the start line', 'GET / HTTP/1.1\r\n Host: a\r\n\r\n', ['WHITESPACE 400 2:1']),
  requests('a fold of blanks only', withField('X: a\r\n '), { lenient: ['GET /', 'end'], strict: ['FOLD 400 4:1'] }),
  ...['Host: a', 'Content-Length: 0', 'Transfer-Encoding: chunked'].map((line) =>
    requests(`${line} is never folded`, `GET / HTTP/1.1\r\n${line}\r\n x\r\n\r\n`, ['FOLD 400 3:1']),
  ),
  responses('a folded value of a response', head('HTTP/1.1 204 No Content', 'X: a', ' b'), ['204 No Content', 'end'], {
    fields: ['X: a b'],
  }),
  requests('99 fields', head('GET / HTTP/1.1', 'Host: a', ...Array.from({ length: 99 }, () => 'X: y')), [
    'GET /',
    'end',
  ]),
  requests('101 fields', head('GET / HTTP/1.1', 'Host: a', ...Array.from({ length: 100 }, () => 'X: y')), {
    lenient: ['GET /', 'end'],
    strict: ['GET /', 'end'],
    server: ['LIMIT 431 102:1'],
  }),
  requests('a header section of 40 KiB', withField(`X: ${'y'.repeat(40_000)}`), {
    lenient: ['GET /', 'end'],
    strict: ['GET /', 'end'],
    server: ['LIMIT 431 3:32760'],
  }),
  requests('a request line of 17 KiB', asked(`GET /${'x'.repeat(17_000)} HTTP/1.1`), ['LIMIT 414 1:16385']),
]

export const hosts: readonly ConnectionCase[] = [
  ...[
    'a',
    'example.com',
    'example.com:80',
    'example.com:',
    'localhost:8080',
    '127.0.0.1',
    '[::1]',
    '[::1]:80',
    '[v1.x]',
    'x_y',
    'xn--bcher-kva.example',
    'a.',
    '1',
    'a%2Db',
    '~',
    "!$&'()*+;=",
  ].map((host) => requests(`Host: ${host}`, head('GET / HTTP/1.1', `Host: ${host}`), ['GET /', 'end'])),
  ...(
    [
      ['', 0],
      ['a b', 1],
      ['a,b', 1],
      ['a, a', 1],
      ['a/b', 1],
      ['a?b', 1],
      ['a#b', 1],
      ['u@a', 1],
      ['u:p@a', 2],
      ['a:b', 2],
      ['a:80:80', 4],
      ['a:65536', 2],
      ['a:-1', 2],
      ['http://a', 5],
      ['[::1', 4],
      ['[::1]x', 5],
      ['[]', 1],
      ['[1.2.3.4]', 1],
      ['::1', 0],
      [':80', 0],
      ['a\\b', 1],
      ['a"b', 1],
      ['a<b', 1],
      ['\xe4', 0],
      ['a%', 1],
      ['a%4g', 1],
      ['a^b', 1],
      ['{a}', 0],
      ['a\tb', 1],
    ] as const
  ).map(([host]) =>
    requests(`Host: ${JSON.stringify(host)}`, head('GET / HTTP/1.1', `Host: ${host}`), [`HOST 400 2:${7}`]),
  ),
  requests('no Host', 'GET / HTTP/1.1\r\n\r\n', ['HOST 400 2:1']),
  requests('no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', ['GET / last', 'end']),
  requests('two Hosts', head('GET / HTTP/1.1', 'Host: a', 'Host: b'), ['HOST 400 3:7']),
  requests('the same Host twice', head('GET / HTTP/1.1', 'Host: a', 'host: a'), ['HOST 400 3:7']),
  requests('two Hosts in HTTP/1.0', head('GET / HTTP/1.0', 'Host: a', 'Host: b'), ['HOST 400 3:7']),
  requests('an invalid Host in HTTP/1.0', head('GET / HTTP/1.0', 'Host: a b'), ['HOST 400 2:7']),
  requests('no Host but a URL', 'GET http://b:8/ HTTP/1.1\r\n\r\n', {
    lenient: ['GET http://b:8/', 'end'],
    strict: ['HOST 400 2:1'],
  }),
  requests('a Host other than that of the URL', head('GET http://b/ HTTP/1.1', 'Host: c'), ['GET http://b/', 'end']),
]
