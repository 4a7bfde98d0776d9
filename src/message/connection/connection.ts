/**
 * One end of an HTTP/1.1 connection without I/O: bytes in, events out; events in, bytes out.
 *
 * Rules: the caller owns the socket. Exchanges run one after another: bytes after the peer's message stay unread until
 * `startNextCycle`, or belong to the next protocol. Errors of the peer are HttpParseErrors, thrown when events are
 * read; errors of the program are LocalProtocolErrors, thrown when it sends, and change nothing. RFC 9112 section 9.
 */
import { ContentEncoder } from '../body/content.ts'
import type { ContentReader } from '../body/received-body.ts'
import type { BodyEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import { type EncodeRequestOptions, type HttpRequest, requestHeadText } from '../messages/request.ts'
import { type HttpResponse, responseHeadText } from '../messages/response.ts'
import { checkKeys, checkType, type KeyTypes, typeName } from '../syntax/checked-input.ts'
import { type ErrorCode, HttpParseError, MessageError } from '../syntax/errors.ts'
import { excerptOf } from '../syntax/excerpt.ts'
import { concatBytes, octetString, octetsOf } from '../syntax/octets.ts'
import type { ParserOptions, ParserOptionsInit } from '../syntax/options.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import { ConnectionInput } from './connection-input.ts'
import type { ConnectionEvent, OutgoingEvent, OutgoingRequestHead, OutgoingResponseHead } from './outgoing.ts'
import { type AnsweredRequest, informationalToSend, requestToSend, responseToSend } from './outgoing-head.ts'
import { LocalProtocolError, localFault } from './protocol-error.ts'
import type { ConnectionEventType, Side, SideState } from './states.ts'
import { trailersToSend } from './trailers.ts'
import { TurnKeeper } from './turn-keeper.ts'

/** Options of a connection. */
export interface HttpConnectionOptions {
  /** How the peer's messages are read; default as for `HttpDecoder`. */
  readonly parser?: ParserOptions | ParserOptionsInit
  /** Client: the peer is a proxy, so the target is the full URL (RFC 9112 section 3.2.2). Default false. */
  readonly isToProxy?: boolean
}

const optionTypes: KeyTypes = { parser: 'object', isToProxy: 'boolean' }
const NOTHING = new Uint8Array(0)
const noContent: Framing = { type: 'length', length: 0 }
/** Number of unexpected bytes that an error shows. */
const SHOWN_OCTETS = 40
/** While the peer is in one of these states, nothing is read as HTTP. */
const pausing: readonly SideState[] = ['done', 'must-close', 'closed', 'switch-proposed', 'switched']

/**
 * One end of a connection: it reads the peer's messages, writes this end's, and matches requests with responses.
 *
 *   const client = new HttpConnection('client')
 *   client.send({ type: 'request', head: { method: 'GET', target: '/', headers: { Host: 'a' } } })
 *   client.send({ type: 'end' })
 *   client.receive(new TextEncoder().encode('HTTP/1.1 204 No Content\r\n\r\n'))
 *   client.next()?.type // 'response'
 */
export class HttpConnection {
  /** Which end this is. */
  readonly side: Side
  readonly #isToProxy: boolean
  readonly #turns = new TurnKeeper()
  readonly #input: ConnectionInput
  #request: AnsweredRequest | undefined
  #encoder = new ContentEncoder(noContent)
  #framing: Framing | undefined
  #peerVersion: HttpVersion | undefined
  #isWaitingForContinue = false
  #peerFault: HttpParseError | undefined

  constructor(side: Side, options: HttpConnectionOptions = {}) {
    if (side !== 'client' && side !== 'server') {
      const found = typeof side === 'string' ? `"${side}"` : typeName(side)
      throw new MessageError('invalid-option', `the side of a connection is ${found}, expected "client" or "server"`)
    }
    checkKeys(options, optionTypes, 'the options of a connection')
    this.side = side
    this.#isToProxy = options.isToProxy === true
    this.#input = new ConnectionInput(side, options.parser)
  }

  /** The state of this end. */
  get ownState(): SideState {
    return this.#turns.state(this.side)
  }

  /** The state of the other end, according to the bytes read so far. */
  get peerState(): SideState {
    return this.#turns.state(this.#peer)
  }

  /** The version of the last head that the peer sent. */
  get peerVersion(): HttpVersion | undefined {
    return this.#peerVersion
  }

  /** Whether the client waits for 100 (Continue) before it sends its content; both ends agree on it. */
  get isWaitingForContinue(): boolean {
    return this.#isWaitingForContinue
  }

  /** Whether reading is paused: the peer's message is complete, or the next bytes may not be HTTP. */
  get isPaused(): boolean {
    return pausing.includes(this.peerState)
  }

  /** Whether both messages are complete and another exchange may follow: `startNextCycle` may be called. */
  get isReusable(): boolean {
    return this.ownState === 'done' && this.peerState === 'done'
  }

  /** The events that `send` accepts now. `data` and `end` are included only if the framing allows them. */
  get sendable(): readonly ConnectionEventType[] {
    const { leftBytes, isComplete } = this.#encoder
    const isKept = (type: ConnectionEventType): boolean =>
      type === 'data' ? leftBytes !== 0 : type !== 'end' || isComplete
    return this.#turns.allowed(this.side).filter(isKept)
  }

  /** Bytes of content still to be sent; undefined if the head did not declare a length. */
  get leftBytes(): number | undefined {
    return this.ownState === 'content' ? this.#encoder.leftBytes : undefined
  }

  /** Received bytes that are not yet part of an event: the next message, or another protocol. */
  get leftover(): Uint8Array {
    return this.#input.leftover
  }

  /**
   * Takes bytes from the peer; `next` returns the events. Do not change the bytes afterwards, as with
   * `HttpDecoder.push`. All bytes are kept, so stop reading the socket while `isPaused`; otherwise a peer can fill the
   * memory.
   * @throws LocalProtocolError `out-of-turn` after `receiveEnd`, and after the event `upgrade`.
   */
  receive(bytes: Uint8Array): void {
    this.#input.receive(bytes, this.peerState)
  }

  /** Records that the peer sends nothing more. Calling it again has no effect. */
  receiveEnd(): void {
    this.#input.end()
  }

  /**
   * The next event of the peer; undefined if more bytes are needed, and while the connection is paused.
   * @throws HttpParseError if the peer breaks HTTP, and again at each later call.
   */
  next(): ConnectionEvent | undefined {
    if (this.#peerFault !== undefined) throw this.#peerFault
    try {
      const event = this.#read()
      if (event !== undefined) this.#receivePeerEvent(event)
      return event
    } catch (error) {
      if (!(error instanceof HttpParseError)) throw error
      this.#peerFault = error
      this.#turns.fail(this.#peer)
      throw error
    }
  }

  /** All events that are available now. @throws as `next` does. */
  *events(): Generator<ConnectionEvent> {
    for (let event = this.next(); event !== undefined; event = this.next()) yield event
  }

  /**
   * The bytes of an event, to be written to the peer in the order of the calls.
   * @throws LocalProtocolError if the event is not allowed now or not at all; then nothing was written.
   */
  send(event: OutgoingEvent): Uint8Array {
    this.#checkTurn(checkType(event, 'object', 'the event').type)
    switch (event.type) {
      case 'request':
        return this.#sendRequest(event.head)
      case 'informational':
        return this.#sendInformational(event.head)
      case 'response':
        return this.#sendResponse(event.head)
      case 'data':
        return this.#sendContent(event)
      case 'end':
        return this.#sendEnd(event)
      case 'close':
        this.#turns.take(this.side, 'close')
        return NOTHING
    }
  }

  /**
   * The bytes of a whole message; its body is read on demand. A response to HEAD is written without its body. Closing
   * the iterator early leaves the message unfinished.
   * @throws LocalProtocolError as `send` does; errors of the body's source, after which `fail` must be called.
   */
  async *sendMessage(message: HttpRequest | HttpResponse): AsyncGenerator<Uint8Array> {
    checkType(message, 'object', 'the message')
    yield this.send('method' in message ? { type: 'request', head: message } : { type: 'response', head: message })
    const body = message.body as ContentReader | undefined
    if (this.#framing !== undefined && body !== undefined) {
      for await (const event of body.events()) {
        const octets = this.send(event)
        if (octets.length > 0) yield octets
      }
    } else {
      body?.discard()
      this.send({ type: 'end' })
    }
  }

  /** Records that the message was not or will not be sent: this connection can no longer send. */
  fail(): void {
    this.#turns.fail(this.side)
  }

  /**
   * Resets both sides for the next request and its response.
   * @throws LocalProtocolError `out-of-turn` unless `isReusable`.
   */
  startNextCycle(): void {
    if (!this.isReusable) {
      const states = `this side is "${this.ownState}", its peer "${this.peerState}"`
      throw new LocalProtocolError('out-of-turn', `the connection cannot be used again: ${states}`, {
        hint: 'Both sides must be "done"',
      })
    }
    const wasTunnel = this.#request?.method === 'CONNECT'
    this.#turns.startNextCycle()
    this.#request = undefined
    this.#isWaitingForContinue = false
    this.#input.resume(wasTunnel)
  }

  get #peer(): Side {
    return this.side === 'client' ? 'server' : 'client'
  }

  #read(): ConnectionEvent | undefined {
    switch (this.peerState) {
      case 'closed':
      case 'switch-proposed':
        return undefined
      case 'switched':
        return this.#input.upgrade()
      case 'done':
        return this.#closeAtEnd()
      case 'must-close':
        return this.#input.isEnded ? { type: 'close' } : undefined
      case 'idle':
        if (this.side === 'server') return this.#input.next() ?? this.#closeAtEnd()
        if (this.#input.isEmpty) return this.#closeAtEnd()
        return this.#failPeer('UNEXPECTED', 'the server sent bytes that answer no request')
      default:
        return this.#input.next() ?? this.#moreOfMessage()
    }
  }

  #moreOfMessage(): undefined {
    if (this.#input.isEnded) this.#failPeer('INCOMPLETE', 'the connection ended before a response')
  }

  #closeAtEnd(): ConnectionEvent | undefined {
    return this.#input.isEnded && this.#input.isEmpty ? { type: 'close' } : undefined
  }

  #receivePeerEvent(event: ConnectionEvent): void {
    switch (event.type) {
      case 'upgrade':
        return
      case 'request':
        this.#peerVersion = event.head.version
        this.#takeRequest(event.head)
        return
      case 'informational':
      case 'response':
        this.#peerVersion = event.head.version
        this.#takeAnswer(event.type, event.head)
        return
      default:
        if (this.#peer === 'client') this.#isWaitingForContinue = false
        this.#turns.take(this.#peer, event.type)
    }
  }

  #takeRequest(head: RequestHead): void {
    const { method, version, upgrade, keepAlive } = head
    this.#request = { method, version, upgrade }
    this.#isWaitingForContinue = head.expectContinue
    this.#turns.take('client', 'request', { keepAlive, isSwitchProposed: method === 'CONNECT' || upgrade.length > 0 })
  }

  #takeAnswer(type: 'informational' | 'response', head: ResponseHead): void {
    const { status, keepAlive } = head
    if (status === 100 || type === 'response') this.#isWaitingForContinue = false
    if (type === 'informational') {
      this.#turns.take('server', type)
      return
    }
    const isSwitchAccepted = status === 101 || (this.#request?.method === 'CONNECT' && status < 300)
    if (status === 101 && (this.#request?.upgrade.length ?? 0) === 0) {
      this.#failPeer('UNEXPECTED', '101 (Switching Protocols), which the request did not ask for')
    }
    this.#turns.take('server', type, { keepAlive, isSwitchAccepted })
  }

  #checkTurn(type: ConnectionEventType): void {
    if (!this.#turns.allows(this.side, type)) {
      const allowed = this.#turns.allowed(this.side).join(', ') || 'nothing'
      const found = `a ${this.side} in the state "${this.ownState}" cannot send ${type}`
      throw new LocalProtocolError('out-of-turn', found, { hint: `It can send: ${allowed}` })
    }
    if (type !== 'request' || this.#input.isEmpty) return
    throw new LocalProtocolError('out-of-turn', 'the server has sent bytes that answer no request', {
      hint: 'Use a new connection: they would be taken for the response',
    })
  }

  #sendRequest(outgoing: OutgoingRequestHead): Uint8Array {
    const head = checked('invalid-head', () => requestToSend(outgoing))
    const options: EncodeRequestOptions = { absoluteForm: this.#isToProxy }
    this.#takeRequest(head)
    this.#input.expect(head.method)
    this.#beginContent(head.framing)
    return octetsOf(requestHeadText(head, options))
  }

  #sendInformational(outgoing: OutgoingResponseHead): Uint8Array {
    const head = checked('invalid-head', () => informationalToSend(outgoing, this.#request as AnsweredRequest))
    this.#takeAnswer('informational', head)
    return octetsOf(responseHeadText(head))
  }

  #sendResponse(outgoing: OutgoingResponseHead): Uint8Array {
    const isReusable = this.#request !== undefined && this.#turns.isReusable
    const head = checked('invalid-head', () => responseToSend(outgoing, this.#request, isReusable))
    this.#takeAnswer('response', head)
    this.#beginContent(head.framing)
    return octetsOf(responseHeadText(head))
  }

  #beginContent(framing: Framing | undefined): void {
    this.#framing = framing
    this.#encoder = new ContentEncoder(framing ?? noContent)
  }

  #sendContent(event: BodyEvent): Uint8Array {
    const octets = checked('content-mismatch', () => concatBytes([...this.#encoder.encode(event)]))
    if (this.side === 'client') this.#isWaitingForContinue = false
    this.#turns.take(this.side, event.type)
    return octets
  }

  #sendEnd(event: Extract<OutgoingEvent, { type: 'end' }>): Uint8Array {
    const trailers = checked('invalid-trailer', () => trailersToSend(event.trailers, this.#framing))
    return this.#sendContent({ ...event, trailers })
  }

  #failPeer(code: ErrorCode, message: string): never {
    const position = { offset: 0, line: 1, column: 1 }
    throw new HttpParseError(
      code,
      message,
      position,
      excerptOf(octetString(this.leftover.subarray(0, SHOWN_OCTETS)), 0),
    )
  }
}

function checked<T>(code: LocalProtocolError['code'], action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw localFault(code, error)
  }
}
