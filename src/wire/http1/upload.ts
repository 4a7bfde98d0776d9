/**
 * Writes a request to a socket, while its response may already be arriving.
 *
 * Rules: the source is pulled only when the socket is ready for more, so memory does not grow with the body; between
 * two pieces of a body the socket is read, because a write that meets a reset loses an answer that came with it. For
 * the same reason a chunk is written together with its size line and line end, if the socket can hold writes back. A
 * final answer stops the upload; with `Expect: 100-continue` the content waits for 100, at most CONTINUE_WAIT_MS (RFC
 * 9110 section 10.1.1). An error destroys the socket; the reader then reports it.
 */
import { HttpcliError } from '../../message/index.ts'
import { platformMessage, secondsText, WireError } from '../base/errors.ts'
import type { ExchangeSocket } from '../base/exchange-socket.ts'
import type { WireOptions } from '../base/options.ts'
import type { Stopwatch } from '../base/timing.ts'

/** As in curl; a server that does not support 100 must not delay an upload for longer. */
const CONTINUE_WAIT_MS = 1000
/** Larger pieces are split, so that an early answer and a stalled peer are noticed. */
const PART_OCTETS = 256 * 1024
/** Longer than the framing of a chunk, which is a piece by itself. */
const maximumUnpolledBytes = 1024

export interface UploadOptions {
  readonly place: string
  readonly idleMs: number
  readonly shouldWaitForContinue: boolean
  readonly onRequestBytes: WireOptions['onRequestBytes'] | undefined
}

/** Synchronous for a request without a body, so that no piece has to be awaited. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export class Upload {
  /** Resolves when the last byte was passed to the system, or the upload was stopped. Never rejects. */
  readonly finished: Promise<void>
  #isFinished = false
  #isStopped = false
  #failure: HttpcliError | undefined
  readonly #socket: ExchangeSocket
  readonly #stopwatch: Stopwatch
  readonly #options: UploadOptions
  #wake: (() => void) | undefined
  #isContinued = false
  #isCorked = false
  /** Bytes of the body written since the socket was last read. */
  #unpolledBytes = 0
  #reportedBytes = 0
  /** Pieces of the body that were passed to the socket, but not yet to the system. */
  #waitingPieces = 0
  readonly #onPieceAccepted = (): void => {
    this.#waitingPieces -= 1
    if (this.#waitingPieces === 0) this.#wake?.()
  }

  /** @param pieces the request; the first piece is exactly the head. */
  constructor(socket: ExchangeSocket, pieces: Pieces, stopwatch: Stopwatch, options: UploadOptions) {
    this.#socket = socket
    this.#stopwatch = stopwatch
    this.#options = options
    this.finished = this.#run(pieces).catch((cause: unknown) => this.#fail(cause))
  }

  /** The number of bytes reported, just before they were written. */
  get reportedBytes(): number {
    return this.#reportedBytes
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Whether it ended before everything was written. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Why it failed. The reader of the response reports it too, unless the response was complete before. */
  get failure(): HttpcliError | undefined {
    return this.#failure
  }

  /** Stops writing. No effect after the end. */
  stop(): void {
    if (!this.#isFinished) this.#isStopped = true
    this.#wake?.()
  }

  /** Call this when 100 (Continue) has arrived. */
  continue(): void {
    this.#isContinued = true
    this.#wake?.()
  }

  async #run(pieces: Pieces): Promise<void> {
    let isHead = true
    if (Symbol.iterator in pieces) {
      for (const piece of pieces) {
        await this.#send(piece, isHead)
        isHead = false
      }
    } else {
      for await (const piece of pieces) {
        await this.#send(piece, isHead)
        isHead = false
        if (this.#isStopped) return
      }
    }
    // A socket accepts short pieces even while earlier ones wait for the system; destroying it would lose them.
    while (this.#socket.writableLength > 0 && this.#waitingPieces > 0 && !this.#isStopped) await this.#drained()
    if (!this.#isStopped) this.#isFinished = true
  }

  #send(piece: Uint8Array, isHead: boolean): Promise<void> {
    const isWaitedFor = isHead && this.#options.shouldWaitForContinue
    const isWhole = piece.length > 0 && piece.length <= PART_OCTETS
    return isWhole && !isWaitedFor ? this.#write(piece, isHead) : this.#sendParts(piece, isHead)
  }

  async #sendParts(piece: Uint8Array, isHead: boolean): Promise<void> {
    for (let from = 0; from < piece.length && !this.#isStopped; from += PART_OCTETS) {
      await this.#write(piece.subarray(from, from + PART_OCTETS), isHead)
    }
    if (isHead && this.#options.shouldWaitForContinue && !this.#isContinued) await this.#wait(CONTINUE_WAIT_MS)
  }

  /**
   * Lets the platform read what has arrived. An immediate that is set while events are handled runs before the system
   * is asked for new events; the second immediate runs after that.
   */
  async #poll(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
    this.#unpolledBytes = 0
  }

  async #write(bytes: Uint8Array, isHead: boolean): Promise<void> {
    const { onRequestBytes } = this.#options
    if (this.#unpolledBytes >= maximumUnpolledBytes) await this.#poll()
    if (this.#isStopped) return
    if (!isHead) this.#unpolledBytes += bytes.length
    this.#reportedBytes += bytes.length
    const reported = onRequestBytes?.(bytes)
    if (reported !== undefined) await reported
    if (this.#socket.destroyed) this.stop()
    if (this.#isStopped) return
    this.#stopwatch.sent(bytes.length)
    if (!isHead) {
      this.#waitingPieces += 1
      this.#cork()
    }
    if (!this.#socket.write(bytes, isHead ? undefined : this.#onPieceAccepted)) await this.#drained('drain')
  }

  /** Joins all pieces that are written in this turn of the event loop. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork?.()
    setImmediate(() => {
      this.#isCorked = false
      this.#socket.uncork?.()
    })
  }

  /** Waits for the event, or until the system has accepted every piece. */
  async #drained(event?: 'drain'): Promise<void> {
    const { idleMs, place } = this.#options
    if ((await this.#wait(idleMs, event)) || this.#isStopped) return
    throw new WireError('idle-timeout', `${place} accepted no data of the request for ${secondsText(idleMs)}`, {
      hint: 'Check the server, or allow more time',
    })
  }

  /** True when woken or when the socket emits the event; false after the limit (0: none). */
  #wait(limitMs: number, event?: 'drain'): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isReady: boolean): void => {
        clearTimeout(timer)
        this.#wake = undefined
        this.#socket.off('close', close)
        if (event !== undefined) this.#socket.off(event, wake)
        resolve(isReady)
      }
      const wake = (): void => settle(true)
      const close = (): void => this.stop()
      const timer = limitMs > 0 ? setTimeout(() => settle(false), limitMs) : undefined
      this.#wake = wake
      this.#socket.once('close', close)
      if (event !== undefined) this.#socket.once(event, wake)
    })
  }

  #fail(cause: unknown): void {
    if (this.#isStopped) return
    this.#isStopped = true
    const message = `reading the body of the request failed (${platformMessage(cause)})`
    this.#failure = cause instanceof HttpcliError ? cause : new WireError('request-body-failed', message, { cause })
    if (!this.#socket.destroyed) this.#socket.destroy(this.#failure)
  }
}
