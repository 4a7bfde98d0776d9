/** How a server was reached: `--verbose`, the same in `--json`, and the chain of a certificate that is refused. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TlsOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateFiles, makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { isStandalone } from '../helpers/command.ts'
import { answering, closedPort, listening, onHead, startPeer } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-verbose-'))
afterAll(() => rmSync(directory, { recursive: true }))

let authority: CertificateFiles
let server: CertificateFiles
let expired: CertificateFiles

beforeAll(() => {
  authority = makeAuthority(directory)
  server = makeCertificate(directory, { name: 'server', authority })
  expired = makeCertificate(directory, { name: 'expired', authority, days: -1 })
})

const ok = answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

async function startTls(files: CertificateFiles, options: TlsOptions = {}): Promise<number> {
  const listener = createServer(
    { cert: readFileSync(files.certificate), key: readFileSync(files.key), ALPNProtocols: ['http/1.1'], ...options },
    (socket) => {
      socket.on('error', () => undefined)
      ok(socket)
    },
  )
  listener.on('tlsClientError', () => undefined)
  return listening(listener)
}

/** Opens every requested tunnel. */
function startProxy(): Promise<{ readonly port: number }> {
  return startPeer(
    onHead((socket, head) => {
      const target = connect(Number(/^CONNECT [^:]+:(\d+) /.exec(head)?.[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Tunnel open\r\n\r\n')
        socket.pipe(target).pipe(socket)
      })
      target.on('error', () => socket.destroy())
    }),
  )
}

const trusted = (port: number): readonly string[] => [
  ...['-t', `GET https://localhost:${port}/`, '--resolve', `localhost:${port}:127.0.0.1`],
  ...['--cacert', authority.certificate],
]

const FINGERPRINT = '(?:[0-9A-F]{2}:){31}[0-9A-F]{2}'
const MS = String.raw`\d+\.\d\d ms`

describe('--verbose', () => {
  it('reports addresses, connection, TLS, certificate and times on standard error', async () => {
    const port = await startTls(server, { maxVersion: 'TLSv1.3' })
    const { code, out, err } = await send([...trusted(port), '--verbose', '-p', 'body'])
    expect([code, out]).toEqual([0, 'ok'])
    expect(err).toMatch(
      new RegExp(
        [
          String.raw`^\* looked up localhost in ${MS}: 127\.0\.0\.1`,
          String.raw`\* connected to 127\.0\.0\.1 port ${port} from 127\.0\.0\.1 port \d+ in ${MS}`,
          String.raw`\* TLS 1\.3 with localhost port ${port} in ${MS}`,
          String.raw`\*   cipher: TLS_AES_\w+; ALPN: http/1\.1; new session`,
          String.raw`\*   certificate: verified`,
          String.raw`\*   certificate 1: CN=server`,
          String.raw`\*     names: localhost, 127\.0\.0\.1`,
          String.raw`\*     issuer: CN=httpcli test authority`,
          String.raw`\*     valid: 20\d\d-\S+Z to 20\d\d-\S+Z`,
          String.raw`\*     key: EC \S+; serial number: [0-9A-F]+`,
          String.raw`\*     SHA-256: ${FINGERPRINT}`,
          String.raw`(?:\* [^\n]*\n)*\* DNS ${MS}, connect ${MS}, TLS ${MS}, first byte ${MS}, total ${MS}; \d+ bytes sent, \d+ received\n$`,
        ].join('\n'),
      ),
    )
  })

  it('says that a certificate was not checked', async () => {
    const port = await startTls(server)
    const { err } = await send(['-t', `GET https://127.0.0.1:${port}/`, '-i', '--verbose'])
    expect(err).toContain('*   certificate: not checked (-i)\n')
  })

  it('reports the response of a proxy', async () => {
    const proxy = await startProxy()
    const port = await startTls(server)
    const { err } = await send([...trusted(port), '--proxy', `http://127.0.0.1:${proxy.port}`, '--verbose'])
    expect(err).toMatch(new RegExp(`^\\* connected to the proxy 127\\.0\\.0\\.1 port ${proxy.port} from .*$`, 'm'))
    expect(err).toMatch(/^\* proxy 127\.0\.0\.1 port \d+ answered CONNECT localhost:\d+: 200 Tunnel open$/m)
    expect(err).toMatch(/^\* TLS 1\.\d with localhost/m)
  })

  it('reports which addresses were tried before an error', async () => {
    const port = await closedPort()
    const { code, err } = await send(['-t', `GET http://127.0.0.1:${port}/`, '--verbose'])
    expect(code).toBe(4)
    expect(err).toMatch(/^\* tried 127\.0\.0\.1 port \d+: connection refused\nhttpcli send: /)
  })

  it('adds the same to --json', async () => {
    const proxy = await startProxy()
    const port = await startTls(server)
    const { out } = await send([...trusted(port), '--proxy', `http://127.0.0.1:${proxy.port}`, '--json'])
    const report = JSON.parse(out)
    expect(report.connection).toMatchObject({
      remote: { address: '127.0.0.1', port: proxy.port },
      proxy: { address: '127.0.0.1', port: proxy.port, status: 200, reason: 'Tunnel open' },
    })
    expect(report.tls).toMatchObject({
      version: expect.stringMatching(/^TLS 1\.[23]$/),
      alpn: 'http/1.1',
      isResumed: false,
      isVerified: true,
    })
    expect(report.tls.certificates[0]).toMatchObject({
      subject: 'CN=server',
      names: ['localhost', '127.0.0.1'],
      issuer: 'CN=httpcli test authority',
      fingerprint256: expect.stringMatching(new RegExp(`^${FINGERPRINT}$`)),
    })
  })
})

// The runtime of the executable forgets the certificates of a handshake that it refused.
describe.skipIf(isStandalone)('a certificate that is refused is printed', () => {
  it.each<[title: string, files: () => CertificateFiles, url: string, words: () => readonly string[], name: string]>([
    ['by an unknown authority', () => server, 'localhost', () => [], 'CN=server'],
    ['when it has expired', () => expired, 'localhost', () => ['--cacert', authority.certificate], 'CN=expired'],
    ['for another host', () => server, 'other.test', () => ['--cacert', authority.certificate], 'CN=server'],
  ])('%s', async (_title, files, host, words, name) => {
    const port = await startTls(files())
    const { code, out, err } = await send([
      ...['-t', `GET https://${host}:${port}/`, '--resolve', `${host}:${port}:127.0.0.1`],
      ...words(),
    ])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(
      new RegExp(
        String.raw`^httpcli send: ${host} port ${port}: the certificate .*\n  certificate 1: ${name}\n    names: localhost, 127\.0\.0\.1\n    issuer: .*\n    valid: .*\n    key: .*\n    SHA-256: ${FINGERPRINT}\n`,
      ),
    )
  })
})

/** Answers any first bytes. */
const afterFirstOctets =
  (octets: Uint8Array | string, ends: boolean) =>
  (socket: Socket): void => {
    socket.once('data', () => (ends ? socket.end(octets) : socket.write(octets)))
  }

describe('the wrong protocol', () => {
  const alert = Uint8Array.of(0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46)

  it.each([
    ['and closes', true],
    ['and stays open', false],
  ])('is named when the port responds to http with a TLS %s alert', async (_title, ends) => {
    const peer = await startPeer(afterFirstOctets(alert, ends))
    const { code, err } = await send(['-t', `GET ${peer.origin}/`])
    expect(code).toBe(4)
    expect(err).toContain(`127.0.0.1 port ${peer.port} answered with TLS, not with HTTP. Write https://`)
  })

  it('is suspected when a TLS server closes an http request without a response', async () => {
    const port = await startTls(server)
    const { code, err } = await send(['-t', `GET http://127.0.0.1:${port}/`])
    expect(code).toBe(4)
    expect(err).toMatch(/HTTP, not HTTPS, on this port|answered with TLS/)
  })

  it.each([
    ['an answer in HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a greeting', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('is named when https meets %s', async (_title, octets) => {
    const peer = await startPeer(afterFirstOctets(octets, true))
    const { code, err } = await send(['-t', `GET https://127.0.0.1:${peer.port}/`])
    expect(code).toBe(4)
    expect(err).toMatch(/: the server does not speak TLS on this port\. Use http:\/\/ or another port\.\n$/)
  })
})

describe('an error text of the TLS library', () => {
  it.each<[title: string, octets: Uint8Array]>([
    ['handshake_failure', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40)],
    ['protocol_version', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 70)],
    ['insufficient_security', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 71)],
    ['internal_error', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 80)],
    ['an unknown alert', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 99)],
    ['half a record', Uint8Array.of(0x16, 3, 3, 0, 200, 2)],
    ['a record that is too long', Uint8Array.of(0x16, 3, 3, 255, 255, 2, 0, 0)],
    ['an invalid handshake', Uint8Array.of(0x16, 3, 3, 0, 4, 99, 0, 0, 0)],
  ])('never reaches the user: %s', async (_title, octets) => {
    const peer = await startPeer(afterFirstOctets(octets, true))
    const { code, err } = await send(['-t', `GET https://127.0.0.1:${peer.port}/`])
    expect(code).toBe(4)
    expect(err).toMatch(/^httpcli send: 127\.0\.0\.1 port \d+: the [^\n]*\n$/)
    expect(err).not.toMatch(/routines|error:[0-9A-F]|ssl3?_|openssl|\.c:\d/i)
  })

  it('never reaches the user when it comes in the response', async () => {
    const port = await startTls(server)
    const spoiling = createTcpServer((socket) => {
      const target = connect(port, '127.0.0.1')
      let fromServer = 0
      socket.on('error', () => undefined).pipe(target)
      target.on('error', () => undefined)
      target.on('data', (bytes: Buffer) => {
        fromServer++
        // The records after the handshake.
        if (fromServer > 1) bytes[6] = (bytes[6] as number) ^ 0xff
        socket.write(bytes)
      })
    })
    const { code, err } = await send(['-t', `GET https://127.0.0.1:${await listening(spoiling)}/`, '-i'])
    expect(code).toBe(4)
    expect(err).not.toMatch(/routines|error:[0-9A-F]|ssl3?_|\.c:\d/i)
  })
})
