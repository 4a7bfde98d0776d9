/**
 * Receives the stream of messages that answers a gRPC call.
 *
 * Rules: each message is reported when it arrives; the response is reported at the end, since the server sends its
 * status last. The status must not be OK while the request waits for a message. Handlers run at the same time; a
 * handler that needs no more messages cancels the call, which is not an error.
 */
import { HeaderList } from '../../message/index.ts'
import type { Exchange } from '../../wire/index.ts'
import type { ReadBody } from '../assertions/request-assertions.ts'
import { RunError } from '../base/errors.ts'
import type { RunResponse } from '../base/events.ts'
import { receivedMessages } from '../grpc/call.ts'
import type { GrpcMethod } from '../grpc/method.ts'
import { type GrpcStatus, OK } from '../grpc/status.ts'
import type { ScriptVerdict } from '../scripting/operations/script-scene.ts'
import { grpcAnswer } from './grpc-answer.ts'
import type { GrpcSender } from './grpc-sender.ts'
import { MessageTranscript } from './message-transcript.ts'
import type { ReceivedExchange, Reception } from './response-receiver.ts'
import { StreamQueue } from './stream-queue.ts'

/** The status while messages arrive, and of a call that a handler has ended. */
const openStatus = { code: OK, name: 'OK', message: '' } as const

export class GrpcTalk {
  readonly #exchange: Exchange
  readonly #method: GrpcMethod
  readonly #sender: GrpcSender
  readonly #reception: Reception
  readonly #queue: StreamQueue | undefined
  /** The messages, for captures and assertions; undefined if none needs them. */
  readonly #transcript: MessageTranscript | undefined
  #isLeft = false
  #isHandling = false

  constructor(exchange: Exchange, method: GrpcMethod, sender: GrpcSender, reception: Reception) {
    this.#exchange = exchange
    this.#method = method
    this.#sender = sender
    this.#reception = reception
    this.#transcript = reception.checks.needsContent ? new MessageTranscript() : undefined
    this.#queue = reception.scripts.hasHandlers ? new StreamQueue(() => this.#leave()) : undefined
    sender.waitFor(() => this.#isHandling && this.#queue?.isAwaited === false)
  }

  /** @param statusOf throws if the trailers contain no status */
  async run(statusOf: (trailers: HeaderList) => GrpcStatus): Promise<ScriptVerdict> {
    const { checks } = this.#reception
    const check = checks.begin(this.#exchange, this.#reception)
    const receiving = this.#receive().finally(() => {
      this.#sender.end()
      this.#queue?.end()
    })
    const [received, handled] = await Promise.allSettled([receiving, this.#handle()])
    if (received.status === 'rejected') throw received.reason
    if (handled.status === 'rejected') throw handled.reason
    const trailers = received.value
    const status = trailers === undefined ? openStatus : statusOf(trailers)
    if (trailers !== undefined && status.code === OK && this.#sender.isAwaiting) {
      const { host } = this.#exchange.request.url as URL
      const message = `${host} ended the call with the status OK, but the request waits for a message`
      throw new RunError('grpc-message', message, { hint: 'Check the log of the server' })
    }
    const answer = grpcAnswer(this.#exchange, trailers ?? HeaderList.EMPTY, status, undefined)
    const response = await this.#report(answer)
    if (handled.value !== 'aborted') await check?.(response, this.#contentFor(status))
    return handled.value
  }

  /** @returns the trailers; undefined if a handler ended the call */
  async #receive(): Promise<HeaderList | undefined> {
    const { request, emit } = this.#reception
    const messages = receivedMessages(this.#exchange)
    try {
      for (;;) {
        const { value, done } = await messages.next()
        if (this.#isLeft) return undefined
        if (done === true) return value
        const json = this.#method.decoded(value)
        this.#transcript?.add(json)
        this.#sender.received()
        await emit({ type: 'message', request, direction: 'received', data: json })
        await this.#queue?.give(json)
      }
    } catch (error) {
      if (this.#isLeft) return undefined
      throw error
    }
  }

  async #handle(): Promise<ScriptVerdict> {
    const queue = this.#queue
    if (queue === undefined) return 'done'
    const { request, prepared, scripts } = this.#reception
    const { response } = grpcAnswer(this.#exchange, HeaderList.EMPTY, openStatus, undefined)
    this.#isHandling = true
    try {
      return await scripts.runHandlers(request, prepared, this.#exchange, {
        response: responseOf(response),
        content: undefined,
        stream: {
          kind: 'messages',
          next: async () => {
            const json = await queue.next()
            return json === undefined ? undefined : JSON.parse(json)
          },
          send: (json) => this.#sender.sendFromScript(json),
          close: () => queue.close(),
        },
      })
    } finally {
      this.#isHandling = false
      queue.release()
    }
  }

  async #report({
    response,
    informational,
    receivedHeads,
    remote,
    excessBytes,
    statistics,
  }: ReceivedExchange): Promise<RunResponse> {
    const { request, emit } = this.#reception
    const shown = responseOf(response)
    this.#exchange.close()
    const answer = { informational, receivedHeads, remote, excessBytes, statistics, close: () => undefined }
    await emit({ type: 'response', request, response: shown, answer })
    const done = { statistics: await statistics, repairs: [], trailers: HeaderList.EMPTY, excessBytes: 0 }
    await emit({ type: 'response-done', request, ...done })
    return shown
  }

  /** The messages; for an error without messages, its status. */
  #contentFor(status: Pick<GrpcStatus, 'code' | 'name' | 'message'>): ReadBody | undefined {
    const transcript = this.#transcript
    if (transcript !== undefined && transcript.receivedBytes === 0 && status.code !== OK && 'details' in status) {
      transcript.add(this.#method.statusJson(status as GrpcStatus))
    }
    return transcript
  }

  /** A handler needs no more messages. */
  #leave(): void {
    this.#isLeft = true
    this.#sender.end()
    this.#exchange.close()
  }
}

function responseOf({ status, reason, headers, repairs }: ReceivedExchange['response']): RunResponse {
  return { version: 'gRPC', status, reason, headers, repairs, body: undefined }
}
