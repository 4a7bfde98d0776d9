/**
 * The entry point of each program: selects and loads the sub-command, and turns its end into an exit code.
 *
 * Rules: modules that most runs do not need (help, error texts, the sub-commands) are imported on demand, because every
 * start pays for this file. `process` is used only in this folder. The process ends when the command does, and never
 * while output is pending: every write is awaited.
 */
import { existsSync, fstatSync } from 'node:fs'
import type { Failure } from '../failures/failure.ts'
import { parseArguments } from '../frame/argv.ts'
import type { AnyValues, Command, CommandContext, Output, ParsedArguments } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { isMethodWord, isRequestLine, isUrlWord, withSlashes } from '../frame/request-words.ts'
import { UsageError } from '../frame/usage-error.ts'
import { versionLine } from '../help/version.ts'
import type { CommandSpecification } from '../options/option-table.ts'
import { createOutput, type OutputStream } from '../streams/output.ts'
import { Interruption } from '../streams/signals.ts'
import type { ColorChoice } from '../streams/terminal.ts'
import { openDescriptor } from './node-descriptor.ts'

/** The loader of each sub-command of a program, by name. */
export type Loaders = Readonly<Record<string, () => Promise<Command>>>

/** Facts about the command line, for error messages. */
const known: {
  program: string
  command?: CommandSpecification
  arguments?: ParsedArguments<AnyValues>
  /** Where errors are written; undefined for standard error. */
  errors?: Output
} = { program: 'httpcli' }

const words: readonly string[] = process.argv.slice(2)
const environment = process.env
const colorChoice = (): ColorChoice | undefined => known.arguments?.value('color')
const outputNamed = (name: string, descriptor: number, open: () => OutputStream): Output =>
  createOutput(open, { name, descriptor: openDescriptor(descriptor), environment, colorChoice })
const stdout = outputNamed('standard output', 1, () => process.stdout as OutputStream)
const stderr = outputNamed('standard error', 2, () => process.stderr as OutputStream)

async function main(loaders: Loaders, commands: readonly CommandSpecification[]): Promise<ExitCode> {
  const [name, ...rest] = words
  if (name === undefined) {
    const { shortHelp } = await import('../help/help.ts')
    await stderr.write(shortHelp(columnsOf(stderr)))
    return exitCodes.usage
  }
  const isGlobal = name.startsWith('-') && !isRequest(words)
  if (isGlobal && (name === '--help' || name === '-h')) return printHelp(undefined)
  if (isGlobal && (name === '--version' || name === '-v')) return printVersion()
  const named = commands.find((command) => command.name === name.toLowerCase())
  const specification = named ?? (isRequest(words) ? commandNamed('send', commands) : commandNamed(name, commands))
  known.program = `httpcli ${specification.name}`
  known.command = specification
  const parsed = parseArguments(specification, named === undefined ? words : rest)
  if (parsed.type === 'help') return printHelp(specification.name)
  known.arguments = parsed.arguments
  const load = loaders[specification.name]
  if (load === undefined) return printHelp(parsed.arguments.positionals[0])
  const command = await load()
  return command(contextFor(parsed.arguments))
}

/** Whether a URL, or a method and a URL, replaces the sub-command. */
function isRequest(words: readonly string[]): boolean {
  return isRequestLine(words, existsSync)
}

function commandNamed(name: string, commands: readonly CommandSpecification[]): CommandSpecification {
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return found
  if (name.startsWith('-')) {
    throw new UsageError(`unknown option ${name}, expected a sub-command`, {
      unknown: { name, known: ['--help', '--version'] },
      hint: `Write the sub-command first, as in "httpcli send ${name}"`,
    })
  }
  throw new UsageError(`unknown sub-command "${name}"`, {
    unknown: { name, known: commands.map((command) => command.name) },
    hint: subCommandHint(name),
  })
}

function subCommandHint(name: string): string {
  if (isMethodWord(name)) return `Write httpcli ${name} <url>`
  const url = withSlashes(name)
  if (url !== undefined) return `Write httpcli ${url}`
  if (/^[\w.-]+:[^/]*[^/\d]/.test(name)) return 'Write a port in digits after the host: localhost:3000'
  const method = name.toUpperCase()
  if (isMethodWord(method) && isUrlWord(words[1] ?? ''))
    return `Write the method in upper case: httpcli ${method} ${words[1]}`
  if (!/\.(?:http|rest)$/i.test(name)) return '"httpcli help" lists the sub-commands'
  return `Write httpcli run ${name}, or httpcli send ${name} for a file with one request`
}

async function printHelp(topic: string | undefined): Promise<ExitCode> {
  const { helpOn } = await import('../help/help.ts')
  await stdout.write(helpOn(topic, columnsOf(stdout)))
  return exitCodes.ok
}

/** Longer lines are hard to read. */
const MAX_TEXT_COLUMNS = 100

function columnsOf(output: Output): number {
  return Math.min(output.columns, MAX_TEXT_COLUMNS)
}

async function printVersion(): Promise<ExitCode> {
  await stdout.write(`${versionLine(process.versions)}\n`)
  return exitCodes.ok
}

/** Called only when needed, because it takes a few milliseconds. */
function openFileLimit(): number | undefined {
  const { report } = process
  if (report === undefined) return undefined
  // Otherwise the report would look up the names of connected peers, which takes time.
  Object.assign(report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as { readonly userLimits?: UserLimits }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isSafeInteger(soft) ? soft : undefined
}

interface UserLimits {
  /** `soft` is a number, or a text if it is unlimited. */
  readonly open_files?: { readonly soft: unknown }
}

let interrupted: Interruption | undefined

function contextFor(parsedArguments: ParsedArguments<AnyValues>): CommandContext<AnyValues> {
  const interruption = new Interruption(process, () => stderr.wipeStatusNow?.())
  interrupted = interruption
  return {
    arguments: parsedArguments,
    get stdin() {
      checkStandardInput()
      return process.stdin
    },
    stdout,
    stderr,
    environment,
    workingDirectory: process.cwd(),
    get signal() {
      return interruption.signal
    },
    openFileLimit,
    reportErrorsTo(output) {
      known.errors = output
    },
  }
}

/** Node.js reads a directory as empty input. @throws UsageError */
function checkStandardInput(): void {
  if (!fstatSync(0).isDirectory()) return
  throw new UsageError('standard input is a directory, expected a file or a pipe', {
    hint: 'Redirect it from a file: < <file>',
  })
}

/** Prints an error on stderr. If stderr is gone as well, the error is lost. */
async function report(error: unknown): Promise<ExitCode> {
  if (interrupted?.hasHappened) return exitCodes.interrupted
  const failure = await describe(error)
  if (failure.text !== '') await (known.errors ?? stderr).write(failure.text).catch(() => undefined)
  return failure.exitCode
}

async function describe(error: unknown): Promise<Failure> {
  const isDebug = known.arguments?.has('debug') ?? words.includes('--debug')
  try {
    const { describeFailure } = await import('../failures/failure.ts')
    return describeFailure(error, { program: known.program, isDebug, colors: stderr.colors, command: known.command })
  } catch (loading) {
    return describePlainly(error, loading)
  }
}

/**
 * Describes an error when the error texts cannot be loaded, because the process has reached its limit of open files or
 * its own files are damaged.
 */
function describePlainly(error: unknown, loading: unknown): Failure {
  const isShort = [error, loading].some((each) => (each as NodeJS.ErrnoException | undefined)?.code === 'EMFILE')
  const advice = isShort ? 'Raise the limit of open files (ulimit -n).' : 'Install httpcli again.'
  const what = error instanceof Error ? error.message : String(error)
  return { text: `${known.program}: ${what}. ${advice}\n`, exitCode: exitCodes.io }
}

/**
 * Handles an error that the command's promise did not report: the state is unknown, so the process ends after printing
 * it.
 */
function fail(error: unknown): void {
  report(error).then(
    (code) => process.exit(code),
    () => process.exit(exitCodes.internal),
  )
}
process.on('uncaughtException', fail)
// Otherwise the process would end with exit code 0.
process.once('beforeExit', () => fail(new Error('the command is waiting for something that never happens')))

/**
 * All output has been written, since every write is awaited, and nothing else is worth waiting for, such as unread
 * input or an abandoned name look-up. Ending here also saves the time of tearing down the engine.
 */
function end(code: ExitCode): void {
  process.exit(code)
}

/**
 * Runs the command line of this process.
 * @param commands the sub-commands of this program. A program with one sub-command does not need the options of others.
 */
export function start(loaders: Loaders, commands: readonly CommandSpecification[]): void {
  main(loaders, commands)
    .catch(report)
    .then(end, () => end(exitCodes.internal))
}
