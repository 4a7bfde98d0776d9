/**
 * Traces a request: connections, redirects, times. For -l, --verbose and --json.
 *
 * Rules: -l shows the heads of each redirect and challenge on standard output, like the request; --verbose reports
 * everything but the final response on standard error, step by step; --json reports it at the end. Loaded only for
 * these options.
 */
import type { HttpRequest } from '../../../message/index.ts'
import { counted, escapedControls, octetText } from '../../../report/index.ts'
import type { Answer, ConnectionEvent, Exchange, WireOptions } from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { connectionLines, connectionReport, millisecondsText } from './connection-text.ts'
import { requestReport, responseReport } from './json-report.ts'
import type { RequestLog } from './request-log.ts'
import type { ResponsePrinter } from './response-printer.ts'

export interface TraceSettings {
  readonly isVerbose: boolean
  readonly log: RequestLog | undefined
  readonly printer: ResponsePrinter
}

type Fields = Readonly<Record<string, unknown>>

export class ExchangeTrace {
  readonly #context: CommandContext
  readonly #settings: TraceSettings
  /** The events of the current exchange. */
  #events: ConnectionEvent[] = []
  #requestHead: Uint8Array | undefined
  readonly #redirects: Fields[] = []
  #written: Promise<void> = Promise.resolve()

  constructor(context: CommandContext, settings: TraceSettings) {
    this.#context = context
    this.#settings = settings
  }

  watching(options: WireOptions): WireOptions {
    return {
      ...options,
      onConnectionEvent: (event) => {
        this.#events.push(event)
        if (this.#settings.isVerbose) this.#print(connectionLines(event))
      },
      onRequestBytes: (bytes) => {
        // The first piece is exactly the head.
        this.#requestHead ??= bytes
        return options.onRequestBytes?.(bytes)
      },
    }
  }

  async redirected(result: Exchange, next: HttpRequest): Promise<void> {
    const { response } = result
    await this.#showHop(result)
    if (this.#settings.isVerbose) this.#print([`redirected with ${response.status} to ${next.method} ${next.url}`])
    this.#redirects.push({
      request: requestReport(result.request, this.#requestHead),
      response: responseReport(result),
      ...connectionReport(this.#events),
    })
    this.startOver()
  }

  /** Called when the request is sent again, to answer the challenge of this response or to send its body. */
  async challenged(result: Exchange): Promise<void> {
    await this.#showHop(result)
    const isAsked = result.response.status === 401 || result.response.status === 407
    if (this.#settings.isVerbose) {
      this.#print([
        `sent again with ${isAsked ? 'an answer to the challenge' : 'its body, since the response has no challenge'}`,
      ])
    }
    this.startOver()
  }

  /** Also called when the request is sent again after a failure. */
  startOver(): void {
    this.#events = []
    this.#requestHead = undefined
  }

  async #showHop({ receivedHeads }: Exchange): Promise<void> {
    const { log, printer, isVerbose } = this.#settings
    if (log !== undefined) {
      await log.next()
      for (const head of receivedHeads) await printer.printHead(head)
    } else if (isVerbose) {
      if (this.#requestHead !== undefined) this.#print(headLines(this.#requestHead), '>')
      for (const head of receivedHeads) this.#print(headLines(head), '<')
    }
  }

  /** Called when everything has been read. */
  async ended({ statistics }: Pick<Answer, 'statistics'>): Promise<void> {
    if (this.#settings.isVerbose) {
      const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs, bytesSent, bytesReceived } = await statistics
      const times = { DNS: dnsMs, connect: connectMs, TLS: tlsMs, 'first byte': firstByteMs, total: totalMs }
      const shown = Object.entries(times).map(([name, time]) => `${name} ${millisecondsText(time)}`)
      this.#print([`${shown.join(', ')}; ${counted(bytesSent, 'byte')} sent, ${bytesReceived} received`])
    }
    await this.flush()
  }

  /** Resolves when the trace is written to standard error. */
  flush(): Promise<void> {
    return this.#written
  }

  /** The trace for a JSON report. */
  report(): Fields {
    return {
      ...connectionReport(this.#events),
      ...(this.#redirects.length === 0 ? {} : { redirects: this.#redirects }),
    }
  }

  /** The head of the last request, as sent. */
  get requestHead(): Uint8Array | undefined {
    return this.#requestHead
  }

  #print(lines: readonly string[], mark = '*'): void {
    const text = lines.map((line) => `${mark} ${escapedControls(line)}\n`).join('')
    this.#written = this.#written.then(() => this.#context.stderr.write(text))
    // The error is reported to the code that awaits it.
    this.#written.catch(() => undefined)
  }
}

function headLines(head: Uint8Array): readonly string[] {
  const lines = octetText(Buffer.from(head).toString('latin1')).split('\n')
  return lines.map((line) => line.replace(/\r$/, '')).filter((line) => line !== '')
}
