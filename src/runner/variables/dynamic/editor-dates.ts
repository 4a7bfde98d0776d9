/**
 * Dates in the formats of other editors: `$datetime "YYYY-MM-DD" -1 d` and `$localDatetime` of VS Code REST Client and
 * of Visual Studio.
 *
 * Rules: a format with a lower-case `y`, or with days and no upper-case `D`, is Visual Studio's (`yyyy-MM-dd`), any
 * other one is REST Client's (`YYYY-MM-DD`). Names of months and days are English. An offset in months stays within the
 * month: one month after 31 January is the last day of February. Days and longer units follow the calendar, in local
 * time if the date is local.
 */

export interface DateOffset {
  readonly amount: number
  readonly unit: string
}

type Field = 'FullYear' | 'Month' | 'Date' | 'Hours' | 'Minutes' | 'Seconds' | 'Milliseconds' | 'Day'

/** The fields of a date, in UTC or in local time. */
class CalendarDate {
  readonly date: Date
  readonly #isLocal: boolean

  constructor(ms: number, isLocal: boolean) {
    this.date = new Date(ms)
    this.#isLocal = isLocal
  }

  get(field: Field): number {
    return this.#isLocal ? this.date[`get${field}`]() : this.date[`getUTC${field}`]()
  }

  set(field: Exclude<Field, 'Day'>, value: number): void {
    if (this.#isLocal) this.date[`set${field}`](value)
    else this.date[`setUTC${field}`](value)
  }

  /** Minutes east of Greenwich. */
  get zoneMinutes(): number {
    return this.#isLocal ? -this.date.getTimezoneOffset() : 0
  }
}

/** The effect of each unit: months and days follow the calendar, all other units the clock. */
const units: Readonly<Record<string, { readonly months?: number; readonly days?: number; readonly ms?: number }>> = {
  y: { months: 12 },
  Q: { months: 3 },
  M: { months: 1 },
  w: { days: 7 },
  d: { days: 1 },
  h: { ms: 3_600_000 },
  m: { ms: 60_000 },
  s: { ms: 1000 },
  ms: { ms: 1 },
}

export const offsetUnits: readonly string[] = Object.keys(units)

/** The time plus the offset, in milliseconds since 1970; NaN if it is out of range. */
export function movedMs(ms: number, { amount, unit }: DateOffset, isLocal: boolean): number {
  const { months = 0, days = 0, ms: step = 0 } = units[unit] ?? {}
  const moved = new CalendarDate(ms + amount * step, isLocal)
  if (months !== 0) {
    const day = moved.get('Date')
    moved.set('Date', 1)
    moved.set('Month', moved.get('Month') + amount * months)
    moved.set('Date', Math.min(day, daysIn(moved.get('FullYear'), moved.get('Month'))))
  }
  if (days !== 0) moved.set('Date', moved.get('Date') + amount * days)
  return moved.date.getTime()
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const padded = (value: number, width: number): string => String(value).padStart(width, '0')

function zone({ zoneMinutes }: CalendarDate, separator: string): string {
  const minutes = Math.abs(zoneMinutes)
  const hours = padded(Math.floor(minutes / 60), 2)
  return `${zoneMinutes < 0 ? '-' : '+'}${hours}${separator}${padded(minutes % 60, 2)}`
}

type Writer = (date: CalendarDate) => string

const year: Writer = (date) => padded(date.get('FullYear'), 4)
const shortYear: Writer = (date) => padded(date.get('FullYear') % 100, 2)
const halfOfDay: Writer = (date) => (date.get('Hours') < 12 ? 'AM' : 'PM')
const weekday = (date: CalendarDate): string => DAYS[date.get('Day')] as string
const month = (date: CalendarDate): string => MONTHS[date.get('Month')] as string

/** A letter for a number, and two of them for its two digits. */
const digits = (letter: string, number: (date: CalendarDate) => number): Readonly<Record<string, Writer>> => ({
  [letter]: (date) => String(number(date)),
  [letter + letter]: (date) => padded(number(date), 2),
})

/** Letters that both kinds of formats share. */
const common: Readonly<Record<string, Writer>> = {
  ...digits('M', (date) => date.get('Month') + 1),
  MMM: (date) => month(date).slice(0, 3),
  MMMM: month,
  ddd: (date) => weekday(date).slice(0, 3),
  dddd: weekday,
  ...digits('H', (date) => date.get('Hours')),
  ...digits('h', (date) => date.get('Hours') % 12 || 12),
  ...digits('m', (date) => date.get('Minutes')),
  ...digits('s', (date) => date.get('Seconds')),
}

const restClient: Readonly<Record<string, Writer>> = {
  ...common,
  YY: shortYear,
  YYYY: year,
  ...digits('D', (date) => date.get('Date')),
  d: (date) => String(date.get('Day')),
  dd: (date) => weekday(date).slice(0, 2),
  SSS: (date) => padded(date.get('Milliseconds'), 3),
  Z: (date) => zone(date, ':'),
  ZZ: (date) => zone(date, ''),
  A: halfOfDay,
  a: (date) => halfOfDay(date).toLowerCase(),
}

const visualStudio: Readonly<Record<string, Writer>> = {
  ...common,
  yy: shortYear,
  yyyy: year,
  ...digits('d', (date) => date.get('Date')),
  f: (date) => padded(Math.floor(date.get('Milliseconds') / 100), 1),
  ff: (date) => padded(Math.floor(date.get('Milliseconds') / 10), 2),
  fff: (date) => padded(date.get('Milliseconds'), 3),
  t: (date) => halfOfDay(date).slice(0, 1),
  tt: halfOfDay,
  zz: (date) => zone(date, '').slice(0, 3),
  zzz: (date) => zone(date, ':'),
  K: (date) => (date.zoneMinutes === 0 ? 'Z' : zone(date, ':')),
}

/** Literal texts, to the end if unclosed, so that no search is repeated; then runs of one letter. */
const restClientToken = /\[([^\]]*)(?:\]|$)|([A-Za-z])\2*/g
const visualStudioToken = /'([^']*)(?:'|$)|([A-Za-z])\2*/g

/** The date in words. `format` is `iso8601`, `rfc1123` or a pattern. */
export function dateText(ms: number, format: string, isLocal: boolean): string {
  const date = new CalendarDate(ms, isLocal)
  if (format === 'iso8601') return isLocal ? patternText(date, 'YYYY-MM-DDTHH:mm:ssZ') : date.date.toISOString()
  if (format === 'rfc1123') return isLocal ? patternText(date, 'ddd, DD MMM YYYY HH:mm:ss ZZ') : date.date.toUTCString()
  return patternText(date, format)
}

function patternText(date: CalendarDate, pattern: string): string {
  const bare = pattern.replace(/\[[^\]]*(?:\]|$)|'[^']*(?:'|$)/g, '')
  const isVisualStudio = /y/.test(bare) || (/(?<!d)d{1,2}(?!d)/.test(bare) && !/[YD]/.test(bare))
  const writers = isVisualStudio ? visualStudio : restClient
  return pattern.replace(isVisualStudio ? visualStudioToken : restClientToken, (token, literal?: string) => {
    if (literal !== undefined) return literal
    const writer = Object.hasOwn(writers, token) ? writers[token] : undefined
    return writer === undefined ? token : writer(date)
  })
}
