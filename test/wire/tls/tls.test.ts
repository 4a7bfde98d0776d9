import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { createSecureContext, createServer, type TlsOptions as ServerOptions, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRequest } from '../../../src/message/index.ts'
import { exchange, type TlsOptions, type WireOptions } from '../../../src/wire/index.ts'
import { tlsError } from '../../../src/wire/tls/tls-failure.ts'
import { type CertificateFiles, makeAuthority, makeCertificate } from '../../helpers/certificates.ts'
import { failure } from '../failure.ts'
import { answering, listening, startPeer } from '../peer.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-tls-'))
afterAll(() => rmSync(directory, { recursive: true }))

let authority: CertificateFiles
let certificates: Readonly<Record<string, CertificateFiles>>

beforeAll(() => {
  authority = makeAuthority(directory)
  certificates = {
    good: makeCertificate(directory, { name: 'good', authority }),
    expired: makeCertificate(directory, { name: 'expired', authority, days: -1 }),
    otherHost: makeCertificate(directory, { name: 'other-host', names: ['DNS:example.com'], authority }),
    selfSigned: makeCertificate(directory, { name: 'self-signed' }),
    client: makeCertificate(directory, { name: 'client', authority }),
  }
})

const answer = answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')

async function tlsServer(certificate: string, options: ServerOptions = {}): Promise<number> {
  const files = certificates[certificate] as CertificateFiles
  const server = createServer(
    { cert: readFileSync(files.certificate), key: readFileSync(files.key), ...options },
    (socket) => {
      socket.on('error', () => undefined)
      answer(socket)
    },
  )
  server.on('tlsClientError', () => undefined)
  return listening(server)
}

function trusting(more: TlsOptions = {}): TlsOptions {
  return { ca: readFileSync(authority.certificate), ...more }
}

async function get(port: number, options: WireOptions, host = 'localhost'): Promise<string | undefined> {
  const { response } = await exchange(parseRequest(`GET https://${host}:${port}/`), options)
  return response.body?.text()
}

describe('a certificate', () => {
  it('that a trusted authority signed for the host is accepted', async () => {
    expect(await get(await tlsServer('good'), { tls: trusting() })).toBe('ok')
  })

  it('may name an address', async () => {
    expect(await get(await tlsServer('good'), { tls: trusting() }, '127.0.0.1')).toBe('ok')
  })

  it.each<[title: string, certificate: string, trusts: boolean, code: string, message: RegExp]>([
    ['has expired', 'expired', true, 'certificate-expired', /has expired/],
    ['is for another host', 'otherHost', true, 'certificate-wrong-host', /not for localhost but for example\.com/],
    ['signed itself', 'selfSigned', false, 'certificate-self-signed', /self-signed/],
    ['comes from an unknown authority', 'good', false, 'certificate-unknown-ca', /unknown authority/],
  ])('that %s is refused, with advice, and accepted without verification', async (_t, name, trusts, code, message) => {
    const port = await tlsServer(name)
    const error = await failure(get(port, { tls: trusts ? trusting() : {} }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`localhost port ${port}`)
    expect(error.hint).toBeTruthy()
    expect(await get(port, { tls: { verify: false } })).toBe('ok')
  })

  it.each([
    ['example.com', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('is requested by the name that the caller passes: %s', async (servername, expected) => {
    let asked: string | undefined
    const port = await tlsServer('otherHost', {
      SNICallback: (name, done) => {
        asked = name
        done(null)
      },
    })
    const verify = servername === expected
    expect(await get(port, { tls: trusting({ servername, verify }) })).toBe('ok')
    expect(asked).toBe(expected)
  })
})

describe('a client certificate', () => {
  it('is presented to a server that requests one', async () => {
    const port = await tlsServer('good', { requestCert: true, ca: readFileSync(authority.certificate) })
    const { certificate, key } = certificates.client as CertificateFiles
    const tls = trusting({ cert: readFileSync(certificate), key: readFileSync(key) })
    expect(await get(port, { tls })).toBe('ok')
  })

  it('that is missing is named in the error', async () => {
    const port = await tlsServer('good', {
      requestCert: true,
      rejectUnauthorized: true,
      ca: readFileSync(authority.certificate),
      maxVersion: 'TLSv1.3',
    })
    const error = await failure(get(port, { tls: trusting() }))
    expect(error.code).toMatch(/^(tls-client-certificate|connection-reset|connection-cut-short)$/)
  })

  it('with the key of another is refused before anything is sent', async () => {
    const port = await tlsServer('good')
    const tls = trusting({
      cert: readFileSync((certificates.client as CertificateFiles).certificate),
      key: readFileSync((certificates.good as CertificateFiles).key),
    })
    expect((await failure(get(port, { tls }))).code).toBe('tls-configuration')
  })

  it('without its key is refused as such', async () => {
    const cert = readFileSync((certificates.client as CertificateFiles).certificate)
    const error = await failure(get(await tlsServer('good'), { tls: trusting({ cert }) }))
    expect(error.message).toBe('the file of the client certificate has no private key in PEM format')
  })
})

describe('without TLS on the other side', () => {
  it('the error says so', async () => {
    const peer = await startPeer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    const error = await failure(get(peer.port, { tls: { verify: false } }))
    expect(error.code).toBe('tls-not-spoken')
    expect(error.hint).toContain('http://')
  })

  it('a closed connection is a failed handshake', async () => {
    const peer = await startPeer((socket) => socket.once('data', () => socket.end()))
    expect((await failure(get(peer.port, { tls: { verify: false } }))).code).toBe('tls-handshake-failed')
  })

  it('a reset connection is named', async () => {
    const peer = await startPeer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const error = await failure(get(peer.port, { tls: { verify: false } }))
    expect([error.code, error.message]).toEqual([
      'tls-handshake-failed',
      `localhost port ${peer.port}: the connection was reset in the TLS handshake`,
    ])
  })

  it('silence reaches the connect limit, and the error names the step', async () => {
    const peer = await startPeer()
    const error = await failure(get(peer.port, { timeouts: { connectMs: 100 } }))
    expect(error.code).toBe('connect-timeout')
    expect(error.message).toContain('TLS handshake with localhost')
  })
})

describe('an alert of the server', () => {
  it.each([
    [
      40,
      'tls-handshake-failed',
      'the server found no TLS version or cipher in common, or requires a client certificate',
    ],
    [42, 'tls-client-certificate', 'the server requires a client certificate, or refused the one given'],
    [51, 'tls-handshake-failed', 'the server ended the TLS handshake: TLS alert "decrypt error"'],
    [70, 'tls-version-refused', 'the server supports no TLS version that httpcli accepts'],
    [110, 'tls-handshake-failed', 'the server ended the TLS handshake: TLS alert "unsupported extension"'],
    [112, 'tls-name-refused', 'the server does not know this name'],
    [120, 'tls-protocol-refused', 'the server speaks none of the protocols that were offered'],
  ])('%i is explained', async (alert, code, message) => {
    const peer = await startPeer((socket) =>
      socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, alert]))),
    )
    const error = await failure(get(peer.port, { tls: { verify: false } }))
    expect([error.code, error.message]).toEqual([code, `localhost port ${peer.port}: ${message}`])
  })

  it('is explained in Node.js 22 and later, which have other names for some', () => {
    const error = Object.assign(new Error('ssl/tls alert bad certificate'), {
      code: 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
    })
    expect(tlsError('localhost', error, []).code).toBe('tls-client-certificate')
  })
})

describe('a record that cannot be decrypted', () => {
  /** Answers with these text inside TLS, then writes a broken record below it. */
  async function brokenAfter(text: string): Promise<number> {
    const files = certificates.good as CertificateFiles
    const context = createSecureContext({ cert: readFileSync(files.certificate), key: readFileSync(files.key) })
    const server = createTcpServer((socket) => {
      // A pair of streams between socket and TLS, so that the socket itself stays writable.
      const inner = new Duplex({
        read: () => undefined,
        write: (bytes: Buffer, _encoding, done) => socket.write(bytes, done),
      })
      socket.on('data', (bytes) => inner.push(bytes))
      socket.on('error', () => undefined)
      const tls = new TLSSocket(inner, { isServer: true, secureContext: context })
      tls.on('error', () => undefined)
      const breakTls = (): boolean => socket.write(Buffer.concat([Buffer.from([0x17, 3, 3, 0, 30]), Buffer.alloc(30)]))
      tls.once('data', () => {
        if (text === '') breakTls()
        else tls.write(text, breakTls)
      })
    })
    return listening(server)
  }

  it.each([
    [
      '',
      'connection-reset',
      /^the connection to .* failed \(invalid TLS data was received\) before the server answered$/,
    ],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello',
      'connection-cut-short',
      /broke the TLS connection \(invalid TLS data was received\) before the response was complete; 5 bytes of the body/,
    ],
  ])('is named after %j', async (text, code, message) => {
    const error = await failure(get(await brokenAfter(text), { tls: trusting() }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })
})

it('the statistics separate the handshake from the connect call', async () => {
  const port = await tlsServer('good')
  const { response, statistics } = await exchange(parseRequest(`GET https://localhost:${port}/`), { tls: trusting() })
  await response.body?.bytes()
  const { tlsMs, connectMs, bytesReceived } = await statistics
  expect(tlsMs).toBeGreaterThan(0)
  expect(connectMs).toBeGreaterThan(0)
  expect(bytesReceived).toBe('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.length)
})
