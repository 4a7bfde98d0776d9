/**
 * Dates of a listing, in the local time of the machine. Programs find the exact time in the JSON form of the listing.
 *
 * Rules: the dates of a directory usually fall on a few days, and calendar dates are expensive to compute: each day is
 * computed once, hours and minutes by division. The offset from UTC changes only at quarters of an hour.
 */

const dayMs = 86_400_000
const minuteMs = 60_000
const quarterMs = 15 * minuteMs

/** The range of dates, in milliseconds from 1970 (ECMAScript section 21.4.1.1), minus a day for offsets. */
const largestMs = 8_640_000_000_000_000 - dayMs

export class ListingDates {
  readonly #offsetMinutesAt: (epochMs: number) => number
  readonly #days = new Map<number, string>()
  readonly #offsetsMs = new Map<number, number>()

  /** `offsetMinutesAt`: local time minus UTC at a moment. */
  constructor(offsetMinutesAt: (epochMs: number) => number) {
    this.#offsetMinutesAt = offsetMinutesAt
  }

  /**
   * `2026-11-21 23:59`; empty for an invalid date, since some file systems store years that a Date cannot represent.
   */
  text(epochMs: number): string {
    if (!(Math.abs(epochMs) <= largestMs)) return ''
    const localMs = epochMs + this.#offsetMs(epochMs)
    return `${this.#day(localMs)} ${clock(localMs)}`
  }

  #offsetMs(epochMs: number): number {
    const quarter = Math.floor(epochMs / quarterMs)
    const known = this.#offsetsMs.get(quarter)
    if (known !== undefined) return known
    const offsetMs = this.#offsetMinutesAt(quarter * quarterMs) * minuteMs
    this.#offsetsMs.set(quarter, offsetMs)
    return offsetMs
  }

  #day(epochMs: number): string {
    const day = Math.floor(epochMs / dayMs)
    const known = this.#days.get(day)
    if (known !== undefined) return known
    const text = new Date(day * dayMs).toISOString().slice(0, -'T00:00:00.000Z'.length)
    this.#days.set(day, text)
    return text
  }
}

/** `23:59`. */
function clock(epochMs: number): string {
  const minutes = Math.floor(modulo(epochMs, dayMs) / minuteMs)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** Never negative, unlike the `%` operator: dates before 1970 have hours as well. */
function modulo(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor
}
