/**
 * Reads ASN.1 in BER, and writes it in DER, as far as keystores and certificates need it.
 *
 * Rules: definite and indefinite lengths, segmented strings; a tag is one byte, as in the file, with its class and its
 * constructed bit. Nothing is read past the end, and nesting is limited, because the file may be hostile. ITU-T X.690
 * section 8.
 */
import { damaged } from './errors.ts'

/** One element; `content` is a view of the file, without the end marker of an indefinite length. */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
}

/** Tags that keystores and certificates use. */
export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific 0: primitive for a string in one piece, otherwise constructed. */
  context0Primitive: 0x80,
  context0: 0xa0,
} as const

const constructedBit = 0x20
const maximumDepth = 32
const broken = (what: string) => damaged('ASN.1', what)

/** The sequence of elements in these bytes. @throws KeystoreError `keystore-damaged`. */
export function readElements(octets: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = []
  for (let offset = 0; offset < octets.length; ) {
    const { element, end } = readElement(octets, offset, 0)
    elements.push(element)
    offset = end
  }
  return elements
}

/** The first element in these bytes. Bytes after it are ignored. */
export function readFirst(octets: Uint8Array): DerElement {
  return readElement(octets, 0, 0).element
}

/**
 * Whether these bytes begin with a complete SEQUENCE, as everything does that a password protects. A wrong password
 * yields valid padding once in 256 times, so that padding alone does not show that it is wrong.
 */
export function beginsWithSequence(octets: Uint8Array): boolean {
  if (octets[0] !== tags.sequence) return false
  try {
    readFirst(octets)
    return true
  } catch {
    return false
  }
}

/** The members of a constructed element. `what` names the element in errors. */
export function membersOf(
  element: DerElement | undefined,
  what: string,
  tag: number = tags.sequence,
): readonly DerElement[] {
  return readElements(expectTag(element, tag, what).content)
}

/** The content of an OCTET STRING, joined if it is segmented. */
export function octetsOf(element: DerElement | undefined, what: string, depth: number = 0): Uint8Array {
  if (element === undefined) throw broken(`${what} is missing`)
  if ((element.tag & constructedBit) === 0) return element.content
  if (depth >= maximumDepth) throw broken('elements are nested too deeply')
  return Buffer.concat(readElements(element.content).map((part) => octetsOf(part, what, depth + 1)))
}

/** An iteration count, up to 2^53. */
export function countOf(element: DerElement | undefined): number {
  const { content } = expectTag(element, tags.integer, 'an iteration count')
  const value = content.reduce((sum, octet) => sum * 256 + octet, 0)
  if (content.length === 0 || content[0]! > 0x7f || !Number.isSafeInteger(value))
    throw broken('an iteration count is not an integer from 0 to 2^53')
  return value
}

/** An object identifier in dotted form. */
export function oidOf(element: DerElement | undefined, what: string): string {
  const { content } = expectTag(element, tags.oid, what)
  const arcs: number[] = []
  let arc = 0
  for (const octet of content) {
    arc = arc * 128 + (octet & 0x7f)
    if (octet > 0x7f) continue
    if (arcs.length === 0) {
      const first = Math.min(2, Math.floor(arc / 40))
      arcs.push(first, arc - 40 * first)
    } else {
      arcs.push(arc)
    }
    arc = 0
  }
  return arcs.join('.')
}

export function expectTag(element: DerElement | undefined, tag: number, what: string): DerElement {
  if (element === undefined) throw broken(`${what} is missing`)
  if (element.tag !== tag) throw broken(`${what} has tag 0x${element.tag.toString(16)}, not 0x${tag.toString(16)}`)
  return element
}

interface Read {
  readonly element: DerElement
  readonly end: number
}

function readElement(octets: Uint8Array, offset: number, depth: number): Read {
  const tag = octets[offset]
  const first = octets[offset + 1]
  if (tag === undefined || first === undefined) throw broken('it ends inside an element')
  if ((tag & 0x1f) === 0x1f) throw broken('an element has a long tag')
  if (first === 0x80) return readIndefinite(octets, offset, depth)
  const lengthOctets = first > 0x80 ? first - 0x80 : 0
  if (lengthOctets > 4) throw broken('an element is too long')
  let length = lengthOctets === 0 ? first : 0
  for (let at = 0; at < lengthOctets; at++) length = length * 256 + (octets[offset + 2 + at] ?? 0)
  const start = offset + 2 + lengthOctets
  const end = start + length
  if (end > octets.length) throw broken('it ends inside an element')
  return { element: { tag, content: octets.subarray(start, end) }, end }
}

/** Two zero bytes where an element would begin end an indefinite length. */
function readIndefinite(octets: Uint8Array, offset: number, depth: number): Read {
  const tag = octets[offset]!
  if ((tag & constructedBit) === 0) throw broken('a primitive element has no length')
  if (depth >= maximumDepth) throw broken('elements are nested too deeply')
  const start = offset + 2
  let at = start
  while (octets[at] !== 0 || octets[at + 1] !== 0) at = readElement(octets, at, depth + 1).end
  return { element: { tag, content: octets.subarray(start, at) }, end: at + 2 }
}

/** Encodes an element: a tag, the length in as few bytes as possible (X.690 section 10.1), and the content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const digits = content.length.toString(16)
  const length = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  return Buffer.concat([content.length < 0x80 ? Buffer.of(tag) : Buffer.of(tag, 0x80 + length.length), length, content])
}
