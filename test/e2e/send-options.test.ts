import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, onHead, startPeer } from '../wire/peer.ts'
import { response, responseHead, send } from './send-outcome.ts'

describe('--raw', () => {
  it.each([
    ['a full URL', (port: number) => `GET http://127.0.0.1:${port}/ HTTP/9.9\nbad header\n\n`],
    ['a Host line', (port: number) => `no http at all\nHost: 127.0.0.1:${port}\n\n`],
  ])('sends the bytes unchanged to where %s says', async (_title, textFor) => {
    const peer = await startPeer((socket) => socket.once('data', () => socket.end(response)))
    const text = textFor(peer.port)
    const { code, out } = await send(['--raw', '-t', text])
    expect([code, out]).toEqual([0, response])
    expect(peer.received).toEqual([text])
  })

  it('sends bytes that name no host to the --resolve entry, and prints an answer that is not HTTP', async () => {
    const peer = await startPeer((socket) => {
      socket.once('data', () => {
        socket.write('+PONG\r\n')
        socket.end('bye')
      })
    })
    const { code, out, err } = await send(['--raw', '--resolve', `redis:${peer.port}:127.0.0.1`], {
      stdin: Buffer.from([0, 1, 255, 10]),
    })
    expect([code, out]).toEqual([0, '+PONG\r\nbye'])
    expect(err).toMatch(/^warning: the response is not HTTP/)
    expect(peer.received).toEqual(['\x00\x01\xff\n'])
  })

  it('without a destination is a usage error', async () => {
    expect((await send(['--raw', '-t', 'hello'])).code).toBe(1)
  })

  it('with --offline prints the bytes unchanged', async () => {
    expect((await send(['--raw', '--offline', '-t', 'hello\n'])).out).toBe('hello\n')
  })
})

describe('other options', () => {
  it('--offline prints what would be sent', async () => {
    const { code, out } = await send(['--offline', '-t', 'POST http://a.example/x\n\nbody'])
    expect([code, out]).toEqual([0, 'POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\n\r\nbody'])
  })

  it.each([
    [[], 'HTTP/1.1 302 Found\n'],
    [['--follow'], 'HTTP/1.1 200 OK\n'],
  ])('redirects with %j end at %s', async (words, status) => {
    const peer = await startPeer(
      onHead((socket, text) => {
        socket.end(text.includes('/to') ? response : 'HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n')
      }),
    )
    expect((await send(['-t', `GET ${peer.origin}/`, '-p', 'status', ...words])).out).toBe(status)
  })

  it.each([
    [399, 0],
    [400, 5],
    [500, 5],
  ])('--fail makes status %i exit with %i, and the response is still printed', async (status, exit) => {
    const octets = `HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\nno`
    const peer = await startPeer(answering(octets))
    const { code, out } = await send(['-t', `GET ${peer.origin}/`, '--fail'])
    expect([code, out]).toEqual([exit, octets])
    expect((await send(['-t', `GET ${peer.origin}/`])).code).toBe(0)
  })

  it('--json is one object with request, response and statistics', async () => {
    const peer = await startPeer(answering(response))
    const { out } = await send(['-t', `GET ${peer.origin}/a`, '--json'])
    const report = JSON.parse(out)
    expect(report.request).toEqual({
      method: 'GET',
      url: `${peer.origin}/a`,
      version: 'HTTP/1.1',
      headers: [['Host', `127.0.0.1:${peer.port}`]],
      head: peer.received[0],
    })
    expect(report.response).toEqual({
      status: 200,
      reason: 'OK',
      version: 'HTTP/1.1',
      headers: [
        ['x-FIRST', '1'],
        ['Content-Length', '5'],
        ['X-Last', '2'],
      ],
      head: responseHead,
      body: 'hello',
    })
    expect(report.statistics).toMatchObject({ bytesReceived: response.length, dnsMs: 0, tlsMs: 0 })
    expect(Object.values(report.statistics).every((value) => typeof value === 'number')).toBe(true)
  })

  it('--json has a binary body in base64', async () => {
    const peer = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', Buffer.from([0xff, 0])))
    expect(JSON.parse((await send(['-t', `GET ${peer.origin}/`, '--json'])).out).response.bodyBase64).toBe('/wA=')
  })

  it('--unix-socket connects there', async () => {
    const cwd = temporaryDirectory()
    const server = createServer(answering(response))
    server.listen(join(cwd, 'server.sock'))
    await once(server, 'listening')
    const { out } = await send(['-t', 'GET http://a.example/', '--unix-socket', 'server.sock'], { cwd })
    server.close()
    expect(out).toBe(response)
  })

  it.each([
    ['the environment', [], (proxy: string) => ({ http_proxy: proxy })],
    ['--proxy', ['--proxy'], () => ({})],
  ])('a proxy comes from %s', async (_title, words, env) => {
    const proxy = await startPeer(answering(response))
    const all = words.length === 0 ? [] : [...words, proxy.origin]
    const { out } = await send(['-t', 'GET http://a.example/', ...all], { env: env(proxy.origin) })
    expect(out).toBe(response)
    expect(proxy.received[0]).toMatch(/^GET http:\/\/a\.example\/ HTTP\/1\.1\r\n/)
  })

  it('--noproxy bypasses the proxy of the environment', async () => {
    const peer = await startPeer(answering(response))
    const env = { http_proxy: 'http://127.0.0.1:1' }
    expect((await send(['-t', `GET ${peer.origin}/`, '--noproxy', '127.0.0.1'], { env })).out).toBe(response)
  })

  it.each([
    ['--timeout', 'soon'],
    ['--timeout', '-1'],
    ['--connect-timeout', '1e3'],
    ['--resolve', 'a:b'],
    ['--resolve', 'a.example:80:b.example'],
    ['--key', 'key.pem'],
    ['--keep-partial', undefined],
    ['--retry-interval', '1ms'],
  ])('%s %s is a usage error of one line', async (option, value) => {
    const words = value === undefined ? [option] : [option, value]
    const { code, out, err } = await send(['-t', 'GET http://127.0.0.1:1/', ...words])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(option)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('a server that cannot be reached or does not respond', () => {
  it.each<[title: string, words: (port: number) => readonly string[], message: RegExp]>([
    ['refuses', () => ['-t', 'GET http://127.0.0.1:1/'], /127\.0\.0\.1 port 1: connection refused\. Check/],
    ['has an unknown name', () => ['-t', 'GET http://no-such-host.invalid/'], /no-such-host\.invalid/],
    [
      'is silent',
      (port) => ['-t', `GET http://127.0.0.1:${port}/`, '--timeout', '0.1'],
      /did not answer within 0\.1 s\. Check the server, or allow more time with --timeout <seconds>\.\n/,
    ],
    [
      'is silent about TLS',
      (port) => ['-t', `GET https://127.0.0.1:${port}/`, '--connect-timeout', '0.1'],
      /TLS handshake with 127\.0\.0\.1 port \d+: no answer within 0\.1 s/,
    ],
  ])('that %s: one line, exit 4', async (_title, words, message) => {
    const peer = await startPeer()
    const { code, out, err } = await send(words(peer.port))
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('credentials with a header that they would replace', () => {
  const given = 'cannot be used together. Give only one of them.'

  it.each([
    [['-u', 'a:b', 'h.test', 'Authorization:x'], `-u/--user and the header Authorization ${given}`],
    [['-u', 'a:b', 'h.test', '-H', 'authorization: x'], `-u/--user and the header authorization ${given}`],
    [['-B', 't', 'h.test', '-H', 'Authorization;'], `-B/--bearer and the header Authorization ${given}`],
    [['--digest', '-u', 'a:b', 'h.test', '-H', 'Authorization: x'], `-u/--user and the header Authorization ${given}`],
    [['http://a:b@h.test', 'Authorization:x'], `the user of the URL and the header Authorization ${given}`],
  ])('are refused: %j', async (words, message) => {
    const { code, stderr } = await runInside(['send', '--offline', ...words], { cwd: '.' })
    expect([code, stderr.toString()]).toEqual([1, `httpcli send: ${message}\n`])
  })

  it('override the header of a text', async () => {
    const text = 'GET http://h.test/\nAuthorization: x'
    const { code, stdout } = await runInside(['send', '--offline', '-u', 'a:b', '-t', text], { cwd: '.' })
    expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('\r\nAuthorization: Basic YTpi\r\n')])
  })
})

describe('an unrecognised word', () => {
  it.each([
    [['send', 'file:///x'], 'the URL has the scheme file, expected http or https'],
    [['send', 'OPTIONS', '*'], "printf 'OPTIONS * HTTP/1.1\\nHost: localhost:8080\\n\\n' | httpcli send -f -"],
    [['serve', '.', '8080'], 'unexpected argument "8080". Write -p 8080 for the port.'],
    [['serve', '8080'], 'the directory 8080 does not exist. Write httpcli serve . -p 8080 for the port.'],
    [['serve', ':3000'], 'the directory :3000 does not exist. Write httpcli serve . -p 3000 for the port.'],
  ])('gets advice on what to write instead: %j', async (words, advice) => {
    const { code, stderr } = await runCommand(words)
    expect(code).toBe(1)
    expect(stderr.toString()).toContain(advice)
  })
})
