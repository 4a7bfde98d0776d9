/**
 * Secrets masked in texts and in streams of bytes.
 *
 * Rules: a secret is searched for in the bytes as they are and in views of them whose escapes are decoded, once and again
 * (decoded-view.ts). What is found becomes MASK, which does not show how long it was; secrets that touch or overlap become
 * one, and an escape is masked whole or not at all, so that JSON stays JSON. A secret counts from the moment it is added,
 * for everything that is masked from then on. A stream is masked piece by piece: only bytes that may be the beginning of
 * a secret, or of an escape, are held back. Without secrets texts and bytes go through as they are.
 */
import { DecodedView, mayDecode } from './decoded-view.ts'
import { type ByteRange, type Findings, KEY_BYTES, NONE, SecretIndex } from './secret-index.ts'
import { patternsOf } from './secret-patterns.ts'
import { bytesBefore, endInEscape, inSource, outwards, sourceEnd, sourceStart } from './view-chain.ts'

/** Replaces a secret. */
const MASK = '***'

const maskBytes = Buffer.from(MASK)
const noBytes = new Uint8Array(0)
/** The start of a text is a word boundary like the end of a line. */
const LF = 0x0a
/** How often a secret may be encoded. */
const MAX_LEVELS = 4
/** As many held bytes are read again with each write. */
const MAX_REREAD_BYTES = 256
/** More of them are read again as often as this, and so the work grows with the bytes alone. */
const MAX_REREADS = 4

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
    const bytes = Buffer.from(text, 'utf8')
    const masked = new MaskStream(this.#index).end(bytes)
    return masked === bytes ? text : Buffer.from(masked).toString('utf8')
  }

  /** Whether there is nothing to hide. */
  get isEmpty(): boolean {
    return this.#index.isEmpty
  }

  openStream(): MaskStream {
    return new MaskStream(this.#index)
  }
}

/** Bytes that come in pieces, masked. Secrets that are added meanwhile count for what is still to come. */
export class MaskStream {
  readonly #index: SecretIndex
  /** Not given out yet. */
  #held: Uint8Array = noBytes
  /** What has come after the held bytes and is too little to read them again. */
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** How many of the held bytes are of a secret whose mask has been given out. */
  #maskedBytes = 0
  /** The byte before the held ones, as they are and in each view. */
  #before: readonly number[] = [LF]
  /** Whether the last thing that was given out is a mask. */
  #endsMasked = false
  #hasMasked = false

  constructor(index: SecretIndex) {
    this.#index = index
  }

  /** Whether a secret was found in what was given out. */
  get hasMasked(): boolean {
    return this.#hasMasked
  }

  /** What can be given out by now. */
  write(bytes: Uint8Array): Uint8Array {
    const waitingBytes = this.#waitingBytes + bytes.length
    if (this.#held.length > MAX_REREAD_BYTES && waitingBytes * MAX_REREADS < this.#held.length) {
      this.#waiting.push(bytes)
      this.#waitingBytes = waitingBytes
      return noBytes
    }
    return this.#take(bytes, false)
  }

  /** What is left, and `bytes` after it. A text that follows starts anew. */
  end(bytes: Uint8Array = noBytes): Uint8Array {
    return this.#take(bytes, true)
  }

  #take(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, ...this.#waiting, bytes])
    this.#waiting = []
    this.#waitingBytes = 0
    if (all.length === 0) return all
    const views: DecodedView[] = []
    const { ranges, openFrom } = this.#index.isEmpty ? nothingFound(all) : this.#find(all, views, isLast)
    const maskedTo = outwards(views.slice(0, 1), [0, this.#maskedBytes])[1]
    const masked = this.#settle(all, openFrom, ranges, maskedTo, isLast)
    this.#before = isLast ? [LF] : bytesBefore(all, views, openFrom, this.#before)
    if (isLast) this.#endsMasked = false
    return masked
  }

  /** @param views gets the views that have something else to find */
  #find(all: Uint8Array, views: DecodedView[], isLast: boolean): Findings {
    const ranges: ByteRange[] = []
    let openFrom = all.length
    let bytes = all
    for (let level = 0; ; level++) {
      const before = this.#before[level] ?? (this.#before.at(-1) as number)
      const found = this.#index.find(bytes, before, isLast, (start, index, rest) => {
        const end = endInEscape(views, index, rest)
        if (end !== undefined) ranges.push([sourceStart(views, start), end])
      })
      for (const range of found.ranges) ranges.push(inSource(views, range))
      if (found.openFrom < bytes.length) openFrom = Math.min(openFrom, sourceStart(views, found.openFrom))
      if (level === MAX_LEVELS || !(views.at(-1)?.isNested ?? mayDecode(bytes))) {
        // Deeper views have the same bytes, but perhaps another byte before them, from an escape that was given out.
        for (const other of this.#before.slice(level + 1)) {
          if (other === before || bytes.length < KEY_BYTES) continue
          const { end, isOpen } = this.#index.findAt(bytes, 0, other, isLast)
          if (isOpen) openFrom = 0
          if (end !== NONE) ranges.push(inSource(views, [0, end]))
        }
        break
      }
      const view = new DecodedView(bytes, isLast)
      if (view.sourceBytes < bytes.length) openFrom = Math.min(openFrom, sourceStart(views, view.sourceBytes))
      // Every escape is longer than what it decodes to.
      if (view.bytes.length === bytes.length) break
      views.push(view)
      bytes = view.bytes
    }
    if (views.length === 0) return { ranges: inOrder(ranges), openFrom }
    const second = findSecondReadings(this.#index, views, isLast)
    for (const range of second.ranges) ranges.push(range)
    openFrom = Math.min(openFrom, second.openFrom)
    const outermost = views.slice(0, 1)
    const whole = inOrder(ranges.map((range) => outwards(outermost, range)))
    return { ranges: whole, openFrom: isLast ? all.length : outwards(views, [openFrom, openFrom])[0] }
  }

  /** Gives out what comes before `end`, and keeps the rest. */
  #settle(
    all: Uint8Array,
    end: number,
    ranges: readonly ByteRange[],
    knownMaskedTo: number,
    isLast: boolean,
  ): Uint8Array {
    if (ranges.length === 0 && knownMaskedTo === 0 && end === all.length) {
      this.#held = noBytes
      this.#endsMasked = false
      return all
    }
    const pieces: Uint8Array[] = []
    let maskedTo = knownMaskedTo
    let place = Math.min(maskedTo, end)
    for (const [from, to] of ranges) {
      if (from >= end) break
      if (from > maskedTo) pieces.push(all.subarray(place, from))
      const isNew = from > maskedTo || (from === maskedTo && !this.#endsMasked)
      if (isNew) pieces.push(maskBytes)
      this.#hasMasked = true
      this.#endsMasked = true
      maskedTo = Math.max(maskedTo, to)
      place = Math.min(maskedTo, end)
    }
    if (place < end) {
      pieces.push(all.subarray(place, end))
      this.#endsMasked = false
    }
    this.#held = isLast ? noBytes : all.subarray(end)
    this.#maskedBytes = isLast ? 0 : Math.max(0, maskedTo - end)
    return Buffer.concat(pieces)
  }
}

function inOrder(ranges: readonly ByteRange[]): readonly ByteRange[] {
  return ranges.toSorted(([one], [other]) => one - other)
}

function nothingFound(all: Uint8Array): Findings {
  return { ranges: [], openFrom: all.length }
}

// Secrets that begin inside of what a view decodes as an escape.
//
// Rules: `\nice%5C` may be a line feed before `ice\`, and it may be a backslash before the secret `nice\`, whose last
// character is escaped. Views have the first reading. Here the bytes of an escape after its first one are read as they
// are, and after them what a view has after the escape: the view that decodes it, or one of that view.

/** @returns places in what the first view is of */
function findSecondReadings(index: SecretIndex, views: readonly DecodedView[], isLast: boolean): Findings {
  const ranges: ByteRange[] = []
  let openFrom = Number.POSITIVE_INFINITY
  for (const [level, view] of views.entries()) {
    const { source } = view
    view.forEachLiteral(index.firstBytes, (start, escapeTo, escapeIndex) => {
      let place = escapeIndex
      for (let last = level; last < views.length; last++) {
        const after = (views[last] as DecodedView).bytes
        if (last > level) place = (views[last] as DecodedView).indexBefore(place)
        const { end, isOpen } = index.findAcross(source, start, escapeTo, after, place, isLast)
        if (isOpen) openFrom = Math.min(openFrom, sourceStart(views.slice(0, level), start))
        if (end === NONE) continue
        ranges.push([sourceStart(views.slice(0, level), start), sourceEnd(views.slice(0, last + 1), end)])
      }
    })
  }
  return { ranges, openFrom }
}
