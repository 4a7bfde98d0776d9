/**
 * Validators of a file, and whether the preconditions of a request hold for them.
 *
 * Rules: the order of RFC 9110 section 13.2.2: If-Match, else If-Unmodified-Since; then If-None-Match, else
 * If-Modified-Since. A field that does not parse as a date is ignored; an entity tag list is read up to its first fault.
 *
 * The entity tag is strong and made of what the file system knows to the nanosecond: size, times of modification and
 * change, inode. A clock tick of a file system can be coarser than two edits are apart, so a tag that is made within
 * a tick of the last change carries a mark of its own and matches no later one: the file is sent once more
 * rather than called unchanged when it is not. RFC 9110 section 8.8.
 */
import { formatHttpDate, parseHttpDate } from './http-date.ts'

/** What of a file's state the validators are made of. Times in nanoseconds since 1970. */
export interface FileState {
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
}

export interface Validators {
  /** Undefined where nobody knows it yet. */
  readonly etag: string | undefined
  /** Whole seconds, as Last-Modified says it. */
  readonly modifiedMs: number
}

export type PreconditionVerdict = 'proceed' | 'not-modified' | 'failed'

/** Longer than a tick of the coarsest common kernel clock (10 ms). */
const fineWindowMs = 20

/** A file system that knows seconds only (FAT: two of them) says so by times without a fraction. */
const coarseWindowMs = 2_000

let racyMarks = 0

/** The validators of a file in this state, seen at `nowMs`. */
export function validatorsOf(state: FileState, nowMs: number): Validators & { readonly etag: string } {
  const stamp = [state.size, state.mtimeNs, state.ctimeNs, state.ino].map((part) => part.toString(36)).join('-')
  return {
    etag: isRacy(state, nowMs) ? `"${stamp}-${((racyMarks += 1)).toString(36)}"` : `"${stamp}"`,
    modifiedMs: Math.floor(Number(state.mtimeNs / 1_000_000n) / 1000) * 1000,
  }
}

/** Whether one more change at `nowMs` could leave the file with the times that it has already. */
export function isRacy(state: FileState, nowMs: number): boolean {
  const windowMs = state.ctimeNs % 1_000_000_000n === 0n ? coarseWindowMs : fineWindowMs
  return nowMs - Number(state.ctimeNs / 1_000_000n) < windowMs
}

/** `field` gives the combined value of a request field by its lower-case name. Only for what would be answered 200. */
export function judgePreconditions(
  field: (lowerCaseName: string) => string | undefined,
  validators: Validators,
  nowMs: number,
): PreconditionVerdict {
  const ifMatch = field('if-match')
  if (ifMatch !== undefined) {
    if (!matchesTag(ifMatch, validators.etag, 'strong')) return 'failed'
  } else {
    const limitMs = dateOf(field('if-unmodified-since'), nowMs)
    if (limitMs !== undefined && validators.modifiedMs > limitMs) return 'failed'
  }
  const ifNoneMatch = field('if-none-match')
  if (ifNoneMatch !== undefined) return matchesTag(ifNoneMatch, validators.etag, 'weak') ? 'not-modified' : 'proceed'
  const sinceMs = dateOf(field('if-modified-since'), nowMs)
  return sinceMs !== undefined && validators.modifiedMs <= sinceMs ? 'not-modified' : 'proceed'
}

/**
 * Whether If-Range lets a Range count: the tag compared strongly, or exactly the date of Last-Modified where that is old
 * enough to name one state of the file only (RFC 9110 sections 13.1.5 and 8.8.2.2).
 */
export function matchesIfRange(value: string, validators: Validators, nowMs: number): boolean {
  if (value.includes('"')) return value === validators.etag && !value.startsWith('W/')
  return parseHttpDate(value, nowMs) === validators.modifiedMs && nowMs - validators.modifiedMs >= 2_000
}

/** The value of Last-Modified. A file dated ahead of the clock is said to be from now (RFC 9110 section 8.8.2.1). */
export function lastModified(validators: Validators, nowMs: number): string {
  return formatHttpDate(Math.min(validators.modifiedMs, nowMs))
}

function dateOf(value: string | undefined, nowMs: number): number | undefined {
  return value === undefined ? undefined : parseHttpDate(value, nowMs)
}

/** RFC 9110 section 8.8.3.2. */
function matchesTag(list: string, etag: string | undefined, comparison: 'strong' | 'weak'): boolean {
  if (etag === undefined) return list.trim() === '*'
  const isWeak = etag.startsWith('W/')
  const opaque = isWeak ? etag.slice(2) : etag
  if (list === opaque && !isWeak) return true
  if (list.trim() === '*') return true
  if (isWeak && comparison === 'strong') return false
  const element = /[ \t,]*(W\/)?("[!#-~\x80-\xff]*")[ \t]*(?=,|$)/y
  for (let match = element.exec(list); match !== null; match = element.exec(list)) {
    if (match[2] === opaque && (comparison === 'weak' || match[1] === undefined)) return true
  }
  return false
}
