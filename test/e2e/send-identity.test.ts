/** Client certificates in keystores, and HTTP/2 where a server agrees to it. */

import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateFiles, makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { listening } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-identity-'))
afterAll(() => rmSync(directory, { recursive: true }))

let authority: CertificateFiles
let server: CertificateFiles
let client: CertificateFiles
const keystore = join(directory, 'client.p12')
const at = (name: string): string => join(directory, name)

beforeAll(() => {
  authority = makeAuthority(directory)
  server = makeCertificate(directory, { name: 'server', authority })
  client = makeCertificate(directory, { name: 'client', authority })
  execFileSync('openssl', [
    ...['pkcs12', '-export', '-in', client.certificate, '-inkey', client.key],
    ...['-out', keystore, '-passout', 'pass:secret'],
  ])
  execFileSync('openssl', [
    ...['pkcs12', '-export', '-in', client.certificate, '-inkey', client.key, '-nomac'],
    ...['-keypbe', 'NONE', '-certpbe', 'NONE', '-out', at('open.p12'), '-passout', 'pass:'],
  ])
  execFileSync('openssl', ['x509', '-in', client.certificate, '-outform', 'DER', '-out', at('client.der')])
  execFileSync('openssl', ['pkey', '-in', client.key, '-outform', 'DER', '-out', at('client.key.der')])
  copyFileSync(authority.certificate, at('issuer-first.pem'))
  appendFileSync(at('issuer-first.pem'), readFileSync(client.certificate))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(at('rsa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(directory, 'password.txt'), 'secret\n')
})

/** Answers with the common name of the client. */
async function startDemanding(): Promise<number> {
  const options = {
    cert: readFileSync(server.certificate),
    key: readFileSync(server.key),
    ca: readFileSync(authority.certificate),
    requestCert: true,
  }
  const listener = createTlsServer(options, (socket: TLSSocket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      const name = String(socket.getPeerCertificate().subject?.CN ?? 'nobody')
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`)
    })
  })
  listener.on('tlsClientError', () => undefined)
  return listening(listener)
}

describe('a client certificate', () => {
  it.each([
    ['in a PKCS12 keystore', () => ['--cert', keystore, '--key-password', 'secret'], {}],
    ['whose password is in a file', () => ['--cert', keystore, '--key-password', '@password.txt'], {}],
    ['whose password is a variable', () => ['--cert', keystore, '--key-password', 'env:KEY_PW'], { KEY_PW: 'secret' }],
    ['in a PKCS12 keystore without encryption', () => ['--cert', at('open.p12')], {}],
    ['in two PEM files', () => ['--cert', client.certificate, '--key', client.key], {}],
    ['in two DER files', () => ['--cert', at('client.der'), '--key', at('client.key.der')], {}],
    ['after its issuer', () => ['--cert', at('issuer-first.pem'), '--key', client.key], {}],
  ])('%s is presented to the server', async (_title, words, env) => {
    const port = await startDemanding()
    const { code, out, err } = await send(
      [`https://127.0.0.1:${port}/`, '--cacert', authority.certificate, '-p', 'body', ...words()],
      { cwd: directory, env },
    )
    expect({ code, out, err }).toEqual({ code: 0, out: expect.stringMatching(/^\S+$/), err: '' })
    expect(out).not.toBe('nobody')
  })

  it.each([
    ['the wrong password', ['--key-password', 'wrong'], /password/],
    ['no password', [], /password/],
  ])('with %s is an error, and no password is shown', async (_title, words, message) => {
    const { code, err } = await send(['https://127.0.0.1:1/', '--cert', keystore, ...words])
    expect([code, err]).toEqual([4, expect.stringMatching(message)])
    expect(err).not.toContain('wrong"')
  })

  it.each([
    ['no password', [], /the private key \(PEM\) needs a password\. Give it with --key-password/],
    ['the wrong password', ['--key-password', 'wrong'], /the password does not open the private key/],
    ['its password', ['--key-password', 'secret'], /connection refused/],
  ])('with an encrypted key in PEM and %s', async (_title, words, message) => {
    const key = join(directory, 'locked.key')
    const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
    writeFileSync(key, createPrivateKey(readFileSync(client.key)).export(encryption))
    const { code, err } = await send(['https://127.0.0.1:1/', '--cert', client.certificate, '--key', key, ...words])
    expect([code, err]).toEqual([4, expect.stringMatching(message)])
  })

  it.each([
    [
      'the key of another',
      () => ['--cert', client.certificate, '--key', at('rsa.key')],
      /no certificate for the private key/,
    ],
    ['a directory', () => ['--cert', directory], /the file \S+ is a directory/],
  ])('with %s is an error that names the file', async (_title, words, message) => {
    const { code, err } = await send(['https://127.0.0.1:1/', ...words()])
    expect([code, err]).toEqual([4, expect.stringMatching(message)])
    expect(err).toContain(words()[1])
  })

  it('that has expired is sent with a warning', async () => {
    const old = makeCertificate(directory, { name: 'old', authority, days: -1 })
    const words = ['--cacert', authority.certificate, '--cert', old.certificate, '--key', old.key]
    const { err } = await send([`https://127.0.0.1:${await startDemanding()}/`, ...words])
    expect(err).toMatch(/^warning: \S+old\.pem: the certificate of "old" expired on \S+; the server may refuse it\n/)
  })

  it('--key-password without a certificate is a usage error', async () => {
    const { code, err } = await send(['https://127.0.0.1:1/', '--key-password', 'x'])
    expect([code, err]).toEqual([1, expect.stringContaining('--key-password is given without its certificate')])
  })
})

it('--http2 offers HTTP/2', async () => {
  const listener = createSecureServer(
    { cert: readFileSync(server.certificate), key: readFileSync(server.key), allowHTTP1: true },
    (request, response) => response.end(`${request.httpVersion} ${request.url}`),
  )
  const port = await listening(listener)
  const words = [`https://127.0.0.1:${port}/x`, '--cacert', authority.certificate, '-p', 'body']
  expect((await send([...words, '--http2'])).out).toBe('2.0 /x')
  expect((await send(words)).out).toBe('1.1 /x')
})
