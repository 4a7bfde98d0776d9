/**
 * Prints the request as it is sent, for -l.
 *
 * Rules: prints exactly the bytes sent, before the response, as fast as the output accepts them; a terminal gets no
 * control characters. If a response arrives before the request has been sent completely, the log ends there, so that
 * the two do not mix.
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

  /** The next bytes sent to the server. The first ones of a request are its head. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isEnded) {
      this.#isCut = true
      return
    }
    if (this.#isHead) {
      // The head is text, even if the body is binary.
      this.#isHead = false
      await this.#output.write(receivedOctets(bytes, this.#output))
      return
    }
    this.#current ??= new BodyOutput(this.#output)
    await this.#current.write(bytes)
  }

  /** Called when the response begins. */
  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    await this.#current?.end(true)
  }

  /** Called when another request follows a redirect. */
  async next(): Promise<void> {
    await this.#current?.end(true)
    this.#current = undefined
    this.#isHead = true
  }

  /** Whether the log lacks bytes that were sent. */
  get isCut(): boolean {
    return this.#isCut
  }
}
