/**
 * Messages for an engine that cannot start because the machine lacks memory, threads or files.
 *
 * That is not a defect: the script fails with the reason, and the run continues.
 */

/** Error codes of the platform for exhausted resources. */
const shortageCodes: ReadonlySet<string> = new Set([
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
])
/** Messages of JavaScript engines for exhausted memory, which has no code. */
const memoryPattern = /\b(?:out of|allocate|insufficient) memory\b|allocation failed|memory allocation/i

/** If a thread cannot start, only the message of its error contains this code. */
const filesPattern = /\bE[MN]FILE\b/

/** The message to report; undefined for any other error. */
export function engineShortage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  const isShort = code === undefined ? memoryPattern.test(error.message) : shortageCodes.has(code)
  if (!isShort) return undefined
  const advice = filesPattern.test(`${code} ${error.message}`)
    ? 'Raise the limit of open files (ulimit -n)'
    : 'Give the process more memory, or run fewer jobs at a time'
  return `the script engine cannot be started: ${error.message}. ${advice}`
}
