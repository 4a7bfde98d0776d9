/**
 * Reads PKCS12 files: bytes to private keys with their certificates.
 *
 * Rules: the MAC detects a wrong password before anything is decrypted; in a file without a MAC, the padding of the
 * decrypted text detects it. If no password is given, both the empty password and none are tried. Entries that are
 * neither key nor certificate (secrets, revocation lists) are skipped. Keys are matched to certificates by their
 * identifier, otherwise by the key itself. RFC 7292 section 4.
 */
import type { KeyObject, X509Certificate } from 'node:crypto'
import { chainOf, readCertificate } from './certificate-chain.ts'
import {
  type DerElement,
  element,
  expectTag,
  membersOf,
  octetsOf,
  oidOf,
  readElements,
  readFirst,
  tags,
} from './der.ts'
import { damaged, passwordError, unsupported } from './errors.ts'
import type { KeyEntry, KeystoreContent } from './key-entry.ts'
import {
  checkMac,
  decryptByPassword,
  decryptPrivateKeyInfo,
  IterationBudget,
  type Password,
} from './password-encryption.ts'
import { readPrivateKey } from './private-key.ts'

const format = 'PKCS12'

const contentTypes = { data: '1.2.840.113549.1.7.1', encrypted: '1.2.840.113549.1.7.6' } as const

/** RFC 7292 section 4.2. */
const bagTypes = {
  key: '1.2.840.113549.1.12.10.1.1',
  shroudedKey: '1.2.840.113549.1.12.10.1.2',
  certificate: '1.2.840.113549.1.12.10.1.3',
  nested: '1.2.840.113549.1.12.10.1.6',
} as const

const attributeTypes = { friendlyName: '1.2.840.113549.1.9.20', localKeyId: '1.2.840.113549.1.9.21' } as const
const x509Certificate = '1.2.840.113549.1.9.22.1'

interface Named {
  readonly alias: string | undefined
  /** Hexadecimal; the same for a key and its certificate. */
  readonly localKeyId: string | undefined
}

interface Bags {
  readonly keys: readonly (Named & { readonly key: KeyObject })[]
  readonly certificates: readonly (Named & { readonly certificate: X509Certificate })[]
}

interface Opening {
  readonly password: Password
  readonly hasPassword: boolean
}

/** Whether the bytes can be a PKCS12 file: a sequence that begins with version 3. */
export function isPkcs12(octets: Uint8Array): boolean {
  if (octets[0] !== tags.sequence) return false
  const header = octets[1]! >= 0x80 ? 2 + (octets[1]! & 0x7f) : 2
  return octets[header] === tags.integer && octets[header + 1] === 1 && octets[header + 2] === 3
}

/** @throws KeystoreError `keystore-password`, `keystore-damaged`, `keystore-unsupported`. */
export function readPkcs12(octets: Uint8Array, password: string | undefined): KeystoreContent {
  const [, authSafe, macData] = membersOf(readFirst(octets), 'the file')
  const authenticated = contentOctets(authSafe)
  const opening = unlock(macData, authenticated, password)
  const safeContents = membersOf(readFirst(authenticated), 'the content')
  const bags = safeContents.map((safe) => readBags(membersOf(readFirst(openSafe(safe, opening)), 'a part'), opening))
  const keys = bags.flatMap((bag) => bag.keys)
  const certificates = bags.flatMap((bag) => bag.certificates)
  const entries = keys.map((key, index) => entryOf(key, index, certificates))
  return { format, entries, otherCertificates: certificates.length }
}

/** Finds out which form of the password is correct. */
function unlock(macData: DerElement | undefined, authenticated: Uint8Array, text: string | undefined): Opening {
  const budget = new IterationBudget()
  const hasPassword = text !== undefined
  const texts = text === undefined || text === '' ? ['', undefined] : [text]
  const forms = texts.map((each): Password => ({ text: each, budget }))
  const opening = (password: Password): Opening => ({ password, hasPassword })
  if (macData === undefined) return opening(forms[0]!)
  const fitting = forms.find((password) => checkMac(macData, authenticated, password))
  if (fitting === undefined) throw passwordError(format, 'keystore', hasPassword)
  return opening(fitting)
}

/** The bytes of a ContentInfo of type data. */
function contentOctets(contentInfo: DerElement | undefined): Uint8Array {
  const [type, content] = membersOf(contentInfo, 'the content')
  const oid = oidOf(type, 'the type of the content')
  if (oid !== contentTypes.data) throw unsupported('the content type', oid)
  return octetsOf(membersOf(content, 'the content', tags.context0)[0], 'the content')
}

function openSafe(safe: DerElement, opening: Opening): Uint8Array {
  const [type, content] = membersOf(safe, 'a part')
  if (oidOf(type, 'the type of a part') !== contentTypes.encrypted) return contentOctets(safe)
  const [encryptedData] = membersOf(content, 'an encrypted part', tags.context0)
  const [, encryptedContentInfo] = membersOf(encryptedData, 'an encrypted part')
  const [, algorithm, encrypted] = membersOf(encryptedContentInfo, 'an encrypted part')
  const { password, hasPassword } = opening
  const plain = decryptByPassword(algorithm, octetsOf(encrypted, 'an encrypted part'), password)
  if (plain === undefined) throw passwordError(format, 'keystore', hasPassword)
  return plain
}

function readBags(bags: readonly DerElement[], opening: Opening, depth: number = 0): Bags {
  const keys: { alias: string | undefined; localKeyId: string | undefined; key: KeyObject }[] = []
  const certificates: { alias: string | undefined; localKeyId: string | undefined; certificate: X509Certificate }[] = []
  for (const bag of bags) {
    const [type, value, attributes] = membersOf(bag, 'a bag')
    const content = membersOf(value, 'the value of a bag', tags.context0)[0]
    const names = namesOf(attributes)
    switch (oidOf(type, 'the type of a bag')) {
      case bagTypes.key:
        keys.push({ ...names, key: readPrivateKey(encoded(content), format, 'a private key') })
        break
      case bagTypes.shroudedKey:
        keys.push({
          ...names,
          key: readPrivateKey(unshroud(encoded(content), names.alias, opening), format, 'a private key'),
        })
        break
      case bagTypes.certificate: {
        const certificate = certificateOf(content)
        if (certificate !== undefined) certificates.push({ ...names, certificate })
        break
      }
      case bagTypes.nested: {
        if (depth >= 8) throw damaged(format, 'bags are nested too deeply')
        const nested = readBags(membersOf(content, 'a bag of bags'), opening, depth + 1)
        keys.push(...nested.keys)
        certificates.push(...nested.certificates)
        break
      }
    }
  }
  return { keys, certificates }
}

/** Undefined for a certificate that is not X.509. */
function certificateOf(content: DerElement | undefined): X509Certificate | undefined {
  const [kind, value] = membersOf(content, 'a certificate')
  if (oidOf(kind, 'the kind of a certificate') !== x509Certificate) return undefined
  return readCertificate(octetsOf(membersOf(value, 'a certificate', tags.context0)[0], 'a certificate'), format)
}

function unshroud(encrypted: Uint8Array, alias: string | undefined, opening: Opening): Uint8Array {
  const plain = decryptPrivateKeyInfo(encrypted, opening.password)
  if (plain !== undefined) return plain
  throw passwordError(format, alias === undefined ? 'private key' : `private key "${alias}"`, opening.hasPassword)
}

/** One element encoded as DER, however its length was written in the file. */
function encoded(found: DerElement | undefined): Uint8Array {
  const { tag, content } = expectTag(found, tags.sequence, 'a private key')
  return element(tag, content)
}

function namesOf(attributes: DerElement | undefined): Named {
  let alias: string | undefined
  let localKeyId: string | undefined
  for (const attribute of attributes === undefined ? [] : readElements(attributes.content)) {
    const [type, values] = membersOf(attribute, 'an attribute')
    const oid = oidOf(type, 'the type of an attribute')
    const [value] = values === undefined ? [] : readElements(values.content)
    if (value === undefined) continue
    if (oid === attributeTypes.friendlyName && value.content.length % 2 === 0) {
      alias = Buffer.from(value.content).swap16().toString('utf16le')
    }
    if (oid === attributeTypes.localKeyId) localKeyId = Buffer.from(value.content).toString('hex')
  }
  return { alias, localKeyId }
}

/** A key without a name is named by its number, as in Java. */
function entryOf(
  { alias, localKeyId, key }: Bags['keys'][number],
  index: number,
  bags: Bags['certificates'],
): KeyEntry {
  const certificates = bags.map(({ certificate }) => certificate)
  const marked = bags.filter((bag) => localKeyId !== undefined && bag.localKeyId === localKeyId)
  const own = marked.map(({ certificate }) => certificate).find((certificate) => certificate.checkPrivateKey(key))
  const others = certificates.filter((certificate) => !certificate.checkPrivateKey(key))
  const chain = chainOf(key, own === undefined ? certificates : [own, ...others])
  return { alias: alias ?? String(index + 1), key, chain }
}
