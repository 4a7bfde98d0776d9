/**
 * Prints the events of one job on standard output and standard error, for terminals and for pipes.
 *
 * Rules: everything printed comes from events. Responses look as in `send`; headings, logs, messages and test results
 * go to standard output with them, errors of requests to standard error. With -p body, status or stats, standard output
 * is byte for byte that of `send` for each request, and everything else goes to standard error. With --quiet headings,
 * logs and test results are omitted. Masked secrets in bodies are noted once.
 */
import type { HttpResponse } from '../../../message/index.ts'
import { ConsoleText, type ReportedJob } from '../../../report/index.ts'
import type { RunEvent, SentRequest } from '../../../runner/index.ts'
import type { Mask, MaskStream, SecretMask } from '../../../secrets/index.ts'
import { printFailure } from '../../failures/print-failure.ts'
import type { Output } from '../../frame/command.ts'
import { run } from '../../options/run.ts'
import { BodyOutput } from '../../send/response/body-output.ts'
import { proxyAnswerNote } from '../../send/response/proxy-answer.ts'
import { RequestLog } from '../../send/response/request-log.ts'
import { ResponsePrinter } from '../../send/response/response-printer.ts'
import type { SharedSettings } from '../../send/settings.ts'
import { warningText } from '../files/error-list.ts'
import type { JobContext } from './job-context.ts'
import { MaskedStream } from './masked-output.ts'

/** Modes in which bodies and messages are printed. */
const modesWithBody: ReadonlySet<SharedSettings['mode']> = new Set(['response', 'all', 'body'])
/** Modes in which programs read standard output. */
const exactModes: ReadonlySet<SharedSettings['mode']> = new Set(['body', 'status', 'stats'])

/** Whether standard output is exactly the output of `send`. */
export function isExact({ mode }: SharedSettings, isDryRun: boolean): boolean {
  return exactModes.has(mode) && !isDryRun
}

export interface PrinterOptions {
  readonly isVerbose: boolean
  readonly isDryRun: boolean
  readonly isQuiet: boolean
  /** Undefined if nothing is masked, or bodies are printed unmasked. */
  readonly bodySecrets: SecretMask | undefined
  /** Masks requests if standard output is unmasked. */
  readonly logSecrets: SecretMask | undefined
  /** Called when something in a body was masked. */
  readonly onMaskedBody: () => Promise<void>
  /** Whether scripts may run programs, which block this process: output is flushed first. */
  readonly allowsPrograms: boolean
  readonly mask: Mask
  /** The job for the heading, if there are several. */
  readonly job: ReportedJob | undefined
}

export class RunPrinter {
  readonly #context: JobContext
  readonly #settings: SharedSettings
  readonly #options: PrinterOptions
  readonly #responses: ResponsePrinter
  readonly #text: ConsoleText
  #log: RequestLog | undefined
  #maskedLog: MaskedStream | undefined
  #isHeaded = false
  /** The position of the request whose response is printed. */
  #place = ''
  #sent: SentRequest | undefined
  readonly #isExact: boolean

  constructor(context: JobContext, settings: SharedSettings, options: PrinterOptions) {
    this.#context = context
    this.#settings = settings
    this.#options = options
    this.#isExact = isExact(settings, options.isDryRun)
    this.#responses = new ResponsePrinter(context, settings, undefined, {
      watch: (content) => this.#watched(content),
      warn: (text) => this.#warnOfResponse(text),
    })
    const { isTerminal, colors, columns } = this.#notes
    this.#text = new ConsoleText({ isTerminal, colors, columns: isTerminal ? columns : 0 }, options.mask)
  }

  /** Ends the last line and flushes all output. Called last, however the job ended. */
  async flush(): Promise<void> {
    await this.#startLine()
    await this.#context.stdout.flush()
  }

  /** Without a promise if there is nothing to wait for, as for most events. */
  listen(event: RunEvent): void | Promise<void> {
    switch (event.type) {
      case 'request-started':
        return this.#startRequest(event)
      case 'response-done':
        return this.#options.allowsPrograms ? this.#flushAfter(event) : this.#write(event)
      case 'request-sent':
        this.#sent = event.sent
        return this.#write(event) ?? (event.sent.cause === undefined ? undefined : this.#log?.next())
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
        return this.#toStderr(warningText(event.error))
      case 'error':
        return this.#printError(event)
      default:
        return this.#write(event)
    }
  }

  #startRequest(event: RunEvent): void | Promise<void> {
    this.#log = this.#settings.shouldLogRequest ? this.#openLog() : undefined
    const start = (): void | Promise<void> =>
      this.#options.allowsPrograms ? this.#flushAfter(event) : this.#write(event)
    const heading = this.#printHeading()
    return heading === undefined ? start() : heading.then(start)
  }

  async #printError(event: Extract<RunEvent, { readonly type: 'error' }>): Promise<void> {
    await this.#printHeading()
    await this.#endLog()
    await this.#startLine()
    await this.#context.stdout.flush()
    await printFailure(this.#context, event.error, run, event.request)
    await this.#write(event)
  }

  /** Prints the heading once, before the first output below it: a job that only skips requests needs no heading. */
  #printHeading(): void | Promise<void> {
    const { job } = this.#options
    if (job === undefined || this.#isHeaded || this.#options.isQuiet) return
    this.#isHeaded = true
    return this.#notes.write(this.#text.jobHeading(job))
  }

  /** Masks the sent request if bodies are printed unmasked. */
  #openLog(): RequestLog {
    const { logSecrets } = this.#options
    this.#maskedLog = logSecrets === undefined ? undefined : new MaskedStream(this.#context.stdout, logSecrets)
    return new RequestLog(this.#maskedLog ?? this.#context.stdout)
  }

  async #endLog(): Promise<void> {
    await this.#log?.end()
    await this.#maskedLog?.end()
  }

  /** The output for everything but responses. */
  get #notes(): Output {
    return this.#isExact ? this.#context.stderr : this.#context.stdout
  }

  /** Ends the current line on standard output, unless that would add to output for programs. */
  #startLine(): void | Promise<void> {
    if (!this.#isExact || this.#context.stdout.isTerminal) return this.#context.stdout.startLine()
  }

  #watched(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const { bodySecrets } = this.#options
    if (bodySecrets === undefined || bodySecrets.isEmpty) return content
    return this.#lookedAt(content, bodySecrets.openStream())
  }

  /** The same pieces; what is masked in them is noted once. */
  async *#lookedAt(content: AsyncIterable<Uint8Array>, stream: MaskStream): AsyncGenerator<Uint8Array> {
    let isNoted = false
    const note = async (): Promise<void> => {
      if (isNoted || !stream.hasMasked) return
      isNoted = true
      await this.#options.onMaskedBody()
    }
    for await (const piece of content) {
      if (!isNoted) stream.write(piece)
      await note()
      yield piece
    }
    if (!isNoted) stream.end()
    await note()
  }

  /** A script may run a program next. */
  async #flushAfter(event: RunEvent): Promise<void> {
    await this.#write(event)
    await this.#context.stdout.flush()
  }

  #write(event: RunEvent): void | Promise<void> {
    const text = this.#options.isQuiet ? '' : this.#text.text(event)
    if (text === '') return
    return this.#isExact ? this.#writeBesides(text) : this.#context.stdout.writeLine(text)
  }

  /** For text that must not be in standard output. */
  async #writeBesides(text: string): Promise<void> {
    await this.#startLine()
    await this.#context.stderr.write(text)
  }

  #note(text: string): void | Promise<void> {
    return this.#options.isVerbose ? this.#toStderr(`note: ${text}\n`) : undefined
  }

  #warnOfResponse(text: string): Promise<void> {
    return this.#toStderr(`warning: ${this.#place}: ${text}\n`)
  }

  async #toStderr(text: string): Promise<void> {
    await this.#startLine()
    await this.#context.stdout.flush()
    await this.#context.stderr.write(text)
  }

  async #printResponse(event: Extract<RunEvent, { readonly type: 'response' }>): Promise<void> {
    const { request, response, answer } = event
    if (this.#log !== undefined) {
      await this.#endLog()
      await this.#responses.printInterim(answer)
    }
    this.#place = `${request.file}:${request.line}`
    const note = proxyAnswerNote(this.#sent?.url, response, this.#settings.wire)
    if (note !== undefined) await this.#toStderr(`note: ${this.#place}: ${note}\n`)
    // The fields of a WebSocket's handshake are not among those sent.
    const sent = request.method === 'WEBSOCKET' ? undefined : this.#sent
    await this.#responses.print({ ...answer, request: sent }, response as unknown as HttpResponse)
    return this.#write(event)
  }

  /** One line for each message, so that a program can separate them. */
  async #printMessage({ direction, data }: Extract<RunEvent, { readonly type: 'message' }>): Promise<void> {
    const isShown = direction === 'received' ? modesWithBody.has(this.#settings.mode) : this.#settings.shouldLogRequest
    if (!isShown) return
    const output = new BodyOutput(this.#context.stdout)
    await output.write(typeof data === 'string' ? Buffer.from(data) : data)
    await output.end(true)
  }
}
