/**
 * Parts of messages: right ones, odd ones that the grammar just allows or just forbids, and pieces that parsers
 * have been seen to disagree on.
 *
 * Rules: strings of one character per byte; parts do not depend on their place.
 */
import { Pool } from './random.ts'

let visible = ''
for (let octet = 0x21; octet <= 0x7e; octet++) visible += String.fromCharCode(octet)

export const tokenText = new Pool("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
export const pathText = new Pool("abcXYZ019-._~!$&'()*+,;=:@/")
export const queryText = new Pool("abcXYZ019-._~!$&'()*+,;=:@/?")
export const valueText = new Pool(visible)
export const bodyText = new Pool(`${visible}\r\n \0\xff`)

export const methods = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
]
export const oddMethods = [
  'get',
  'G',
  'GE',
  'GETT',
  'POSTS',
  'PROPFIND',
  'M-SEARCH',
  "a!#$%&'*+-.^_`|~9",
  'HTTP/1.1',
  'G\x80T',
]
export const oddTargets = [
  ...['', '*', '//', '/?', '/??', '/a?b[]=1&c={d}|`^\\"<>', '/%', '/%2', '/%zz', '/a b', '/\t', '/#f', '/a#', '/\x7f'],
  ...['/\xe4', 'a', 'a:1', 'http://', 'http://a', 'HTTP://A:80/', 'http://a:99999/', 'http://u:p@a/', 'http:///'],
  ...['http://[::1]:8/x', 'http://[::1', 'https://a?b', 'ftp://a/', 'urn:x', '[::1]:80', 'a:0', 'a:', ':80', 'a/b:1'],
]
export const hosts = ['a', 'example.com', 'localhost:8080', '127.0.0.1', '[::1]:80', 'x-y_z~1.example']
export const oddHosts = [
  '',
  ' ',
  'a b',
  'a,b',
  'a:b',
  'a:',
  'a:65536',
  'u@a',
  'a/b',
  '[::1',
  '[]',
  'a%41',
  'a%4',
  '\xe4',
  'http://a',
]
export const plainNames = [
  'Accept',
  'accept',
  'Cookie',
  'User-Agent',
  'X',
  'Set-Cookie',
  'set-cookie',
  '__proto__',
  'Via',
  'DNT',
]
/** As long as a field that frames, or beginning like it. */
export const nearNames = [
  'Content-Lengt',
  'Content-Length_',
  'Content-Lenght',
  'Transfer-Encodin',
  'Transfer-Encodinh',
  'Hos',
  'Hosu',
  'Connectioo',
  'Expecu',
  'Trailes',
  'Upgradf',
]
export const connectionValues = [
  'close',
  'keep-alive',
  'Close',
  'KEEP-ALIVE',
  'clown',
  'keep-aliv',
  'close, x',
  ',close',
  'Upgrade',
  'upgrade, close',
  '"close"',
  '',
  'Upgrade, HTTP2-Settings',
]
export const expectValues = ['100-continue', '100-Continue', '100-continu', 'x', '', '100-continue, x']
export const lengthValues = [
  '0',
  '5',
  '05',
  '00000000000000000000005',
  '+5',
  '-5',
  '5 ',
  '5 5',
  '5,5',
  '5, 5',
  '5,6',
  '0x5',
  '1e3',
  '',
  ' ',
  '5.0',
  '9007199254740991',
  '9007199254740992',
  '18446744073709551621',
  '\xb2',
]
export const codingValues = [
  'chunked',
  'Chunked',
  'CHUNKED ',
  'chunke',
  'chunkedd',
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked,chunked',
  ',chunked',
  'chunked,',
  'chunked;q=1',
  'identity',
  'xchunked',
  '"chunked"',
  '',
  'chunked\x0b',
]
export const sizeLines = [
  '0',
  '00',
  'A',
  'a',
  '5',
  '005',
  '5 ',
  '5\t',
  ' 5',
  '+5',
  '0x5',
  '5;a',
  '5;a=b',
  '5 ; a = "b;c"',
  '5;',
  '5;=',
  '5;a="',
  'g',
  '',
  '-1',
  'fffffffffffff',
  'ffffffffffffff',
  '5;\x01',
  '5;\xe4',
]
export const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2']
export const oddVersions = [
  '',
  'HTTP/1',
  'HTTP/2',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/1.10',
  'HTTP/11',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/1,1',
  'HTTQ/1.1',
  'RTSP/1.0',
  'HTTP/1.\xb2',
  'H',
]
export const reasons = ['OK', 'OK', 'OK', '', 'Not Found', 'I\tam', '\xdcbel', ' x', '\x01', 'a\rb']
export const oddStatuses = ['099', '1', '20', '2000', '2x0', '999', '000', '+20', '2\xb20', '', '100', '101', '199']

const digits = ['1', '12', '123456789012345', '1234567890123456', '99999999999999999', '/', ':', '1:', '1/']

export const tellingHosts: readonly string[] = [
  ...hosts,
  ...oddHosts,
  ...digits.map((port) => `a:${port}`),
  'a:99999',
  'a:65535',
]

/** Lines that a fast reader has to look at twice, each of them odd in one thing at most. */
export const tellingLines: readonly string[] = [
  ...tellingHosts.map((host) => `Host: ${host}`),
  ...[...lengthValues, ...digits].map((length) => `Content-Length: ${length}`),
  ...codingValues.map((coding) => `Transfer-Encoding: ${coding}`),
  ...connectionValues.map((value) => `Connection: ${value}`),
  ...nearNames.map((name) => `${name}: 5`),
  ...[
    'Host : a',
    'HOST:a',
    'host:  a',
    'Content-Length:5',
    'content-length:\t5',
    'TRANSFER-ENCODING:chunked',
    'connection:close',
  ],
  ...[
    'X: \x01',
    'X: \x1f',
    'X: \x7f',
    'X: 1234567\x0b',
    'X: \0',
    'X: a\rb',
    'X: a\nb',
    'X: a\r',
    'X : a',
    'X',
    ': a',
    'X\x80: a',
    'X: a\r\n b',
  ],
]

/** Lines that are right alone; two of them may contradict each other. */
export const rightLines: readonly string[] = [
  ...[
    'Content-Length: 5',
    'Content-Length: 0',
    'content-length: 5',
    'Transfer-Encoding: chunked',
    'transfer-encoding:Chunked',
  ],
  ...[
    'Host: b',
    'Connection: close',
    'Connection: keep-alive',
    'Expect: 100-continue',
    'Upgrade: x',
    'Connection: upgrade',
  ],
]

export const five = '5\r\nhello\r\n0\r\n\r\n'

/** Chunks in which one byte decides, and content of another length than announced. */
export const tellingBodies: readonly string[] = [
  ...[
    'hell',
    'hello!',
    '0\r\n\r\n',
    '\r\n\r\n',
    '\r\n',
    '0\r\n',
    '0\n\r\n',
    '0 \n\r\n',
    '0\r\r\n\r\n',
    '0\r\n\r\r',
    '000000\r\n\r\n',
  ],
  ...[
    '0000000\r\n\r\n',
    `${five}X`,
    `${five}\r\n`,
    five.replace('5\r\n', '5 \n'),
    five.replace('5\r\n', '5\n\n'),
    five.replace('5\r\n', '5\r\r'),
  ],
  ...[
    five.replace('o\r\n', 'o\n'),
    five.replace('o\r\n', 'o\r\r'),
    five.replace('o\r\n', 'oX\n'),
    five.replace('5', '000005'),
    five.replace('5', '0000005'),
    five.replace('5', '00000005'),
    five.replace('5', '000000005'),
  ],
  ...[
    five.replace('5', 'F'),
    five.replace('5', '@'),
    five.replace('5', '`'),
    five.replace('5', 'G'),
    five.replace('5', ':'),
    five.replace('5', '/'),
    five.replace('5\r\n', '5;a\r\n'),
  ],
  ...[
    `a\r\n0123456789\r\n0\r\n\r\n`,
    `A\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    five.replace('hello\r\n', 'hello\r\n\r\n'),
  ],
]

export const splinters = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '"',
  '%',
  '#',
  '\0',
  '\x7f',
  '\x80',
  '\xa0',
  '\xff',
  '0',
  'f',
  '-',
  '\r\n ',
  'HTTP/1.1',
  'Host: b\r\n',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
]
