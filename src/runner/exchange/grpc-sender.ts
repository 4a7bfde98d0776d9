/**
 * Sends the messages of a gRPC call.
 *
 * Rules: all messages are encoded before the first is sent, so that an invalid one sends nothing. `=== wait-for-server`
 * waits for a message that arrives after the previous one was sent. A method that takes one message gets exactly one; a
 * request without a body is a message without fields. While handlers listen to a bidirectional stream, it stays open
 * for their messages until the server has been silent for QUIET_MS and they have handled all that it sent.
 */
import { WireError } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import { frame } from '../grpc/frames.ts'
import type { GrpcMethod } from '../grpc/method.ts'
import type { GrpcRequest } from '../request/grpc-request.ts'

/** A server that answers each message does so long before this. */
const QUIET_MS = 1000

export interface GrpcSenderOptions {
  readonly coding: 'gzip' | undefined
  /** The time limit of `=== wait-for-server`; 0: none. */
  readonly limitMs: number
  /** Whether handlers may send messages. */
  readonly keepsOpen: boolean
  /** Called before a message of a stream is sent. */
  readonly onMessage: (json: string) => void | Promise<void>
}

interface Outgoing {
  readonly waitsForServer: number
  readonly json: string
  readonly bytes: Uint8Array | undefined
}

export class GrpcSender {
  /** The JSON of the message, for a method that takes one. */
  readonly onlyMessage: string | undefined
  readonly #method: GrpcMethod
  readonly #options: GrpcSenderOptions
  readonly #messages: readonly Outgoing[]
  readonly #fromScripts: string[] = []
  #receivedCount = 0
  /** The number of messages from the server that must arrive before everything can be sent, as far as known. */
  #wantedCount: number
  #isEnded = false
  #isClosed = false
  #isHandling: () => boolean = () => false
  #wake: () => void = () => undefined

  /** @throws HttpcliError `invalid-request` with the place */
  constructor(call: GrpcRequest, method: GrpcMethod, options: GrpcSenderOptions) {
    this.#method = method
    this.#options = options
    checkCount(call, method)
    const messages = call.messages.map(({ waitsForServer, json, placed }): Outgoing => {
      try {
        return { waitsForServer, json: json ?? '', bytes: json === undefined ? undefined : method.encoded(json) }
      } catch (error) {
        throw placed(error)
      }
    })
    const hasBody = method.sendsStream || messages.length > 0
    this.#messages = hasBody ? messages : [{ waitsForServer: 0, json: '', bytes: method.encoded('') }]
    this.#wantedCount = this.#messages.reduce((sum, { waitsForServer }) => sum + waitsForServer, 0)
    this.onlyMessage = method.sendsStream ? undefined : this.#messages[0]?.json
  }

  /** Yields each frame when it is due. @throws WireError if the server does not send an awaited message */
  async *frames(): AsyncGenerator<Uint8Array> {
    for (const { waitsForServer, json, bytes } of this.#messages) {
      await this.#awaitServer(waitsForServer)
      if (this.#isEnded) return
      if (bytes !== undefined) yield await this.#framed(json, bytes)
    }
    if (!this.#method.sendsStream || !this.#options.keepsOpen) return
    while (!this.#isEnded) {
      const json = this.#fromScripts.shift()
      if (json !== undefined) yield await this.#framed(json, this.#method.encoded(json))
      else if ((await this.#change(QUIET_MS)) === 'silence' && !this.#isHandling()) {
        this.#isClosed = true
        return
      }
    }
  }

  /** @param isHandling whether handlers have not yet handled all messages of the server */
  waitFor(isHandling: () => boolean): void {
    this.#isHandling = isHandling
  }

  /** Whether `=== wait-for-server` waits for a message that has not arrived. */
  get isAwaiting(): boolean {
    return this.#receivedCount < this.#wantedCount
  }

  /** Records that a message of the server has arrived. */
  received(): void {
    this.#receivedCount++
    this.#wake()
  }

  /** Queues a message from a handler. @throws HttpcliError `invalid-request` */
  sendFromScript(json: string): void {
    if (!this.#method.sendsStream) throw new RunError('invalid-request', 'the method takes one message')
    this.#method.encoded(json)
    if (this.#isClosed) {
      throw new RunError(
        'invalid-request',
        `the message comes too late: the server was silent for ${QUIET_MS / 1000} s`,
        {
          hint: 'In the function of onEachMessage, await everything that sends a message.',
        },
      )
    }
    this.#fromScripts.push(json)
    this.#wake()
  }

  /** Call this when the server has ended the call, or nothing more will be sent. */
  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  async #framed(json: string, bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#method.sendsStream) await this.#options.onMessage(json)
    return frame(bytes, this.#options.coding)
  }

  async #awaitServer(count: number): Promise<void> {
    const wanted = this.#receivedCount + count
    this.#wantedCount = Math.max(this.#wantedCount, wanted)
    while (this.#receivedCount < wanted && !this.#isEnded) {
      if ((await this.#change(this.#options.limitMs)) === 'silence') {
        const message = `the server sent no message within ${this.#options.limitMs / 1000} s`
        throw new WireError('first-byte-timeout', message, { hint: 'Check the server, or allow more time' })
      }
    }
  }

  /** Waits for a message of the server or of a handler, or the end. */
  #change(limitMs: number): Promise<'change' | 'silence'> {
    return new Promise((resolve) => {
      const timer = limitMs > 0 ? setTimeout(() => resolve('silence'), limitMs) : undefined
      this.#wake = () => {
        clearTimeout(timer)
        resolve('change')
      }
    })
  }
}

function checkCount({ messages, placed, name }: GrpcRequest, { sendsStream, receivesStream }: GrpcMethod): void {
  const waits = messages.find(({ waitsForServer }) => waitsForServer > 0)
  if (!sendsStream && (messages.length > 1 || waits !== undefined)) {
    const message = `the method ${name.method} takes one message, found ${messages.length}`
    throw placed(new RunError('invalid-request', message, { hint: 'Write one message, without "===".' }))
  }
  if (waits === undefined || receivesStream) return
  const message = `the method ${name.method} answers after all messages have been sent: "=== wait-for-server" would wait forever`
  throw placed(new RunError('invalid-request', message, { hint: 'Write "===" between the messages.' }))
}
