/**
 * The process edge: picks the sub-command, loads it, and turns its end into an exit code.
 *
 * Rules: what most runs do not need (help, error texts, the sub-commands) is imported when it is needed, because this
 * file is what every start pays for. `process` is used here and nowhere else. The process is never ended while output
 * may be on its way: the exit code is set, and Node.js ends when nothing is left to do.
 */
import { parseArguments } from './argv.ts'
import type { Command, CommandContext, ParsedArguments } from './command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type CommandSpecification, commands } from './option-table.ts'
import { createOutput, type OutputStream } from './output.ts'
import { interruption } from './signals.ts'
import type { ColorChoice } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { versionLine } from './version.ts'

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  send: async () => (await import('./commands/send.ts')).send,
  run: async () => (await import('./commands/run.ts')).run,
  serve: async () => (await import('./commands/serve.ts')).serve,
}

/** How long what is left of a command may keep the process alive once everything is said. */
const LINGER_MS = 500

/** What is known of the command line, for the case that the rest goes wrong. */
const known: { program: string; command?: CommandSpecification; arguments?: ParsedArguments } = { program: 'httpcli' }

const words = process.argv.slice(2)
const environment = process.env
const colorChoice = (): ColorChoice | undefined => known.arguments?.value('color') as ColorChoice | undefined
const stdout = createOutput(() => process.stdout as OutputStream, { name: 'standard output', environment, colorChoice })
const stderr = createOutput(() => process.stderr as OutputStream, { name: 'standard error', environment, colorChoice })

async function main(): Promise<ExitCode> {
  const [name, ...rest] = words
  if (name === undefined) {
    const { shortHelp } = await import('./help.ts')
    await stderr.write(shortHelp())
    return exitCodes.usage
  }
  if (name === '--help' || name === '-h') return printHelp(undefined)
  if (name === '--version' || name === '-v') return printVersion()
  const specification = commandNamed(name)
  known.program = `httpcli ${specification.name}`
  known.command = specification
  const parsed = parseArguments(specification, rest)
  if (parsed.type === 'help') return printHelp(specification)
  known.arguments = parsed.arguments
  const load = loaders[specification.name]
  if (load === undefined) return printHelp(requestedTopic(parsed.arguments))
  const command = await load()
  return command(contextFor(parsed.arguments))
}

/** The sub-command `help` takes the name of another one. */
function requestedTopic(given: ParsedArguments): CommandSpecification | undefined {
  const topic = given.positionals[0]
  return topic === undefined ? undefined : commandNamed(topic)
}

function commandNamed(name: string): CommandSpecification {
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return found
  if (name.startsWith('-')) {
    throw new UsageError(`unknown option ${name} in the place of a sub-command`, {
      unknown: { name, known: ['--help', '--version'] },
      hint: `Write the sub-command first, as in "httpcli send ${name}"`,
    })
  }
  throw new UsageError(`unknown sub-command "${name}"`, {
    unknown: { name, known: commands.map((command) => command.name) },
    hint: '"httpcli help" lists the sub-commands',
  })
}

async function printHelp(specification: CommandSpecification | undefined): Promise<ExitCode> {
  const { commandHelp, generalHelp } = await import('./help.ts')
  await stdout.write(specification === undefined ? generalHelp() : commandHelp(specification))
  return exitCodes.ok
}

async function printVersion(): Promise<ExitCode> {
  await stdout.write(`${versionLine(process.versions)}\n`)
  return exitCodes.ok
}

let signal: AbortSignal | undefined
let usesStdin = false

function contextFor(given: ParsedArguments): CommandContext {
  signal = interruption(process)
  return {
    arguments: given,
    get stdin() {
      usesStdin = true
      return process.stdin
    },
    stdout,
    stderr,
    environment,
    workingDirectory: process.cwd(),
    signal,
  }
}

/** Says on stderr what went wrong. Where stderr has gone too, there is nobody left to tell. */
async function report(error: unknown): Promise<ExitCode> {
  if (signal?.aborted) return exitCodes.interrupted
  const { describeFailure } = await import('./failure.ts')
  const debug = known.arguments?.has('debug') ?? words.includes('--debug')
  const failure = describeFailure(error, {
    program: known.program,
    debug,
    colors: stderr.colors,
    command: known.command,
  })
  if (failure.text !== '') await stderr.write(failure.text).catch(() => undefined)
  return failure.exitCode
}

/** An error that no promise of the command carries: the state is unknown, so the process ends once it is told. */
process.on('uncaughtException', (error) => {
  report(error).then(
    (code) => process.exit(code),
    () => process.exit(exitCodes.internal),
  )
})

function end(code: ExitCode): void {
  process.exitCode = code
  // Input that nobody reads to its end would keep the process alive.
  if (usesStdin) process.stdin.destroy()
  // So would a name look-up that is not waited for any longer. All output has been taken by now.
  setTimeout(() => process.exit(code), LINGER_MS).unref()
}

main()
  .catch(report)
  .then(end, () => end(exitCodes.internal))
