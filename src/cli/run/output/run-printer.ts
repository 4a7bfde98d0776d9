/**
 * The events of one job on standard output and standard error, for people and for pipes.
 *
 * Rules: everything printed comes from events. Responses look as `send` prints them; headings, logs, messages and test
 * results go to standard output with them, what keeps a request from being sent or answered goes to standard error.
 */
import type { HttpResponse } from '../../../message/index.ts'
import { ConsoleText, type ReportedJob } from '../../../report/index.ts'
import type { RunEvent } from '../../../runner/index.ts'
import type { Mask } from '../../../secrets/index.ts'
import { printFailure } from '../../failures/print-failure.ts'
import { run } from '../../options/run.ts'
import { BodyOutput } from '../../send/body-output.ts'
import { RequestLog } from '../../send/request-log.ts'
import { ResponsePrinter } from '../../send/response-printer.ts'
import type { SendSettings } from '../../send/settings.ts'
import type { JobContext } from './job-context.ts'

/** Modes in which bodies are printed, and messages with them. */
const modesWithBody: ReadonlySet<SendSettings['mode']> = new Set(['response', 'all', 'body'])

export interface PrinterOptions {
  readonly isVerbose: boolean
  /** Whether scripts may run that hold everything up while they do: what was printed is to be seen before. */
  readonly hasScripts: boolean
  readonly mask: Mask
  /** Which job it is, where there are several. */
  readonly job: ReportedJob | undefined
}

export class RunPrinter {
  readonly #context: JobContext
  readonly #settings: SendSettings
  readonly #options: PrinterOptions
  readonly #responses: ResponsePrinter
  readonly #text: ConsoleText
  #log: RequestLog | undefined
  #isHeaded = false

  constructor(context: JobContext, settings: SendSettings, options: PrinterOptions) {
    this.#context = context
    this.#settings = settings
    this.#options = options
    this.#responses = new ResponsePrinter(context, settings, undefined)
    const { isTerminal, colors } = context.stdout
    this.#text = new ConsoleText({ isTerminal, colors, columns: isTerminal ? context.stdout.columns : 0 }, options.mask)
  }

  /** Everything that was printed is with the outputs, its last line ended. Comes last, however the job ended. */
  async flush(): Promise<void> {
    await this.#context.stdout.startLine()
    await this.#context.stdout.flush()
  }

  async listen(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'request-started':
        await this.#printHeading()
        this.#log = this.#settings.logsRequest ? new RequestLog(this.#context.stdout) : undefined
        await this.#write(event)
        return this.#flushForScripts()
      case 'response-done':
        await this.#write(event)
        return this.#flushForScripts()
      case 'request-sent':
        await this.#write(event)
        return event.sent.cause === undefined ? undefined : this.#log?.next()
      case 'request-octets':
        return this.#log?.write(event.bytes)
      case 'redirected':
        return this.#note(`redirected with ${event.status} to ${event.url}`)
      case 'response':
        await this.#printResponse(event)
        return this.#write(event)
      case 'message':
        return this.#printMessage(event)
      case 'response-saved':
        return this.#note(`saved in ${event.path}`)
      case 'note':
        return this.#note(event.text)
      case 'warning':
        return this.#toStderr(`warning: ${event.error.message}\n`)
      case 'error':
        await this.#printHeading()
        await this.#log?.end()
        await this.#context.stdout.startLine()
        await this.#context.stdout.flush()
        await printFailure(this.#context, event.error, run)
        return this.#write(event)
      default:
        return this.#write(event)
    }
  }

  /** Once, above what it heads: jobs that only skip have nothing to be headed. */
  async #printHeading(): Promise<void> {
    const { job } = this.#options
    if (job === undefined || this.#isHeaded) return
    this.#isHeaded = true
    await this.#context.stdout.write(this.#text.jobHeading(job))
  }

  async #flushForScripts(): Promise<void> {
    if (this.#options.hasScripts) await this.#context.stdout.flush()
  }

  async #write(event: RunEvent): Promise<void> {
    const text = this.#text.text(event)
    if (text === '') return
    await this.#context.stdout.startLine()
    await this.#context.stdout.write(text)
  }

  async #note(text: string): Promise<void> {
    if (this.#options.isVerbose) await this.#toStderr(`note: ${text}\n`)
  }

  async #toStderr(text: string): Promise<void> {
    await this.#context.stdout.flush()
    await this.#context.stderr.write(text)
  }

  async #printResponse({ response, answer }: Extract<RunEvent, { readonly type: 'response' }>): Promise<void> {
    if (this.#log !== undefined) {
      await this.#log.end()
      await this.#responses.printInterim(answer)
    }
    await this.#responses.print(answer, response as unknown as HttpResponse)
  }

  /** A line for each message, so that a reader can tell them apart. */
  async #printMessage({ direction, data }: Extract<RunEvent, { readonly type: 'message' }>): Promise<void> {
    const isShown = direction === 'received' ? modesWithBody.has(this.#settings.mode) : this.#settings.logsRequest
    if (!isShown) return
    const output = new BodyOutput(this.#context.stdout)
    await output.write(typeof data === 'string' ? Buffer.from(data) : data)
    await output.end(true)
  }
}
