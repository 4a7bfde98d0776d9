/**
 * Prints a response on standard output, by -p, -o and --json.
 *
 * Rules: heads and bodies are printed as received; each repair is reported once, on standard error; with -o the body
 * goes to the file and the rest to standard output. Trailers follow the body if its head is printed. A mode that needs
 * only the head closes the connection after the head. If a body is truncated, the received part and the statistics are
 * printed, then the error is thrown.
 */
import { HeaderList, HttpcliError, type HttpRequest, type HttpResponse, type Repair } from '../../../message/index.ts'
import type { FileOutput } from '../../../message-node/index.ts'
import { type Answer, type Exchange, systemClock } from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { type ByteSink, JoiningSink } from '../../streams/joining-sink.ts'
import type { PrintMode, SendSettings, SharedSettings } from '../settings.ts'
import { BodyOutput, isJson, shownBody } from './body-output.ts'
import type { ExchangeTrace } from './exchange-trace.ts'
import type { Progress } from './progress.ts'
import {
  fieldLines,
  type HeadStyle,
  headOctets,
  receivedOctets,
  statisticsSeparator,
  statisticsText,
  statusLine,
} from './response-text.ts'

/** The members of an answer that are used here. */
export type PrintedAnswer = Pick<Answer, 'receivedHeads' | 'statistics' | 'excessBytes' | 'close'> & {
  /** Undefined if the request is known as bytes only. */
  readonly request?: Pick<HttpRequest, 'headers'> | undefined
  /** Absent if the rest of the request does not depend on the printer. */
  readonly isRequestSent?: Answer['isRequestSent']
}

/** The output of each mode, in this order. */
const parts: Readonly<
  Record<PrintMode, { readonly hasHead: boolean; readonly hasBody: boolean; readonly hasStatistics: boolean }>
> = {
  response: { hasHead: true, hasBody: true, hasStatistics: false },
  all: { hasHead: true, hasBody: true, hasStatistics: true },
  body: { hasHead: false, hasBody: true, hasStatistics: false },
  status: { hasHead: false, hasBody: false, hasStatistics: false },
  stats: { hasHead: false, hasBody: false, hasStatistics: true },
}

/** Callbacks for other output of the command. */
export interface PrinterHooks {
  /** Observes the printed content; yields the same pieces. */
  readonly watch: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  /** Reports a warning about the response, without a newline. */
  readonly warn: (text: string) => Promise<void>
}

/** Without a file the response goes to standard output. */
type PrinterSettings = SharedSettings &
  Partial<Pick<SendSettings, 'existingBytes' | 'outputFile' | 'shouldKeepPartial'>> & {
    /** Whether the transfer is repeated after this error of its body, so that it has no report. */
    readonly isRepeatedAfter?: (error: HttpcliError) => boolean
  }

export class ResponsePrinter {
  readonly #context: CommandContext
  readonly #settings: PrinterSettings
  #file: FileOutput | undefined
  readonly #style: HeadStyle
  readonly #reportedRepairs: Set<Repair> = new Set()
  readonly #hooks: PrinterHooks | undefined
  #transferSummary: string | undefined

  /** @param file receives the body instead of standard output */
  constructor(context: CommandContext, settings: PrinterSettings, file: FileOutput | undefined, hooks?: PrinterHooks) {
    this.#hooks = hooks
    this.#context = context
    this.#settings = settings
    this.#file = file
    this.#style = context.stdout
  }

  /** Size, time and rate of the body, once it is complete, for a terminal. */
  get transferSummary(): string | undefined {
    return this.#transferSummary
  }

  /** Prints the body to standard output instead of the file. */
  leaveFile(): void {
    this.#file = undefined
  }

  /** A single head, as received. */
  printHead(received: Uint8Array): Promise<void> {
    return this.#context.stdout.write(headOctets(received, this.#style))
  }

  async printInterim({ receivedHeads }: Pick<Answer, 'receivedHeads'>): Promise<void> {
    for (const received of receivedHeads.slice(0, -1)) await this.printHead(received)
  }

  /** The received part of a head that is incomplete or not HTTP, if the mode prints heads. */
  async printReceived(bytes: Uint8Array): Promise<void> {
    if (!parts[this.#settings.mode].hasHead || this.#settings.isJsonOutput) return
    const output = new BodyOutput(this.#context.stdout)
    await output.write(receivedOctets(bytes, this.#style))
    await output.end(false)
  }

  async print(answer: PrintedAnswer, response: HttpResponse): Promise<void> {
    const { stdout } = this.#context
    const { mode } = this.#settings
    const { hasHead, hasBody, hasStatistics } = parts[mode]
    const received = answer.receivedHeads.at(-1) as Uint8Array
    if (mode === 'status') await stdout.write(Buffer.concat([statusLine(received, this.#style), NEWLINE]))
    if (hasHead) await this.printHead(received)
    const reported = this.#reportRepairs(response)
    if (reported !== undefined) await reported
    if (mode === 'status' && this.#file === undefined) {
      if (answer.isRequestSent?.() === false) await readUntilSent(answer.isRequestSent, response)
      answer.close()
      return
    }
    const output = hasBody && this.#file === undefined ? this.#bodyOutput(response) : undefined
    const content = await shownBody(response, this.#settings.shouldDecode, (text) => this.#warn(text))
    const watched = output === undefined ? content : (this.#hooks?.watch(content) ?? content)
    return this.#transfer(answer, watched, response, output, hasHead, hasStatistics)
  }

  #bodyOutput({ headers }: HttpResponse): BodyOutput {
    const { stdout } = this.#context
    if (!this.#settings.shouldDecode) return new BodyOutput(stdout)
    return new BodyOutput(stdout, { contentType: headers.get('content-type') ?? '', isLaidOut: isJson(headers) })
  }

  /** An answer that is not HTTP: its bytes are printed instead of the response. */
  async printUnparsed(answer: PrintedAnswer, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { mode } = this.#settings
    await this.#warn('the response is not HTTP: it is shown as received')
    const isShown = mode === 'response' || mode === 'all' || mode === 'body'
    const output = isShown && this.#file === undefined ? new BodyOutput(this.#context.stdout) : undefined
    await this.#transfer(answer, bytes, undefined, output, mode === 'all', parts[mode].hasStatistics)
  }

  /** @param trace of the whole exchange */
  async printJson(exchange: Exchange, trace: ExchangeTrace): Promise<void> {
    const { response } = exchange
    const { jsonReport } = await import('./json-report.ts')
    const content = await shownBody(response, this.#settings.shouldDecode, (text) => this.#warn(text))
    const pieces: Uint8Array[] = []
    const memory: ByteSink = {
      write: (bytes) => {
        pieces.push(bytes)
        return Promise.resolve()
      },
    }
    let failure: HttpcliError | undefined
    try {
      await this.#copy(exchange, content, response, this.#file ?? memory)
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      failure = error
    }
    if (failure !== undefined && this.#settings.isRepeatedAfter?.(failure) === true) throw failure
    await this.#reportRepairs(response)
    await this.#warnOfExcess(exchange, response)
    const path = this.#file === undefined ? undefined : this.#settings.outputFile
    const { existingBytes = 0, shouldKeepPartial } = this.#settings
    const isFileKept = shouldKeepPartial === true && (this.#file?.writtenBytes ?? 0) > existingBytes
    const isFileGone = path !== undefined && failure !== undefined && !isFileKept
    const body = path === undefined ? { bytes: Buffer.concat(pieces) } : { file: path }
    const text = await jsonReport({
      exchange,
      requestHead: trace.requestHead,
      body: response.body === undefined || isFileGone ? undefined : body,
      way: trace.report(),
      statistics: await exchange.statistics,
      error: failure,
    })
    await this.#context.stdout.write(text)
    if (failure !== undefined) throw failure
  }

  async #transfer(
    answer: PrintedAnswer,
    content: AsyncIterable<Uint8Array>,
    response: HttpResponse | undefined,
    output: BodyOutput | undefined,
    isSeparated: boolean,
    hasStatistics: boolean,
  ): Promise<void> {
    const { stdout } = this.#context
    let trailers = HeaderList.EMPTY
    try {
      await this.#copy(answer, content, response, this.#file ?? output)
      if (parts[this.#settings.mode].hasHead) trailers = (await response?.body?.trailers) ?? trailers
    } finally {
      // If the reader is gone, these writes fail with the same error as before.
      await output?.end(hasStatistics || trailers.size > 0)
      // On a terminal, the statistics come below the body.
      if (response !== undefined) {
        const reported = this.#reportRepairs(response)
        if (reported !== undefined) await reported
        const warned = this.#warnOfExcess(answer, response)
        if (warned !== undefined) await warned
      }
      if (trailers.size > 0) await stdout.write(fieldLines(trailers, this.#style))
      if (hasStatistics) {
        const text = statisticsText(await answer.statistics)
        await stdout.write(isSeparated ? `${statisticsSeparator}${text}` : text)
      }
    }
  }

  /** Reads the content to its end, into the sink if there is one. */
  async #copy(
    answer: PrintedAnswer,
    content: AsyncIterable<Uint8Array>,
    response: HttpResponse | undefined,
    sink: ByteSink | undefined,
  ): Promise<void> {
    const isSeen = this.#file === undefined && sink !== undefined && this.#style.isTerminal
    const progress = isSeen || !this.#context.stderr.isTerminal ? undefined : await this.#progress(response)
    // A file and the output of a run join all writes.
    const hasShortPieces =
      response?.body?.framing.type === 'chunked' && this.#file === undefined && this.#hooks === undefined
    const joining = sink !== undefined && hasShortPieces ? new JoiningSink(sink) : undefined
    const destination = joining ?? sink
    try {
      for await (const piece of content) {
        const writing = destination?.write(piece)
        if (writing !== undefined) await writing
        progress?.count(piece.length)
      }
      this.#transferSummary = progress?.summary
    } finally {
      answer.close()
      if (progress !== undefined) await progress.end()
      if (joining !== undefined) await joining.flush()
    }
  }

  #warnOfExcess(answer: PrintedAnswer, response: HttpResponse): void | Promise<void> {
    return answer.excessBytes() === 0 && response.status !== 101 ? undefined : this.#warnOfOthers(answer, response)
  }

  async #warnOfOthers(answer: PrintedAnswer, response: HttpResponse): Promise<void> {
    const { excessWarnings } = await import('./response-warnings.ts')
    for (const warning of excessWarnings(answer, response)) await this.#warn(warning)
  }

  /** Repairs in chunks and trailers are known only after the body has been read. */
  #reportRepairs({ repairs = [] }: { readonly repairs?: readonly Repair[] }): void | Promise<void> {
    const unreported = repairs.filter((repair) => !this.#reportedRepairs.has(repair))
    return unreported.length === 0 ? undefined : this.#warnOfRepairs(unreported)
  }

  async #warnOfRepairs(unreported: readonly Repair[]): Promise<void> {
    const { repairWarnings } = await import('./response-warnings.ts')
    for (const repair of unreported) this.#reportedRepairs.add(repair)
    for (const warning of repairWarnings(unreported)) await this.#warn(warning)
  }

  async #progress(response: HttpResponse | undefined): Promise<Progress> {
    const { stderr } = this.#context
    const { Progress } = await import('./progress.ts')
    const framing = response?.body?.framing
    const isEncoded = this.#settings.shouldDecode && response?.headers.has('content-encoding') === true
    // A continued download has already written the existing part.
    const startBytes = this.#file?.writtenBytes ?? 0
    const totalBytes = framing?.type === 'length' && !isEncoded ? startBytes + framing.length : undefined
    return new Progress(stderr, { totalBytes, startBytes, clock: systemClock })
  }

  async #warn(text: string): Promise<void> {
    if (this.#hooks !== undefined) return this.#hooks.warn(text)
    await this.#context.stderr.write(`warning: ${text}\n`)
  }
}

const NEWLINE = Buffer.from('\n')

/** A server that must send its response first reads the rest of the request only while its response is read. */
async function readUntilSent(isSent: () => boolean, { body }: HttpResponse): Promise<void> {
  for await (const _ of body ?? []) if (isSent()) return
}
