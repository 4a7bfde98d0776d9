/**
 * The sans-I/O face of the parser for servers and clients: octets in, events out.
 *
 * Rules: the caller does the I/O and owns the socket; nothing here blocks, waits or allocates beyond what is pending.
 * Events are pulled: what is not pulled stays and comes first next time.
 */

import type { Role } from './content-layer.ts'
import type { HttpEvent } from './events.ts'
import { MessageReader } from './message-reader.ts'
import { ParserOptions, type ParserOptionsInit } from './options.ts'

export class HttpDecoder {
  readonly #reader: MessageReader

  /**
   * @param role `server` reads requests (preset `server` unless options say otherwise), `client` reads responses
   * (preset `lenient`: a client has to read what servers send).
   */
  constructor(role: Role, options: ParserOptions | ParserOptionsInit = {}) {
    const hasPreset = options instanceof ParserOptions || options.preset !== undefined
    const preset = role === 'server' ? 'server' : 'lenient'
    this.#reader = new MessageReader(role, ParserOptions.of(hasPreset ? options : { ...options, preset }))
  }

  /** Client role: tells the method of a request that was sent, so that its response is framed rightly (HEAD, CONNECT). */
  expect(method: string): void {
    this.#reader.expect(method)
  }

  /**
   * Takes octets and gives the events that can be told now. The octets must not be changed afterwards: data events are
   * views of them.
   * @throws HttpParseError from the iterator, at the place among the events where the octets go wrong, and again at
   * each later call.
   */
  push(bytes: Uint8Array): IterableIterator<HttpEvent> {
    this.#reader.push(bytes)
    return this.#events()
  }

  /**
   * The connection has ended.
   * @throws HttpParseError `INCOMPLETE` from the iterator when a message is cut.
   */
  end(): IterableIterator<HttpEvent> {
    this.#reader.end()
    return this.#events()
  }

  /** Octets that were pushed and belong to no event so far. */
  get leftover(): Uint8Array {
    return this.#reader.leftover
  }

  #events(): IterableIterator<HttpEvent> {
    const reader = this.#reader
    return {
      next(): IteratorResult<HttpEvent> {
        const event = reader.next()
        return event === undefined ? { done: true, value: undefined } : { done: false, value: event }
      },
      [Symbol.iterator](): IterableIterator<HttpEvent> {
        return this
      },
    }
  }
}
