/**
 * PKCS12 files that neither keytool nor openssl writes, made of those that openssl did; make.sh calls this.
 *   ber.p12              indefinite lengths and strings in parts, as old browsers and Bouncy Castle wrote them
 *   null-password.p12    the check value of no password at all, which is not that of an empty one
 *   pbmac1.p12           the check value of RFC 9579
 */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const [, , current] = process.argv

const length = (n) => (n < 128 ? Buffer.of(n) : n < 256 ? Buffer.of(0x81, n) : Buffer.of(0x82, n >> 8, n & 255))
const element = (tag, ...parts) => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), length(content.length), content])
}
const oid = (hex) => element(0x06, Buffer.from(hex, 'hex'))
const integer = (n) => element(0x02, Buffer.of(n >> 8, n & 255))

function parse(octets) {
  const elements = []
  for (let at = 0; at < octets.length; ) {
    const tag = octets[at]
    let size = octets[at + 1]
    let start = at + 2
    if (size > 128) {
      const count = size - 128
      size = octets.readUIntBE(start, count)
      start += count
    }
    elements.push({ tag, content: octets.subarray(start, start + size) })
    at = start + size
  }
  return elements
}

function indefinite({ tag, content }) {
  const end = Buffer.alloc(2)
  if (tag === 0x04) {
    const parts = []
    for (let at = 0; at < content.length; at += 100) parts.push(element(0x04, content.subarray(at, at + 100)))
    return Buffer.concat([Buffer.of(0x24, 0x80), ...parts, end])
  }
  if ((tag & 0x20) === 0) return element(tag, content)
  return Buffer.concat([Buffer.of(tag, 0x80), ...parse(content).map(indefinite), end])
}

const [file] = parse(readFileSync(current))
writeFileSync('ber.p12', indefinite(file))

const [version, authSafe] = parse(file.content)
const [, content] = parse(authSafe.content)
const authenticated = parse(content.content)[0].content
const head = [element(version.tag, version.content), element(authSafe.tag, authSafe.content)]

const salt = Buffer.from('0123456789abcdef')
const key = pbkdf2Sync('changeit', salt, 2048, 32, 'sha256')
const hmacSha256 = element(0x30, oid('2a864886f70d0209'), element(0x05))
const derivation = element(
  0x30,
  oid('2a864886f70d01050c'),
  element(0x30, element(0x04, salt), integer(2048), integer(32), hmacSha256),
)
const pbmac1 = element(0x30, oid('2a864886f70d01050e'), element(0x30, derivation, hmacSha256))
const digest = createHmac('sha256', key).update(authenticated).digest()
const mac = element(
  0x30,
  element(0x30, pbmac1, element(0x04, digest)),
  element(0x04, Buffer.from('NOT USED')),
  integer(1),
)
writeFileSync('pbmac1.p12', element(0x30, ...head, mac))

// RFC 7292 appendix B.2 with no password: one round, so the key is the digest of 64 times 3 and the salt.
const plainSafe = parse(parse(readFileSync('not-encrypted.p12'))[0].content)[1]
const plainContent = parse(parse(plainSafe.content)[1].content)[0].content
const nullSalt = Buffer.from('saltsalt')
const nullKey = createHash('sha1').update(Buffer.alloc(64, 3)).update(Buffer.alloc(64, nullSalt)).digest()
const nullDigest = createHmac('sha1', nullKey).update(plainContent).digest()
const sha1 = element(0x30, oid('2b0e03021a'), element(0x05))
writeFileSync(
  'null-password.p12',
  element(
    0x30,
    element(0x02, Buffer.of(3)),
    element(plainSafe.tag, plainSafe.content),
    element(0x30, element(0x30, sha1, element(0x04, nullDigest)), element(0x04, nullSalt)),
  ),
)
