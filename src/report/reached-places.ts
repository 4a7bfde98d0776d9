/**
 * Where the ways of writing a pattern have led, from any beginning in the same octets.
 *
 * Rules: beginnings come in order. What follows from a place that an earlier one has reached is known, and is masked from
 * there on, so that nobody needs to follow it again: this is what keeps the work in proportion to the octets for a secret
 * of one repeated character, which may begin at every octet of a text and be written in ever so many ways. A place is
 * remembered for as long as a beginning can reach it.
 */
import type { SecretPattern } from './secret-patterns.ts'

interface Trail {
  /** For each part a ring of places, each as its offset and 1; 0 where there is none. */
  readonly rings: Int32Array
  readonly ringSize: number
}

export class ReachedPlaces {
  readonly #octetCount: number
  readonly #trails: Map<SecretPattern, Trail> = new Map()

  constructor(octetCount: number) {
    this.#octetCount = octetCount
  }

  /** Notes a place behind a part. @returns whether nothing has led there before */
  isNew(pattern: SecretPattern, part: number, place: number): boolean {
    const { rings, ringSize } = this.#trailOf(pattern)
    const at = part * ringSize + (place & (ringSize - 1))
    if (rings[at] === place + 1) return false
    rings[at] = place + 1
    return true
  }

  #trailOf(pattern: SecretPattern): Trail {
    let trail = this.#trails.get(pattern)
    if (trail === undefined) {
      const span = Math.min(longestOf(pattern), this.#octetCount) + 1
      const ringSize = 2 ** Math.ceil(Math.log2(span))
      trail = { rings: new Int32Array(pattern.parts.length * ringSize), ringSize }
      this.#trails.set(pattern, trail)
    }
    return trail
  }
}

/** How many octets a pattern takes at most. */
function longestOf({ parts }: SecretPattern): number {
  return parts.reduce((sum, part) => {
    return sum + (typeof part === 'string' ? part.length : Math.max(...part.map(({ length }) => length)))
  }, 0)
}
