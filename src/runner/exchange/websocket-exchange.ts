/**
 * Executes a WEBSOCKET request: sends messages in order, and reports the server's messages as they arrive.
 *
 * Rules: `=== wait-for-server` waits for a message that arrives after the previous one was sent. After the last message
 * the connection stays open until the server closes it, a handler needs no more messages, or nothing arrives for the
 * time of `@timeout`. By default that is QUIET_MS; while a handler listens, and in the middle of a message, it is the
 * limit for any answer. A message that stays incomplete is an error. The request fails if the server closes with an
 * abnormal code, or while a message is awaited.
 */
import { HeaderList, type HttpcliError, type HttpRequest } from '../../message/index.ts'
import {
  closureText,
  type Exchange,
  type WebSocketClosure,
  type WebSocketConnection,
  WireError,
} from '../../wire/index.ts'
import type { RunResponse } from '../base/events.ts'
import type { WebSocketMessage } from '../request/request-builder.ts'
import type { ScriptVerdict } from '../scripting/operations/script-scene.ts'
import type { HttpClient, RequestWatcher } from './http-client.ts'
import { MessageTranscript } from './message-transcript.ts'
import { type Reception, receiveResponse } from './response-receiver.ts'
import { StreamQueue } from './stream-queue.ts'

/** A server that echoes messages does so long before this. */
const QUIET_MS = 1000
/** The default time limit for any answer. */
const DEFAULT_ANSWER_MS = 30_000
/** RFC 6455 section 7.4.1: normal closure, going away, no code. */
const normalCodes: ReadonlySet<number> = new Set([1000, 1001, 1005])

/** @throws WireError; HttpcliError `websocket-refused`, `websocket-closed`. */
export async function converseOverWebSocket(
  message: HttpRequest,
  httpClient: HttpClient,
  watcher: RequestWatcher,
  reception: Reception,
): Promise<ScriptVerdict> {
  const { prepared } = reception
  const { exchange, socket } = await httpClient.openWebSocket(message, prepared, watcher)
  if (socket === undefined) {
    const verdict = await receiveResponse(exchange, reception)
    const { status, reason } = exchange.response
    if (verdict === 'aborted') return verdict
    throw new WireError('websocket-refused', `the server opened no WebSocket: ${status} ${reason}`.trimEnd(), {
      hint: 'Check the path, and whether the server requires authentication',
    })
  }
  const answerMs = prepared.timeouts.firstByteMs ?? httpClient.answerMs ?? DEFAULT_ANSWER_MS
  return new Talk(socket, reception, answerMs).run(exchange)
}

class Talk {
  readonly #socket: WebSocketConnection
  readonly #reception: Reception
  readonly #answerMs: number
  readonly #queue: StreamQueue | undefined
  /** The messages, for captures and assertions; undefined if none needs them. */
  readonly #transcript: MessageTranscript | undefined
  #receivedCount = 0
  #isEnding = false
  /** Whether a handler has ended the conversation. */
  #hasLeft = false
  #closure: WebSocketClosure | undefined
  /** Whether handlers are running, which may still take messages. */
  #isHandling = false

  constructor(socket: WebSocketConnection, reception: Reception, answerMs: number) {
    this.#socket = socket
    this.#reception = reception
    this.#answerMs = answerMs
    this.#transcript = reception.checks.needsContent ? new MessageTranscript() : undefined
    this.#queue = reception.scripts.hasHandlers ? new StreamQueue(() => this.#leave()) : undefined
  }

  async run(exchange: Exchange): Promise<ScriptVerdict> {
    const { request, prepared, emit } = this.#reception
    const { informational, receivedHeads, remote, excessBytes, statistics, close } = exchange
    const { status, reason, headers, repairs } = exchange.response
    const response = { version: exchange.protocol, status, reason, headers, repairs, body: undefined }
    const check = this.#reception.checks.begin(exchange, this.#reception)
    try {
      // A head without a body has nothing to abandon.
      const answer = { informational, receivedHeads, remote, excessBytes, statistics, close: () => undefined }
      await emit({ type: 'response', request, response, answer })
      const talking = this.#talk(prepared.webSocketMessages).finally(() => this.#queue?.end())
      const [talked, handled] = await Promise.allSettled([talking, this.#handle(exchange, response)])
      if (talked.status === 'rejected') throw talked.reason
      if (handled.status === 'rejected') throw handled.reason
      await this.#socket.close()
      close()
      const done = { statistics: await statistics, repairs, trailers: HeaderList.EMPTY, excessBytes: 0 }
      await emit({ type: 'response-done', request, ...done })
      if (handled.value !== 'aborted') await check?.(response, this.#transcript)
      return handled.value
    } finally {
      await this.#socket.close()
      close()
    }
  }

  async #handle(exchange: Exchange, response: RunResponse): Promise<ScriptVerdict> {
    const queue = this.#queue
    if (queue === undefined) return 'done'
    const { request, prepared, scripts } = this.#reception
    this.#isHandling = true
    try {
      return await scripts.runHandlers(request, prepared, exchange, {
        response,
        content: undefined,
        stream: {
          kind: 'messages',
          next: () => queue.next(),
          send: (text) => this.#sendFromScript(text),
          close: () => queue.close(),
        },
      })
    } finally {
      this.#isHandling = false
      queue.release()
    }
  }

  async #talk(messages: readonly WebSocketMessage[]): Promise<void> {
    for (const { waitsForServer, data } of messages) {
      const wanted = this.#receivedCount + waitsForServer
      while (this.#receivedCount < wanted && !this.#isEnding) {
        const received = await this.#receive(this.#answerMs)
        if (received === 'silence') throw this.#silence()
        if (received === 'closed' && !this.#hasLeft) throw this.#closed(', but the request waits for a message')
      }
      if (this.#isEnding) return
      if (data !== undefined) await this.#sendInTurn(data)
    }
    let silentMs = 0
    while (!this.#isEnding && silentMs < this.#patienceMs()) {
      // In slices, because a handler that starts or ends changes the limit.
      const sliceMs = Math.min(QUIET_MS, this.#patienceMs() - silentMs)
      silentMs = (await this.#receive(sliceMs)) === 'arrival' ? 0 : silentMs + sliceMs
    }
    if (this.#hasLeft || !this.#socket.isWithinMessage) return
    throw this.#closure === undefined ? this.#silence() : this.#closed(' within a message')
  }

  /** How long the server may be silent before the exchange ends. */
  #patienceMs(): number {
    const isExpecting = this.#isHandling || this.#queue?.isUsed === true || this.#socket.isWithinMessage
    if (!isExpecting && this.#reception.prepared.timeouts.firstByteMs === undefined) return QUIET_MS
    return this.#answerMs === 0 ? Number.POSITIVE_INFINITY : this.#answerMs
  }

  async #receive(limitMs: number): Promise<'arrival' | 'closed' | 'silence'> {
    const event = await this.#socket.next(limitMs).catch((error: unknown) => {
      if (this.#hasLeft) return undefined
      throw error
    })
    if (event === undefined) return 'closed'
    if (event.type === 'silence') return event.type
    if (event.type === 'part') return 'arrival'
    if (event.type === 'closed') {
      if (this.#hasLeft) return event.type
      this.#isEnding = true
      this.#closure = event.closure
      if (normalCodes.has(event.closure.code)) return event.type
      throw this.#closed()
    }
    this.#receivedCount++
    this.#transcript?.add(event.data)
    const { request, emit } = this.#reception
    await emit({ type: 'message', request, direction: 'received', data: event.data })
    await this.#queue?.give(typeof event.data === 'string' ? event.data : Buffer.from(event.data).toString('utf8'))
    return 'arrival'
  }

  /** @throws the reason why the message was not sent, after all earlier messages of the server have been reported. */
  async #sendInTurn(data: string | Uint8Array): Promise<void> {
    try {
      await this.#send(data)
    } catch (error) {
      while ((await this.#receive(QUIET_MS)) === 'arrival');
      throw error
    }
  }

  async #send(data: string | Uint8Array): Promise<void> {
    const { request, emit } = this.#reception
    await emit({ type: 'message', request, direction: 'sent', data })
    await this.#socket.send(data)
  }

  /** A script does not wait for its messages; errors are reported by the reader. */
  #sendFromScript(text: string): void {
    this.#send(text).catch(() => undefined)
  }

  /** A handler needs no more messages. */
  #leave(): void {
    this.#isEnding = true
    this.#hasLeft = true
    void this.#socket.close()
  }

  #closed(detail = ''): HttpcliError {
    const message = `the server closed the WebSocket${this.#closure && closureText(this.#closure)}${detail}`
    return new WireError('websocket-closed', message, { hint: 'Check the log of the server' })
  }

  #silence(): HttpcliError {
    const what = this.#socket.isWithinMessage ? 'nothing more of a message' : 'no message'
    const message = `the server sent ${what} within ${this.#answerMs / 1000} s`
    return new WireError('first-byte-timeout', message, { hint: 'Check the server, or allow more time' })
  }
}
