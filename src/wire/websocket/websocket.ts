/**
 * An open WebSocket on the client's side (RFC 6455).
 *
 * Rules: the library handles frames. Messages are pulled; the server is held back while MAX_WAITING messages are
 * queued. Pings are answered; while MAX_PENDING_PONGS answers wait to be sent, only the last one (RFC 6455 section
 * 5.5.3). A close frame is answered, and the answer to a close frame sent here is awaited for CLOSE_WAIT_MS.
 */
import type { Socket } from 'node:net'
import { HttpcliError } from '../../message/index.ts'
import { platformMessage, WireError } from '../base/errors.ts'
import type { Connection, HandedOnConnection } from '../connection/connection.ts'
import type { Conversation } from '../http1/conversation.ts'
import { ABNORMAL_CLOSURE, closureText, NO_STATUS, type WebSocketClosure } from './closure.ts'
import { closeCodeOf, type FrameReceiver, type FrameSender, Receiver, Sender } from './frames.ts'

/** The maximum number of unread messages. */
const MAX_WAITING = 100
/** The maximum number of answers to pings that wait for a server that does not read. */
const MAX_PENDING_PONGS = 1000
/** Larger messages are refused: a message has to fit in memory. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** How long the server may take to answer a close frame. */
const CLOSE_WAIT_MS = 2000

/** The result of `next`. */
export type WebSocketEvent =
  | { readonly type: 'message'; readonly data: string | Uint8Array }
  /** Another part of an incomplete message. */
  | { readonly type: 'part' }
  | { readonly type: 'closed'; readonly closure: WebSocketClosure }
  | { readonly type: 'silence' }

export class WebSocketConnection {
  readonly #conversation: Conversation
  readonly #socket: Socket
  readonly #place: string
  readonly #sender: FrameSender
  readonly #receiver: FrameReceiver
  readonly #events: WebSocketEvent[] = []
  #closure: WebSocketClosure | undefined
  #failure: HttpcliError | undefined
  #isClosing = false
  #hasNewPart = false
  #pendingPongs = 0
  /** The latest ping, if it must wait for its answer. */
  #lastPing: Uint8Array | undefined
  #wakeConsumer: () => void = () => undefined
  #wakeReader: () => void = () => undefined
  #onEnd: () => void = () => undefined

  /** @internal */
  constructor(
    conversation: Conversation,
    connection: HandedOnConnection,
    rest: Uint8Array,
    randomBytes: (count: number) => Uint8Array,
  ) {
    this.#conversation = conversation
    this.#socket = connection.socket
    this.#place = connection.place
    this.#sender = new Sender(connection.socket, {}, (mask) => mask.set(randomBytes(mask.length)))
    this.#receiver = new Receiver({ isServer: false, maxPayload: MAX_MESSAGE_BYTES })
    this.#listen()
    void this.#read(connection, rest)
  }

  /** Whether the server has begun a message that is not complete. */
  get isWithinMessage(): boolean {
    const { _fragmented, _bufferedBytes, _state } = this.#receiver
    return _fragmented !== 0 || (this.#closure === undefined && (_bufferedBytes > 0 || _state !== 0))
  }

  /** @throws WireError if the connection has ended. */
  async send(data: string | Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#closure !== undefined || this.#isClosing) throw this.#ended()
    const isBinary = typeof data !== 'string'
    await new Promise<void>((resolve, reject) => {
      const options = { fin: true, mask: true, binary: isBinary, compress: false }
      this.#sender.send(data, options, (error?: Error | null) => {
        if (error) reject(this.#failure ?? this.#ended(error))
        else resolve()
      })
    })
  }

  /**
   * The next message or a part of it, the end of the connection, or a timeout.
   * @param limitMs 0 means no limit
   * @throws WireError if the connection fails or the server breaks the protocol.
   */
  async next(limitMs: number): Promise<WebSocketEvent> {
    const event = this.#take()
    if (event !== undefined) return event
    await new Promise<void>((resolve) => {
      const timer = limitMs > 0 ? setTimeout(resolve, limitMs) : undefined
      this.#wakeConsumer = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    return this.#take() ?? { type: 'silence' }
  }

  /** Ends the connection with a close frame. Never throws. */
  async close(code: number = 1000): Promise<void> {
    if (this.#closure === undefined && this.#failure === undefined && !this.#isClosing) {
      this.#isClosing = true
      this.#wakeReader()
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_WAIT_MS)
        this.#onEnd = () => {
          clearTimeout(timer)
          resolve()
        }
        this.#sender.close(code, '', true)
      })
    }
    this.#conversation.close()
  }

  #take(): WebSocketEvent | undefined {
    const event = this.#events.shift()
    this.#wakeReader()
    if (event !== undefined) return event
    const hasNewPart = this.#hasNewPart
    this.#hasNewPart = false
    if (this.#failure !== undefined) throw this.#failure
    if (this.#closure !== undefined) return { type: 'closed', closure: this.#closure }
    return hasNewPart ? { type: 'part' } : undefined
  }

  #receive(bytes: Uint8Array): void {
    const before = this.#partBytes
    this.#receiver.write(bytes)
    if (!this.isWithinMessage || this.#partBytes === before) return
    this.#hasNewPart = true
    this.#wakeConsumer()
  }

  /** What has arrived of an incomplete message. A ping within it adds nothing. */
  get #partBytes(): number {
    return this.#receiver._messageLength + this.#receiver._bufferedBytes
  }

  #listen(): void {
    this.#receiver.on('message', (data: Buffer, isBinary: boolean) => {
      this.#events.push({ type: 'message', data: isBinary ? data : data.toString('utf8') })
      this.#wakeConsumer()
    })
    this.#receiver.on('ping', (data: Buffer) => this.#answerPing(data))
    this.#receiver.on('conclude', (code: number, reason: Buffer) => {
      if (!this.#isClosing && !this.#socket.destroyed)
        this.#sender.close(code === NO_STATUS ? undefined : code, '', true)
      this.#end({ code, reason: reason.toString('utf8') })
    })
    this.#receiver.on('error', (cause: Error) => {
      // RFC 6455 section 7.1.7.
      if (!this.#isClosing && !this.#socket.destroyed) this.#sender.close(closeCodeOf(cause), '', true)
      const message = `${this.#place} breaks the WebSocket protocol (${platformMessage(cause)})`
      this.#fail(new WireError('invalid-response', message, { hint: 'Check the server', cause }))
    })
  }

  #answerPing(data: Uint8Array): void {
    if (this.#pendingPongs === MAX_PENDING_PONGS) {
      this.#lastPing = data
      return
    }
    this.#pendingPongs++
    this.#sender.pong(data, true, () => {
      this.#pendingPongs--
      const last = this.#lastPing
      this.#lastPing = undefined
      if (last !== undefined && !this.#isClosing && this.#closure === undefined) this.#answerPing(last)
    })
  }

  async #read({ reader }: Connection, rest: Uint8Array): Promise<void> {
    try {
      if (rest.length > 0) this.#receive(rest)
      for (;;) {
        while (this.#events.length >= MAX_WAITING && !this.#isClosing) {
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve
          })
        }
        const bytes = await reader.read()
        if (bytes === undefined) break
        if (this.#failure !== undefined) return
        this.#receive(bytes)
      }
      this.#end({ code: ABNORMAL_CLOSURE, reason: '' })
    } catch (cause) {
      const message = `the connection to ${this.#place} failed (${platformMessage(cause)})`
      this.#fail(cause instanceof HttpcliError ? cause : new WireError('connection-reset', message, { cause }))
    }
  }

  #end(closure: WebSocketClosure): void {
    this.#closure ??= closure
    this.#onEnd()
    this.#wakeConsumer()
  }

  #fail(error: HttpcliError): void {
    this.#failure ??= error
    this.#socket.destroySoon()
    this.#onEnd()
    this.#wakeConsumer()
  }

  #ended(cause?: Error): WireError {
    const how = this.#closure === undefined ? '' : closureText(this.#closure)
    const message = `${this.#place} has closed the WebSocket${how}, so a message could not be sent`
    return new WireError('websocket-closed', message, cause === undefined ? {} : { cause })
  }
}
