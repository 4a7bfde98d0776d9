/**
 * `--seed` and `--now`: options that make two runs send the same bytes.
 *
 * Rules: a time without a zone is UTC, so that it is the same everywhere. A number of up to eleven digits is in
 * seconds, a longer one in milliseconds.
 */
import type { Reproduction } from '../../runner/index.ts'
import type { ParsedArguments } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { RunValues } from '../options/run.ts'

/** Seconds with more digits are thousands of years ahead. */
const MAX_SECONDS_DIGITS = 11
const isoPattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/

/** @throws UsageError */
export function readReproduction(args: ParsedArguments<RunValues>): Reproduction {
  return { seed: seedOf(args.value('seed')), nowMs: nowMsOf(args.value('now')) }
}

/** Leading zeros do not change the number. */
function seedOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,30}$/.test(text)) {
    throw new UsageError(`invalid --seed "${text}": expected a whole number`, { hint: 'Write it as --seed 42' })
  }
  return String(BigInt(text))
}

function nowMsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const timeMs = /^\d+$/.test(text) ? countMs(text) : dateMs(text)
  if (timeMs !== undefined && !Number.isNaN(new Date(timeMs).getTime())) return timeMs
  throw new UsageError(`invalid --now "${text}": expected a time`, {
    hint: 'Write it as --now 2026-11-21T10:00:00Z, or as seconds since 1970',
  })
}

function countMs(digits: string): number {
  return Number(digits) * (digits.length > MAX_SECONDS_DIGITS ? 1 : 1000)
}

function dateMs(text: string): number | undefined {
  const match = isoPattern.exec(text)
  if (match === null) return undefined
  // The platform reads a time without a zone as local time, a date alone as UTC.
  const isLocal = match[1] === undefined && text.length > 'yyyy-mm-dd'.length
  return Date.parse(`${text.toUpperCase().replace(' ', 'T')}${isLocal ? 'Z' : ''}`)
}
