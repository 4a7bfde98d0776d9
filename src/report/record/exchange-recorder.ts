/**
 * Collects the exchanges of one request for reports, including each redirect and each answered challenge.
 *
 * Only the start of a body is kept. A request that is not logged (`# @no-log`) has no bodies in reports. If a request
 * is retried, the last attempt counts.
 */
import type { BodySample, RunEvent, RunResponseHead, SentRequest } from '../../runner/index.ts'
import type { Mask } from '../../secrets/index.ts'
import { bodyRecord, type KnownBody, type MaskBytes } from './body-record.ts'
import {
  type ExchangeRecord,
  type FieldPairs,
  type MessageRecord,
  type ResponseRecord,
  shownRemote,
  type TimingRecord,
} from './exchange-record.ts'
import { receivedCookies, sentCookies, traceOf, valuesOf } from './message-fields.ts'
import { headerPairs } from './octet-text.ts'
import { repairRecord } from './repair-record.ts'
import { SentBody } from './sent-body.ts'

export interface ExchangeRecorderOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Masks and shortens a text for the report. */
  readonly text: Mask
  readonly mask: Mask
  readonly maskBytes: MaskBytes
  /** The maximum number of bytes to keep of a body; 0 keeps none. */
  readonly maxBodyBytes: number
}

type Statistics = Extract<RunEvent, { readonly type: 'response-done' }>['statistics']
type ResponseEnd = Extract<RunEvent, { readonly type: 'response-done' }>
type RemoteAddress = Extract<RunEvent, { readonly type: 'hop-finished' }>['remote']

interface OpenExchange {
  readonly sent: SentRequest
  readonly isUnsent: boolean
  readonly sentAt: number
  readonly body: SentBody
  remote?: RemoteAddress
  response?: RunResponseHead
  sample?: BodySample | undefined
  statistics?: Statistics
  end?: ResponseEnd
}

/** The maximum number of WebSocket messages to keep. */
const MAX_MESSAGES = 100

export class ExchangeRecorder {
  readonly #options: ExchangeRecorderOptions
  #exchanges: OpenExchange[] = []
  #messages: (KnownBody & Pick<MessageRecord, 'direction' | 'time'>)[] = []

  constructor(options: ExchangeRecorderOptions) {
    this.#options = options
  }

  add(event: RunEvent): void {
    const exchange = this.#exchanges.at(-1)
    switch (event.type) {
      case 'request-sent':
      case 'request-unsent': {
        const isChunked = valuesOf([...event.sent.headers], 'transfer-encoding').length > 0
        const body = new SentBody(isChunked, this.#options.maxBodyBytes)
        this.#exchanges.push({
          sent: event.sent,
          isUnsent: event.type === 'request-unsent',
          sentAt: this.#options.now(),
          body,
        })
        return
      }
      case 'request-octets':
        exchange?.body.add(event.bytes)
        return
      case 'response':
        if (exchange === undefined) return
        exchange.response = event.response
        exchange.remote = event.answer.remote
        exchange.sample = event.answer.sample
        return
      case 'hop-finished':
        if (exchange === undefined) return
        exchange.response = event.response
        exchange.remote = event.remote
        exchange.statistics = event.statistics
        return
      case 'response-done':
        if (exchange === undefined) return
        exchange.statistics = event.statistics
        exchange.end = event
        return
      case 'message':
        if (exchange?.body.isLogged === true) this.#addMessage(event)
        return
      case 'request-retried':
        this.#exchanges = []
        this.#messages = []
    }
  }

  /** @param limitBytes the maximum for each body */
  exchanges(limitBytes: number): readonly ExchangeRecord[] {
    return this.#exchanges.map((exchange) => this.#record(exchange, limitBytes))
  }

  /** @param limitBytes the maximum for each message */
  messages(limitBytes: number): readonly MessageRecord[] {
    const { maskBytes } = this.#options
    return this.#messages.map(({ direction, time, ...body }) => {
      return { direction, time, body: bodyRecord(body, limitBytes, maskBytes) }
    })
  }

  #addMessage({ direction, data }: Extract<RunEvent, { readonly type: 'message' }>): void {
    const { now, maxBodyBytes } = this.#options
    if (maxBodyBytes === 0 || this.#messages.length === MAX_MESSAGES) return
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    const kept = new Uint8Array(bytes.subarray(0, maxBodyBytes))
    this.#messages.push({ direction, time: now(), mediaType: '', bytes: kept, sizeBytes: bytes.length })
  }

  #record(
    { sent, isUnsent, sentAt, body, remote, response, sample, statistics, end }: OpenExchange,
    limitBytes: number,
  ): ExchangeRecord {
    const { text, mask, maskBytes } = this.#options
    const headers = headerPairs(sent.headers)
    const trace = traceOf(headers)
    const sentBody = limitBytes === 0 ? undefined : body.known(text(mediaTypeOf(headers)))
    const shownSample = limitBytes === 0 || !body.isLogged ? undefined : sample
    return {
      ...(sent.cause === undefined ? {} : { cause: sent.cause }),
      ...(isUnsent ? { isUnsent } : {}),
      // The clock has whole milliseconds, and only some formats could show a fraction.
      startedAt: Math.trunc(sentAt - openingMs(statistics)),
      method: text(sent.method),
      url: text(sent.url),
      headers: shownFields(headers, text),
      cookies: sentCookies(headers, mask),
      ...(sentBody === undefined ? {} : { body: bodyRecord(sentBody, limitBytes, maskBytes) }),
      ...(trace === undefined ? {} : { trace }),
      ...(remote === undefined ? {} : { remote: shownRemote(remote) }),
      ...(response === undefined ? {} : { response: this.#response(response, shownSample, limitBytes, end) }),
      ...(statistics === undefined ? {} : measured(statistics)),
    }
  }

  #response(
    response: RunResponseHead,
    sample: BodySample | undefined,
    limitBytes: number,
    end: ResponseEnd | undefined,
  ): ResponseRecord {
    const { text, mask, maskBytes } = this.#options
    const { version, status, reason } = response
    const headers = headerPairs(response.headers)
    const body = sample && {
      mediaType: text(mediaTypeOf(headers)),
      bytes: sample.bytes,
      sizeBytes: sample.sizeBytes ?? announcedBytes(headers),
    }
    return {
      version,
      status,
      reason: text(reason),
      headers: shownFields(headers, text),
      cookies: receivedCookies(headers, mask),
      ...(body === undefined ? {} : { body: bodyRecord(body, limitBytes, maskBytes) }),
      ...(end === undefined || end.trailers.size === 0
        ? {}
        : { trailers: shownFields(headerPairs(end.trailers), text) }),
      ...(end === undefined || end.repairs.length === 0 ? {} : { repairs: end.repairs.map(repairRecord) }),
      ...(end === undefined || end.excessBytes === 0 ? {} : { excessBytes: end.excessBytes }),
    }
  }
}

function shownFields(headers: FieldPairs, text: Mask): FieldPairs {
  return headers.map(([name, value]) => [text(name), text(value)] as const)
}

/** The size of a body that was not read to its end. */
function announcedBytes(headers: FieldPairs): number | undefined {
  const [length = ''] = valuesOf(headers, 'content-length')
  return /^\d+$/.test(length) && valuesOf(headers, 'content-encoding').length === 0 ? Number(length) : undefined
}

function mediaTypeOf(headers: FieldPairs): string {
  return valuesOf(headers, 'content-type')[0] ?? ''
}

/** The time before the first byte of the request. */
function openingMs(statistics: Statistics | undefined): number {
  if (statistics === undefined) return 0
  const { queueMs, dnsMs, connectMs, tlsMs } = statistics
  return queueMs + dnsMs + connectMs + tlsMs
}

function measured(statistics: Statistics): Pick<ExchangeRecord, 'bytesSent' | 'bytesReceived'> & {
  readonly timing: TimingRecord
} {
  const { bytesSent, bytesReceived, ...timing } = statistics
  return { timing, bytesSent, bytesReceived }
}
