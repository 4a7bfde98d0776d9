/**
 * What could not be converted, collected while a source is read.
 *
 * Rules: each loss is told once with its place; the same text stands as a comment where the part would be.
 */
import type { Loss } from './draft.ts'

export class Losses {
  readonly #found: Loss[] = []

  get all(): readonly Loss[] {
    return this.#found
  }

  /** Notes a loss. @returns the comment for the result */
  add(place: string, message: string): string {
    if (!this.#found.some((loss) => loss.place === place && loss.message === message)) {
      this.#found.push({ place, message })
    }
    return `Not converted: ${message}`
  }
}
