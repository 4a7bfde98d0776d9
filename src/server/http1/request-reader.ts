/**
 * The requests of one connection: octets in, requests out, through the message library's decoder.
 *
 * Rules: the next request is looked for only when it is asked for, so pipelined requests wait. A head that was read
 * before, octet by octet the same, is not read again (head-cache.ts); only heads without content are remembered, and only
 * such that the decoder made of exactly these octets. A body is read to be thrown away, up to a limit. Nothing here
 * waits: where octets are missing, undefined says so. RFC 9112 sections 9.3 to 9.5.
 */
import { HttpDecoder, type HttpEvent, type ParserOptions, type RequestHead } from '../../message/index.ts'
import type { ServerRequest } from '../semantics/hooks.ts'
import type { Plan } from '../semantics/plan.ts'
import { type HeadCache, type KnownRequest, longestKnownHead } from './head-cache.ts'

/** Of a request that could not be read, this much of its first line is kept for the log. */
const keptLineOctets = 2_048

const noOctets: Buffer = Buffer.alloc(0)
const noEvents: Iterator<HttpEvent> = [][Symbol.iterator]()
const headEnd = Buffer.from('\r\n\r\n')

/** What all readers of a server share. */
export interface ReaderSettings {
  readonly memo: HeadCache
  readonly options: ParserOptions
  readonly discardedBodyBytes: number
  plan(request: ServerRequest): Plan
}

export class RequestReader {
  readonly #settings: ReaderSettings
  /** Made for the first head that is not known. */
  #decoder: HttpDecoder | undefined
  #events: Iterator<HttpEvent> = noEvents
  /** Arrived, and not looked at. */
  #rest: Buffer = noOctets
  /** Whether the decoder holds a part of a message. */
  #isDecoding = false
  /** The running request, where it has content. */
  #withContent: RequestHead | undefined
  #contentBytes = 0
  /** The octets of a head that is being read, as far as they are kept. */
  #headPieces: Buffer[] = []
  #headBytes = 0

  constructor(settings: ReaderSettings) {
    this.#settings = settings
  }

  /** Whether no request has begun. */
  get isIdle(): boolean {
    return this.#rest.length === 0 && !this.#isDecoding
  }

  get hasOctets(): boolean {
    return this.#rest.length > 0 || (this.#isDecoding && this.#decoder!.leftover.length > 0)
  }

  /** Octets that wait. */
  get waitingBytes(): number {
    return this.#rest.length
  }

  push(octets: Buffer): void {
    this.#rest = this.#rest.length === 0 ? octets : Buffer.concat([this.#rest, octets])
  }

  /** The next request; undefined where octets are missing. Throws HttpParseError. */
  next(): KnownRequest | undefined {
    if (this.#isDecoding) return this.#decode(undefined)
    const { length } = this.#rest
    if (length === 0) return undefined
    // Most often there is one head, and nothing behind it.
    if (length <= longestKnownHead && this.#rest[length - 1] === 10 && this.#rest[length - 3] === 10) {
      const known = this.#settings.memo.get(this.#rest.toString('latin1'))
      if (known !== undefined) {
        this.#rest = noOctets
        return known
      }
    }
    const end = this.#rest.indexOf(headEnd) + headEnd.length
    if (end < headEnd.length || end > longestKnownHead) return this.#decode(undefined)
    const octets = this.#rest.toString('latin1', 0, end)
    const known = this.#settings.memo.get(octets)
    if (known === undefined) return this.#decode(octets)
    this.#rest = this.#rest.subarray(end)
    return known
  }

  /** Whether the request that `next` gave last has content that is not read yet. */
  get hasContent(): boolean {
    return this.#withContent !== undefined
  }

  /**
   * Reads the content of the running request and throws it away. False where that is not worth it and the connection is
   * to be closed: it is larger than the limit, or the client waits for 100 (Continue) before it sends it. Undefined where
   * octets are missing. Throws HttpParseError.
   */
  discardContent(): boolean | undefined {
    const { framing, expectContinue } = this.#withContent!
    const { discardedBodyBytes } = this.#settings
    if (framing?.type === 'length' && framing.length > discardedBodyBytes) return false
    while (this.#contentBytes <= discardedBodyBytes) {
      const event = this.#pull()
      if (event?.type === 'data') this.#contentBytes += event.bytes.length
      else if (event?.type === 'end') {
        this.#endMessage()
        return true
      } else if (!this.#feed()) {
        return expectContinue && this.#contentBytes === 0 ? false : undefined
      }
    }
    return false
  }

  /** Gives up what waits, content of the running request included: something else reads on from here. */
  detach(): Uint8Array {
    const octets = Buffer.concat([this.#decoder?.leftover ?? noOctets, this.#rest])
    this.#decoder = undefined
    this.#events = noEvents
    this.#rest = noOctets
    this.#isDecoding = false
    this.#withContent = undefined
    this.#headPieces = []
    this.#headBytes = 0
    return octets
  }

  /** No more octets will come. Throws HttpParseError where a message is cut. */
  end(): void {
    if (this.isIdle) return
    this.#isDecoding = true
    this.#feed()
    this.#events = this.#decoder!.end()
    while (this.#pull() !== undefined);
  }

  /** The first line of a head that could not be read, as far as it came; undefined where nothing came. */
  unreadableLine(): string | undefined {
    const text = Buffer.concat(this.#headPieces).toString('latin1')
    return /[^\r\n]+/.exec(text)?.[0].slice(0, keptLineOctets)
  }

  /** `octets`: those of a head that is to be remembered, the first of what waits. */
  #decode(octets: string | undefined): KnownRequest | undefined {
    this.#feed(octets?.length)
    for (;;) {
      const event = this.#pull()
      if (event?.type === 'request') return this.#begin(event.head, octets)
      if (event === undefined && !this.#feed()) return undefined
      // The head was not made of these octets alone.
      octets = undefined
    }
  }

  #begin(head: RequestHead, octets: string | undefined): KnownRequest {
    const request: KnownRequest = {
      head,
      plan: this.#settings.plan(head),
      line: `${head.method} ${head.target} ${head.version}`,
      isHead: head.method === 'HEAD',
      version: head.version,
      // What follows CONNECT is no HTTP; it is refused, and so is the rest of its connection.
      keepAlive: head.keepAlive && head.method !== 'CONNECT',
    }
    this.#headPieces = []
    this.#headBytes = 0
    if (head.framing !== undefined) {
      this.#withContent = head
      this.#contentBytes = 0
      return request
    }
    this.#pull()
    this.#endMessage()
    if (octets !== undefined && !this.#isDecoding) this.#settings.memo.set(octets, request)
    return request
  }

  #endMessage(): void {
    this.#withContent = undefined
    const { leftover } = this.#decoder!
    this.#isDecoding = leftover.length > 0
    if (this.#isDecoding) this.#keepForLog(leftover)
  }

  #pull(): HttpEvent | undefined {
    const next = this.#events.next()
    return next.done ? undefined : next.value
  }

  /** Gives the decoder what waits, or that much of it. False where nothing waits. */
  #feed(lengthBytes: number = this.#rest.length): boolean {
    if (this.#decoder === undefined) this.#decoder = new HttpDecoder('server', this.#settings.options)
    const octets = this.#rest.subarray(0, lengthBytes)
    this.#rest = lengthBytes === this.#rest.length ? noOctets : this.#rest.subarray(lengthBytes)
    if (octets.length === 0) return false
    if (this.#withContent === undefined) this.#keepForLog(octets)
    this.#isDecoding = true
    this.#events = this.#decoder.push(octets)
    return true
  }

  #keepForLog(octets: Uint8Array): void {
    if (this.#headBytes >= keptLineOctets) return
    this.#headBytes += octets.length
    this.#headPieces.push(Buffer.from(octets.subarray(0, keptLineOctets)))
  }
}
