import { createPrivateKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, createServer, type DetailedPeerCertificate } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAuthorities } from '../../src/keystore/authorities.ts'
import { element } from '../../src/keystore/der.ts'
import { type KeystoreSource, openKeystore, readKeystore, type TlsIdentity } from '../../src/keystore/keystore.ts'
import { decryptPrivateKeyInfo, IterationBudget } from '../../src/keystore/password-encryption.ts'
import { readPemCertificates } from '../../src/keystore/pem.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const fixture = (name: string) => fileURLToPath(new URL(`files/${name}`, import.meta.url))
const nowMs = Date.UTC(2030, 0, 1)

function open(name: string, source: Omit<KeystoreSource, 'file'> = {}): Promise<TlsIdentity> {
  return openKeystore({ file: fixture(name), password: 'changeit', ...source }, nowMs)
}

/** A copy of a fixture that `change` has damaged. */
function damagedCopy(name: string, change: (octets: Buffer) => Buffer): string {
  const file = join(temporaryDirectory(), name)
  writeFileSync(file, change(readFileSync(fixture(name))))
  return file
}

/** The certificates that a client gets: the first one's common name and the number of the others. */
async function shake(identity: TlsIdentity): Promise<{ commonName: string; chainLength: number }> {
  const server = createServer(identity.secureContext, (socket) => socket.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect({ port: (server.address() as AddressInfo).port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerCertificate(true)
  socket.destroy()
  const seen = new Set<string>()
  for (let one: DetailedPeerCertificate | undefined = certificate; one && !seen.has(one.fingerprint256); ) {
    seen.add(one.fingerprint256)
    one = one.issuerCertificate
  }
  return { commonName: String(certificate.subject.CN), chainLength: seen.size }
}

const mailProtection = Buffer.from('06082b06010505070304', 'hex')
const serverAuthentication = Buffer.from('06082b06010505070301', 'hex')

/** The certificates of the text in the form of OpenSSL with the lists of purposes after them. */
function withPurposes(text: string, ...lists: readonly Buffer[]): string {
  return text.replace(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g, (_block, base64: string) => {
    const octets = Buffer.concat([Buffer.from(base64, 'base64'), element(0x30, ...lists)])
    return `-----BEGIN TRUSTED CERTIFICATE-----\n${octets.toString('base64')}\n-----END TRUSTED CERTIFICATE-----`
  })
}

const otherLetters = 'pässwörd€𝄞'

it('is refused as damaged if its strings are nested too deeply', async () => {
  const length = (bytes: number) =>
    Buffer.of(0x84, bytes >>> 24, (bytes >> 16) & 0xff, (bytes >> 8) & 0xff, bytes & 0xff)
  const around = (tag: number, ...parts: readonly Buffer[]) => {
    const content = Buffer.concat(parts)
    return Buffer.concat([Buffer.of(tag), length(content.length), content])
  }
  const depth = 100_000
  const segments = Array.from({ length: depth }, (_, index) => [Buffer.of(0x24), length(6 * (depth - index - 1))])
  const data = around(0x06, Buffer.from('2a864886f70d010701', 'hex'))
  const authSafe = around(0x30, data, around(0xa0, Buffer.concat(segments.flat())))
  const file = join(temporaryDirectory(), 'deep.p12')
  writeFileSync(file, around(0x30, Buffer.of(2, 1, 3), authSafe))
  await expect(openKeystore({ file, password: 'changeit' }, nowMs)).rejects.toMatchObject({
    code: 'keystore-damaged',
    message: expect.stringContaining('elements are nested too deeply'),
  })
})

describe('a keystore', () => {
  it.each<[file: string, password: string | undefined, format: string, commonName: string, chainLength: number]>([
    ['openssl.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['openssl-legacy.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['openssl-rc2-128.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['openssl-3des.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['openssl-2des.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['openssl-aes128-sha512.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['no-mac.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['no-mac-rc2.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['not-encrypted.p12', undefined, 'PKCS12', 'localhost', 3],
    ['not-encrypted.p12', 'whatever', 'PKCS12', 'localhost', 3],
    ['empty-password.p12', '', 'PKCS12', 'localhost', 3],
    ['empty-password.p12', undefined, 'PKCS12', 'localhost', 3],
    ['empty-password-legacy.p12', '', 'PKCS12', 'localhost', 3],
    ['null-password.p12', '', 'PKCS12', 'localhost', 3],
    ['null-password.p12', undefined, 'PKCS12', 'localhost', 3],
    ['other-letters.p12', otherLetters, 'PKCS12', 'localhost', 3],
    ['other-letters-legacy.p12', otherLetters, 'PKCS12', 'localhost', 3],
    ['no-name.p12', 'changeit', 'PKCS12', 'localhost', 1],
    ['ber.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['pbmac1.p12', 'changeit', 'PKCS12', 'localhost', 3],
    ['keytool-ec.p12', 'changeit', 'PKCS12', 'server', 1],
    ['keytool-rsa.p12', 'changeit', 'PKCS12', 'server', 1],
    ['keytool-ed25519.p12', 'changeit', 'PKCS12', 'server', 1],
    ['keytool-legacy.p12', 'changeit', 'PKCS12', 'server', 1],
    ['key-and-secret.p12', 'changeit', 'PKCS12', 'server', 1],
    ['rsa.jks', 'changeit', 'JKS', 'server', 1],
    ['ec.jks', 'changeit', 'JKS', 'server', 1],
    ['chain.jks', 'changeit', 'JKS', 'localhost', 3],
    ['ec.jceks', 'changeit', 'JCEKS', 'server', 1],
    ['secret-first.jceks', 'changeit', 'JCEKS', 'server', 1],
    ['combined.pem', undefined, 'PEM', 'localhost', 3],
    ['shuffled.pem', undefined, 'PEM', 'localhost', 3],
    ['combined-encrypted.pem', 'changeit', 'PEM', 'localhost', 3],
  ])('%s opens with the password %j', async (file, password, format, commonName, chainLength) => {
    const identity = await open(file, { password })
    expect([identity.format, identity.warnings]).toEqual([format, []])
    expect(await shake(identity)).toEqual({ commonName, chainLength })
  })

  it.each([
    'server.key',
    'ec-parameters.key',
    'encrypted-pbes2.key',
    'encrypted-3des.key',
    'encrypted-scrypt.key',
    'encrypted-header.key',
  ])('of PEM certificates reads its key from %s', async (key) => {
    const identity = await open('chain.pem', { keyFile: fixture(key) })
    expect(await shake(identity)).toEqual({ commonName: 'localhost', chainLength: 3 })
  })

  it.each<[what: string, change: (text: string) => string]>([
    ['CRLF line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['one long line for each block', (text) => text.replace(/(?<=[^-])\n(?=[^-])/g, '')],
    ['blanks around each line', (text) => text.replaceAll('\n', ' \n  ')],
    ['certificates with purposes', (text) => withPurposes(text, element(0x30, serverAuthentication))],
    ['a text that quotes a BEGIN line', (text) => `# -----BEGIN is the first word\n${text}`],
    ['blocks of other programs', (text) => `${text}-----BEGIN PGP MESSAGE-----\nA\n=njUN\n-----END PGP MESSAGE-----\n`],
    ['texts between its blocks', (text) => `Bag Attributes\n  friendlyName: server\n${text}subject=CN = a-b--c\n`],
  ])('in PEM may have %s', async (_what, change) => {
    const file = damagedCopy('combined.pem', (octets) => Buffer.from(change(octets.toString())))
    expect(await shake(await openKeystore({ file }, nowMs))).toEqual({ commonName: 'localhost', chainLength: 3 })
  })

  it.each([
    ['server.key', (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' })],
    [
      'encrypted-pbes2.key',
      (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'changeit' }),
    ],
    ['ec-parameters.key', (key: KeyObject) => key.export({ type: 'sec1', format: 'der' })],
  ])('in DER reads certificate and key from separate files: %s', (name, written) => {
    const source = { file: 'a.der', keyFile: 'a.key.der', password: 'changeit' }
    const key = createPrivateKey({ key: readFileSync(fixture(name)), passphrase: 'changeit' })
    const { certificate } = readPemCertificates(readFileSync(fixture('chain.pem')))[0]!
    const octets = { file: certificate.raw, keyFile: written(key) }
    expect(readKeystore(octets, source, nowMs).fingerprint256).toBe(certificate.fingerprint256)
  })

  it.each<[file: string, alias: string | undefined, chosen: string, others: readonly string[]]>([
    ['two-keys.p12', undefined, 'first', ['second']],
    ['two-keys.p12', 'second', 'second', ['first']],
    ['two-keys.p12', 'SECOND', 'second', ['first']],
    ['two-keys.jks', 'first', 'first', ['second']],
    ['two-keys.jks', 'Second', 'second', ['first']],
    ['two-passwords.jks', 'second', 'second', ['first']],
    ['no-name.p12', '1', '1', []],
  ])('%s with the alias %j uses %s', async (file, alias, chosen, others) => {
    const identity = await open(file, { alias })
    expect([identity.alias, identity.otherAliases]).toEqual([chosen, others])
    expect((await shake(identity)).commonName.toLowerCase()).toBe(chosen === '1' ? 'localhost' : chosen)
  })

  it.each<[file: string, source: Omit<KeystoreSource, 'file'>, code: string, message: RegExp]>([
    ['openssl.p12', { password: 'wrong' }, 'keystore-password', /the password does not open the keystore \(PKCS12\)/],
    ['openssl.p12', { password: undefined }, 'keystore-password', /the keystore \(PKCS12\) needs a password/],
    ['openssl-legacy.p12', { password: 'wrong' }, 'keystore-password', /does not open/],
    ['no-mac.p12', { password: 'wrong' }, 'keystore-password', /does not open/],
    ['no-mac-rc2.p12', { password: 'wrong' }, 'keystore-password', /does not open/],
    // These passwords yield valid padding, as one in 256 does.
    ['no-mac.p12', { password: 'wrong37' }, 'keystore-password', /does not open/],
    ['no-mac-rc2.p12', { password: 'wrong200' }, 'keystore-password', /does not open/],
    ['combined-encrypted.pem', { password: 'wrong86' }, 'keystore-password', /does not open the private key \(PEM\)/],
    ['null-password.p12', { password: 'x' }, 'keystore-password', /does not open/],
    ['pbmac1.p12', { password: 'wrong' }, 'keystore-password', /does not open/],
    ['rsa.jks', { password: 'wrong' }, 'keystore-password', /does not open the keystore \(JKS\)/],
    ['rsa.jks', { password: undefined }, 'keystore-password', /private key "server" \(JKS\) needs a password/],
    ['ec.jceks', { password: 'wrong' }, 'keystore-password', /does not open the keystore \(JCEKS\)/],
    ['combined-encrypted.pem', { password: 'wrong' }, 'keystore-password', /the private key \(PEM\)/],
    ['combined-encrypted.pem', { password: undefined }, 'keystore-password', /private key \(PEM\) needs a password/],
    ['chain.pem', { keyFile: fixture('encrypted-header.key'), password: 'no' }, 'keystore-password', /private key/],
    ['chain.pem', { keyFile: fixture('encrypted-scrypt.key'), password: 'no' }, 'keystore-password', /private key/],
    ['chain.pem', { keyFile: fixture('encrypted-header.key'), password: undefined }, 'keystore-password', /needs a/],
    [
      'two-passwords.jks',
      { alias: 'first' },
      'keystore-password',
      /private key "first" \(JKS\) has a different password/,
    ],
    ['other-key-password.jks', {}, 'keystore-password', /private key "server" \(JKS\) has a different password/],
    ['truststore.p12', {}, 'keystore-key', /PKCS12 file has no private key; it holds certificates only/],
    ['truststore.jks', {}, 'keystore-key', /JKS file has no private key; it holds certificates only/],
    ['chain.pem', {}, 'keystore-key', /PEM file has no private key/],
    ['server.key', {}, 'keystore-key', /PEM file has no certificate for the private key/],
    ['stranger.pem', {}, 'keystore-key', /PEM file has no certificate for the private key/],
    ['two-keys.p12', { alias: 'third' }, 'keystore-alias', /no key "third" found: it has "first", "second"/],
    ['two-keys.jks', { alias: 'third' }, 'keystore-alias', /no key "third" found: it has /],
    ['combined.pem', { alias: 'a' }, 'keystore-alias', /no key "a" found: keys of a PEM file have no names/],
    ['openssl-rc4.p12', {}, 'keystore-unsupported', /encryption 1\.2\.840\.113549\.1\.12\.1\.1/],
    ['tiny.pem', {}, 'keystore-unsupported', /key too small/],
    ['dsa.p12', {}, 'keystore-unsupported', /keys of type DSA are not accepted in TLS/],
    ['make.sh', {}, 'keystore-format', /not a keystore of a known format/],
    ['openssl.p12', { keyFile: fixture('server.key') }, 'keystore-format', /must be PEM or DER/],
    ['missing.p12', {}, 'keystore-file', /missing\.p12 does not exist/],
    ['.', {}, 'keystore-file', /is a directory/],
    ['chain.pem', { keyFile: fixture('missing.key') }, 'keystore-file', /missing\.key does not exist/],
  ])('%s with %j is refused as %s', async (file, source, code, message) => {
    const error = await open(file, source).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect((error as Error).message).toContain('keystore')
  })

  it.each<[key: string, cipher: string, change: (text: string) => string]>([
    // An unknown algorithm instead of EC.
    ['server.key', '1.2.840.10045.3.1', (text) => text.replace('SM49AgEG', 'SM49AwEG')],
    ['encrypted-header.key', 'DES-CBC', (text) => text.replace(/AES-256-CBC,.{16}/, 'DES-CBC,')],
    ['server.key', 'OPENSSH PRIVATE KEY', (text) => text.replaceAll('PRIVATE KEY', 'OPENSSH PRIVATE KEY')],
    // PBE-SHA1-RC4-128 instead of PBE-SHA1-3DES.
    ['encrypted-3des.key', '1.2.840.113549.1.12.1.1', (text) => text.replace('DQEMAQMw', 'DQEMAQEw')],
  ])(
    'whose %s has a cipher or an algorithm that is not supported blames neither password nor file: %s',
    async (key, cipher, change) => {
      const keyFile = damagedCopy(key, (octets) => Buffer.from(change(octets.toString())))
      await expect(open('chain.pem', { keyFile })).rejects.toMatchObject({
        code: 'keystore-unsupported',
        message: expect.stringContaining(cipher),
      })
    },
  )

  it('with a key protected by scrypt is opened without the platform, unless that would take minutes', () => {
    const text = readFileSync(fixture('encrypted-scrypt.key'), 'latin1')
    const octets = Buffer.from(text.replace(/-----.*-----/g, ''), 'base64')
    const decrypted = (text: string, key: Buffer) => decryptPrivateKeyInfo(key, { text, budget: new IterationBudget() })
    expect(
      createPrivateKey({ key: Buffer.from(decrypted('changeit', octets)!), format: 'der', type: 'pkcs8' }).type,
    ).toBe('private')
    expect(decrypted('wrong', octets)).toBeUndefined()
    // The cost of 16384 and the block size of 8 become 32512 and 127.
    const costly = Buffer.from(octets.toString('hex').replace('020240000201080201', '02027f0002017f0201'), 'hex')
    expect(costly).not.toEqual(octets)
    expect(() => decrypted('changeit', costly)).toThrow('memory')
    const endless = Buffer.from(octets.toString('hex').replace('02024000020108020101', '0202400002010802017f'), 'hex')
    expect(() => decrypted('changeit', endless)).toThrow('rounds of key derivation')
  })

  it.each(['combined-encrypted.pem', 'expired.pem'])(
    'with a key of its own and another in a file uses that of the file: %s',
    async (name) => {
      const others = readFileSync(fixture('chain.pem'))
      const file = damagedCopy(name, (octets) => Buffer.concat([octets, others]))
      const identity = await openKeystore({ file, keyFile: fixture('server.key') }, nowMs)
      expect(
        createPrivateKey(identity.secureContext.key!).equals(createPrivateKey(readFileSync(fixture('server.key')))),
      ).toBe(true)
    },
  )

  it.each<[what: string, file: string, keyFile: string, faulty: string]>([
    ['a key without its password', 'chain.pem', 'encrypted-header.key', 'encrypted-header.key'],
    ['no key in the file of the key', 'chain.pem', 'chain.pem', 'chain.pem'],
    ['no PEM in the file of the key', 'chain.pem', 'make.sh', 'make.sh'],
    ['no PEM in the file of the certificate', 'openssl.p12', 'server.key', 'openssl.p12'],
  ])('of two files names the faulty one: %s', async (_what, file, keyFile, faulty) => {
    await expect(open(file, { keyFile: fixture(keyFile), password: undefined })).rejects.toThrow(`${fixture(faulty)}: `)
  })

  it.each<[file: string, warnings: readonly RegExp[]]>([
    ['weak.pem', [/^the certificate of "weak" has a key of 1024 bits, fewer than 2048$/, /is signed with SHA-1$/]],
    ['curve.pem', [/^the certificate of "curve" has a key on the curve secp256k1, expected P-256 or P-384$/]],
    ['expired.pem', [/^the certificate of "expired" expired on 20\d\d-\d\d-\d\d$/]],
  ])('%s opens with warnings', async (file, warnings) => {
    const found = (await open(file)).warnings
    expect(found).toHaveLength(warnings.length)
    for (const [index, warning] of warnings.entries()) expect(found[index]).toMatch(warning)
  })

  it('that is not valid yet opens with a warning', async () => {
    const identity = await openKeystore({ file: fixture('combined.pem') }, Date.UTC(2020, 0, 1))
    expect(identity.warnings[0]).toMatch(/^the certificate of "localhost" is not valid before 20\d\d-\d\d-\d\d$/)
  })

  it('that is too large or not a regular file is not read', async () => {
    const file = join(temporaryDirectory(), 'large')
    writeFileSync(file, '')
    truncateSync(file, 20_000_000)
    await expect(openKeystore({ file }, nowMs)).rejects.toMatchObject({ code: 'keystore-format' })
    const directory = join(temporaryDirectory(), 'directory')
    mkdirSync(directory)
    await expect(openKeystore({ file: directory }, nowMs)).rejects.toMatchObject({ code: 'keystore-file' })
  })

  it('that demands years of key derivation is refused at once', async () => {
    // The iteration count of the check value, 2048, in the last bytes of the file.
    const file = damagedCopy('openssl.p12', (octets) => {
      const at = octets.lastIndexOf(Buffer.from('02020800', 'hex'))
      expect(at).toBeGreaterThan(octets.length - 8)
      // Two bytes more of number, so two more in the two lengths around it.
      const grown = Buffer.concat([octets.subarray(0, at), Buffer.from('02047fffffff', 'hex')])
      grown.writeUInt16BE(octets.readUInt16BE(2) + 2, 2)
      const macData = octets.lastIndexOf(Buffer.from('3031300d0609', 'hex')) - 2
      grown[macData + 1]! += 2
      return grown
    })
    await expect(openKeystore({ file, password: 'changeit' }, nowMs)).rejects.toMatchObject({
      code: 'keystore-damaged',
      message: expect.stringContaining('rounds of key derivation'),
    })
  })

  it.each(['openssl.p12', 'ber.p12', 'not-encrypted.p12', 'ec.jks', 'ec.jceks', 'secret-first.jceks', 'combined.pem'])(
    '%s, truncated or with a changed byte, is an error with a reason, never an unexpected one',
    async (name) => {
      const whole = readFileSync(fixture(name))
      const file = join(temporaryDirectory(), name)
      const step = Math.ceil(whole.length / 40)
      for (let at = 0; at < whole.length; at += step) {
        const changed = Buffer.from(whole)
        changed[at]! ^= 0x55
        for (const octets of [whole.subarray(0, at), changed]) {
          writeFileSync(file, octets)
          const outcome = await openKeystore({ file, password: undefined }, nowMs).then(
            () => 'keystore-opened',
            (error: { code?: unknown; stack?: string }) => error.code ?? error.stack,
          )
          expect(outcome).toMatch(/^keystore-/)
        }
      }
    },
  )
})

describe('the certificates of authorities', () => {
  const pem = readFileSync(fixture('chain.pem'), 'utf8')
  const count = (octets: Uint8Array | string) =>
    readPemCertificates(Buffer.from(readAuthorities(Buffer.from(octets), 'ca'))).length

  it.each<[what: string, octets: Uint8Array | string, count: number]>([
    ['several in PEM', pem, 3],
    ['with a carriage return at the end of each line', pem.replaceAll('\n', '\r'), 3],
    ['without a line between them', pem.replaceAll('-----\n-----BEGIN', '----------BEGIN'), 3],
    ['with purposes, of which one is to identify servers', withPurposes(pem, element(0x30, serverAuthentication)), 3],
    ['with no purposes', withPurposes(pem), 3],
    ['those that are not rejected for servers', withPurposes(pem, element(0xa0, serverAuthentication)) + pem, 3],
    ['those that are trusted for more than mail', withPurposes(pem, element(0x30, mailProtection)) + pem, 3],
    ['one in DER', readPemCertificates(Buffer.from(pem))[0]!.certificate.raw, 1],
  ])('are read: %s', (_what, octets, expected) => {
    expect(count(octets)).toBe(expected)
  })

  it.each<[what: string, octets: string, message: string]>([
    [
      'one cannot be read',
      pem.replace(/(?<=END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n)M/, 'A'),
      'the certificate at line ',
    ],
    ['one has no end', `${pem}-----BEGIN CERTIFICATE-----\nMII\n`, 'a block has no END line'],
    [
      'all are rejected for servers',
      withPurposes(pem, element(0xa0, serverAuthentication)),
      'ca: it trusts no certificate for',
    ],
    ['there is none', 'text', 'ca: it has no certificate in PEM or DER'],
  ])('are all refused if %s', (_what, octets, message) => {
    expect(() => count(octets)).toThrow(message)
  })
})
