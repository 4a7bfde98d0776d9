/**
 * The Date field of answers, formatted once a second. RFC 9110 section 6.6.1.
 */
import { formatHttpDate } from '../semantics/http-date.ts'

/** The length of an IMF-fixdate: constant, so that one can overwrite another. */
export const dateLength = 29

export class HttpClock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  #second = Number.NaN
  #text = ''

  constructor(now: () => number) {
    this.now = now
  }

  date(): string {
    const second = Math.floor(this.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = formatHttpDate(second * 1000)
    }
    return this.#text
  }
}
