/**
 * One request of an HTTP/2 client that a backend answers.
 *
 * Rules: the request is written as an HTTP/1.1 request and parsed again under the server preset, so that nothing
 * reaches a backend that an HTTP/1.1 client could not have sent. Flow control stops the client while the backend
 * accepts nothing, and the backend while the client reads nothing. Trailers and interim responses are passed on. A
 * truncated response resets the stream. RFC 9113 sections 8.1, 8.2.2 and 8.3.1.
 */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import {
  type BodyEvent,
  forwardedTrailers,
  HeaderList,
  HttpConnection,
  HttpDecoder,
  LocalProtocolError,
  type ParserOptions,
  type RequestHead,
  withoutHopByHop,
} from '../../message/index.ts'
import type { BackendExchange } from '../backend/backend-client.ts'
import { unusableResponse } from '../backend/backend-failure.ts'
import type { BackendRoute } from '../backend/backend-routes.ts'
import { type Forwarder, unforwardable } from '../backend/forwarder.ts'
import { gathered } from '../backend/gathered.ts'
import { continueHead, type ForwardedHead, forwardedHead } from '../backend/response-head.ts'
import { ServerError } from '../semantics/errors.ts'
import type { Service } from '../service.ts'
import { addFields } from './fields.ts'
import type { Http2Request } from './request.ts'

export interface ForwardedStreamContext {
  readonly service: Service
  readonly forwarder: Forwarder
  readonly stream: ServerHttp2Stream
  readonly request: Http2Request
  readonly route: BackendRoute
  readonly remoteAddress: string
  /** Sends bytes of the body; resolves when the operating system has them. */
  readonly flush: (bytes: Uint8Array) => Promise<void>
  /** Called when the head of the response has been sent. */
  readonly onHead: (status: number) => void
  readonly onSent: (bytes: number) => void
  /** Called when the end of the response has been sent, and the backend accepts no more content. */
  readonly onEnd: () => void
}

/** The platform sends no status above (RFC 9110 section 15). */
const maximumStatus = 599

/** The platform ends the stream after its head (RFC 9110 section 15.3.6). */
const resetStatus = 205

export class ForwardedStream {
  readonly #context: ForwardedStreamContext
  readonly #abort = new AbortController()
  #waitingSinceMs: number | undefined
  /** Of the request, and of the response. */
  #receivedTrailers = HeaderList.EMPTY
  #trailers = HeaderList.EMPTY
  #isResponded = false

  constructor(context: ForwardedStreamContext) {
    this.#context = context
    const { stream } = context
    stream.once('close', () => {
      // The backend may still have to receive the end of a complete upload.
      const isComplete = stream.rstCode === 0 && stream.readableEnded && stream.writableFinished
      if (!isComplete) this.#abort.abort()
    })
    stream.once('aborted', () => this.#abort.abort())
    // They may arrive before the backend accepts the content.
    stream.once('trailers', (fields) => {
      this.#receivedTrailers = HeaderList.of(fieldPairs(fields))
    })
  }

  /** When the wait for the client's content began, by the clock of the sweep. */
  get waitingSinceMs(): number | undefined {
    return this.#waitingSinceMs
  }

  /** Resolves when the response has been written. Rejects with BackendFailure if it could not be written completely. */
  async run(): Promise<void> {
    const { forwarder, route, service, stream, remoteAddress } = this.#context
    const { signal } = this.#abort
    let exchange: BackendExchange | undefined
    try {
      const head = requestHead(this.#context.request, !stream.endAfterHeaders, service.reading.options)
      exchange = await forwarder.forward(
        {
          head,
          content: head.framing === undefined ? undefined : this.#content(head),
          version: '2.0',
          isSecure: true,
          remoteAddress,
          signal,
          onInformational: (informational) => this.#inform(informational),
        },
        route,
      )
      await this.#respond(exchange)
    } catch (error) {
      exchange?.close()
      // A write may fail before the end of the stream is reported.
      if (stream.destroyed || stream.closed) this.#abort.abort()
      throw forwarder.failure(error, route, signal)
    }
  }

  /** Whether the head of a response has been sent. */
  get isResponded(): boolean {
    return this.#isResponded
  }

  async *#content({ expectContinue }: RequestHead): AsyncGenerator<BodyEvent> {
    const { stream, service } = this.#context
    if (expectContinue && stream.readableLength === 0) this.#inform(continueHead)
    this.#waitingSinceMs = service.sweep.nowMs
    // An early answer ends the reading, not the stream.
    const pieces: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false })
    for await (const bytes of pieces) {
      this.#waitingSinceMs = undefined
      yield { type: 'data', bytes }
      this.#waitingSinceMs = service.sweep.nowMs
    }
    this.#waitingSinceMs = undefined
    if (stream.aborted || stream.rstCode !== 0) throw new ServerError('peer-gone', 'the client disconnected')
    yield { type: 'end', trailers: forwardedTrailers(this.#receivedTrailers) }
  }

  #inform({ status, headers }: ForwardedHead): void {
    const { stream } = this.#context
    if (stream.headersSent || stream.destroyed || stream.closed) return
    stream.additionalHeaders(addFields({ ':status': status }, withoutHopByHop(headers)))
  }

  async #respond({ response, closed, close }: BackendExchange): Promise<void> {
    const { stream, service, onHead } = this.#context
    // A backend may answer early and still accept the rest of the content.
    const onEnd = () => void closed.then(this.#context.onEnd)
    const { status, headers } = forwardedHead(response, service.clock.date())
    if (status > maximumStatus) throw unusableResponse(`with the status ${status}`)
    const { body } = response
    const isReset = status === resetStatus
    const fields = addFields({ ':status': status }, isReset ? headers.without('content-length') : headers)
    if (stream.destroyed || stream.closed) {
      close()
      return
    }
    if (body === undefined || isReset) {
      stream.once('finish', onEnd)
      stream.respond(fields, { endStream: true })
      this.#isResponded = true
      onHead(status)
      if (body !== undefined) close()
      return
    }
    stream.respond(fields, { waitForTrailers: true })
    this.#isResponded = true
    onHead(status)
    stream.once('wantTrailers', () => {
      stream.sendTrailers(addFields({}, this.#trailers))
      // The platform sends them in an earlier immediate.
      setImmediate(onEnd)
    })
    for await (const bytes of gathered(body)) {
      if (bytes.length === 0) continue
      await this.#context.flush(bytes)
      this.#context.onSent(bytes.length)
    }
    this.#trailers = forwardedTrailers(await body.trailers)
    stream.end()
  }
}

/** @throws HttpParseError or `request-unforwardable` for a request that HTTP/1.1 cannot represent. */
function requestHead(request: Http2Request, hasContent: boolean, options: ParserOptions): RequestHead {
  const { method, target } = request
  const pairs = fieldPairs(request.fields)
  const host = request.get('host')
  const fields = HeaderList.of([
    ...(host === undefined ? [] : [['Host', host] as const]),
    ...pairs.filter(([name]) => name !== 'host'),
  ])
  const isChunked = hasContent && !fields.has('content-length')
  const headers = isChunked ? fields.append('Transfer-Encoding', 'chunked') : fields
  const decoder = new HttpDecoder('server', options)
  try {
    decoder.push(new HttpConnection('client').send({ type: 'request', head: { method, target, headers } }))
    const event = decoder.next()
    if (event?.type === 'request') return event.head
  } catch (error) {
    if (error instanceof LocalProtocolError) throw unforwardable(error.message)
    throw error
  }
  throw unforwardable('it has no head in HTTP/1.1')
}

function fieldPairs(fields: IncomingHttpHeaders): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || name.startsWith(':')) return []
    return [value].flat().map((one) => [name, one] as const)
  })
}
