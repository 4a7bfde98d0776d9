/**
 * Copies a message, in its normalised form, into a separate array.
 *
 * Rules: the result does not keep the input bytes alive. A canonical head is copied unchanged and read from the copy
 * (head-octets.ts); content with a length is a view of the copy. So a stored message takes little more memory than its
 * bytes.
 */
import { type Content, encodeMemory, memoryContent, ownMemory } from '../body/content.ts'
import type { Framing } from '../head/framing.ts'
import type { HeadOctets } from '../head/head-octets.ts'
import { concatBytes, octetsOf, viewOf } from '../syntax/octets.ts'

/** The common part of request and response heads. */
interface OwnableHead<Head> {
  readonly framing: Framing | undefined
  readonly normalOctets: HeadOctets | undefined
  withOctets(octets: HeadOctets): Head
  own(): Head
}

interface OwnMessage<Head> {
  readonly bytes: Uint8Array
  readonly head: Head
  readonly content: Content | undefined
}

/** The content must be in memory. `headText` is called if the head is not canonical. */
export function ownMessage<Head extends OwnableHead<Head>>(
  head: Head,
  content: Content | undefined,
  headText: () => string,
): OwnMessage<Head> {
  const { framing, normalOctets } = head
  const memory = framing === undefined ? undefined : content?.memory
  const wire = framing === undefined || memory === undefined ? undefined : encodeMemory(framing, memory)
  if (normalOctets === undefined) {
    const bytes = concatBytes([octetsOf(headText()), ...(wire === undefined ? [] : [wire])])
    return { bytes, head: head.own(), content: memory && memoryContent(ownMemory(memory)) }
  }
  const headBytes = normalOctets.sizeBytes
  const bytes = new Uint8Array(headBytes + (wire?.length ?? 0))
  const own = head.withOctets(normalOctets.copyTo(bytes))
  if (wire === undefined || memory === undefined) return { bytes, head: own, content: undefined }
  bytes.set(wire, headBytes)
  const isPlain = framing?.type !== 'chunked'
  const kept = isPlain ? { ...memory, data: viewOf(bytes, headBytes, wire.length) } : ownMemory(memory)
  return { bytes, head: own, content: memoryContent(kept) }
}
