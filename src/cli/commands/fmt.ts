/**
 * `httpcli fmt`: formats request files.
 *
 * Rules: a file is written only if it changes, atomically and with its mode preserved. A file with errors is not
 * changed; its errors are printed, the other files are formatted, and the exit code is 2. With --check and --diff
 * nothing is written, and the exit code is 5 if a file would change.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SourceText } from '../../convert/index.ts'
import { type Diagnostic, formatHttpFile } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { escapedControls, oneLine } from '../../report/index.ts'
import { printFailure } from '../failures/print-failure.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import { type FmtValues, fmt as specification } from '../options/fmt.ts'
import { readStandardInput, readTextFile } from '../rewrite/conversion-source.ts'
import { unifiedDiff } from '../rewrite/unified-diff.ts'
import { filesBelow } from '../run/files/file-patterns.ts'
import { checkLinks } from '../run/files/found-files.ts'
import { writeFiles } from '../streams/file-set.ts'
import { toItsEnd } from '../streams/output.ts'

/** The outcome for a file; the most serious outcome decides the exit code. */
type Outcome = 'unchanged' | 'changed' | 'would-change' | 'broken'

export const fmt: Command<FmtValues> = (context) => toItsEnd(() => format(context))

async function format(context: CommandContext<FmtValues>): Promise<ExitCode> {
  const { positionals } = context.arguments
  if (!positionals.includes('-')) {
    const outcomes: Outcome[] = []
    for (const path of requestFiles(positionals, context.workingDirectory))
      outcomes.push(await formatFile(context, path))
    return exitCodeFor(outcomes)
  }
  if (positionals.length > 1) {
    throw new UsageError('standard input and files cannot be used together', { hint: 'Give either - or paths' })
  }
  return formatInput(context)
}

async function formatFile(context: CommandContext<FmtValues>, path: string): Promise<Outcome> {
  const source = await readSource(context, path)
  if (source === undefined) return 'broken'
  const text = await formatted(context, source)
  if (text === undefined) return 'broken'
  if (text === source.text) return 'unchanged'
  if (isDryRun(context)) {
    await reportChange(context, source, text)
    return 'would-change'
  }
  await writeFiles([{ path: resolve(context.workingDirectory, path), octets: Buffer.from(text, 'utf8') }])
  await context.stderr.write(`formatted ${escapedControls(oneLine(path))}\n`)
  return 'changed'
}

/** Undefined if the file is not text, which is reported. @throws errors of the file system, which name the file. */
async function readSource(context: CommandContext<FmtValues>, path: string): Promise<SourceText | undefined> {
  try {
    return await readTextFile(context, path)
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    await printFailure(context, error, specification)
    return undefined
  }
}

async function formatInput(context: CommandContext<FmtValues>): Promise<ExitCode> {
  const source = await readStandardInput(context)
  const text = await formatted(context, source)
  if (text === undefined) return exitCodes.invalidRequest
  if (!isDryRun(context)) {
    await context.stdout.write(text)
    return exitCodes.ok
  }
  if (text === source.text) return exitCodes.ok
  await reportChange(context, source, text)
  return exitCodes.failedTest
}

function isDryRun({ arguments: args }: CommandContext<FmtValues>): boolean {
  return args.has('check') || args.has('diff')
}

/** The new text; undefined for a file with errors, which are reported. */
async function formatted(context: CommandContext<FmtValues>, source: SourceText): Promise<string | undefined> {
  const { text, errors } = formatHttpFile(source.text)
  for (const error of errors) await reportError(context, source.path, error)
  return errors.length === 0 ? text : undefined
}

async function reportError(context: CommandContext<FmtValues>, path: string, error: Diagnostic): Promise<void> {
  const { message, span, excerpt, hint } = error
  const failure = new CliError('invalid-http-file', message, {
    where: { file: path, line: span.line, column: span.column },
    excerpt,
    ...(hint === undefined ? {} : { hint }),
  })
  await printFailure(context, failure, specification)
}

async function reportChange(
  { arguments: args, stdout }: CommandContext<FmtValues>,
  source: SourceText,
  text: string,
): Promise<void> {
  const shown = args.has('diff') ? unifiedDiff(source.path, source.text, text) : `${source.path}\n`
  await stdout.write(shown)
}

function exitCodeFor(outcomes: readonly Outcome[]): ExitCode {
  if (outcomes.includes('broken')) return exitCodes.invalidRequest
  return outcomes.includes('would-change') ? exitCodes.failedTest : exitCodes.ok
}

/**
 * A file is accepted regardless of its name; a directory means all request files below it, as in `run`. Paths are
 * relative if the argument was. @throws UsageError; errors of the file system, which name the file.
 */
function requestFiles(words: readonly string[], workingDirectory: string): readonly string[] {
  return words.flatMap((word) => {
    if (!statSync(resolve(workingDirectory, word)).isDirectory()) return [word]
    const found = filesBelow(word, workingDirectory)
    if (found.length > 0) {
      checkLinks(found, word, workingDirectory)
      return found
    }
    throw new UsageError(`no .http or .rest file found in ${word}`, { hint: 'Name the files themselves' })
  })
}
