/**
 * Collects the parts that could not be converted while a source is read.
 *
 * Rules: each loss is reported once with its place; the same text becomes a comment in place of the part.
 */
import type { Loss } from './draft.ts'

export class Losses {
  readonly #found = new Map<string, Loss>()

  get all(): readonly Loss[] {
    return [...this.#found.values()]
  }

  /** Adds a loss. @returns the comment for the result */
  add(place: string, message: string): string {
    const key = JSON.stringify([place, message])
    if (!this.#found.has(key)) this.#found.set(key, { place, message })
    return `Not converted: ${message}`
  }
}
