/**
 * Validators of a file, and the evaluation of a request's preconditions.
 *
 * Rules: the order of RFC 9110 section 13.2.2: If-Match, otherwise If-Unmodified-Since; then If-None-Match, otherwise
 * If-Modified-Since. A field that does not parse as a date is ignored; an entity tag list is read up to its first
 * error.
 *
 * The entity tag is strong. It is computed from the file's size, inode, and times of modification and change in
 * nanoseconds. A clock tick of a file system can be longer than the time between two edits, so a tag that is computed
 * within a tick of the last change gets a unique mark and matches no later tag: sending the file again is better than a
 * wrong 304. RFC 9110 section 8.8.
 */
import { formatHttpDate, parseHttpDate } from './http-date.ts'

/** The state of a file, from which its validators are computed. Times are in nanoseconds since 1970. */
export interface FileState {
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
}

export interface Validators {
  /** Undefined if it is not computed yet. */
  readonly etag: string | undefined
  /** Whole seconds, as in Last-Modified. */
  readonly modifiedMs: number
}

export type PreconditionVerdict = 'proceed' | 'not-modified' | 'failed'

/** Longer than a tick of the coarsest common kernel clock (10 ms). */
const fineWindowMs = 20

/** A file system with a resolution of seconds (FAT: two) has times without a fraction. */
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

/** Whether another change at `nowMs` could leave the file with its current times. */
export function isRacy(state: FileState, nowMs: number): boolean {
  const windowMs = state.ctimeNs % 1_000_000_000n === 0n ? coarseWindowMs : fineWindowMs
  return nowMs - Number(state.ctimeNs / 1_000_000n) < windowMs
}

/**
 * Call this only for requests that would get a 200. `field` returns the combined value of a field by lower-case name.
 */
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
 * Whether If-Range allows Range: the tag compared strongly, or exactly the date of Last-Modified if that is old enough
 * to identify one state of the file (RFC 9110 sections 13.1.5 and 8.8.2.2).
 */
export function matchesIfRange(value: string, validators: Validators, nowMs: number): boolean {
  if (value.includes('"')) return value === validators.etag && !value.startsWith('W/')
  return parseHttpDate(value, nowMs) === validators.modifiedMs && nowMs - validators.modifiedMs >= 2_000
}

/** The value of Last-Modified. A date in the future becomes the current date (RFC 9110 section 8.8.2.1). */
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
