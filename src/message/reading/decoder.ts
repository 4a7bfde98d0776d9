/**
 * The sans-I/O interface of the parser for servers and clients: bytes in, events out.
 *
 * Rules: the caller does the I/O and owns the socket; the decoder owns the pushed bytes. Nothing here blocks, waits or
 * allocates beyond what is pending. Events are pulled: events that are not pulled stay, and come first next time. RFC
 * 9112.
 */
import type { HttpEvent } from '../head/events.ts'
import { checkBytes, refuse, typeName } from '../syntax/checked-input.ts'
import { ParserOptions, type ParserOptionsInit } from '../syntax/options.ts'
import type { Role } from './head-reader.ts'
import { MessageReader } from './message-reader.ts'

/**
 * Reads the messages of one direction of one connection.
 *
 *   const decoder = new HttpDecoder('server')
 *   for await (const bytes of socket) {
 *     for (const event of decoder.push(bytes)) if (event.type === 'request') answer(event.head)
 *   }
 *   decoder.end().next() // throws if a message is truncated
 */
export class HttpDecoder {
  readonly #reader: MessageReader
  readonly #events: IterableIterator<HttpEvent>

  /**
   * @param role `server` reads requests (preset `server` unless options say otherwise), `client` reads responses
   * (preset `lenient`: a client has to read what servers send).
   * @throws HttpcliError `invalid-option`, as `ParserOptions.of` does.
   */
  constructor(role: Role, options?: ParserOptions | ParserOptionsInit) {
    if (role !== 'server' && role !== 'client') {
      const found = typeof role === 'string' ? `"${role}"` : typeName(role)
      refuse(`the role is ${found}, expected "server" or "client"`)
    }
    this.#reader = new MessageReader(role, options === undefined ? defaultOptions[role] : optionsFor(role, options))
    this.#events = new Events(this.#reader)
  }

  /**
   * Client role: passes the method of each request sent, in order, so that its response is framed correctly (HEAD,
   * CONNECT). Default GET. RFC 9112 section 6.3.
   */
  expect(method: string): void {
    this.#reader.expect(method)
  }

  /**
   * Takes bytes and returns the events available now; `next` returns them too. Heads and data are views of these bytes,
   * so do not change them afterwards. A caller that reuses its buffer must push copies.
   * @throws HttpParseError from the iterator, after the events that precede the error, and again at each later call.
   */
  push(bytes: Uint8Array): IterableIterator<HttpEvent> {
    this.#reader.push(checkBytes(bytes, 'the input'))
    return this.#events
  }

  /**
   * Records that the connection has ended.
   * @throws HttpParseError `INCOMPLETE` from the iterator if a message is truncated.
   */
  end(): IterableIterator<HttpEvent> {
    this.#reader.end()
    return this.#events
  }

  /**
   * The next event; undefined if more bytes are needed, or at the end. An alternative to iterating.
   * @throws HttpParseError as the iterator of `push` and `end` does.
   */
  next(): HttpEvent | undefined {
    return this.#reader.next()
  }

  /** Pushed bytes that do not belong to an event yet. */
  get leftover(): Uint8Array {
    return this.#reader.leftover
  }
}

const defaultOptions: Readonly<Record<Role, ParserOptions>> = {
  server: ParserOptions.SERVER,
  client: ParserOptions.LENIENT,
}

function optionsFor(role: Role, options: ParserOptions | ParserOptionsInit): ParserOptions {
  const hasPreset = options instanceof ParserOptions || options.preset !== undefined
  return ParserOptions.of(hasPreset ? options : { ...options, preset: defaultOptions[role].preset })
}

/** One iterator for all calls: only the reader knows which events there are. */
class Events implements IterableIterator<HttpEvent> {
  readonly #reader: MessageReader

  constructor(reader: MessageReader) {
    this.#reader = reader
  }

  next(): IteratorResult<HttpEvent> {
    const event = this.#reader.next()
    return event === undefined ? { done: true, value: undefined } : { done: false, value: event }
  }

  [Symbol.iterator](): this {
    return this
  }
}
