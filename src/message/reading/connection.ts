/**
 * A reader that is fed from a source on demand.
 *
 * Rules: bytes after a message belong to the next reader of the source: they are put back if the source allows it
 * (octet-source.ts). The connection stays with its source if they cannot be put back, and while a message is not fully
 * read, has failed or was the last one. The next read then continues with it and never takes content for a message.
 * Sources that take no bytes back are closed instead.
 */
import { type ByteSource, bodyUsed, iterateBytes } from '../body/message-body.ts'
import { isReturnable, OctetSource, type ReturnableSource } from '../body/octet-source.ts'
import type { BodyEvent, HttpEvent } from '../head/events.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import { HttpParseError } from '../syntax/errors.ts'
import type { ParserOptions } from '../syntax/options.ts'
import type { Role } from './head-reader.ts'
import { MessageReader } from './message-reader.ts'

type Head = RequestHead | ResponseHead

const unfinished: WeakMap<object, Connection> = new WeakMap()

export class Connection {
  readonly #source: ByteSource
  readonly #role: Role
  readonly #reader: MessageReader
  #isForOneMessage: boolean
  #pieces: AsyncIterator<Uint8Array> | undefined
  /** The head of the last message, until the end of that message has been read. */
  #head: Head | undefined
  #messageNumber = 0
  #tunnelled: Uint8Array | undefined

  private constructor(source: ByteSource, role: Role, options: ParserOptions) {
    this.#source = source
    this.#role = role
    this.#reader = new MessageReader(role, options)
    this.#isForOneMessage = false
    this.#pieces = undefined
    this.#head = undefined
    this.#tunnelled = undefined
  }

  /** A new connection, or the one that stayed with the source. */
  static of(source: ByteSource, role: Role, options: ParserOptions, isForOneMessage: boolean): Connection {
    const kept = unfinished.get(source)
    unfinished.delete(source)
    const connection = kept !== undefined && kept.#role === role ? kept : new Connection(source, role, options)
    connection.#isForOneMessage = isForOneMessage
    return connection
  }

  /** The method of the request that the next response answers. */
  expect(method: string): void {
    this.#reader.expect(method)
  }

  async readHead(): Promise<Head> {
    let head: Head | undefined
    try {
      head = await this.nextHead()
    } finally {
      if (head?.framing === undefined) await this.leave()
      else this.#keep()
    }
    if (head !== undefined) return head
    const position = { offset: 0, line: 1, column: 1 }
    throw new HttpParseError('INCOMPLETE', 'the source ended before a message began', position, '\n^')
  }

  /** The head of the next message; the unread rest of the last one is skipped. Undefined at the end. */
  async nextHead(): Promise<Head | undefined> {
    for (let event = await this.#next(); event !== undefined; event = await this.#next()) {
      if (event.type !== 'request' && event.type !== 'response') continue
      this.#head = event.head
      this.#messageNumber++
      return event.head
    }
    return undefined
  }

  /** The content of the message whose head was returned last. */
  body(): AsyncIterable<BodyEvent> {
    return this.#body(this.#messageNumber)
  }

  /** Stops reading for now. */
  async leave(): Promise<void> {
    if (!isReturnable(this.#source)) {
      await this.#pieces?.return?.()
      return
    }
    this.#isForOneMessage = true
    if (this.#head !== undefined && this.#head.framing === undefined) this.#endHead()
    if (this.#head !== undefined || this.#reader.hasFailed) {
      this.#keep()
      return
    }
    const pieces = this.#pieces
    this.#pieces = undefined
    await pieces?.return?.()
    this.#giveBack(this.#source)
  }

  #giveBack(source: ByteSource & ReturnableSource): void {
    const isLast = this.#reader.isAtEnd && this.#tunnelled === undefined
    const octets = this.#tunnelled ?? this.#reader.leftover
    if (isLast || (octets.length > 0 && !canTake(source))) {
      this.#keep()
      return
    }
    unfinished.delete(source)
    if (octets.length > 0) source.unshift(octets)
  }

  /** The end of a message without content arrives with its head. */
  #endHead(): void {
    this.#reader.next()
    this.#head = undefined
    const event = this.#reader.isTunnel ? this.#reader.next() : undefined
    if (event?.type === 'upgrade') this.#tunnelled = event.rest
  }

  #keep(): void {
    if (isReturnable(this.#source)) unfinished.set(this.#source, this)
  }

  async *#body(messageNumber: number): AsyncGenerator<BodyEvent> {
    // A request for the next message has skipped the rest of this one.
    if (messageNumber !== this.#messageNumber) throw bodyUsed()
    try {
      while (this.#head !== undefined && messageNumber === this.#messageNumber) {
        const event = await this.#next()
        if (event === undefined) return
        if (event.type === 'data' || event.type === 'end') yield event
      }
    } finally {
      if (this.#isForOneMessage && messageNumber === this.#messageNumber) await this.leave()
    }
  }

  async #next(): Promise<HttpEvent | undefined> {
    for (;;) {
      const event = this.#reader.next()
      if (event?.type === 'end') this.#head = undefined
      if (event?.type === 'upgrade') this.#tunnelled = event.rest
      if (event !== undefined) return event
      if (this.#reader.isAtEnd) return undefined
      this.#pieces ??= iterateBytes(this.#source)[Symbol.asyncIterator]()
      const piece = await this.#pieces.next()
      if (piece.done) this.#reader.end()
      else this.#reader.push(piece.value)
    }
  }
}

/** A Node.js stream takes no bytes back after its end. */
function canTake(source: ByteSource & ReturnableSource): boolean {
  if (source instanceof OctetSource) return true
  const { readableEnded, destroyed } = source as { readonly readableEnded?: boolean; readonly destroyed?: boolean }
  return readableEnded !== true && destroyed !== true
}
