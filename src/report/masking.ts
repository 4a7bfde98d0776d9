/**
 * Secrets masked in texts and in streams of octets.
 *
 * Rules: what is found of a secret, in whatever form, becomes MASK, which does not tell how long it was; secrets that
 * touch or overlap become one. A secret counts from the moment it is added, for everything that is masked from then on. A
 * stream is masked piece by piece: of what was given only that is held back which may be the beginning of a secret.
 * Without secrets texts and octets go through as they are.
 */
import { type OctetRange, SecretIndex } from './secret-index.ts'
import { patternsOf } from './secret-patterns.ts'

/** What stands for a secret. */
const MASK = '***'

const maskOctets = Buffer.from(MASK)
const noOctets = new Uint8Array(0)
/** Nothing stands before the first octet of a text, which is like a line that ends. */
const LF = 0x0a

export class SecretMask {
  readonly #index: SecretIndex = new SecretIndex()
  readonly #values: Set<string> = new Set()

  /** From now on this value is a secret. Adding it again costs nothing. */
  add(value: string): void {
    if (this.#values.has(value)) return
    this.#values.add(value)
    for (const pattern of patternsOf(value)) this.#index.add(pattern)
  }

  /** The text without secrets. */
  mask(text: string): string {
    if (this.#index.isEmpty) return text
    const octets = Buffer.from(text, 'utf8')
    const masked = new MaskStream(this.#index).end(octets)
    return masked === octets ? text : Buffer.from(masked).toString('utf8')
  }

  openStream(): MaskStream {
    return new MaskStream(this.#index)
  }
}

/** Octets that come in pieces, masked. Secrets that are added meanwhile count for what is still to come. */
export class MaskStream {
  readonly #index: SecretIndex
  /** Not given out yet. */
  #held: Uint8Array = noOctets
  /** How many of the held octets are of a secret whose mask has been given out. */
  #maskedBytes = 0
  /** The octet before the held ones. */
  #before = LF
  /** Whether the last thing that was given out is a mask. */
  #endsMasked = false

  constructor(index: SecretIndex) {
    this.#index = index
  }

  /** What can be given out by now. */
  write(octets: Uint8Array): Uint8Array {
    return this.#take(octets, false)
  }

  /** What is left, and `octets` behind it. A text that follows begins anew. */
  end(octets: Uint8Array = noOctets): Uint8Array {
    return this.#take(octets, true)
  }

  #take(octets: Uint8Array, isLast: boolean): Uint8Array {
    const all = this.#held.length === 0 ? octets : Buffer.concat([this.#held, octets])
    if (all.length === 0) return all
    if (this.#index.isEmpty) return this.#passed(all, isLast)
    const { ranges, openFrom } = this.#index.find(all, this.#before, isLast)
    return this.#settle(all, openFrom, ranges, isLast)
  }

  /** Gives out what stands before `end`, and keeps the rest. */
  #settle(all: Uint8Array, end: number, ranges: readonly OctetRange[], isLast: boolean): Uint8Array {
    if (ranges.length === 0 && this.#maskedBytes === 0 && end === all.length) return this.#passed(all, isLast)
    const pieces: Uint8Array[] = []
    let place = Math.min(this.#maskedBytes, end)
    let maskedTo = this.#maskedBytes
    for (const [from, to] of ranges) {
      if (from >= end) break
      if (from > maskedTo) pieces.push(all.subarray(place, from))
      const isNew = from > maskedTo || (from === maskedTo && !this.#endsMasked)
      if (isNew) pieces.push(maskOctets)
      this.#endsMasked = true
      maskedTo = Math.max(maskedTo, to)
      place = Math.min(maskedTo, end)
    }
    if (place < end) {
      pieces.push(all.subarray(place, end))
      this.#endsMasked = false
    }
    this.#before = isLast ? LF : end === 0 ? this.#before : (all[end - 1] as number)
    this.#held = isLast ? noOctets : all.subarray(end)
    this.#maskedBytes = isLast ? 0 : Math.max(0, maskedTo - end)
    if (isLast) this.#endsMasked = false
    return Buffer.concat(pieces)
  }

  /** Nothing to mask and nothing to hold back: the octets are not copied. */
  #passed(all: Uint8Array, isLast: boolean): Uint8Array {
    this.#before = isLast ? LF : (all.at(-1) as number)
    this.#held = noOctets
    this.#endsMasked = false
    return all
  }
}
