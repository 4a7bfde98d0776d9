/**
 * Limits parallel jobs to the file descriptors that the process may open.
 *
 * More concurrent jobs would run out of descriptors, and so would the command itself. Instead, jobs wait for others to
 * end.
 */
import { readdirSync } from 'node:fs'

/** A connection, the file of a body or response, and a second connection: to another address, or after a redirect. */
const DESCRIPTORS_PER_JOB = 3
/** Descriptors of a thread in the runtime, if a job's script engine has one. */
const DESCRIPTORS_PER_ENGINE = 4
/** Connections that are kept open, reports, chunks of the command, and descriptors of the runtime. */
const RESERVED_DESCRIPTORS = 48
/** If the limit is small, jobs may still use this share of the free descriptors. */
const SHARE_OF_JOBS = 0.5

/**
 * @param wanted the requested number of concurrent jobs
 * @param limit the maximum number of open files of the process; undefined if unknown
 * @param openFiles the number of open files
 * @param hasEngines whether jobs need the script engine
 */
export function fittingJobs(wanted: number, limit: number | undefined, openFiles: number, hasEngines: boolean): number {
  if (limit === undefined) return wanted
  const perJob = DESCRIPTORS_PER_JOB + (hasEngines ? DESCRIPTORS_PER_ENGINE : 0)
  const left = Math.max(0, limit - openFiles)
  const forJobs = Math.max(left - RESERVED_DESCRIPTORS, left * SHARE_OF_JOBS)
  return Math.max(1, Math.min(wanted, Math.floor(forJobs / perJob)))
}

/** The number of open files of the process; 0 if the platform cannot list them. */
export function openFileCount(): number {
  try {
    return readdirSync('/dev/fd').length
  } catch {
    return 0
  }
}
