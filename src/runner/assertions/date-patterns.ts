/**
 * Dates by the patterns of strftime: `%Y-%m-%dT%H:%M:%S%z`, for the filters `toDate` and `format`.
 *
 * Rules: a date is a text in ISO 8601, in UTC. Names are English. A pattern without a zone means UTC; without a day,
 * the first of the month; without a time, midnight.
 */
const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const DAYS: readonly string[] = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

interface Fields {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  ms: number
  zoneMinutes: number
  isAfternoon: boolean | undefined
  epochMs: number | undefined
}

interface Letter {
  readonly pattern: string
  readonly read?: (text: string) => Partial<Fields>
  readonly write: (date: Date) => string
}

const padded = (value: number, width = 2): string => String(value).padStart(width, '0')
const namesPattern = (names: readonly string[]): string => names.map((name) => `${name}|${name.slice(0, 3)}`).join('|')
const monthIndex = (text: string): number =>
  MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase())

function zoneOf(text: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(text)
  if (match === null) return 0
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
}

function number(
  field: 'year' | 'day' | 'hour' | 'minute' | 'second' | 'ms',
  width: number,
  get: (date: Date) => number,
): Letter {
  return {
    pattern: `\\d{1,${width}}`,
    read: (text) => ({ [field]: Number(text) }),
    write: (date) => padded(get(date), width),
  }
}

const month = (write: (date: Date) => string, pattern: string, read: (text: string) => number): Letter => ({
  pattern,
  read: (text) => ({ month: read(text) }),
  write,
})

const letters: Readonly<Record<string, Letter>> = {
  Y: number('year', 4, (date) => date.getUTCFullYear()),
  y: {
    pattern: '\\d{2}',
    read: (text) => ({ year: Number(text) + (Number(text) < 70 ? 2000 : 1900) }),
    write: (date) => padded(date.getUTCFullYear() % 100),
  },
  m: month(
    (date) => padded(date.getUTCMonth() + 1),
    '\\d{1,2}',
    (text) => Number(text) - 1,
  ),
  B: month((date) => MONTHS[date.getUTCMonth()] as string, namesPattern(MONTHS), monthIndex),
  b: month((date) => (MONTHS[date.getUTCMonth()] as string).slice(0, 3), namesPattern(MONTHS), monthIndex),
  d: number('day', 2, (date) => date.getUTCDate()),
  e: {
    ...number('day', 2, (date) => date.getUTCDate()),
    pattern: ' ?\\d{1,2}',
    write: (date) => String(date.getUTCDate()).padStart(2),
  },
  H: number('hour', 2, (date) => date.getUTCHours()),
  I: number('hour', 2, (date) => date.getUTCHours() % 12 || 12),
  M: number('minute', 2, (date) => date.getUTCMinutes()),
  S: number('second', 2, (date) => date.getUTCSeconds()),
  f: {
    pattern: '\\d{1,9}',
    read: (text) => ({ ms: Number(text.padEnd(3, '0').slice(0, 3)) }),
    write: (date) => padded(date.getUTCMilliseconds(), 3),
  },
  '.f': {
    pattern: '(?:\\.\\d{1,9})?',
    read: (text) => ({ ms: Number(text.slice(1).padEnd(3, '0').slice(0, 3)) }),
    write: (date) => (date.getUTCMilliseconds() === 0 ? '' : `.${padded(date.getUTCMilliseconds(), 3)}`),
  },
  p: {
    pattern: '[AaPp][Mm]',
    read: (text) => ({ isAfternoon: /^p/i.test(text) }),
    write: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  },
  A: { pattern: namesPattern(DAYS), write: (date) => DAYS[date.getUTCDay()] as string },
  a: { pattern: namesPattern(DAYS), write: (date) => (DAYS[date.getUTCDay()] as string).slice(0, 3) },
  z: {
    pattern: '[+-]\\d{2}:?\\d{2}|Z',
    read: (text) => ({ zoneMinutes: zoneOf(text) }),
    write: () => '+0000',
  },
  Z: { pattern: '[A-Za-z]{1,5}', write: () => 'UTC' },
  s: {
    pattern: '\\d{1,12}',
    read: (text) => ({ epochMs: Number(text) * 1000 }),
    write: (date) => String(Math.floor(date.getTime() / 1000)),
  },
  '%': { pattern: '%', write: () => '%' },
}

/** Letters that abbreviate several others. */
const shorthands: Readonly<Record<string, string>> = {
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%F': '%Y-%m-%d',
  '%D': '%m/%d/%y',
  '%+': '%Y-%m-%dT%H:%M:%S%.f%z',
  '%:z': '%z',
  '%.3f': '.%f',
  '%3f': '%f',
}

/** @throws SyntaxError for an unknown letter */
function piecesOf(pattern: string): readonly (string | Letter)[] {
  const plain = pattern.replace(/%(?::z|\.3f|3f|[TRFD+])/g, (short) => shorthands[short] ?? short)
  return plain.split(/(%\.f|%.?)/s).flatMap((piece): readonly (string | Letter)[] => {
    if (!piece.startsWith('%')) return piece === '' ? [] : [piece]
    const letter = Object.hasOwn(letters, piece.slice(1)) ? letters[piece.slice(1)] : undefined
    if (letter === undefined) throw new SyntaxError(`${JSON.stringify(piece)} is not part of a date pattern`)
    return [letter]
  })
}

/** The date in ISO 8601; undefined if the text does not match the pattern. @throws SyntaxError */
export function readDate(text: string, pattern: string): string | undefined {
  const pieces = piecesOf(pattern)
  const source = pieces
    .map((piece) => (typeof piece === 'string' ? piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : `(${piece.pattern})`))
    .join('')
  const match = new RegExp(`^${source}$`, 'i').exec(text)
  if (match === null) return undefined
  const fields: Fields = {
    ...{ year: 1970, month: 0, day: 1, hour: 0, minute: 0, second: 0, ms: 0, zoneMinutes: 0 },
    ...{ isAfternoon: undefined, epochMs: undefined },
  }
  const read = pieces.filter((piece) => typeof piece !== 'string')
  for (const [index, letter] of read.entries()) Object.assign(fields, letter.read?.(match[index + 1] as string))
  const hour = fields.isAfternoon === undefined ? fields.hour : (fields.hour % 12) + (fields.isAfternoon ? 12 : 0)
  const { year, month: monthIndex, day, minute, second, ms, zoneMinutes, epochMs } = fields
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  const date = new Date(new Date(0).setUTCFullYear(year, monthIndex, day))
  const timeMs = Date.UTC(1970, 0, 1, hour, minute, second, ms)
  const utcMs = epochMs ?? date.getTime() + timeMs - zoneMinutes * 60_000
  const isThere = epochMs !== undefined || (date.getUTCMonth() === monthIndex && date.getUTCDate() === day)
  return isThere && hour < 24 && minute < 60 && second < 61 ? new Date(utcMs).toISOString() : undefined
}

/** Formats a date, given in ISO 8601, by a pattern. @throws SyntaxError */
export function writeDate(date: Date, pattern: string): string {
  return piecesOf(pattern)
    .map((piece) => (typeof piece === 'string' ? piece : piece.write(date)))
    .join('')
}
