/**
 * Creates a temporary certificate for this machine, in memory.
 *
 * Rules: its key is never written to disk, and it expires after a few weeks. It covers the given names, `localhost` and
 * the loopback addresses; it is not an authority, because browsers refuse a server that presents one. It is encoded by
 * hand, because a certificate is only a dozen nested elements, and a library for it would add a megabyte. RFC 5280
 * section 4.1, RFC 5480, RFC 5758 section 3.2.
 */
import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { element } from './der.ts'
import type { TlsIdentity } from './keystore.ts'

const dayMs = 86_400_000
const validDays = 90
const loopbackNames = ['localhost', '127.0.0.1', '::1'] as const

const oids = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  serverAuthentication: '2b06010505070301',
} as const

/** `names`: host names and addresses besides those of this machine. `nowMs`: milliseconds since 1970. */
export function makeSelfSigned(names: readonly string[], nowMs: number): TlsIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = sequence(
    element(0xa0, integer(Buffer.of(2))),
    // RFC 5280 section 4.1.2.2: positive and unique.
    integer(Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    sequence(oid(oids.ecdsaWithSha256)),
    subject,
    sequence(time(nowMs - dayMs), time(nowMs + validDays * dayMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions([...new Set([...loopbackNames, ...names])]))),
  )
  const signature = sign('sha256', signed, privateKey)
  const certificate = new X509Certificate(
    sequence(signed, sequence(oid(oids.ecdsaWithSha256)), element(0x03, Buffer.of(0), signature)),
  )
  return {
    format: 'self-signed',
    alias: undefined,
    otherAliases: [],
    fingerprint256: certificate.fingerprint256,
    secureContext: {
      key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      cert: certificate.toString(),
    },
    warnings: [],
  }
}

const subject: Buffer = sequence(element(0x31, sequence(oid(oids.commonName), text('httpcli throw-away certificate'))))

function extensions(names: readonly string[]): readonly Buffer[] {
  const critical = element(0x01, Buffer.of(0xff))
  const digitalSignature = element(0x03, Buffer.of(7, 0x80))
  return [
    sequence(oid(oids.basicConstraints), critical, element(0x04, sequence())),
    sequence(oid(oids.keyUsage), critical, element(0x04, digitalSignature)),
    sequence(oid(oids.extendedKeyUsage), element(0x04, sequence(oid(oids.serverAuthentication)))),
    sequence(oid(oids.subjectAltName), element(0x04, sequence(...names.map(generalName)))),
  ]
}

/** RFC 5280 section 4.2.1.6: an address in bytes, or a name. */
function generalName(name: string): Buffer {
  return isIP(name) === 0 ? element(0x82, Buffer.from(name, 'latin1')) : element(0x87, addressOctets(name))
}

/** RFC 4291 section 2.2: `::` replaces the missing groups of zeros. A zone is only meaningful on this machine. */
function addressOctets(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The URL parser turns a dotted part at the end of an address into groups.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]/`)
  const [before = '', after = ''] = hostname.slice(1, -1).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, last] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0)
  return Buffer.from([...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]))
}

function time(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replace(/[-:T]|\.\d+/g, '')
  // RFC 5280 section 4.1.2.5: two-digit years until 2049.
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}

function oid(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'))
}

function integer(octets: Buffer): Buffer {
  return element(0x02, octets)
}

function text(value: string): Buffer {
  return element(0x0c, Buffer.from(value))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, ...parts)
}
