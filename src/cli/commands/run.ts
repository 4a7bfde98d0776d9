/**
 * `httpcli run`: the requests of a file, their responses and test results printed as they come.
 *
 * Rules: everything printed comes from the events of the run. Responses look as `send` prints them; headings, logs,
 * test results and the summary go to standard output with them, what keeps a request from being sent or answered goes
 * to standard error. The gravest of what happened is the exit code; nothing that was skipped ends with 0.
 */
import type { HttpResponse } from '../../message/index.ts'
import { consoleText } from '../../report/index.ts'
import {
  InvalidFileError,
  type LoadedHttpFile,
  loadEnvironment,
  loadHttpFile,
  type RunEvent,
  type RunSummary,
  runHttpFile,
  UnknownEnvironmentError,
} from '../../runner/index.ts'
import type { Command, CommandContext, Output } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { commands } from '../option-table.ts'
import { RequestLog } from '../send/request-log.ts'
import { ResponsePrinter } from '../send/response-printer.ts'
import { readSettings, type SendSettings } from '../send/settings.ts'
import { UsageError } from '../usage-error.ts'

export const run: Command = async (context) => {
  const settings = readSettings(context)
  try {
    const loaded = loadHttpFile(context.arguments.positionals[0] ?? '', context.workingDirectory)
    const environment = loadEnvironment(loaded.path, context.arguments.value('environment'))
    if (context.arguments.has('ignore-tls-cert')) {
      await context.stderr.write('warning: certificates of servers are not checked (-i)\n')
    }
    if (hasScripts(loaded)) await hurryWebAssembly()
    const printer = new RunPrinter(context, settings)
    const listener = (event: RunEvent): Promise<void> => printer.print(event)
    const wire = { ...settings.wire, signal: context.signal }
    return exitCodeFor(await runHttpFile(loaded, { environment, wire, listener }))
  } catch (error) {
    if (error instanceof UnknownEnvironmentError) throw unknownEnvironment(error)
    if (!(error instanceof InvalidFileError)) throw error
    for (const each of error.errors) await printFailure(context, each)
    return exitCodes.invalidRequest
  }
}

function exitCodeFor(summary: RunSummary): ExitCode {
  if (summary.isInterrupted) return exitCodes.interrupted
  if (summary.failed > 0) return exitCodes.io
  return summary.testsFailed + summary.scriptsFailed > 0 ? exitCodes.failedTest : exitCodes.ok
}

function unknownEnvironment({ message, hint, known }: UnknownEnvironmentError): UsageError {
  const name = /"(.*?)"/.exec(message)?.[1] ?? ''
  return new UsageError(message, { ...(hint === undefined ? {} : { hint }), unknown: { name, known } })
}

function hasScripts({ file }: LoadedHttpFile): boolean {
  return file.sections.some(({ request }) => request !== undefined && request.handlers.length > 0)
}

/** The script engine is compiled once and runs for a moment: compiling it well takes longer than it could ever save. */
async function hurryWebAssembly(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  try {
    setFlagsFromString('--liftoff-only')
  } catch {
    // A runtime without this switch is only slower.
  }
}

async function printFailure({ arguments: given, stderr }: CommandContext, error: unknown): Promise<ExitCode> {
  const { describeFailure } = await import('../failure.ts')
  const { text, exitCode } = describeFailure(error, {
    program: 'httpcli run',
    debug: given.has('debug'),
    colors: stderr.colors,
    command: commands.find(({ name }) => name === 'run'),
  })
  await stderr.write(text)
  return exitCode
}

/** The events of a run on standard output and standard error. */
class RunPrinter {
  readonly #context: CommandContext
  readonly #settings: SendSettings
  readonly #stdout: LineOutput
  readonly #responses: ResponsePrinter
  #log: RequestLog | undefined

  constructor(context: CommandContext, settings: SendSettings) {
    this.#context = context
    this.#settings = settings
    this.#stdout = new LineOutput(context.stdout)
    this.#responses = new ResponsePrinter(withOutput(context, this.#stdout), settings, undefined)
  }

  async print(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'request-started':
        this.#log = this.#settings.logsRequest ? new RequestLog(this.#stdout) : undefined
        return this.#write(event)
      case 'request-octets':
        return this.#log?.write(event.bytes)
      case 'redirected':
        return this.#log?.next()
      case 'response':
        return this.#printResponse(event)
      case 'warning':
        await this.#context.stderr.write(`warning: ${event.error.message}\n`)
        return
      case 'error':
        await this.#log?.end()
        await this.#stdout.startLine()
        await printFailure(this.#context, event.error)
        return
      default:
        return this.#write(event)
    }
  }

  async #write(event: RunEvent): Promise<void> {
    const { isTerminal, colors } = this.#stdout
    const text = consoleText(event, { isTerminal, colors })
    if (text === '') return
    await this.#stdout.startLine()
    await this.#stdout.write(text)
  }

  async #printResponse({ response, answer }: Extract<RunEvent, { readonly type: 'response' }>): Promise<void> {
    if (this.#log !== undefined) {
      await this.#log.end()
      for (const head of answer.informational) await this.#responses.printHead(head)
    }
    await this.#responses.print(answer, response as unknown as HttpResponse)
  }
}

/** The same context with another standard output. Standard input stays unopened. */
function withOutput(context: CommandContext, stdout: Output): CommandContext {
  const { arguments: given, stderr, environment, workingDirectory, signal } = context
  return {
    arguments: given,
    get stdin() {
      return context.stdin
    },
    stdout,
    stderr,
    environment,
    workingDirectory,
    signal,
  }
}

/** An output that knows whether a line is begun, since bodies need not end in a newline. */
class LineOutput implements Output {
  readonly #output: Output
  #isInLine = false

  constructor(output: Output) {
    this.#output = output
  }

  get isTerminal(): boolean {
    return this.#output.isTerminal
  }

  get columns(): number {
    return this.#output.columns
  }

  get colors(): boolean {
    return this.#output.colors
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (data.length === 0) return
    this.#isInLine = data.at(-1) !== (typeof data === 'string' ? '\n' : LF)
    await this.#output.write(data)
  }

  /** Ends the line that is begun, if one is. */
  async startLine(): Promise<void> {
    if (this.#isInLine) await this.write('\n')
  }
}

const LF = 0x0a
