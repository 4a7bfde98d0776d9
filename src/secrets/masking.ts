/**
 * Masks secrets in texts and in streams of bytes.
 *
 * Rules: a secret is searched for in the bytes as they are and in views of them whose escapes are decoded, level by
 * level (decoded-view.ts). Matches become MASK, which does not reveal their length; adjacent or overlapping secrets
 * become one, and an escape is masked as a whole or not at all, so that JSON stays JSON. A secret is masked from the
 * moment it is added. A stream is masked piece by piece: only bytes that may begin a secret or an escape are held back.
 * Without secrets, texts and bytes pass unchanged.
 */
import { DecodedView, mayDecode } from './decoded-view.ts'
import { type ByteRange, type Findings, KEY_BYTES, NONE, SecretIndex } from './secret-index.ts'
import { patternsOf } from './secret-patterns.ts'
import { bytesBefore, endInEscape, inSource, outwards, sourceEnd, sourceStart } from './view-chain.ts'

const MASK = '***'

const maskBytes = Buffer.from(MASK)
const noBytes = new Uint8Array(0)
/** The start of a text is a word boundary like the end of a line. */
const LF = 0x0a
/** The maximum number of nested encodings. */
const MAX_LEVELS = 4
/** Up to this number of held bytes are reread with each write. */
const MAX_REREAD_BYTES = 256
/**
 * More held bytes are reread only when new bytes amount to at least one MAX_REREADS-th of them, so the work stays
 * linear.
 */
const MAX_REREADS = 4

export class SecretMask {
  readonly #index: SecretIndex = new SecretIndex()
  readonly #values: Set<string> = new Set()

  /** Masks this value from now on. Adding it again has no cost. */
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

  /** Whether no secrets are known. */
  get isEmpty(): boolean {
    return this.#index.isEmpty
  }

  openStream(): MaskStream {
    return new MaskStream(this.#index)
  }
}

/** Masks bytes that come in pieces. Secrets added in the meantime are masked in later pieces. */
export class MaskStream {
  readonly #index: SecretIndex
  /** Not released yet. */
  #held: Uint8Array = noBytes
  /** Received after the held bytes, but too few to make rereading them worthwhile. */
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** The number of held bytes that belong to a secret whose mask has been released. */
  #maskedBytes = 0
  /** The byte before the held ones, in the source and in each view. */
  #before: readonly number[] = [LF]
  /** Whether the last output is a mask. */
  #isEndMasked = false
  #hasMasked = false

  constructor(index: SecretIndex) {
    this.#index = index
  }

  /** Whether a secret was masked in the output so far. */
  get hasMasked(): boolean {
    return this.#hasMasked
  }

  /** Adds bytes and returns what can be released. */
  write(bytes: Uint8Array): Uint8Array {
    const waitingBytes = this.#waitingBytes + bytes.length
    if (this.#held.length > MAX_REREAD_BYTES && waitingBytes * MAX_REREADS < this.#held.length) {
      this.#waiting.push(bytes)
      this.#waitingBytes = waitingBytes
      return noBytes
    }
    return this.#take(bytes, false)
  }

  /** Adds the last bytes and returns the rest. A following text starts over. */
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
    if (isLast) this.#isEndMasked = false
    return masked
  }

  /** @param views receives the views that have anything to search */
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
        // Deeper views have the same bytes, but the byte before them may differ because of an escape that has already
        // been released.
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

  /** Releases the bytes before `end`, and holds the rest. */
  #settle(
    all: Uint8Array,
    end: number,
    ranges: readonly ByteRange[],
    knownMaskedTo: number,
    isLast: boolean,
  ): Uint8Array {
    if (ranges.length === 0 && knownMaskedTo === 0 && end === all.length) {
      this.#held = noBytes
      this.#isEndMasked = false
      return all
    }
    const pieces: Uint8Array[] = []
    let maskedTo = knownMaskedTo
    let place = Math.min(maskedTo, end)
    for (const [from, to] of ranges) {
      if (from >= end) break
      if (from > maskedTo) pieces.push(all.subarray(place, from))
      const isNew = from > maskedTo || (from === maskedTo && !this.#isEndMasked)
      if (isNew) pieces.push(maskBytes)
      this.#hasMasked = true
      this.#isEndMasked = true
      maskedTo = Math.max(maskedTo, to)
      place = Math.min(maskedTo, end)
    }
    if (place < end) {
      pieces.push(all.subarray(place, end))
      this.#isEndMasked = false
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

// Finds secrets that begin inside what a view decodes as an escape.
//
// `\nice%5C` may be a line feed before `ice\`, or a backslash before the secret `nice\`, whose last character is
// escaped. Views use the first reading. Here the bytes of an escape after its first one are read literally, followed by
// the bytes that a view has after the escape: the view that decodes it, or a view of that view.

/** @returns ranges in the source of the first view */
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
