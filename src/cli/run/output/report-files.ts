/**
 * The files of `--report`: checked before anything is sent, written at the end of the run.
 *
 * Rules: `format=file`, repeatable, with different files; `github` has no file. Directories are created. A report
 * replaces an old one atomically, so that a reader never sees a partial report. The file `-` is standard output. An
 * error of writing names the file.
 */
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { HttpcliError } from '../../../message/index.ts'
import { FileOutput, makeDirectory, systemReason } from '../../../message-node/index.ts'
import type { ReportFormat, ReportRenderer, RunRecord } from '../../../report/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import type { Output } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'

export interface ReportTarget {
  readonly format: ReportFormat
  /** As the user wrote it. */
  readonly file: string
  /** Absolute; undefined for standard output. */
  readonly path: string | undefined
}

type Formats = Readonly<Record<ReportFormat, ReportRenderer>>

/**
 * @param texts values of `--report`
 * @param taken absolute paths of other files that this command reads or writes, each with a description
 * @throws UsageError
 */
export function reportTargets(
  texts: readonly string[],
  formats: Formats,
  workingDirectory: string,
  taken: ReadonlyMap<string, string>,
): readonly ReportTarget[] {
  const targets = texts.filter((text) => text !== GITHUB).map((text) => reportTarget(text, formats, workingDirectory))
  for (const [index, { path, file }] of targets.entries()) {
    if (targets.findIndex((other) => other.path === path) !== index) {
      throw new UsageError(`two reports write to ${path === undefined ? 'standard output' : file}`, {
        hint: 'Give each a separate file',
      })
    }
    const owner = path === undefined ? undefined : taken.get(path)
    if (owner !== undefined) throw new UsageError(`the report ${file} would replace the ${owner}`)
  }
  return targets
}

/** The report that goes to the console and to a file named by the environment. */
export const GITHUB = 'github'

function reportTarget(text: string, formats: Formats, workingDirectory: string): ReportTarget {
  const known = [...Object.keys(formats), GITHUB]
  const equals = text.indexOf('=')
  const name = equals < 0 ? text : text.slice(0, equals)
  if (name === GITHUB) {
    throw new UsageError(`invalid --report "${text}": github takes no file`, {
      hint: 'Write it as --report github; GITHUB_STEP_SUMMARY names the file of the summary',
    })
  }
  if (!Object.hasOwn(formats, name)) {
    throw new UsageError(`--report: unknown format "${name}"`, {
      hint: `Formats: ${known.join(', ')}`,
      unknown: { name, known },
    })
  }
  const file = equals < 0 ? '' : text.slice(equals + 1)
  if (file === '' || /[/\\]$/.test(file)) {
    throw new UsageError(`--report "${text}" does not name a file`, {
      hint: `Write it as --report ${name}=report.${extensions[name as ReportFormat]}`,
    })
  }
  return { format: name as ReportFormat, file, path: file === '-' ? undefined : resolve(workingDirectory, file) }
}

const extensions: Readonly<Record<ReportFormat, string>> = {
  junit: 'xml',
  json: 'json',
  tap: 'tap',
  html: 'html',
  har: 'har',
}

/** Creates the directory, and checks that a file can be written there. @throws HttpcliError `report-unwritable` */
export async function checkTarget({ file, path }: ReportTarget): Promise<void> {
  if (path === undefined) return
  try {
    makeDirectory(dirname(path))
    const old = await stat(path).catch(() => undefined)
    if (old?.isDirectory()) throw unwritable(file, 'it is a directory', undefined)
    if (old?.isSocket()) throw unwritable(file, 'it is a socket', undefined)
    // Opening a pipe would wait for its reader.
    if (old === undefined || old.isFile()) await (await FileOutput.open(path)).discard()
  } catch (error) {
    throw isUnwritable(error) ? error : unwritable(file, reasonOf(error, path), error)
  }
}

/**
 * Writes the reports one after another. A failure does not prevent the others.
 * @returns the errors: HttpcliError `report-unwritable`, and errors of standard output
 */
export async function writeReports(
  targets: readonly ReportTarget[],
  formats: Formats,
  record: RunRecord,
  stdout: Output,
): Promise<readonly unknown[]> {
  const problems: unknown[] = []
  for (const target of targets) {
    await writeReport(target, formats, record, stdout).catch((error: unknown) => problems.push(error))
  }
  return problems
}

async function writeReport(
  { format, file, path }: ReportTarget,
  formats: Formats,
  record: RunRecord,
  stdout: Output,
): Promise<void> {
  const pieces = joined(formats[format](record))
  if (path === undefined) {
    for (const piece of pieces) await stdout.write(piece)
    return
  }
  let output: FileOutput | undefined
  try {
    output = await FileOutput.open(path)
    for (const piece of pieces) await output.write(Buffer.from(piece))
    await output.complete()
  } catch (error) {
    throw unwritable(file, reasonOf(error, path), error)
  } finally {
    await output?.discard()
  }
}

const WRITTEN_CHARACTERS = 64 * 1024

/** Joins short pieces, because each write is expensive. */
function* joined(pieces: Iterable<string>): Generator<string> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < WRITTEN_CHARACTERS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function unwritable(file: string, reason: string, cause: unknown): HttpcliError {
  const hint = cause instanceof HttpcliError ? cause.hint : undefined
  return new CliError('report-unwritable', `the report ${file} cannot be written: ${reason}`, {
    cause,
    ...(hint === undefined ? {} : { hint }),
  })
}

function isUnwritable(error: unknown): boolean {
  return error instanceof HttpcliError && error.code === 'report-unwritable'
}

/** `permission denied` from `cannot write to "x": permission denied`, since the message already names the file. */
function reasonOf(error: unknown, path: string): string {
  return systemReason(error).replace(`cannot write to "${path}": `, '')
}
