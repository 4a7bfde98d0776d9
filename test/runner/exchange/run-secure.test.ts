/** TLS settings of an environment, HTTP/2 and tokens: what reaches servers that ask for them. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority, makeCertificate } from '../../helpers/certificates.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { runText } from '../running.ts'

const directory = directoryWith({})
const at = (name: string): string => join(directory.path, name)
const open: Server[] = []
let mutualTls = ''
let http2 = ''
let plainHttp2 = ''

const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'pipe' })

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  const authority = makeAuthority(directory.path)
  const own = makeCertificate(directory.path, { name: 'server', authority })
  const client = makeCertificate(directory.path, { name: 'client', authority })
  makeCertificate(directory.path, { name: 'old', authority, days: -1 })
  const pem = ['-in', client.certificate]
  openssl('x509', ...pem, '-outform', 'DER', '-out', at('client.der'))
  openssl('pkcs8', '-topk8', '-nocrypt', '-in', client.key, '-outform', 'DER', '-out', at('client.key.der'))
  openssl('pkcs8', '-topk8', '-in', client.key, '-passout', 'pass:hush', '-out', at('locked.key'))
  openssl('pkcs12', '-export', '-legacy', ...pem, '-inkey', client.key, '-passout', 'pass:hush', '-out', at('old.p12'))
  openssl('pkcs12', '-export', ...pem, '-inkey', client.key, '-passout', 'pass:hush', '-out', at('client.p12'))
  const tls = { cert: readFileSync(own.certificate), key: readFileSync(own.key) }
  const ca = readFileSync(authority.certificate)
  const server = createServer({ ...tls, ca, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { authorized } = request.socket as TLSSocket
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    response.end(authorized ? `hello ${subject.CN}` : 'a stranger')
  })
  mutualTls = `https://localhost:${await listening(server)}`
  const answer = (stream: import('node:http2').ServerHttp2Stream): void => {
    stream.respond({ ':status': 200, 'content-type': 'text/plain', 'set-cookie': 'h2=1' })
    stream.end('over two')
  }
  const secure = createSecureServer(tls)
  secure.on('stream', answer)
  http2 = `https://localhost:${await listening(secure as unknown as Server)}`
  const plain = createHttp2Server()
  plain.on('stream', answer)
  plainHttp2 = `http://localhost:${await listening(plain as unknown as Server)}`
})
afterAll(() => {
  for (const server of open) server.close()
  directory.remove()
})

/** The log of a handler of a request with this `SSLConfiguration`. */
async function greeting(ssl: Record<string, unknown>, variables: Record<string, string> = {}) {
  const environment = { dev: { ...variables, SSLConfiguration: { verifyHostCertificate: false, ...ssl } } }
  const { results, errors, events } = await runText(`GET ${mutualTls}/\n\n> {% client.log(response.body) %}`, {
    environmentName: 'dev',
    files: {
      'http-client.env.json': JSON.stringify(environment),
      ...Object.fromEntries(
        [
          ...['client.pem', 'client.key', 'client.der', 'client.key.der', 'locked.key', 'client.p12', 'old.p12'],
          ...['old.pem', 'old.key'],
        ].map((name) => [`certificates/${name}`, readFileSync(at(name))]),
      ),
    },
  })
  return {
    results,
    errors,
    warnings: events.flatMap((event) => (event.type === 'warning' ? [event.error.message] : [])),
  }
}

it('OPTIONS * goes over TLS if the Host header says so', async () => {
  const paths: string[] = []
  const authority = makeAuthority(directory.path)
  const { certificate, key } = makeCertificate(directory.path, { name: 'star', authority })
  const port = await listening(
    createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
      paths.push(`${request.method} ${request.url} ${request.headers.host}`)
      response.end()
    }),
  )
  const { errors } = await runText(`OPTIONS *\nHost: https://localhost:${port}`, { wire: { tls: { verify: false } } })
  expect(errors).toEqual([])
  expect(paths).toEqual([`OPTIONS * localhost:${port}`])
})

describe('SSLConfiguration', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no certificate', {}, 'a stranger'],
    [
      'PEM',
      { clientCertificate: 'certificates/client.pem', clientCertificateKey: 'certificates/client.key' },
      'hello client',
    ],
    [
      'PEM with its format',
      {
        clientCertificate: { path: 'certificates/client.pem', format: 'PEM' },
        clientCertificateKey: { path: 'certificates/client.key', format: 'PEM' },
      },
      'hello client',
    ],
    [
      'DER',
      {
        clientCertificate: { path: 'certificates/client.der', format: 'DER' },
        clientCertificateKey: { path: 'certificates/client.key.der', format: 'DER' },
      },
      'hello client',
    ],
    [
      'a locked key',
      {
        clientCertificate: 'certificates/client.pem',
        clientCertificateKey: 'certificates/locked.key',
        hasCertificatePassphrase: true,
        certificatePassphrase: '{{secret}}',
      },
      'hello client',
    ],
    [
      'PKCS12',
      { clientCertificate: 'certificates/client.p12', hasCertificatePassphrase: true, certificatePassphrase: 'hush' },
      'hello client',
    ],
    [
      'PKCS12 with old ciphers',
      { clientCertificate: 'certificates/old.p12', certificatePassphrase: 'hush' },
      'hello client',
    ],
  ])('provides the certificate: %s', async (_, ssl, text) => {
    const { results, errors, warnings } = await greeting(ssl, { secret: 'hush' })
    expect([errors, results]).toEqual([[], [`log ${text}`]])
    expect(warnings).toEqual([expect.stringContaining('not checked')])
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a file that is not there', { clientCertificate: 'none.pem' }, /unreadable-file .*none\.pem/],
    ['a key without a certificate', { clientCertificateKey: 'certificates/client.key' }, /without "clientCertificate"/],
    [
      'a passphrase that is not given',
      { clientCertificate: 'certificates/client.p12', hasCertificatePassphrase: true },
      /no passphrase is given/,
    ],
    [
      'a wrong passphrase',
      { clientCertificate: 'certificates/client.p12', certificatePassphrase: 'wrong' },
      /tls-configuration .*password/,
    ],
    [
      'a format that is not right',
      { clientCertificate: { path: 'certificates/client.der', format: 'PEM' } },
      /not a PEM file/,
    ],
    [
      'another format than the one of the file',
      { clientCertificate: { path: 'certificates/client.p12', format: 'DER' }, certificatePassphrase: 'hush' },
      /client\.p12 is a PKCS12 file, not DER/,
    ],
    [
      'a key without its passphrase',
      { clientCertificate: 'certificates/client.pem', clientCertificateKey: 'certificates/locked.key' },
      /tls-configuration .*certificates\/locked\.key: the private key \(PEM\) needs a password/,
    ],
    ['an unknown setting', { clientCertficate: 'x' }, /clientCertficate/],
  ])('is an error of the request: %s', async (_, ssl, message) => {
    const { results, errors } = await greeting(ssl)
    expect([results, errors]).toEqual([[], [expect.stringMatching(message)]])
  })

  it('warns of a certificate that the server may refuse', async () => {
    const ssl = { clientCertificate: 'certificates/old.pem', clientCertificateKey: 'certificates/old.key' }
    const { warnings } = await greeting(ssl)
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /certificates\/old\.pem: the certificate of "old" expired on .*; the server may refuse it$/,
      ),
    )
  })

  it('does not disable certificate checks by itself', async () => {
    const { errors } = await greeting({ verifyHostCertificate: true })
    expect(errors).toEqual([expect.stringContaining('certificate-')])
  })
})

describe('HTTP/2', () => {
  const asked = (url: string, version: string, wire = {}) =>
    runText(`GET ${url}/a ${version}\nX: y\n\n> {% client.log(response.body, response.cookies()[0].name) %}`, {
      wire: { tls: { verify: false }, ...wire },
    })

  it.each([
    ['negotiated', () => http2, 'HTTP/2'],
    ['with prior knowledge', () => plainHttp2, 'HTTP/2 (Prior Knowledge)'],
    ['with prior knowledge, over TLS', () => http2, 'HTTP/2 (Prior Knowledge)'],
  ])('%s has the same events as HTTP/1.1', async (_, url, version) => {
    const { results, errors, events } = await asked(url(), version)
    expect([errors, results]).toEqual([[], ['log over two h2']])
    expect(events.map(({ type }) => type)).toEqual([
      'run-started',
      'request-started',
      'request-sent',
      'request-octets',
      'response',
      'response-done',
      'script-log',
      'request-finished',
      'run-finished',
    ])
    const response = events.find((event) => event.type === 'response')
    expect(response).toMatchObject({ response: { version: 'HTTP/2', status: 200, reason: '' } })
  })

  it('falls back to HTTP/1.1 if the server supports no other', async () => {
    const { events } = await asked(mutualTls, 'HTTP/2')
    expect(events.find((event) => event.type === 'response')).toMatchObject({ response: { version: 'HTTP/1.1' } })
  })
})
