/**
 * Passes items from a server to a script: lines of a text stream, messages of a WebSocket.
 *
 * Rules: the producer waits while MAX_WAITING items are queued, so that a script that starts late misses none. If the
 * scripts end without taking an item, items are dropped: nothing waits and no memory is used. Lines end with LF, CRLF
 * or CR; empty lines, which only separate events or keep connections alive, are omitted.
 */
import { RunError } from '../base/errors.ts'
import { lenientDecoder } from '../request/charset.ts'
import type { BodyTap } from './body-tap.ts'

/** Enough for a burst; a line seldom has more than a few hundred bytes. */
const MAX_WAITING = 1000

/** The size limit of all queued lines or messages. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024

/** The size limit of one line: a stream without line endings must not fill the memory. */
const MAX_LINE_CHARACTERS = 1024 * 1024

export class StreamQueue {
  readonly #items: string[] = []
  readonly #onClose: () => void
  #characters = 0
  #isUsed = false
  #isAwaited = false
  #isEnded = false
  #isClosed = false
  #isIgnored = false
  #wakeConsumer: () => void = () => undefined
  #wakeProducer: () => void = () => undefined

  /** @param onClose called when the script needs no more items */
  constructor(onClose: () => void) {
    this.#onClose = onClose
  }

  /** Whether a script has taken an item, or is waiting for one. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** Whether a script waits for an item. */
  get isAwaited(): boolean {
    return this.#isAwaited && this.#items.length === 0
  }

  async give(item: string): Promise<void> {
    if (this.#isClosed || this.#isIgnored) return
    this.#items.push(item)
    this.#characters += item.length
    this.#wakeConsumer()
    while (this.#isFull && !this.#isClosed && !this.#isIgnored) {
      await new Promise<void>((resolve) => {
        this.#wakeProducer = resolve
      })
    }
  }

  get #isFull(): boolean {
    return this.#items.length >= MAX_WAITING || (this.#items.length > 1 && this.#characters > MAX_WAITING_CHARACTERS)
  }

  #shift(): string | undefined {
    const item = this.#items.shift()
    this.#characters -= item?.length ?? 0
    return item
  }

  /** Call this when no more items will come. */
  end(): void {
    this.#isEnded = true
    this.#wakeConsumer()
  }

  /** The next item; undefined at the end. */
  async next(): Promise<string | undefined> {
    this.#isUsed = true
    for (;;) {
      const item = this.#shift()
      this.#wakeProducer()
      if (item !== undefined || this.#isEnded || this.#isClosed) return item
      this.#isAwaited = true
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve
      })
      this.#isAwaited = false
    }
  }

  /**
   * Called when the scripts have ended. If a script has taken items, the stream is closed; otherwise the rest is
   * dropped.
   */
  release(): void {
    if (this.#isUsed) {
      this.close()
    } else {
      this.#isIgnored = true
      this.#clear()
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#clear()
    this.#onClose()
  }

  #clear(): void {
    this.#items.length = 0
    this.#characters = 0
    this.#wakeProducer()
    this.#wakeConsumer()
  }
}

/** Splits bytes into lines. Throws if a line is too long. */
export function lineTap(queue: StreamQueue, charset: string): BodyTap {
  const decoder = lenientDecoder(charset)
  // The incomplete line is not searched again, so a line in many small pieces takes time linear in its length.
  let line = ''
  let heldReturn = ''
  const take = async (piece: string, isLast: boolean): Promise<void> => {
    const text = heldReturn + piece
    // A CR at the end may be the first half of a CRLF.
    heldReturn = !isLast && text.endsWith('\r') ? '\r' : ''
    const [first = '', ...others] = text.slice(0, text.length - heldReturn.length).split(/\r\n|\n|\r/)
    line += first
    for (const next of isLast ? [...others, ''] : others) {
      if (line !== '') await queue.give(line)
      line = next
    }
    if (line.length > MAX_LINE_CHARACTERS) {
      const message = `a line of the response has more than ${MAX_LINE_CHARACTERS / 1024} KiB: scripts read a stream line by line`
      throw new RunError('line-too-long', message)
    }
  }
  const finish = async (): Promise<void> => {
    await take(decoder.decode(), true)
    queue.end()
  }
  return { write: (bytes) => take(decoder.decode(bytes, { stream: true }), false), end: finish, fail: finish }
}
