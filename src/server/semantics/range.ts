/**
 * Parses a Range field into ranges of a file.
 *
 * Rules: only `bytes` is supported; an invalid field is ignored, so the whole file is sent. Ranges keep their order,
 * unless some overlap: then all are sorted and the overlapping ones joined, since no client needs bytes twice
 * (CVE-2011-3192). The whole file is also sent for more than `maximumRanges`. If no range is within the file, they are
 * unsatisfiable; a suffix of an empty file is the whole file. RFC 9110 sections 14.1.2 and 14.2.
 */
import type { FileSlice } from './answer-body.ts'

/** Apache accepts 200; a document viewer requests about ten. */
const maximumRanges = 64

const ZERO = 0x30
const NINE = 0x39

/** The parts, `whole` if the field is ignored, or `unsatisfiable`. */
export function parseRange(value: string, sizeBytes: number): readonly FileSlice[] | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(.*)$/is.exec(value)
  if (match === null) return 'whole'
  // An empty element of a list is ignored (RFC 9110 section 5.6.1).
  const specifications = match[1]!
    .split(',')
    .map(trimBlanks)
    .filter((text) => text !== '')
  if (specifications.length === 0 || specifications.length > maximumRanges) return 'whole'
  const slices: FileSlice[] = []
  for (const specification of specifications) {
    const slice = parseOne(specification, sizeBytes)
    if (slice === undefined) return 'whole'
    if (slice.start < slice.end) slices.push(slice)
    else if (sizeBytes === 0 && /^-0*[1-9]/.test(specification)) return 'whole'
  }
  return slices.length === 0 ? 'unsatisfiable' : withoutOverlap(slices)
}

/** An empty slice if the range begins after the end of the file; undefined if the text is not a range. */
function parseOne(text: string, sizeBytes: number): FileSlice | undefined {
  const hyphen = text.indexOf('-')
  const first = significantDigits(text, 0, hyphen)
  const last = significantDigits(text, hyphen + 1, text.length)
  if (hyphen === -1 || text === '-' || first === undefined || last === undefined) return undefined
  if (text.startsWith('-')) return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes }
  if (text.endsWith('-')) return { start: Number(first), end: sizeBytes }
  return isLess(last, first) ? undefined : { start: Number(first), end: Math.min(sizeBytes, Number(last) + 1) }
}

/** Compares digits without leading zeros, since a number would round the longest of them. */
function isLess(digits: string, others: string): boolean {
  return digits.length === others.length ? digits < others : digits.length < others.length
}

/**
 * The digits between two indexes, without leading zeros; undefined if there are other characters. Linear time.
 */
function significantDigits(text: string, from: number, to: number): string | undefined {
  let start = from
  while (start < to && text.charCodeAt(start) === ZERO) start++
  for (let index = start; index < to; index++) {
    const code = text.charCodeAt(index)
    if (code < ZERO || code > NINE) return undefined
  }
  return text.slice(start, to)
}

function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function withoutOverlap(slices: readonly FileSlice[]): readonly FileSlice[] {
  const united: FileSlice[] = []
  for (const slice of [...slices].sort((a, b) => a.start - b.start)) {
    const last = united.at(-1)
    if (last === undefined || slice.start >= last.end) united.push(slice)
    else united[united.length - 1] = { start: last.start, end: Math.max(last.end, slice.end) }
  }
  return united.length === slices.length ? slices : united
}
