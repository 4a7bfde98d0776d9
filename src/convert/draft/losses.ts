/**
 * Collects the parts that could not be converted while a source is read.
 *
 * Rules: each loss is reported once with its place; the same text becomes a comment in place of the part.
 */
import type { Loss } from './draft.ts'

export class Losses {
  readonly #found: Loss[] = []

  get all(): readonly Loss[] {
    return this.#found
  }

  /** Adds a loss. @returns the comment for the result */
  add(place: string, message: string): string {
    if (!this.#found.some((loss) => loss.place === place && loss.message === message)) {
      this.#found.push({ place, message })
    }
    return `Not converted: ${message}`
  }
}
