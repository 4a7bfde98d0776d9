/** The messages of a server, one per line, as the content of a response: for captures and assertions. */
import type { ReadBody } from '../assertions/request-assertions.ts'
import { MAX_KEPT_BYTES } from './response-receiver.ts'

export class MessageTranscript implements ReadBody {
  readonly #messages: Uint8Array[] = []
  #bytes = 0

  add(message: string | Uint8Array): void {
    const octets = typeof message === 'string' ? Buffer.from(message, 'utf8') : message
    this.#bytes += octets.length
    if (this.#bytes <= MAX_KEPT_BYTES) this.#messages.push(octets)
  }

  get receivedBytes(): number {
    return this.#bytes
  }

  async content(): Promise<Uint8Array | undefined> {
    if (this.#bytes > MAX_KEPT_BYTES) return undefined
    const lineEnd = Buffer.from('\n')
    return Buffer.concat(this.#messages.flatMap((octets, index) => (index === 0 ? [octets] : [lineEnd, octets])))
  }
}
