/**
 * `--report github`: annotations on the console output, and the summary in the file that GitHub Actions names.
 *
 * The file may already contain summaries of other commands in the step, so this summary is appended with a single
 * write. GitHub refuses a file of more than 1 MiB, so failures beyond that are omitted and counted. The record is
 * masked already, except the names of files, by which GitHub finds the lines.
 *
 * Responses and logs are foreign text, in which GitHub would read commands too, such as `::set-output`. So commands are
 * stopped during the run.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#stopping-and-starting-workflow-commands
 */
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { systemReason } from '../../../message-node/index.ts'
import { loadGithubReport, type RunRecord } from '../../../report/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import type { CommandContext, Output } from '../../frame/command.ts'

/** The limit for the summary of a step. */
const MAX_SUMMARY_BYTES = 1024 * 1024

/**
 * Makes GitHub ignore commands in the output that follows. Outside GitHub Actions nothing is written.
 * @returns ends this
 */
export async function stopCommands(
  output: Output,
  { environment }: Pick<Surroundings, 'environment'>,
): Promise<() => Promise<void>> {
  if (environment.GITHUB_ACTIONS !== 'true') return async () => undefined
  const token = randomUUID()
  await writeCommand(`::stop-commands::${token}\n`, output)
  return () => writeCommand(`::${token}::\n`, output)
}

/** @throws HttpcliError `report-unwritable`; errors of `output` */
export async function writeGithubReport(
  record: RunRecord,
  output: Output,
  { environment, workingDirectory }: Surroundings,
): Promise<void> {
  const { githubCommands, githubSummary } = await loadGithubReport()
  const { GITHUB_WORKSPACE: workspace } = environment
  for (const command of githubCommands(record, (file) => repositoryPath(file, workingDirectory, workspace))) {
    await writeCommand(command, output)
  }
  const path = summaryPath({ environment, workingDirectory })
  if (path !== undefined) append(path, (sizeBytes) => githubSummary(record, MAX_SUMMARY_BYTES - sizeBytes))
}

async function writeCommand(command: string, output: Output): Promise<void> {
  await (output.writeUnmasked?.(command) ?? output.write(command))
}

/** Checks that the summary can be written. @throws HttpcliError `report-unwritable` */
export function checkGithubSummary(context: Surroundings): void {
  const path = summaryPath(context)
  if (path !== undefined) append(path, () => '')
}

type Surroundings = Pick<CommandContext, 'environment' | 'workingDirectory'>

/** Undefined outside GitHub Actions, where only annotations are printed. */
function summaryPath({ environment, workingDirectory }: Surroundings): string | undefined {
  const { GITHUB_STEP_SUMMARY: path } = environment
  return path === undefined || path === '' ? undefined : resolve(workingDirectory, path)
}

/** Paths in annotations are relative to the root of the repository. */
function repositoryPath(file: string, workingDirectory: string, workspace: string | undefined): string {
  if (workspace === undefined || workspace === '') return file
  const path = relative(workspace, resolve(workingDirectory, file))
  return path.startsWith('..') ? file : path.replaceAll(sep, '/')
}

/** @param textAfter returns the text to append after the current size of the file in bytes */
function append(path: string, textAfter: (sizeBytes: number) => string): void {
  try {
    const descriptor = openSync(path, 'a')
    try {
      const text = Buffer.from(textAfter(fstatSync(descriptor).size))
      const writtenBytes = writeSync(descriptor, text)
      if (writtenBytes < text.length) throw new Error('only part of it could be written')
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw new CliError(
      'report-unwritable',
      `the summary in ${path} (GITHUB_STEP_SUMMARY) cannot be written: ${systemReason(cause)}`,
      { cause },
    )
  }
}
