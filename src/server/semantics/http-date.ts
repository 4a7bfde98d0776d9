/**
 * Dates in HTTP fields: written as IMF-fixdate, read in the three forms that a recipient must accept.
 *
 * Rules: `Date.parse` guesses, so it is not used; an invalid date is undefined, and the caller then ignores the field.
 * A two-digit year more than 50 years ahead is in the past. RFC 9110 section 5.6.7.
 */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const time = '(\\d{2}):(\\d{2}):(\\d{2})'
const imfFixdate = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d{2}) (\\w{3}) (\\d{4}) ${time} GMT$`)
const rfc850Date = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-(\\w{3})-(\\d{2}) ${time} GMT$`)
const asctimeDate = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\\w{3}) ([ \\d]\\d) ${time} (\\d{4})$`)

/** `epochMs` as `Sat, 21 Nov 2026 10:33:10 GMT`; the fraction of the second is dropped. */
export function formatHttpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString()
}

/** Milliseconds since 1970, a whole second; undefined for an invalid date. `nowMs` places two-digit years. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const imf = imfFixdate.exec(text)
  if (imf !== null) return epochMs(imf[3]!, imf[2]!, imf[1]!, imf.slice(4))
  const asctime = asctimeDate.exec(text)
  if (asctime !== null) return epochMs(asctime[6]!, asctime[1]!, asctime[2]!, asctime.slice(3, 6))
  const rfc850 = rfc850Date.exec(text)
  if (rfc850 === null) return undefined
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(rfc850[3])
  return epochMs(String(year > thisYear + 50 ? year - 100 : year), rfc850[2]!, rfc850[1]!, rfc850.slice(4))
}

function epochMs(year: string, month: string, day: string, clock: readonly string[]): number | undefined {
  const monthIndex = months.indexOf(month)
  const [hours = 0, minutes = 0, seconds = 0] = clock.map(Number)
  // 60 is a leap second; the platform's clock has none, so it counts as the next second.
  if (monthIndex < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), monthIndex, Number(day))
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return undefined
  return date.setUTCHours(hours, minutes, seconds)
}
