/**
 * Prints the events of one job as JSON Lines on standard output, for `--json`.
 *
 * Rules: standard output contains nothing else. Errors of requests are also printed on standard error, for the user.
 * Bodies of responses are included if `-p` names response, all or body, and requests as sent with `-l`: piece by piece,
 * so that memory does not grow with their size.
 */
import type { HttpResponse } from '../../../message/index.ts'
import type { JsonEvents, OctetPieces, ReportedJob } from '../../../report/index.ts'
import type { RequestIdentity, RunEvent } from '../../../runner/index.ts'
import type { MaskStream, SecretMask } from '../../../secrets/index.ts'
import { printFailure } from '../../failures/print-failure.ts'
import { run } from '../../options/run.ts'
import { shownBody } from '../../send/response/body-output.ts'
import type { SharedSettings } from '../../send/settings.ts'
import { printWarning } from '../files/error-list.ts'
import type { JobContext } from './job-context.ts'

type ResponseEvent = Extract<RunEvent, { readonly type: 'response' }>

export interface JsonPrinterOptions {
  readonly job: ReportedJob
  readonly events: JsonEvents
  readonly openPieces: () => OctetPieces
  readonly secrets: SecretMask | undefined
}

export class JsonPrinter {
  readonly #context: JobContext
  readonly #settings: SharedSettings
  readonly #options: JsonPrinterOptions
  readonly #hasBodies: boolean
  /** The request that is being sent. */
  #log: { readonly request: RequestIdentity; readonly octets: MaskedPieces } | undefined

  constructor(context: JobContext, settings: SharedSettings, options: JsonPrinterOptions) {
    this.#context = context
    this.#settings = settings
    this.#options = options
    const mode = context.arguments.value('print-response-mode')
    this.#hasBodies = mode === 'response' || mode === 'all' || mode === 'body'
  }

  flush(): Promise<void> {
    return this.#context.stdout.flush()
  }

  async listen(event: RunEvent): Promise<void> {
    if (event.type === 'request-octets') return this.#logOctets(event.request, event.bytes)
    await this.#endLog()
    if (event.type === 'error') await printFailure(this.#context, event.error, run, event.request)
    if (event.type === 'warning') await printWarning(this.#context, event.error)
    const { job, events } = this.#options
    await this.#context.stdout.write(events.line(job, event))
    if (event.type === 'response' && this.#hasBodies) await this.#printBody(event)
  }

  async #logOctets(request: RequestIdentity, bytes: Uint8Array): Promise<void> {
    if (!this.#settings.shouldLogRequest) return
    this.#log ??= { request, octets: this.#openOctets() }
    await this.#writePieces('request-octets', request, this.#log.octets.add(bytes))
  }

  async #endLog(): Promise<void> {
    if (this.#log === undefined) return
    const { request, octets } = this.#log
    this.#log = undefined
    await this.#writePieces('request-octets', request, octets.end())
  }

  async #printBody({ request, response, answer }: ResponseEvent): Promise<void> {
    const warn = (text: string): Promise<void> => this.#context.stderr.write(`warning: ${text}\n`)
    const content = await shownBody(response as unknown as HttpResponse, this.#settings.shouldDecode, warn)
    const octets = this.#openOctets()
    try {
      for await (const piece of content) await this.#writePieces('response-body', request, octets.add(piece))
    } finally {
      answer.close()
      await this.#writePieces('response-body', request, octets.end())
    }
  }

  #openOctets(): MaskedPieces {
    return new MaskedPieces(this.#options.openPieces(), this.#options.secrets)
  }

  async #writePieces(
    type: 'response-body' | 'request-octets',
    request: RequestIdentity,
    pieces: ReturnType<OctetPieces['end']>,
  ): Promise<void> {
    const { job, events } = this.#options
    for (const piece of pieces) await this.#context.stdout.write(events.piece(type, job, request, piece))
  }
}

/** Masks bytes before they are split, because a split might divide a secret. */
class MaskedPieces {
  readonly #pieces: OctetPieces
  readonly #mask: MaskStream | undefined

  constructor(pieces: OctetPieces, secrets: SecretMask | undefined) {
    this.#pieces = pieces
    this.#mask = secrets?.openStream()
  }

  add(bytes: Uint8Array): ReturnType<OctetPieces['end']> {
    return this.#pieces.add(this.#mask?.write(bytes) ?? bytes)
  }

  end(): ReturnType<OctetPieces['end']> {
    const last = this.#mask?.end()
    return [...(last === undefined ? [] : this.#pieces.add(last)), ...this.#pieces.end()]
  }
}
