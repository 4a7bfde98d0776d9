/**
 * The events of a run on standard output and standard error.
 *
 * Rules: everything printed comes from events. Responses look as `send` prints them; headings, logs, messages, test
 * results and the summary go to standard output with them, what keeps a request from being sent or answered goes to
 * standard error.
 */
import type { HttpResponse } from '../../message/index.ts'
import { consoleText } from '../../report/index.ts'
import type { RunEvent } from '../../runner/index.ts'
import type { CommandContext, Output } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { run } from '../options/run.ts'
import { BodyOutput } from '../send/body-output.ts'
import { RequestLog } from '../send/request-log.ts'
import { ResponsePrinter } from '../send/response-printer.ts'
import type { SendSettings } from '../send/settings.ts'
import { LineOutput } from './line-output.ts'

/** Modes in which bodies are printed, and messages with them. */
const modesWithBody: ReadonlySet<SendSettings['mode']> = new Set(['response', 'all', 'body'])

export async function printFailure({ arguments: given, stderr }: CommandContext, error: unknown): Promise<ExitCode> {
  const { describeFailure } = await import('../failure.ts')
  const { text, exitCode } = describeFailure(error, {
    program: 'httpcli run',
    debug: given.has('debug'),
    colors: stderr.colors,
    command: run,
  })
  await stderr.write(text)
  return exitCode
}

export interface PrinterOptions {
  readonly isVerbose: boolean
  /** Whether scripts may run. They hold everything up while they do, so what was printed is to be seen before. */
  readonly hasScripts: boolean
}

export class RunPrinter {
  readonly #context: CommandContext
  readonly #settings: SendSettings
  readonly #options: PrinterOptions
  readonly #stdout: LineOutput
  readonly #responses: ResponsePrinter
  #log: RequestLog | undefined

  constructor(context: CommandContext, settings: SendSettings, options: PrinterOptions) {
    this.#context = context
    this.#settings = settings
    this.#options = options
    this.#stdout = new LineOutput(context.stdout)
    this.#responses = new ResponsePrinter(withOutput(context, this.#stdout), settings, undefined)
  }

  /** Everything that was printed is with the operating system. Comes last, however the run ended. */
  flush(): Promise<void> {
    return this.#stdout.flush()
  }

  async print(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'request-started':
        this.#log = this.#settings.logsRequest ? new RequestLog(this.#stdout) : undefined
        await this.#write(event)
        return this.#flushForScripts()
      case 'response-done':
        return this.#flushForScripts()
      case 'request-sent':
        return event.sent.cause === undefined ? undefined : this.#log?.next()
      case 'request-octets':
        return this.#log?.write(event.bytes)
      case 'redirected':
        return this.#note(`redirected with ${event.status} to ${event.url}`)
      case 'response':
        return this.#printResponse(event)
      case 'message':
        return this.#printMessage(event)
      case 'response-saved':
        return this.#note(`saved in ${event.path}`)
      case 'note':
        return this.#note(event.text)
      case 'warning':
        return this.#toStderr(`warning: ${event.error.message}\n`)
      case 'error':
        await this.#log?.end()
        await this.#stdout.startLine()
        await this.#stdout.flush()
        await printFailure(this.#context, event.error)
        return
      default:
        return this.#write(event)
    }
  }

  async #flushForScripts(): Promise<void> {
    if (this.#options.hasScripts) await this.#stdout.flush()
  }

  async #write(event: RunEvent): Promise<void> {
    const { isTerminal, colors } = this.#stdout
    const text = consoleText(event, { isTerminal, colors })
    if (text === '') return
    await this.#stdout.startLine()
    await this.#stdout.write(text)
  }

  async #note(text: string): Promise<void> {
    if (this.#options.isVerbose) await this.#toStderr(`note: ${text}\n`)
  }

  async #toStderr(text: string): Promise<void> {
    await this.#stdout.flush()
    await this.#context.stderr.write(text)
  }

  async #printResponse({ response, answer }: Extract<RunEvent, { readonly type: 'response' }>): Promise<void> {
    if (this.#log !== undefined) {
      await this.#log.end()
      for (const head of answer.informational) await this.#responses.printHead(head)
    }
    await this.#responses.print(answer, response as unknown as HttpResponse)
  }

  /** A line for each message, so that a reader can tell them apart. */
  async #printMessage({ direction, data }: Extract<RunEvent, { readonly type: 'message' }>): Promise<void> {
    const isShown = direction === 'received' ? modesWithBody.has(this.#settings.mode) : this.#settings.logsRequest
    if (!isShown) return
    const output = new BodyOutput(this.#stdout)
    await output.write(typeof data === 'string' ? Buffer.from(data) : data)
    await output.end(true)
  }
}

/** The same context with another standard output, and standard error behind it. Standard input stays unopened. */
function withOutput(context: CommandContext, stdout: LineOutput): CommandContext {
  const { arguments: given, environment, workingDirectory, signal } = context
  const stderr: Output = {
    get isTerminal() {
      return context.stderr.isTerminal
    },
    get colors() {
      return context.stderr.colors
    },
    get columns() {
      return context.stderr.columns
    },
    write: async (data) => {
      await stdout.flush()
      await context.stderr.write(data)
    },
  }
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
