/**
 * The one HTTP/1.1 parser: bytes in, events out, no I/O (RFC 9112).
 *
 *   HTTP-message = start-line CRLF *( field-line CRLF ) CRLF [ message-body ]
 *
 * Parts: ReceiveBuffer holds the bytes, Reporter the repairs and errors. LineReader reads from them; FieldSectionReader
 * and HeadReader read from it, and there is one ContentReader for each framing. This file combines them, message after
 * message.
 *
 * State: which part of which message is read next, and the methods of the requests that are not yet answered.
 *
 * Rules: how the bytes are split changes no head and no error; in the content it changes only where pieces end. The
 * first error is final.
 */
import type { HttpEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import type { RequestHead, ResponseHead } from '../head/head.ts'
import type { ParserOptions } from '../syntax/options.ts'
import { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import { ChunkedReader } from './chunked-reader.ts'
import type { TextRules } from './complete-text.ts'
import { type ContentReader, LengthReader, NO_CONTENT, UntilCloseReader } from './content-reader.ts'
import { FieldSectionReader } from './field-section-reader.ts'
import { HeadReader, type Role } from './head-reader.ts'
import { LineReader } from './line-reader.ts'
import { Reporter } from './reporter.ts'

type Part = 'head' | 'content' | 'upgrade' | 'closed'

export class MessageReader {
  readonly #role: Role
  readonly #text: TextRules | undefined
  readonly #buffer: ReceiveBuffer
  readonly #reporter: Reporter
  readonly #heads: HeadReader
  readonly #readers: Readonly<Record<Framing['type'], ContentReader>>
  readonly #methods: string[]
  #part: Part = 'head'
  #content: ContentReader = NO_CONTENT
  #keepAlive = false

  constructor(role: Role, options: ParserOptions, text?: TextRules) {
    const buffer = new ReceiveBuffer()
    const reporter = new Reporter(options, buffer)
    const lines = new LineReader(buffer, reporter, text)
    const isResponse = role === 'client'
    const kind = {
      allowsControls: isResponse && reporter.isLenient,
      folds: isResponse ? 'unfold' : options.foldedHeaders,
    } as const
    const { headerSection, trailerSection, headerCount: maxLines } = options.limits
    const sectionReader = (isTrailer: boolean, maxBytes: number): FieldSectionReader =>
      new FieldSectionReader(buffer, lines, reporter, { ...kind, isTrailer }, { maxBytes, maxLines })
    this.#role = role
    this.#text = text
    this.#buffer = buffer
    this.#reporter = reporter
    this.#heads = new HeadReader(role, text, buffer, lines, sectionReader(false, headerSection), reporter)
    this.#readers = {
      length: new LengthReader(buffer, reporter),
      chunked: new ChunkedReader(buffer, lines, reporter, sectionReader(true, trailerSection)),
      close: new UntilCloseReader(buffer, reporter),
    }
    this.#methods = []
  }

  /** Client role: the method of a request that was sent; responses are matched in order. */
  expect(method: string): void {
    this.#methods.push(method)
  }

  push(bytes: Uint8Array): void {
    // Bytes after the final message are never read, so do not buffer them.
    if (this.#part === 'closed') this.#buffer.takeAll()
    this.#buffer.append(bytes)
  }

  end(): void {
    this.#buffer.isEnded = true
  }

  /** Where the current message begins, counted in all pushed bytes. */
  get messageStart(): number {
    return this.#buffer.messageStart
  }

  /** Pushed bytes that do not belong to an event yet. */
  get leftover(): Uint8Array {
    return this.#buffer.rest
  }

  /** Whether the input has ended, or nothing more of it will be read. */
  get isAtEnd(): boolean {
    return this.#buffer.isEnded || this.#part === 'closed'
  }

  /** Whether the rest of the connection is another protocol, which the next event will report. */
  get isTunnel(): boolean {
    return this.#part === 'upgrade'
  }

  /** Whether reading has stopped because of an error. */
  get hasFailed(): boolean {
    return this.#reporter.failure !== undefined
  }

  /** Bytes after a complete text are not read; a repair reports them to the author. */
  reportTrailingData(): void {
    this.#text?.reportTrailingData(this.#buffer, this.#reporter)
  }

  /** The next event; undefined if more bytes are needed or, after `end`, no event is left. */
  next(): HttpEvent | undefined {
    if (this.#reporter.failure !== undefined) throw this.#reporter.failure
    switch (this.#part) {
      case 'head': {
        const head = this.#heads.read(this.#methods[0] ?? 'GET')
        return head && this.#beginContent(head)
      }
      case 'content': {
        const event = this.#content.read()
        if (event?.type === 'end') this.#endMessage()
        return event
      }
      case 'upgrade':
        this.#part = 'closed'
        return { type: 'upgrade', rest: this.#buffer.takeAll() }
      case 'closed':
        return undefined
    }
  }

  #beginContent(head: RequestHead | ResponseHead): HttpEvent {
    if (this.#heads.after === 'head') {
      if (this.#text !== undefined && this.#buffer.hasLineEndsOnly) this.#part = 'closed'
      else this.#beginMessage()
      return { type: 'informational', head: head as ResponseHead }
    }
    this.#part = 'content'
    this.#keepAlive = head.keepAlive
    this.#content = head.framing === undefined ? NO_CONTENT : this.#readers[head.framing.type]
    this.#content.begin(head.framing)
    if (this.#role === 'server') return { type: 'request', head: head as RequestHead }
    this.#methods.shift()
    return { type: 'response', head: head as ResponseHead }
  }

  /** RFC 9112 section 9.6: nothing is read after a message that ends the connection. A text is one message. */
  #endMessage(): void {
    if (this.#heads.after === 'tunnel') this.#part = 'upgrade'
    else if (this.#keepAlive && this.#text === undefined) this.#beginMessage()
    else this.#part = 'closed'
  }

  #beginMessage(): void {
    this.#part = 'head'
    this.#buffer.beginMessage()
    this.#reporter.beginMessage()
    this.#heads.begin()
  }
}
