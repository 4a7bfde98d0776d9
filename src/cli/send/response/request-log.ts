/**
 * The request as it goes out, for -l.
 *
 * Rules: exactly the octets of the wire, before the response, as fast as the output takes them; a terminal gets no
 * control characters. When a response comes before the request has gone out, the log ends there: the two must not mix.
 */
import type { Output } from '../../frame/command.ts'
import { BodyOutput } from './body-output.ts'
import { receivedOctets } from './response-text.ts'

export class RequestLog {
  readonly #output: Output
  #current: BodyOutput | undefined
  #isHead = true
  #isEnded = false
  #isCut = false

  constructor(output: Output) {
    this.#output = output
  }

  /** The next octets on their way to the server. The first ones of a request are its head. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded) {
      this.#isCut = true
      return
    }
    if (this.#isHead) {
      // The head is text, whatever the body is.
      this.#isHead = false
      await this.#output.write(receivedOctets(bytes, this.#output))
      return
    }
    this.#current ??= new BodyOutput(this.#output)
    await this.#current.write(bytes)
  }

  /** The response begins. */
  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    await this.#current?.end(true)
  }

  /** Another request follows, to where a redirect leads. */
  async next(): Promise<void> {
    await this.#current?.end(true)
    this.#current = undefined
    this.#isHead = true
  }

  /** Whether octets went out that are not in the log. */
  get isCut(): boolean {
    return this.#isCut
  }
}
