/**
 * A digest that is the same for all shards of one run: reports with different digests are not merged.
 *
 * Rules: it covers the jobs, the chosen requests, the texts of all request files and the division. Values of variables
 * and rows are excluded, since they may be secret. Line ends are ignored: machines may check out the same files with
 * different line ends.
 */
import { createHash } from 'node:crypto'
import type { PreparedRun } from '../jobs/run-preparation.ts'

/** Enough digits to make a collision impossible in practice. */
const DIGITS = 32

/** @param division every unit of work and its shard */
export function runIdentity({ jobs, files, choice }: PreparedRun, division: unknown): string {
  const texts = files.map(({ source }) => digest(source.text.replace(/\r\n?/g, '\n'))).sort()
  const chosen = choice && [choice.names, choice.tags, choice.lines.map(({ line }) => line)]
  const description = [jobs.map(({ reported }) => reported), texts, chosen, division]
  return digest(JSON.stringify(description)).slice(0, DIGITS)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
