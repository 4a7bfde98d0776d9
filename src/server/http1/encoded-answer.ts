/**
 * An HTTP/1.1 answer as bytes, ready to be sent many times.
 *
 * Rules: sockets get the bytes without a copy, so the bytes may change only while no socket holds them. Only Date
 * changes: once a second it is overwritten, in a copy if a socket may still hold the bytes (`share`).
 */
import { dateLength } from './http-clock.ts'

export class EncodedAnswer {
  /** Bytes of the head, including its empty line. */
  readonly headBytes: number
  #octets: Buffer
  #body: Buffer
  #date: string
  readonly #dateStart: number
  #isShared = false

  /** `octets`: head and body, used without a copy. The head contains `date` once, as the value of Date. */
  constructor(octets: Buffer, headBytes: number, date: string) {
    this.#octets = octets
    this.#body = octets.subarray(headBytes)
    this.headBytes = headBytes
    this.#date = date
    const lineStart = octets.indexOf(`\r\nDate: ${date}\r\n`, 0, 'latin1')
    if (lineStart < 0 || lineStart >= headBytes) throw new Error('an encoded answer has no Date')
    this.#dateStart = lineStart + '\r\nDate: '.length
  }

  get body(): Buffer {
    return this.#body
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

  /** Marks the bytes as held: a socket has not passed all of them to the operating system yet. */
  share(): void {
    this.#isShared = true
  }

  #redate(date: string): void {
    if (this.#isShared) {
      this.#octets = Buffer.from(this.#octets)
      this.#body = this.#octets.subarray(this.headBytes)
      this.#isShared = false
    }
    this.#octets.write(date, this.#dateStart, dateLength, 'latin1')
    this.#date = date
  }
}
