/**
 * Numbers that look random and come again with the same seed: 50,000 messages in a test run need a faster source than
 * one that remembers how to shrink.
 *
 * Rules: a generator is cheap to make, so that each message has a separate one, and any of them can be made alone.
 */

export class Random {
  #state: number

  constructor(seed: number) {
    // Neighbouring seeds are spread out: the first numbers of two of them have nothing in common.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  }

  /** A whole number from 0 below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  /** From `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** `count` characters of a pool. */
  text(pool: Pool, count: number): string {
    const start = this.below(pool.text.length - count)
    return pool.text.slice(start, start + count)
  }
}

/** Characters in a long random row, of which texts are cut: a number for each character would cost too much. */
export class Pool {
  readonly text: string

  constructor(characters: string) {
    const random = new Random(characters.length)
    this.text = Array.from({ length: 60_000 }, () => characters[random.below(characters.length)]).join('')
  }
}
