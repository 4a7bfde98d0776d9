/**
 * Reads one response from a connection, event by event.
 *
 * Rules: bytes are read only when the next event is requested. While the request is being written only the upload
 * enforces a time limit; then the first-byte limit applies until the final head, and the idle limit after it. An end of
 * the connection is an error unless the framing says that it ends the content (RFC 9112 section 8); an error after the
 * last byte of a message is ignored.
 */
import {
  concatBytes,
  HttpcliError,
  type HttpDecoder,
  type HttpEvent,
  HttpParseError,
  type ResponseHead,
} from '../../message/index.ts'
import {
  arrivedText,
  isCertificateAlert,
  isReset,
  platformCode,
  platformMessage,
  proxyCertificateError,
  secondsText,
  WireError,
} from '../base/errors.ts'
import type { Timeouts, WireOptions } from '../base/options.ts'
import type { Connection } from '../connection/connection.ts'
import { wasReset } from '../connection/socket-reader.ts'
import type { Upload } from './upload.ts'

/** RFC 8446 section 5.1, and the first byte of all versions of TLS. */
const ALERT_RECORD = 0x15
const HANDSHAKE_RECORD = 0x16
const TLS_MAJOR_VERSION = 0x03

export class Download {
  readonly #connection: Connection
  readonly #upload: Upload
  readonly #timeouts: Timeouts
  readonly #idleMsOf: WireOptions['idleMsOf']
  readonly #decoder: HttpDecoder
  #idleMs: number
  #isHeadRead = false
  /** Whether only the end of the connection ends the body. */
  #isClosedByServer = false
  #isConnectionEnded = false
  #bytesReceived = 0
  #bodyBytes = 0
  /** The bytes read up to the final head. */
  #headPieces: Uint8Array[] = []
  /** The number of these bytes in complete heads. */
  #headBytes = 0
  readonly #receivedHeads: Uint8Array[] = []

  constructor(
    connection: Connection,
    upload: Upload,
    method: string,
    timeouts: Timeouts,
    idleMsOf: WireOptions['idleMsOf'],
  ) {
    this.#connection = connection
    this.#upload = upload
    this.#timeouts = timeouts
    this.#idleMs = timeouts.idleMs
    this.#idleMsOf = idleMsOf
    this.#decoder = connection.decoder
    this.#decoder.expect(method)
  }

  /**
   * The next event of the response.
   * @throws WireError `first-byte-timeout`, `idle-timeout`, `connection-reset`, `connection-cut-short`,
   * `invalid-response`, `tls-client-certificate`, `aborted`; errors of the request's body.
   */
  async next(): Promise<HttpEvent> {
    for (;;) {
      const event = this.decoded()
      if (event !== undefined) return event
      if (this.#isTlsAnswer) throw this.#spokeTls(undefined)
      if (this.#isConnectionEnded) throw this.#cutShort(undefined)
      const bytes = await this.read()
      if (bytes === undefined) await this.#end()
      else this.#push(bytes)
    }
  }

  /** The next event if its bytes have arrived. @throws as `next` does. */
  decoded(): HttpEvent | undefined {
    let event: HttpEvent | undefined
    try {
      event = this.#decoder.next()
    } catch (cause) {
      throw this.#decodeError(cause)
    }
    if (event?.type === 'informational') this.#keepHead()
    else if (event?.type === 'response') this.#headIsRead(event.head)
    else if (event?.type === 'data') this.#bodyBytes += event.bytes.length
    return event
  }

  /** The exact bytes of the complete heads so far: interim ones in order, then the final one. */
  get receivedHeads(): readonly Uint8Array[] {
    return this.#receivedHeads
  }

  /** Whether any byte of the response arrived. */
  get hasStarted(): boolean {
    return this.#bytesReceived > 0
  }

  /** The number of bytes read but not yet returned as events: those of the response, and any that follow it. */
  get waitingBytes(): number {
    return this.#decoder.leftover.length
  }

  #headIsRead(head: ResponseHead): void {
    this.#keepHead()
    this.#isHeadRead = true
    this.#isClosedByServer = head.framing?.type === 'close'
    this.#idleMs = this.#idleMsOf?.(head) ?? this.#timeouts.idleMs
    this.#headPieces = []
  }

  /** Copies the head: the buffer that it was read in may be much longer. */
  #keepHead(): void {
    if (this.#headPieces.length > 1) this.#headPieces = [concatBytes(this.#headPieces)]
    const [read = new Uint8Array(0)] = this.#headPieces
    const end = read.length - this.waitingBytes
    this.#receivedHeads.push(new Uint8Array(read.subarray(this.#headBytes, end)))
    this.#headBytes = end
  }

  async #end(): Promise<void> {
    this.#isConnectionEnded = true
    if (this.#isClosedByServer && (await wasReset(this.#connection.socket))) throw this.#cutShort(undefined)
    this.#decoder.end()
  }

  #push(bytes: Uint8Array): void {
    if (!this.#isHeadRead) this.#headPieces.push(bytes)
    this.#decoder.push(bytes)
  }

  /** The next bytes, not decoded; undefined at the end of the connection. Throws as `next` does. */
  async read(): Promise<Uint8Array | undefined> {
    const reading = this.#connection.reader.read()
    if (this.#upload.isFinished || this.#upload.isStopped) this.#limitWaiting()
    else void this.#upload.finished.then(() => this.#limitWaiting())
    try {
      const bytes = await reading
      this.#bytesReceived += bytes?.length ?? 0
      return bytes
    } catch (cause) {
      throw this.#readError(cause)
    }
  }

  #limitWaiting(): void {
    const { reader } = this.#connection
    const limitMs = this.#isHeadRead ? this.#idleMs : this.#timeouts.firstByteMs
    if (limitMs > 0 && reader.isAwaited) reader.limit(limitMs, () => this.#timeOut(limitMs))
  }

  #timeOut(limitMs: number): void {
    const { socket, place } = this.#connection
    const hint = 'Check the server, or allow more time'
    const limit = secondsText(limitMs)
    if (this.#bytesReceived === 0) {
      socket.destroy(new WireError('first-byte-timeout', `${place} did not answer within ${limit}`, { hint }))
      return
    }
    const message = `${place} sent nothing for ${limit} ${this.#place()}`
    socket.destroy(new WireError('idle-timeout', message, { hint, received: concatBytes(this.#headPieces) }))
  }

  #readError(cause: unknown): unknown {
    if (cause instanceof HttpcliError) return cause
    if (isCertificateAlert(cause)) {
      // If the server is plain HTTP, the TLS connection is that of the proxy.
      if (!('certificate' in this.#connection.remote)) return proxyCertificateError(this.#connection.place, cause)
      return new WireError(
        'tls-client-certificate',
        `${this.#connection.place}: the server requires a client certificate, or refused the one given`,
        { hint: 'Check which certificates the server accepts', cause },
      )
    }
    if (this.#bytesReceived > 0) return this.#cutShort(cause)
    const what = isReset(cause) ? 'was reset' : `failed (${platformMessage(cause)})`
    const when = this.#upload.isFinished ? 'before the server answered' : 'while the request was being sent'
    return new WireError('connection-reset', `the connection to ${this.#connection.place} ${what} ${when}`, {
      hint: `Check that the server speaks HTTP${this.#mayMeanHttps} on this port, and its log`,
      cause,
    })
  }

  /** Whether the answer begins like a TLS record: an alert, or a handshake (RFC 8446 section 5.1). */
  get #isTlsAnswer(): boolean {
    const [piece, next] = this.#headPieces
    const first = piece?.[0]
    const second = piece?.[1] ?? next?.[0]
    return (first === ALERT_RECORD || first === HANDSHAKE_RECORD) && second === TLS_MAJOR_VERSION
  }

  /** Servers that only speak TLS often close the connection without an answer. */
  get #mayMeanHttps(): string {
    return 'encrypted' in this.#connection.socket ? '' : ', not HTTPS,'
  }

  #spokeTls(cause: unknown): WireError {
    return new WireError('invalid-response', `${this.#connection.place} answered with TLS, not with HTTP`, {
      hint: 'Write https:// instead of http://',
      cause,
      received: concatBytes(this.#headPieces),
    })
  }

  #decodeError(cause: unknown): unknown {
    if (!(cause instanceof HttpParseError)) return cause
    if (this.#isTlsAnswer) return this.#spokeTls(cause)
    if (cause.code === 'INCOMPLETE') return this.#cutShort(cause)
    return new WireError(
      'invalid-response',
      `the response of ${this.#connection.place} is not valid HTTP: ${cause.message}`,
      {
        // The parser's own hint addresses the author of a message.
        hint: 'Check the server, or the proxy before it',
        ...(cause.where === undefined ? {} : { where: cause.where }),
        excerpt: cause.excerpt,
        cause,
        received: Buffer.concat(this.#headPieces),
      },
    )
  }

  #cutShort(cause: unknown): WireError {
    if (this.#isTlsAnswer) return this.#spokeTls(cause)
    const what =
      this.#bytesReceived === 0 ? 'closed the connection without an answer' : `${endOf(cause)} ${this.#place()}`
    const isSilent = this.#bytesReceived === 0 && this.#mayMeanHttps !== ''
    const first = isSilent ? `that the server speaks HTTP${this.#mayMeanHttps} on this port, and check ` : ''
    return new WireError('connection-cut-short', `${this.#connection.place} ${what}`, {
      hint: `Check ${first}the log of the server; the request may have been processed`,
      cause,
      received: Buffer.concat(this.#headPieces),
    })
  }

  /** How much of the response had arrived. */
  #place(): string {
    if (this.#isHeadRead) return `before the response was complete; ${this.#progress()}`
    const readBytes = this.#headPieces.reduce((sum, { length }) => sum + length, 0)
    return readBytes > this.#headBytes
      ? 'within the head of the response'
      : 'after an interim response, without the final one'
  }

  #progress(): string {
    return arrivedText(this.#bodyBytes)
  }
}

/** What the peer did: an orderly end, a reset, or TLS that can no longer be read. */
function endOf(cause: unknown): string {
  if (isReset(cause)) return 'reset the connection'
  return platformCode(cause).startsWith('ERR_SSL_')
    ? `broke the TLS connection (${platformMessage(cause)})`
    : 'closed the connection'
}
