/** The example programs of the library do what their heads say, over real sockets, and print this. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandEnvironment } from '../helpers/command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const directory = join(root, 'examples/library')
const execute = promisify(execFile)

/** The output of each program; carriage returns, which messages have at the end of their lines, left out. */
const printed: Readonly<Record<string, readonly string[]>> = {
  'chunked-upload.ts': ['200: 54 chunks, 3478790 bytes, digest right'],
  'fetch-and-raw.ts': [
    'HTTP/1.1 201 Created',
    'content-type: application/json',
    'Transfer-Encoding: chunked',
    '',
    '30',
    '{"greeting":"Hello, Joe!","said":"Good morning"}',
    '0',
    '',
    '',
    '',
    'POST /form HTTP/1.1',
    'Host: example.com',
    'content-type: application/x-www-form-urlencoded;charset=UTF-8',
    'Transfer-Encoding: chunked',
    '',
    '7',
    'a=1&b=2',
    '0',
    '',
    '',
  ],
  'first-steps.ts': [
    'repaired: bare-lf in line 1',
    'repaired: missing-version in line 1',
    'repaired: missing-host in line 1',
    '',
    'POST /users?from=cli HTTP/1.1',
    'Host: localhost:8080',
    'Accept: */*',
    'Content-Type: application/json',
    'Content-Length: 14',
    '',
    '{"name":"Joe"}',
    '',
    '200 OK: hi',
    '',
    'WHITESPACE at 2:5: white space between the name and ":"',
    'Host : localhost',
    '    ^',
  ],
  'header-proxy.ts': [
    '103 </style.css>; rel=preload',
    '200 OK, via 1.1 example',
    'somebody via 1.1 example says hello',
    'trailer X-Hop: not seen',
    'HTTP/1.1 403 Forbidden',
    'HTTP/1.1 101 Switching Protocols: you said hi',
  ],
  'log-reader.ts': [
    '1. GET http://example.com/a 0 bytes, Joe/1.0',
    '2. POST http://example.com/b 1048579 bytes, -',
    'message 3, line 3, column 7: white space between the name and ":"',
    'Accept : */*',
    '      ^',
  ],
  'mock-server.ts': [
    'GET /users/1',
    'POST /users',
    '200 OK ',
    '{"name":"Joe"}',
    '201 Created /users/ann',
    '',
    '400 Bad Request ',
    'white space between the name and ":"',
    'Host : mock',
    '    ^',
    '',
  ],
  'record-and-replay.ts': [
    '/b: 200, cookies a=1 b=2, "visit 2"',
    '/a: 200, cookies a=1 b=2, "visit 1"',
    '/c: 404, cookies , ""',
  ],
  'server-fuzzer.ts': [
    '240 x 400, first for "POST /form HTTP/1.1"',
    '7 x not HTTP: a line feed without a carriage return, first for "POST /a b HTTP/1.1"',
    '5 x closed without an answer, first for "POST /form HTTP/1.1"',
    '45 x 200, 400, first for "POST /form HTTP/1.1"',
    '28 x 200, first for "POST /form HTTP/1.1"',
  ],
  'test-requests.ts': [
    '201 for the valid one: article 7',
    '201 for another article: article 8',
    '401 for without authorization: ',
    '405 for another method: ',
    '414 for a long target: LIMIT',
    '431 for many fields: LIMIT',
    '400 for two lengths: CONTENT_LENGTH',
    '400 for a colon in the method: METHOD',
    '400 for a length and chunks: FRAMING_CONFLICT',
  ],
  'trailer-reader.ts': [
    '/good: 3 lines, 2 rows, complete, announced',
    '/bad: 3 lines, 2 rows, failed, announced',
    '/cut: INCOMPLETE: the message ends before its last chunk is complete',
  ],
  'websocket-handshake.ts': ['with Upgrade: open, first frame: welcome', 'without: refused with 426'],
}

describe('the examples of the library', () => {
  it('are all known here', () => {
    expect(readdirSync(directory).sort()).toEqual(Object.keys(printed))
  })

  it.each(Object.entries(printed))('%s exchanges real messages and prints the result', async (file, lines) => {
    const words = ['--import', 'tsx', join(directory, file)]
    const { stdout, stderr } = await execute(process.execPath, words, { cwd: root, env: commandEnvironment() })
    expect(stderr).toBe('')
    const expected = [...lines, '']
    // Server and client of the mock server print from two sides of a socket: their order is not theirs to choose.
    const isOrdered = file !== 'mock-server.ts'
    const got = stdout.replaceAll('\r', '').split('\n')
    expect(isOrdered ? got : got.toSorted()).toEqual(isOrdered ? expected : expected.toSorted())
  })
})
