/**
 * Runs a sub-command in this process, from the sources: for tables of many rows, where the starts of processes would
 * take most of the time.
 *
 * Rules: exit code and output are those of the program, whose entry point is not part of it. Nothing here is a
 * terminal. When HTTPCLI_COMMAND names an executable, every row is a process of that executable, and the tests of each
 * sub-command that are not tables always run processes.
 */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describeFailure } from '../../src/cli/failures/failure.ts'
import { parseArguments } from '../../src/cli/frame/argv.ts'
import type { Command, Output } from '../../src/cli/frame/command.ts'
import { commands } from '../../src/cli/options/option-table.ts'
import { type CommandOptions, type CommandResult, commandEnvironment, isStandalone, runCommand } from './command.ts'
import { checkJsonOutput } from './json-output.ts'

// The build inserts it in the command.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
Object.assign(globalThis, { HTTPCLI_VERSION: version })

const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  check: async () => (await import('../../src/cli/commands/check.ts')).check,
  convert: async () => (await import('../../src/cli/commands/convert.ts')).convert,
  report: async () => (await import('../../src/cli/commands/report.ts')).report,
  run: async () => (await import('../../src/cli/commands/run.ts')).run,
  send: async () => (await import('../../src/cli/commands/send.ts')).send,
}

class CollectedOutput implements Output {
  readonly isTerminal = false
  readonly columns = 80
  readonly colors = false
  readonly #chunks: Buffer[] = []

  async write(data: string | Uint8Array): Promise<void> {
    this.#chunks.push(Buffer.from(data as string))
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

type InsideOptions = Pick<CommandOptions, 'stdin' | 'env'> & { readonly cwd: string }

/** Like `runCommand`, for the sub-commands above. */
export async function runInside(words: readonly string[], options: InsideOptions): Promise<CommandResult> {
  if (isStandalone) return runCommand(words, options)
  const [name = '', ...rest] = words
  const command = commands.find((each) => each.name === name)
  const load = loaders[name]
  if (command === undefined || load === undefined) throw new Error(`${name} does not run inside a test`)
  const stdout = new CollectedOutput()
  const stderr = new CollectedOutput()
  let errors: Output = stderr
  let isDebug = rest.includes('--debug')
  const run = async (): Promise<number> => {
    const parsed = parseArguments(command, rest)
    if (parsed.type === 'help') throw new Error('help is not shown inside a test')
    isDebug = parsed.arguments.has('debug')
    return (await load())({
      arguments: parsed.arguments,
      stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin as string)]),
      stdout,
      stderr,
      environment: commandEnvironment(options.env),
      workingDirectory: options.cwd,
      signal: new AbortController().signal,
      reportErrorsTo: (output) => {
        errors = output
      },
    })
  }
  const code = await run().catch(async (error: unknown) => {
    const failure = describeFailure(error, { program: `httpcli ${name}`, isDebug, colors: false, command })
    await errors.write(failure.text)
    return failure.exitCode
  })
  const result = { code, signal: null, stdout: stdout.bytes(), stderr: stderr.bytes() }
  checkJsonOutput(words, result, options.cwd)
  return result
}
