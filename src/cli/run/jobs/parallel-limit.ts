/**
 * How many jobs of a run fit into the file descriptors that the process may open.
 *
 * More jobs at a time would fail for lack of descriptors, and so would everything that the command itself opens: they
 * wait for others to end instead.
 */
import { readdirSync } from 'node:fs'

/** A connection, the file of a body or of a response, and a second connection: to another address, or after a redirect. */
const DESCRIPTORS_PER_JOB = 3
/** What a thread of the runtime takes, where the engine of a job's scripts has one. */
const DESCRIPTORS_PER_ENGINE = 4
/** Connections that are kept open, reports, chunks of the command, and what the runtime opens. */
const RESERVED_DESCRIPTORS = 48
/** Of what is left of a small limit, the part that jobs may take. */
const SHARE_OF_JOBS = 0.5

/**
 * @param wanted how many jobs are to run at a time
 * @param limit how many files the process may have open; undefined where that is not known
 * @param openFiles how many it has open
 * @param hasEngines whether jobs need the script engine
 */
export function fittingJobs(wanted: number, limit: number | undefined, openFiles: number, hasEngines: boolean): number {
  if (limit === undefined) return wanted
  const perJob = DESCRIPTORS_PER_JOB + (hasEngines ? DESCRIPTORS_PER_ENGINE : 0)
  const left = Math.max(0, limit - openFiles)
  const forJobs = Math.max(left - RESERVED_DESCRIPTORS, left * SHARE_OF_JOBS)
  return Math.max(1, Math.min(wanted, Math.floor(forJobs / perJob)))
}

/** How many files the process has open; 0 where the platform has no list of them. */
export function openFileCount(): number {
  try {
    return readdirSync('/dev/fd').length
  } catch {
    return 0
  }
}
