import { once } from 'node:events'
import { copyFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AnsweredRequest, RunningServer, ServeOptions, TlsIdentity } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { startServer } from '../raw-client.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../keystore/files/${name}`, import.meta.url))

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

function start(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  return startServer({ directory: root, tls: { selfSignedFor: [] }, ...options })
}

async function handshake(server: RunningServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** Sends bytes, gives all that comes until the server ends the connection. */
async function talk(socket: TLSSocket, octets: string): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.write(octets)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const getRequest = 'GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

async function shownName(server: RunningServer): Promise<string> {
  const socket = await handshake(server)
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

/** Without TLS: all that comes until the server ends the connection. */
async function talkPlain(server: RunningServer, octets: string | undefined): Promise<string> {
  const socket = connectTcp(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  socket.on('error', () => undefined)
  if (octets !== undefined) socket.write(Buffer.from(octets, 'latin1'))
  // Unlike `once`, this does not reject if the server resets the connection.
  await new Promise((resolve) => void socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

describe('a server with a certificate', () => {
  it('has https in its URL', async () => {
    expect((await start()).url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  })

  it.each<[alpn: string[] | undefined, chosen: string | false]>([
    [undefined, false],
    [['http/1.1'], 'http/1.1'],
    [['http/1.0'], 'http/1.0'],
    [['http/1.1', 'h2'], 'h2'],
    [['h2'], 'h2'],
  ])('with ALPN %j speaks %j', async (ALPNProtocols, chosen) => {
    const socket = await handshake(await start(), ALPNProtocols === undefined ? {} : { ALPNProtocols })
    expect(socket.alpnProtocol).toBe(chosen)
    if (chosen !== 'h2') expect(await talk(socket, getRequest)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhello$/)
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (version) => {
    const socket = await handshake(await start(), { minVersion: version, maxVersion: version })
    expect(socket.getProtocol()).toBe(version)
    expect(await talk(socket, getRequest)).toMatch(/hello$/)
  })

  it('refuses TLS 1.1', async () => {
    const options: ConnectionOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await expect(handshake(await start(), options)).rejects.toThrow(/alert protocol version/)
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'resumes a session of %s, even after its certificate changed',
    async (version) => {
      const keystore = join(root, 'keystore')
      copyFileSync(fixture('ec.jks'), keystore)
      const server = await start({ tls: { keystore: { file: keystore, password: 'changeit' } } })
      const first = await handshake(server, { minVersion: version, maxVersion: version })
      // TLS 1.3 sends its tickets after the handshake.
      const sessions: Buffer[] = [first.getSession()!]
      first.on('session', (session: Buffer) => sessions.push(session))
      await talk(first, getRequest)
      const resume = async (): Promise<boolean> => {
        const socket = await handshake(server, { session: sessions.at(-1), maxVersion: version })
        const isReused = socket.isSessionReused()
        expect(await talk(socket, getRequest)).toMatch(/hello$/)
        return isReused
      }
      expect(await resume()).toBe(true)
      copyFileSync(fixture('rsa.jks'), keystore)
      expect(await resume()).toBe(true)
    },
  )

  it.each<[what: string, octets: string]>([
    ['a request', getRequest],
    ['a request with a body', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`],
    ['one letter', 'G'],
    ['an empty line before a request', `\r\n${getRequest}`],
    ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('answers plain HTTP (%s) with a readable 400', async (_what, octets) => {
    const entries: AnsweredRequest[] = []
    const server = await start({ onAnswer: (entry) => entries.push(entry) })
    const answer = await talkPlain(server, octets)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*this port speaks HTTPS; use https:\/\/ in the URL\n$/)
    expect(entries.map(({ status }) => status)).toEqual([400])
  })

  it.each<[what: string, octets: string]>([
    ['bytes of no protocol', '\x00\x01\x02\x03'],
    ['the hello of SSL 2', '\x80\x2e\x01\x00\x02'],
    ['a TLS record that is not a hello', '\x16\x03\x01\x00\x05garbage'],
    ['a TLS record that is too long', `\x16\x03\x01\xff\xff${'x'.repeat(70_000)}`],
    ['an alert', '\x15\x03\x01\x00\x02\x02\x28'],
    ['application data', '\x17\x03\x03\x00\x05hello'],
  ])('closes the connection of a client that sends %s, and serves the next one', async (_what, octets) => {
    const server = await start()
    expect(await talkPlain(server, octets)).not.toContain('HTTP')
    expect(await talk(await handshake(server), getRequest)).toMatch(/hello$/)
  })

  it.each<[what: string, octets: string | undefined]>([
    ['sends nothing', undefined],
    ['stops in its first record', '\x16\x03\x01'],
    ['stops after its first byte', '\x16'],
  ])('closes the connection of a client that %s, in time', async (_what, octets) => {
    const server = await start({ limits: { handshakeTimeoutMs: 100 } })
    expect(await talkPlain(server, octets)).not.toContain('HTTP')
  })

  it('closes clients with a slow handshake when it is full', async () => {
    const server = await start({ limits: { connections: 3 } })
    const waiting = Array.from({ length: 3 }, () => {
      const socket = connectTcp(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      return socket
    })
    await Promise.all(waiting.map((socket) => once(socket, 'connect')))
    const closed = new Promise((resolve) => waiting.map((socket) => socket.on('close', resolve)))
    expect(await talk(await handshake(server), getRequest)).toMatch(/hello$/)
    await closed
  })

  it('closes at once while a handshake is under way', async () => {
    const server = await start()
    const socket = connectTcp(server.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('\x16\x03\x01')
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    await handshake(server).then((other) => other.destroy())
    await server.close()
    await closed
  })

  it('survives a client that disconnects during its handshake', async () => {
    const server = await start()
    const beginningOfHello = Buffer.from('160301020001000203', 'hex')
    for (const isReset of [true, false]) {
      const socket = connectTcp(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(beginningOfHello)
      if (isReset) socket.resetAndDestroy()
      else socket.end()
    }
    expect(await talk(await handshake(server), getRequest)).toMatch(/hello$/)
  })
})

describe('a keystore that changes', () => {
  let keystore: string
  let identities: TlsIdentity[]
  let errors: unknown[]

  beforeEach(() => {
    keystore = join(temporaryDirectory(), 'keystore')
    copyFileSync(fixture('keytool-ec.p12'), keystore)
    identities = []
    errors = []
  })

  function startWithKeystore(): Promise<RunningServer> {
    return start({
      tls: { keystore: { file: keystore, password: 'changeit' } },
      onIdentity: (identity) => identities.push(identity),
      onError: (error) => errors.push(error),
    })
  }

  it.each<[how: string, replace: (file: string) => void]>([
    ['in place', (file) => copyFileSync(file, keystore)],
    [
      'by a rename',
      (file) => {
        copyFileSync(file, `${keystore}.new`)
        renameSync(`${keystore}.new`, keystore)
      },
    ],
  ])('%s is presented to the next client, and open connections continue', async (_how, replace) => {
    const server = await startWithKeystore()
    const running = await handshake(server)
    expect(await shownName(server)).toBe('server')
    replace(fixture('openssl.p12'))
    expect(await shownName(server)).toBe('localhost')
    expect(await talk(running, getRequest)).toMatch(/hello$/)
    replace(fixture('two-keys.jks'))
    expect(await shownName(server)).toBe('second')
    expect(identities.map(({ format, alias }) => [format, alias])).toEqual([
      ['PKCS12', 'server'],
      ['PKCS12', 'server'],
      ['JKS', 'second'],
    ])
    expect(errors).toEqual([])
  })

  it('is not reread while it stays the same', async () => {
    const server = await startWithKeystore()
    for (let count = 0; count < 3; count++) await shownName(server)
    expect(identities).toHaveLength(1)
    utimesSync(keystore, new Date(), new Date(0))
    await shownName(server)
    expect(identities).toHaveLength(2)
  })

  it.each<[what: string, damage: () => void, code: string]>([
    ['has another password now', () => copyFileSync(fixture('other-letters.p12'), keystore), 'keystore-password'],
    ['is not a keystore now', () => writeFileSync(keystore, 'nonsense'), 'keystore-format'],
    ['is empty now', () => writeFileSync(keystore, ''), 'keystore-format'],
    ['is gone now', () => rmSync(keystore), 'keystore-file'],
  ])(
    'and %s leaves the old certificate in use and is reported once, until it is repaired',
    async (_what, damage, code) => {
      const server = await startWithKeystore()
      damage()
      for (let count = 0; count < 3; count++) expect(await shownName(server)).toBe('server')
      expect(errors.map((error) => (error as { code: string }).code)).toEqual([code])
      copyFileSync(fixture('openssl.p12'), keystore)
      expect(await shownName(server)).toBe('localhost')
      expect(errors).toHaveLength(1)
    },
  )

  it('is read once for many simultaneous clients', async () => {
    const server = await startWithKeystore()
    copyFileSync(fixture('openssl.p12'), keystore)
    const names = await Promise.all(Array.from({ length: 20 }, () => shownName(server)))
    expect(new Set(names)).toEqual(new Set(['localhost']))
    expect(identities).toHaveLength(2)
  })

  it('that cannot be opened at the start leaves no port open', async () => {
    writeFileSync(keystore, 'nonsense')
    await expect(startWithKeystore()).rejects.toMatchObject({ code: 'keystore-format' })
  })
})

describe('a temporary certificate', () => {
  it('is valid for this machine and the given names, and shows its fingerprint', async () => {
    const identities: TlsIdentity[] = []
    const server = await start({
      tls: { selfSignedFor: ['my.example', 'fe80::1:2%eth0', '::ffff:10.1.2.3'] },
      onIdentity: (identity) => identities.push(identity),
    })
    const socket = await handshake(server)
    const certificate = socket.getPeerX509Certificate()!
    expect(certificate.fingerprint256).toBe(identities[0]!.fingerprint256)
    for (const name of ['localhost', 'my.example']) expect(certificate.checkHost(name)).toBe(name)
    for (const address of ['127.0.0.1', '::1', 'fe80::1:2', '::ffff:10.1.2.3'])
      expect(certificate.checkIP(address)).toBe(address)
    expect(certificate.ca).toBe(false)
    socket.destroy()
    // A client that is given it trusts it, without any exception.
    const trusting = await handshake(server, {
      ca: certificate.toString(),
      servername: 'localhost',
      rejectUnauthorized: true,
    })
    expect(trusting.authorized).toBe(true)
  })

  it('is different for each server', async () => {
    const fingerprints = new Set<string | undefined>()
    const onIdentity = ({ fingerprint256 }: TlsIdentity) => void fingerprints.add(fingerprint256)
    await start({ onIdentity })
    await start({ onIdentity })
    expect(fingerprints.size).toBe(2)
  })
})

it('HTTP/2 without TLS is not spoken on a port without a certificate', async () => {
  const server = await startServer({ directory: root })
  const session = connectHttp2(`http://127.0.0.1:${server.port}`)
  const [error] = (await once(session, 'error')) as [Error]
  expect(error).toBeInstanceOf(Error)
})

describe('a server with a certificate on a Unix domain socket', () => {
  const startHere = (options: Partial<ServeOptions> = {}) => start({ socket: { path: join(root, 's') }, ...options })
  const here = (): ConnectionOptions & { readonly path: string } => ({ path: join(root, 's') })

  it('answers many clients that connect at the same time', async () => {
    const server = await startHere()
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => talk(await handshake(server, here()), getRequest)),
    )
    expect(answers.map((answer) => answer.slice(0, 15))).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200 OK'))
  })

  it('keeps a connection of HTTP/2 when it checks the time limits', async () => {
    const server = await startHere({ limits: { headerTimeoutMs: 1 } })
    const session = connectHttp2('https://localhost', {
      createConnection: () => connect({ ...here(), rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
    })
    onTestFinished(() => session.destroy())
    await once(session, 'remoteSettings')
    expect(await talk(await handshake(server, here()), 'GET')).toMatch(/^HTTP\/1\.1 408 /)
    const stream = session.request({ ':path': '/a.txt' })
    const [head] = await once(stream, 'response')
    expect(head[':status']).toBe(200)
  })
})
