/**
 * An HTTP/1.1 answer as octets, ready to be sent again and again.
 *
 * Rules: the octets are given to sockets without a copy, so they may change only while no socket holds them. The one
 * thing that changes is Date: once a second it is written over the old one, into a copy where a socket may still hold
 * the octets (`share`).
 */
import { dateLength } from './http-clock.ts'

export class EncodedAnswer {
  /** Octets of the head, its empty line included. */
  readonly headBytes: number
  #octets: Buffer
  #date: string
  readonly #dateStart: number
  #isShared = false

  /** `octets`: head and body; the head holds `date` once, as the value of Date. They are used as they are. */
  constructor(octets: Buffer, headBytes: number, date: string) {
    this.#octets = octets
    this.headBytes = headBytes
    this.#date = date
    const lineStart = octets.indexOf(`\r\nDate: ${date}\r\n`, 0, 'latin1')
    if (lineStart < 0 || lineStart >= headBytes) throw new Error('a rendition has no Date')
    this.#dateStart = lineStart + '\r\nDate: '.length
  }

  get body(): Buffer {
    return this.#octets.subarray(this.headBytes)
  }

  get bodyBytes(): number {
    return this.#octets.length - this.headBytes
  }

  /** Head and body with this Date. */
  whole(date: string): Buffer {
    if (date !== this.#date) this.#redate(date)
    return this.#octets
  }

  /** The head alone, as for HEAD. */
  head(date: string): Buffer {
    return this.whole(date).subarray(0, this.headBytes)
  }

  /** A socket has not given all octets to the operating system yet. */
  share(): void {
    this.#isShared = true
  }

  #redate(date: string): void {
    if (this.#isShared) this.#octets = Buffer.from(this.#octets)
    this.#isShared = false
    this.#octets.write(date, this.#dateStart, dateLength, 'latin1')
    this.#date = date
  }
}
