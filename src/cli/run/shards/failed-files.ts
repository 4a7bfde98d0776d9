/**
 * The files of an earlier report in which something failed: `--last-failed report.json`.
 *
 * Rules: a file is run as a whole, because its requests may depend on each other. Everything that did not pass counts,
 * including skipped and interrupted requests, since a run that omits them must not end with 0. The report of a run that
 * ended with a defect does not list all files.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadReportReading } from '../../../report/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import type { CommandContext } from '../../frame/command.ts'
import { readReportFile } from './report-input.ts'

/** Standard input is not a file. */
const STANDARD_INPUT = '-'

/**
 * @param words the files of the command line; if there are none, the files of the report
 * @returns the files in which something failed
 * @throws HttpcliError `unreadable-file`, `invalid-report`
 */
export async function onlyFailedFiles(
  report: string,
  words: readonly string[],
  { workingDirectory, stderr }: Pick<CommandContext, 'workingDirectory' | 'stderr'>,
): Promise<readonly string[]> {
  const failed = await failedFiles(report, workingDirectory)
  const absolute = (path: string): string => (path === STANDARD_INPUT ? path : resolve(workingDirectory, path))
  const isMissing = (path: string): boolean => statSync(absolute(path), { throwIfNoEntry: false }) === undefined
  const missing = failed.filter((path) => path !== STANDARD_INPUT && isMissing(path))
  if (missing.length > 0) {
    const [first, ...others] = missing
    const what = others.length === 0 ? `${first}, which failed` : `${missing.join(', ')}, which failed`
    throw new CliError('unreadable-file', `${what} in ${report}, ${others.length === 0 ? 'does' : 'do'} not exist`, {
      hint: 'Run in the directory of the run that wrote the report, or run all files',
    })
  }
  if (failed.length === 0) await stderr.write(`note: nothing failed in ${report}: nothing to run\n`)
  if (words.length === 0) return failed
  const wanted = new Set(failed.map(absolute))
  const chosen = words.filter((path) => wanted.has(absolute(path)))
  const known = new Set(words.map(absolute))
  const left = failed.filter((path) => !known.has(absolute(path)))
  if (left.length > 0) {
    await stderr.write(`note: these files failed in ${report} and are not among the files given: ${left.join(', ')}\n`)
  }
  return chosen
}

/** The files in the order of the report, each once. */
async function failedFiles(report: string, workingDirectory: string): Promise<readonly string[]> {
  const { readReport } = await loadReportReading()
  const files = new Set<string>()
  let hasFailures = false
  const { crash } = await readReportFile(report, workingDirectory, (chunks) =>
    readReport(chunks, {
      request: ({ outcome }) => {
        hasFailures ||= outcome !== 'passed'
      },
      job: ({ job, errors, isInterrupted }) => {
        if (hasFailures || errors.length > 0 || isInterrupted) files.add(job.path)
        hasFailures = false
      },
    }),
  )
  if (crash === undefined) return [...files]
  throw new CliError('invalid-report', `the report ${report} does not have all files: its run ended early`, {
    hint: 'Run all files',
  })
}
