/**
 * `httpcli report merge`: merges the reports of all shards of a run.
 *
 * Rules: before anything is written, all reports are read, and the command verifies that they are the shards of one
 * run. Their requests are held in temporary files, so that memory does not grow with their number. Failed tests do not
 * fail the command, because the shards have already reported them.
 */
import { resolve } from 'node:path'
import { counted, loadReportReading, loadReports, type RunRecord } from '../../report/index.ts'
import { printFailure } from '../failures/print-failure.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import { type ReportValues, report as specification } from '../options/report.ts'
import { checkGithubSummary, writeGithubReport } from '../run/output/github-output.ts'
import { SpillingRecordStore } from '../run/output/record-store.ts'
import { checkTarget, GITHUB, reportTargets, writeReports } from '../run/output/report-files.ts'
import { readReportFile } from '../run/shards/report-input.ts'
import { toItsEnd } from '../streams/output.ts'

const MERGE = 'merge'

export const report: Command<ReportValues> = async (context) => {
  const { arguments: args } = context
  const [action = '', ...files] = args.positionals
  if (action !== MERGE) {
    throw new UsageError(`unknown action "${action}"`, {
      unknown: { name: action, known: [MERGE] },
      hint: 'Write httpcli report merge <report-file>…',
    })
  }
  if (!args.has('report')) {
    throw new UsageError('--report is missing', {
      hint: 'Write httpcli report merge <report-file> --report junit=report.xml',
    })
  }
  const stores = files.map(() => new SpillingRecordStore())
  try {
    return await toItsEnd(() => merge(files, stores, context))
  } finally {
    for (const store of stores) store.close()
  }
}

async function merge(
  files: readonly string[],
  stores: readonly SpillingRecordStore[],
  context: CommandContext<ReportValues>,
): Promise<ExitCode> {
  const { arguments: args, workingDirectory, stdout, stderr } = context
  const { reportFormats } = await loadReports()
  const texts = args.values('report')
  const inputs = new Map(files.map((file) => [resolve(workingDirectory, file), `report ${file} that is read`]))
  const targets = reportTargets(texts, reportFormats, workingDirectory, inputs)
  const hasGithub = texts.includes(GITHUB)
  const isStdoutTaken = targets.some(({ path }) => path === undefined)
  if (hasGithub && isStdoutTaken) {
    throw new UsageError('--report github and a report to - both write to standard output', {
      hint: 'Give the report a file',
    })
  }
  const record = await mergedRecord(files, stores, workingDirectory)
  for (const target of targets) await checkTarget(target)
  if (hasGithub) checkGithubSummary(context)
  const problems = await writeReports(targets, reportFormats, record, stdout)
  if (hasGithub) await writeGithubReport(record, stdout, context)
  await (isStdoutTaken ? stderr : stdout).write(`${counted(files.length, 'report')}; ${totals(record)}\n`)
  let mostSerious: ExitCode = exitCodes.ok
  for (const problem of problems) {
    const code = await printFailure(context, problem, specification)
    if (code > mostSerious) mostSerious = code
  }
  return mostSerious
}

/** @throws HttpcliError `unreadable-file`, `invalid-report`, `report-mismatch`, `spill-failed` */
async function mergedRecord(
  files: readonly string[],
  stores: readonly SpillingRecordStore[],
  workingDirectory: string,
): Promise<RunRecord> {
  const { mergedRun, setProblem, storeReport } = await loadReportReading()
  const reports = []
  for (const [index, file] of files.entries()) {
    const store = stores[index] as SpillingRecordStore
    reports.push(await readReportFile(file, workingDirectory, (chunks) => storeReport(file, chunks, store)))
  }
  const problem = setProblem(reports)
  if (problem !== undefined) throw new CliError('report-mismatch', problem.message, { hint: problem.hint })
  return mergedRun(reports)
}

function totals({ counts }: RunRecord): string {
  const { requests, passed, failed, errors, skipped, tests, testsFailed } = counts
  const outcomes = [
    `${passed} passed`,
    `${failed} failed`,
    `${errors} not answered`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  const ofTests = tests === 0 ? '' : `; ${counted(tests, 'test')}: ${tests - testsFailed} passed, ${testsFailed} failed`
  return `${counted(requests, 'request')}: ${outcomes.join(', ')}${ofTests}`
}
