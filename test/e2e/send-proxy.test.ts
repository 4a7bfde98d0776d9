/**
 * `send` by way of proxies: whole exchanges with TLS, through a tunnel that a plain or a TLS proxy opens.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateFiles, makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { answering, closedPort, listening, onHead, startPeer } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-proxy-'))
afterAll(() => rmSync(directory, { recursive: true }))

let authority: CertificateFiles
let server: CertificateFiles
let heads: string[] = []

beforeAll(() => {
  authority = makeAuthority(directory)
  server = makeCertificate(directory, { name: 'server', authority })
})

async function startTls(serve: (socket: Socket) => void, more: TlsOptions = {}): Promise<number> {
  const options = { cert: readFileSync(server.certificate), key: readFileSync(server.key), ...more }
  const listener = createTlsServer(options, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  listener.on('tlsClientError', () => undefined)
  return listening(listener)
}

/** Opens tunnels for clients with these credentials, and passes the rest on. */
function tunnelling(credentials: string): (socket: Socket) => void {
  heads = []
  return onHead((socket, head) => {
    heads.push(head)
    if (!head.includes(`Proxy-Authorization: Basic ${btoa(credentials)}\r\n`)) {
      socket.end('HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const target = connect(Number(/^CONNECT [^:]+:(\d+) /.exec(head)?.[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    target.on('error', () => socket.destroy())
  })
}

const digestFields = 'Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256\r\n'
const digestChallenge = `HTTP/1.1 407 Who are you\r\n${digestFields}Content-Length: 0\r\n\r\n`

/** Whether the answer in a head is right for `joe:p@ss`. */
function isAnswered(head: string, uri: string): boolean {
  const [method] = head.split(' ', 1)
  const value = (name: string): string | undefined =>
    new RegExp(`^Proxy-Authorization: Digest .*\\b${name}="?([^",\r]*)`, 'm').exec(head)?.[1]
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
  const middle = `n:${value('nc')}:${value('cnonce')}:auth`
  return value('response') === hash(`${hash('joe:r:p@ss')}:${middle}:${hash(`${method}:${uri}`)}`)
}

async function startProxy(scheme: string): Promise<number> {
  const serve = tunnelling('joe:p@ss')
  return scheme === 'https' ? startTls(serve) : (await startPeer(serve)).port
}

const body = Buffer.alloc(300_000, 'some text ')
const answer = answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body)

describe.each(['http', 'https'])('an https exchange through an %s proxy', (scheme) => {
  it.each(['--proxy', 'HTTPS_PROXY'])('with credentials from %s is complete', async (way) => {
    const port = await startTls(answer)
    const proxy = `${scheme}://joe:p%40ss@localhost:${await startProxy(scheme)}`
    const words = ['-t', `GET https://localhost:${port}/`, '-p', 'body', '--cacert', authority.certificate]
    const { code, out, err } =
      way === '--proxy' ? await send([...words, '--proxy', proxy]) : await send(words, { env: { [way]: proxy } })
    expect([code, err]).toEqual([0, ''])
    expect(out === body.toString()).toBe(true)
    expect(heads).toEqual([expect.stringMatching(new RegExp(`^CONNECT localhost:${port} HTTP/1\\.1\\r\\n`))])
  })

  it('without credentials exits with 4 and says how to give them', async () => {
    const proxy = `${scheme}://localhost:${await startProxy(scheme)}`
    const words = ['-t', 'GET https://localhost:1/', '--cacert', authority.certificate, '--proxy', proxy]
    const { code, out, err } = await send(words)
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/refused the tunnel to localhost:1: 407 Who are you\. .*user:password@/)
  })
})

it.each([
  ['http://a.test/', 'TLSv1.2', /proxy: localhost port \d+: .* requires a client certificate/],
  ['http://a.test/', 'TLSv1.3', /a\.test port 80 \(through .*\): the proxy requires a client certificate/],
  ['https://a.test/', 'TLSv1.3', /proxy localhost port \d+: the proxy requires a client certificate/],
] as const)('a proxy that requires a client certificate is named: %s, %s', async (url, version, message) => {
  const demand = {
    requestCert: true,
    ca: readFileSync(authority.certificate),
    maxVersion: version,
    minVersion: version,
  }
  const proxy = `https://localhost:${await startTls(answer, demand)}`
  const client = ['--cert', server.certificate, '--key', server.key]
  const { code, err } = await send([url, '--proxy', proxy, '--cacert', authority.certificate, ...client])
  expect([code, err]).toEqual([4, expect.stringMatching(message)])
  expect(err).not.toContain('--cert')
})

it('an unreachable proxy of the environment is named', async () => {
  const port = await closedPort()
  const { code, err } = await send(['-t', 'GET https://a.example/'], {
    env: { https_proxy: `http://127.0.0.1:${port}` },
  })
  expect(code).toBe(4)
  expect(err).toMatch(
    /^httpcli send: proxy: 127\.0\.0\.1 port \d+: connection refused\. Check the address of the proxy/,
  )
})

it.each<[answer: string, how: string, serve: (socket: Socket) => void, what: string]>([
  ['nothing', 'closes the connection', (socket) => socket.end(), 'it closed the connection without an answer'],
  [
    'half an answer',
    'closes the connection',
    (socket) => socket.end('HTTP/1.1 200'),
    'it closed the connection in the middle of its answer',
  ],
  ['nothing', 'resets the connection', (socket) => socket.resetAndDestroy(), 'it reset the connection'],
])('a proxy that sends %s to CONNECT and %s is reported', async (_answer, _how, serve, what) => {
  const peer = await startPeer(onHead(serve))
  const { code, err } = await send(['https://a.example/', '--proxy', `http://127.0.0.1:${peer.port}`])
  const expected = `httpcli send: proxy 127.0.0.1 port ${peer.port}: ${what}. Check the address of the proxy.\n`
  expect([code, err]).toEqual([4, expected])
})

describe('-i', () => {
  const warning = 'warning: the certificate of the server is not checked (-i)\n'

  it('is reported with --raw', async () => {
    const port = await startTls(answer)
    const file = join(directory, 'raw.http')
    writeFileSync(file, `GET https://localhost:${port}/ HTTP/1.1\r\n\r\n`)
    const { code, err } = await send(['--raw', '-i', '-p', 'status', file])
    expect([code, err]).toEqual([0, warning])
  })

  it('is noted if only a redirect leads to TLS', async () => {
    const port = await startTls(answer)
    const location = `HTTP/1.1 302 Found\r\nLocation: https://localhost:${port}/\r\nContent-Length: 0\r\n\r\n`
    const peer = await startPeer(answering(location))
    const { code, out, err } = await send(['--follow', '-i', '-p', 'status', '-t', `GET ${peer.origin}/`])
    expect([code, out, err]).toEqual([0, 'HTTP/1.1 200 OK\n', warning])
  })

  it('is reported if only the proxy speaks TLS', async () => {
    const port = await startTls(answer)
    const words = ['--proxy', `https://localhost:${port}`, '-i', '-p', 'status', '-t', 'GET http://a.example/']
    const { code, out, err } = await send(words)
    expect([code, out, err]).toEqual([0, 'HTTP/1.1 200 OK\n', warning])
  })

  it('is not reported if nothing speaks TLS', async () => {
    const peer = await startPeer(answer)
    expect((await send(['-i', '-p', 'status', '-t', `GET ${peer.origin}/`])).err).toBe('')
  })
})

describe('--proxy-digest', () => {
  const serve = (uri: string, grant: (socket: Socket, head: string) => void) =>
    onHead((socket, head) => {
      if (isAnswered(head, uri)) grant(socket, head)
      else socket.end(digestChallenge)
    })
  const proxyWords = (port: number): readonly string[] => [
    '--proxy',
    `http://joe:p%40ss@127.0.0.1:${port}`,
    '--proxy-digest',
  ]
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

  it('answers the challenge to a request, whose body is sent with the answer', async () => {
    const proxy = await startPeer(serve('/x?y', (socket) => socket.end(ok)))
    const words = ['POST', 'http://a.example/x?y', '-b', 'text', '-l', ...proxyWords(proxy.port)]
    const { code, out } = await send(words)
    expect(code).toBe(0)
    expect(proxy.received.map((text) => text.split('\r\n\r\n')[1])).toEqual(['', 'text'])
    expect(proxy.received[0]).not.toContain('Proxy-Authorization')
    expect(out).toBe(`${proxy.received[0]}${digestChallenge}${proxy.received[1]}\n${ok}`)
  })

  it('answers the challenge to a tunnel', async () => {
    const origin = await startTls(answer)
    const target = `127.0.0.1:${origin}`
    const proxy = await startPeer(
      serve(target, (socket) => {
        const onward = connect(origin, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
          socket.pipe(onward).pipe(socket)
        })
        onward.on('error', () => socket.destroy())
      }),
    )
    const words = [`https://${target}/`, '--cacert', authority.certificate, '-p', 'status', ...proxyWords(proxy.port)]
    const { code, out, err } = await send([...words, '--servername', 'localhost'])
    expect([code, out, err]).toEqual([0, 'HTTP/1.1 200 OK\n', ''])
    expect(proxy.received).toHaveLength(2)
  })

  it('with a wrong password ends with the second 407', async () => {
    const proxy = await startPeer(answering(digestChallenge))
    const plain = await send(['http://a.example/', '-p', 'status', ...proxyWords(proxy.port)])
    expect([plain.code, plain.out, proxy.received.length]).toEqual([0, 'HTTP/1.1 407 Who are you\n', 2])
    expect(plain.err).toMatch(/answered, not the server. Check user and password in the URL of the proxy\n$/)
    const tunnel = await send(['https://a.example/', ...proxyWords(proxy.port)])
    expect([tunnel.code, tunnel.err]).toEqual([
      4,
      expect.stringMatching(/refused the tunnel .* 407 Who are you\. Check user and password in the URL/),
    ])
    expect(proxy.received).toHaveLength(4)
  })

  it('gives up on a proxy whose nonces are always stale', async () => {
    const proxy = await startPeer(answering(digestChallenge.replace('Digest ', 'Digest stale=true, ')))
    await send(['https://a.example/', ...proxyWords(proxy.port)])
    expect(proxy.received).toHaveLength(3)
  })

  it('needs user and password', async () => {
    const { code, err } = await send(['http://a.example/', '--proxy', 'http://proxy:1', '--proxy-digest'])
    expect([code, err]).toEqual([1, expect.stringContaining('--proxy-digest is given without user and password')])
  })
})
