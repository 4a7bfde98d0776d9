/**
 * Reads content with a length, and content that ends with its connection (RFC 9112 sections 6.2 and 6.3).
 *
 * State: each reader counts the bytes of the content that it reads.
 *
 * Rules: data is returned as views, as it arrives; how the bytes were split never changes what is reported or refused.
 * chunked-reader.ts reads chunked content.
 */
import { type BodyEvent, DataEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import { HeaderList } from '../head/headers.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import type { Reporter } from './reporter.ts'

/** Reads the content of one message after another. */
export interface ContentReader {
  /** Content with this framing begins at the next byte. */
  begin(framing: Framing | undefined): void
  /** The next event; `end` is the last one. Undefined if more bytes are needed. */
  read(): BodyEvent | undefined
}

/** The end of content that is not chunked is always the same event. */
const PLAIN_END: BodyEvent = Object.freeze({ type: 'end', trailers: HeaderList.EMPTY })

/** Used for a message without content. */
export const NO_CONTENT: ContentReader = { begin: () => undefined, read: () => PLAIN_END }

/** At most `maxBytes` of the unread bytes, as data that does not start a chunk. */
function takeData(buffer: ReceiveBuffer, maxBytes: number): DataEvent {
  const { start, end } = buffer
  buffer.start = Math.min(end, start + maxBytes)
  return new DataEvent(buffer.bytes, start, buffer.start - start, 0, '')
}

/** Reads exactly the number of bytes in Content-Length. */
export class LengthReader implements ContentReader {
  readonly #buffer: ReceiveBuffer
  readonly #reporter: Reporter
  #length = 0
  #left = 0

  constructor(buffer: ReceiveBuffer, reporter: Reporter) {
    this.#buffer = buffer
    this.#reporter = reporter
  }

  begin(framing: Framing | undefined): void {
    this.#length = framing?.type === 'length' ? framing.length : 0
    this.#left = this.#length
  }

  read(): BodyEvent | undefined {
    if (this.#left === 0) return PLAIN_END
    const { length, isEnded } = this.#buffer
    if (length > 0) {
      const data = takeData(this.#buffer, this.#left)
      this.#left -= length - this.#buffer.length
      return data
    }
    if (!isEnded) return undefined
    const message = `the content ends after ${this.#length - this.#left} of ${this.#length} bytes`
    return this.#reporter.failAhead('INCOMPLETE', 0, message)
  }
}

/** Reads all bytes until the connection ends. */
export class UntilCloseReader implements ContentReader {
  readonly #buffer: ReceiveBuffer
  readonly #reporter: Reporter
  #room = 0

  constructor(buffer: ReceiveBuffer, reporter: Reporter) {
    this.#buffer = buffer
    this.#reporter = reporter
  }

  begin(): void {
    this.#room = this.#reporter.options.limits.body
  }

  read(): BodyEvent | undefined {
    const { length, isEnded } = this.#buffer
    if (length === 0) return isEnded ? PLAIN_END : undefined
    if (this.#room === 0) this.#reporter.failContentLimit()
    const data = takeData(this.#buffer, this.#room)
    this.#room -= length - this.#buffer.length
    return data
  }
}
