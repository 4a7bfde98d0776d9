/**
 * Reads the requests of one connection from its bytes, through the message library's decoder.
 *
 * Rules: the next request is parsed only on demand, so pipelined requests wait. A head that is byte for byte the same
 * as an earlier one is not parsed again (head-cache.ts); only heads without content are cached, and only if the decoder
 * parsed them from exactly these bytes. A body is read and discarded, up to a limit. Nothing here waits: undefined
 * means that bytes are missing. RFC 9112 sections 9.3 to 9.5.
 */
import { HttpDecoder, type HttpEvent, type ParserOptions, type RequestHead } from '../../message/index.ts'
import type { ServerRequest } from '../semantics/hooks.ts'
import type { Plan } from '../semantics/plan.ts'
import { type HeadCache, type KnownRequest, longestKnownHead } from './head-cache.ts'

/** The part of an invalid request's first line that is kept for the log. */
const keptLineOctets = 2_048

const noOctets: Buffer = Buffer.alloc(0)
const noEvents: Iterator<HttpEvent> = [][Symbol.iterator]()
const headEnd = Buffer.from('\r\n\r\n')

/** Shared by all readers of a server. */
export interface ReaderSettings {
  readonly memo: HeadCache<KnownRequest>
  readonly options: ParserOptions
  readonly discardedBodyBytes: number
  plan(request: ServerRequest): Plan
}

export class RequestReader {
  readonly #settings: ReaderSettings
  /** Created for the first head that is not cached. */
  #decoder: HttpDecoder | undefined
  #events: Iterator<HttpEvent> = noEvents
  /** Received but not parsed. */
  #rest: Buffer = noOctets
  /** Whether the decoder holds part of a message. */
  #isDecoding = false
  /** The running request, if it has content. */
  #withContent: RequestHead | undefined
  #contentBytes = 0
  /** The first bytes of the head that is being read. */
  #headPieces: Buffer[] = []
  #headBytes = 0

  constructor(settings: ReaderSettings) {
    this.#settings = settings
  }

  /** Whether no request has started. */
  get isIdle(): boolean {
    return this.#rest.length === 0 && !this.#isDecoding
  }

  get hasOctets(): boolean {
    return this.#rest.length > 0 || (this.#isDecoding && this.#decoder!.leftover.length > 0)
  }

  /** The number of bytes not parsed yet. */
  get waitingBytes(): number {
    return this.#rest.length
  }

  push(octets: Buffer): void {
    this.#rest = this.#rest.length === 0 ? octets : Buffer.concat([this.#rest, octets])
  }

  /** The next request; undefined if bytes are missing. Throws HttpParseError. */
  next(): KnownRequest | undefined {
    if (this.#isDecoding) return this.#decode(undefined)
    const { length } = this.#rest
    if (length === 0) return undefined
    // Usually there is one head and nothing after it.
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

  /** Whether the last request from `next` has content that is not read yet. */
  get hasContent(): boolean {
    return this.#withContent !== undefined
  }

  /**
   * Reads and discards the content of the running request. Returns false if the connection should close instead: the
   * content is larger than the limit, or the client waits for 100 (Continue) before it sends any. Undefined if bytes
   * are missing. Throws HttpParseError.
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

  /** Returns all unparsed bytes, including content of the running request: the caller continues to read. */
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

  /** Call this when no more bytes will come. Throws HttpParseError if a message is truncated. */
  end(): void {
    if (this.isIdle) return
    this.#isDecoding = true
    this.#feed()
    this.#events = this.#decoder!.end()
    while (this.#pull() !== undefined);
  }

  /** The first line of an invalid head, as far as it was received; undefined if nothing was. */
  unreadableLine(): string | undefined {
    const text = Buffer.concat(this.#headPieces).toString('latin1')
    return /[^\r\n]+/.exec(text)?.[0].slice(0, keptLineOctets)
  }

  /** `octets`: the head to cache, at the start of the unparsed bytes. */
  #decode(octets: string | undefined): KnownRequest | undefined {
    this.#feed(octets?.length)
    for (;;) {
      const event = this.#pull()
      if (event?.type === 'request') return this.#begin(event.head, octets)
      if (event === undefined && !this.#feed()) return undefined
      // The head came from more than these bytes.
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
      // The bytes after CONNECT are not HTTP, so its connection closes after the refusal.
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

  /** Passes all or `lengthBytes` of the unparsed bytes to the decoder. False if none are left. */
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
