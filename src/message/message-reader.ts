/**
 * The one HTTP/1.1 parser: octets in, events out, no I/O (RFC 9112).
 *
 * Rules: a state machine with one method per state; each returns an event, AGAIN (go on in the new state) or
 * NEED_MORE. How the octets were cut never changes an event or an error. The first error is final.
 *
 * A complete text (`isText`) may end where a connection may not: its end closes an open line, and the octets behind
 * the header section of a request without framing fields are its content.
 */
import { parseChunkLine } from './chunk-line.ts'
import type { HttpEvent } from './events.ts'
import { FieldSection } from './field-section.ts'
import { completeRequestHead, completeResponseHead, RequestHead, type ResponseHead } from './head.ts'
import { HeaderList } from './headers.ts'
import { type LineLimit, LineReader } from './line-reader.ts'
import type { ParserOptions } from './options.ts'
import { parseRequestLine, parseStatusLine, type RequestLine, type StatusLine } from './start-line.ts'

export type Role = 'server' | 'client'

type State =
  | 'start'
  | 'fields'
  | 'length'
  | 'chunk-line'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'until-close'
  | 'end'
  | 'upgrade'
  | 'closed'

const AGAIN = 'again'
const NEED_MORE = undefined
type Step = HttpEvent | typeof AGAIN | typeof NEED_MORE

const CR = 0x0d
const LF = 0x0a
const BOM = [0xef, 0xbb, 0xbf]
/** Room in a chunk's line for its size, besides its extensions. */
const CHUNK_SIZE_ROOM = 64

export class MessageReader extends LineReader {
  readonly #role: Role
  readonly #isText: boolean
  readonly #methods: string[] = []
  #state: State = 'start'

  // Of the current message.
  #startLine: RequestLine | StatusLine | undefined
  #sectionStart = 0
  #keepAlive = false
  #isTunnel = false
  #left = 0
  #bodyBytes = 0
  #extensionBytes = 0
  #lastDataOctet: number | undefined
  #trailers: HeaderList = HeaderList.EMPTY

  constructor(role: Role, options: ParserOptions, isText = false) {
    super(options)
    this.#role = role
    this.#isText = isText
  }

  /** Client role: the method of a request that was sent; responses are matched in order. */
  expect(method: string): void {
    this.#methods.push(method)
  }

  push(bytes: Uint8Array): void {
    this.buffer.append(bytes)
  }

  end(): void {
    this.isEnded = true
  }

  /** Octets that were pushed and belong to no event so far. */
  get leftover(): Uint8Array {
    return this.buffer.bytes.subarray(this.buffer.start, this.buffer.end)
  }

  /** The next event; undefined when more octets are needed or, after `end`, there is nothing more. */
  next(): HttpEvent | undefined {
    if (this.failure !== undefined) throw this.failure
    let step: Step = AGAIN
    while (step === AGAIN) step = this.#step()
    // Whoever pushes may use the same memory again once there are no more events.
    if (step === NEED_MORE) this.buffer.keep()
    return step
  }

  /** Whether the input has ended, or nothing more will be read of it. */
  get isAtEnd(): boolean {
    return this.isEnded || this.#state === 'closed'
  }

  /** Octets behind a complete text: nobody will read them, so the person who wrote them should know. */
  reportTrailingData(): void {
    const { length } = this.leftover
    if (!this.repairs || isLineEndsOnly(this.leftover)) return
    this.lineOffset = this.offset
    this.repair('trailing-data', 0, `${length} octets behind the end of the message were ignored`)
  }

  #step(): Step {
    switch (this.#state) {
      case 'start':
        return this.#readStartLine()
      case 'fields':
        return this.#readField()
      case 'length':
        return this.#readLength()
      case 'chunk-line':
        return this.#readChunkLine()
      case 'chunk-data':
        return this.#readChunkData()
      case 'chunk-end':
        return this.#readChunkEnd()
      case 'trailers':
        return this.#readTrailer()
      case 'until-close':
        return this.#readUntilClose()
      case 'end':
        return this.#finish()
      case 'upgrade':
        return this.#upgrade()
      case 'closed':
        return NEED_MORE
    }
  }

  #readStartLine(): Step {
    if (this.buffer.length === 0) return this.#emptyInput()
    if (this.#skipBom() === NEED_MORE) return NEED_MORE
    const limit = this.options.limits.startLine - this.offset
    const status = this.#role === 'server' ? 414 : 400
    if (!this.#readLine({ octets: limit, what: 'the start line', status })) return NEED_MORE
    if (this.line === '') {
      if (!this.options.ignoreLeadingEmptyLine) {
        this.fail('START_LINE', 0, 'an empty line before the start line', 400, 'begin with the start line')
      }
      if (this.repairs) this.repair('leading-empty-line', 0, 'an empty line before the start line was skipped')
      return AGAIN
    }
    this.#startLine = this.#role === 'server' ? parseRequestLine(this.line, this) : parseStatusLine(this.line, this)
    this.section = new FieldSection({
      keepsControlCharacters: this.#role === 'client' && this.repairs,
      folds: this.#role === 'client' ? 'unfold' : this.options.foldedHeaders,
      isTrailer: false,
    })
    this.#sectionStart = this.offset
    this.#state = 'fields'
    return AGAIN
  }

  #emptyInput(): Step {
    if (this.isEnded && this.#isText) this.failAhead('INCOMPLETE', 0, 'the message is empty')
    return NEED_MORE
  }

  /** A text from an editor may begin with a UTF-8 byte order mark. */
  #skipBom(): Step {
    if (!this.repairs || this.offset > 0) return AGAIN
    const { bytes, start, length } = this.buffer
    for (let i = 0; i < BOM.length; i++) {
      if (i >= length) return this.isEnded ? AGAIN : NEED_MORE
      if (bytes[start + i] !== BOM[i]) return AGAIN
    }
    this.line = ''
    this.lineOffset = this.offset
    this.repair('bom', 0, 'the byte order mark was skipped')
    this.take(BOM.length)
    return AGAIN
  }

  #readField(): Step {
    const { headerSection, headerCount } = this.options.limits
    const limit = headerSection - (this.offset - this.#sectionStart)
    if (!this.#readLine({ octets: limit, what: 'the header section', status: 431 })) return NEED_MORE
    if (this.line === '') return this.#finishHead()
    this.#addField(headerCount, 'header')
    return AGAIN
  }

  #addField(maxCount: number, what: string): void {
    const section = this.section as FieldSection
    section.add(this.line, this.lineNumber - 1, this.lineOffset, this)
    if (section.count > maxCount) this.fail('LIMIT', 0, `more than ${maxCount} ${what} lines`, 431)
  }

  #finishHead(): Step {
    const fields = (this.section as FieldSection).headers()
    const repairs = this.repairList
    this.#bodyBytes = 0
    this.#extensionBytes = 0
    this.#trailers = HeaderList.EMPTY
    if (this.#role === 'server') {
      const head = completeRequestHead(this.#startLine as RequestLine, fields, repairs, this)
      return this.#beginRequest(this.#isText ? this.#withInferredLength(head) : head)
    }
    const method = this.#methods[0] ?? 'GET'
    return this.#beginResponse(
      completeResponseHead(this.#startLine as StatusLine, fields, method, repairs, this),
      method,
    )
  }

  /** What a person typed below the empty line is meant to be sent, unless it is line ends only. */
  #withInferredLength(head: RequestHead): RequestHead {
    if (!this.options.inferContentLength || head.framing !== undefined || head.headers.has('content-length'))
      return head
    const rest = this.leftover
    if (isLineEndsOnly(rest)) return head
    this.#checkBodyLimit(rest.length)
    this.lineOffset = this.offset
    this.repair('missing-content-length', 0, `Content-Length: ${rest.length} was added`)
    return new RequestHead(
      { method: head.method, target: head.targetParts, version: head.version },
      {
        headers: head.headers.append('Content-Length', String(rest.length)),
        framing: { type: 'length', length: rest.length },
      },
      this.repairList,
    )
  }

  #beginRequest(head: RequestHead): Step {
    this.#isTunnel = head.method === 'CONNECT'
    this.#keepAlive = head.keepAlive
    this.#beginBody(head)
    return { type: 'request', head }
  }

  #beginResponse(head: ResponseHead, method: string): Step {
    // 1xx but 101 come before the final response and belong to the same request (RFC 9110 section 15.2).
    if (head.status < 200 && head.status !== 101) {
      if (this.#isText && isLineEndsOnly(this.leftover)) this.#state = 'closed'
      else this.#beginMessage()
      return { type: 'informational', head }
    }
    this.#methods.shift()
    this.#isTunnel = head.status === 101 || (method === 'CONNECT' && head.status < 300)
    this.#keepAlive = head.keepAlive
    this.#beginBody(head)
    return { type: 'response', head }
  }

  #beginBody(head: RequestHead | ResponseHead): void {
    const { framing } = head
    if (framing === undefined) {
      this.#state = 'end'
    } else if (framing.type === 'length') {
      this.#left = framing.length
      this.#state = framing.length === 0 ? 'end' : 'length'
    } else {
      this.#state = framing.type === 'chunked' ? 'chunk-line' : 'until-close'
    }
  }

  #readLength(): Step {
    if (this.buffer.length === 0) {
      if (!this.isEnded) return NEED_MORE
      const got = this.#bodyBytes
      return this.failAhead('INCOMPLETE', 0, `the content ends after ${got} of ${got + this.#left} octets`)
    }
    const bytes = this.#takeData(this.#left)
    this.#left -= bytes.length
    if (this.#left === 0) this.#state = 'end'
    return { type: 'data', bytes }
  }

  #readChunkLine(): Step {
    const { chunkExtensions } = this.options.limits
    const limit = chunkExtensions - this.#extensionBytes + CHUNK_SIZE_ROOM
    if (!this.#readLine({ octets: limit, what: 'a chunk extension', status: 413 })) return NEED_MORE
    const { sizeBytes, extensions } = parseChunkLine(this.line, this)
    this.#extensionBytes += extensions === '' ? 0 : extensions.length + 1
    if (this.#extensionBytes > chunkExtensions) {
      this.fail('LIMIT', 0, `more than ${chunkExtensions} octets of chunk extensions`, 413)
    }
    this.#checkBodyLimit(this.#bodyBytes + sizeBytes)
    this.#left = sizeBytes
    this.#state = sizeBytes === 0 ? 'trailers' : 'chunk-data'
    if (sizeBytes === 0) this.#beginTrailers()
    return { type: 'chunk', sizeBytes, extensions }
  }

  #readChunkData(): Step {
    if (this.buffer.length === 0) {
      if (!this.isEnded) return NEED_MORE
      return this.failAhead('INCOMPLETE', 0, `the content ends ${this.#left} octets before the end of a chunk`)
    }
    const bytes = this.#takeData(this.#left)
    this.#left -= bytes.length
    if (this.#left === 0) {
      this.#state = 'chunk-end'
      this.#lastDataOctet = bytes[bytes.length - 1]
    }
    return { type: 'data', bytes }
  }

  /** CRLF behind the data of a chunk; nothing else may stand there (RFC 9112 section 7.1). */
  #readChunkEnd(): Step {
    const { bytes, start, length } = this.buffer
    const first = bytes[start]
    if (length === 0 || (length === 1 && first === CR)) {
      if (!this.isEnded) return NEED_MORE
      return this.failAhead('INCOMPLETE', length, 'the content ends behind the data of a chunk')
    }
    // A lone LF behind data that ends in CR is more likely the CRLF of a chunk whose size is wrong.
    const isBareLf = first === LF && this.options.allowBareLf && this.#lastDataOctet !== CR
    if (!(first === CR && bytes[start + 1] === LF) && !isBareLf) {
      this.failAhead('CHUNK_DATA', 0, 'expected CRLF behind the data of a chunk')
    }
    this.take(isBareLf ? 1 : 2)
    if (isBareLf && this.repairs) this.repairOnce('bare-lf', 0, 'lines end with LF; CRLF is written')
    this.lineTaken()
    this.#state = 'chunk-line'
    return AGAIN
  }

  #beginTrailers(): void {
    this.section = new FieldSection({
      keepsControlCharacters: this.#role === 'client' && this.repairs,
      folds: this.#role === 'client' ? 'unfold' : this.options.foldedHeaders,
      isTrailer: true,
    })
    this.#sectionStart = this.offset
  }

  #readTrailer(): Step {
    const { trailerSection, headerCount } = this.options.limits
    const limit = trailerSection - (this.offset - this.#sectionStart)
    if (!this.#readLine({ octets: limit, what: 'the trailer section', status: 431 })) return NEED_MORE
    if (this.line !== '') {
      this.#addField(headerCount, 'trailer')
      return AGAIN
    }
    this.#trailers = (this.section as FieldSection).headers()
    this.#state = 'end'
    return AGAIN
  }

  #readUntilClose(): Step {
    if (this.buffer.length > 0) {
      const bytes = this.#takeData(Number.POSITIVE_INFINITY)
      this.#checkBodyLimit(this.#bodyBytes)
      return { type: 'data', bytes }
    }
    if (!this.isEnded) return NEED_MORE
    this.#state = 'end'
    return AGAIN
  }

  #finish(): Step {
    const trailers = this.#trailers
    // RFC 9112 section 9.6: nothing is read behind a message that ends the connection. A text is one message.
    if (this.#isTunnel) this.#state = 'upgrade'
    else if (this.#keepAlive && !this.#isText) this.#beginMessage()
    else this.#state = 'closed'
    return { type: 'end', trailers }
  }

  #upgrade(): Step {
    this.#state = 'closed'
    return { type: 'upgrade', rest: this.buffer.take(Number.POSITIVE_INFINITY) }
  }

  #beginMessage(): void {
    this.#state = 'start'
    this.beginLines()
  }

  #readLine(limit: LineLimit): boolean {
    return this.takeLine(limit, this.#closeLine)
  }

  /** At the end of the input: the end of a text closes an open line, that of a connection does not. */
  readonly #closeLine = (): boolean => {
    const isOpenContent = this.#state === 'chunk-line' && this.buffer.length === 0
    if (!this.#isText || !this.repairs || isOpenContent) {
      return this.failAhead(
        'INCOMPLETE',
        this.buffer.length,
        `the message ends before ${incompletePart[this.#state]} is complete`,
      )
    }
    this.repairOnce('missing-empty-line', this.buffer.length, 'the empty line at the end of the text was added')
    this.takeOpenLine()
    return true
  }

  #checkBodyLimit(sizeBytes: number): void {
    const { body } = this.options.limits
    if (sizeBytes > body) this.failAhead('LIMIT', 0, `the content is above the limit of ${body} octets`, 413)
  }

  #takeData(limit: number): Uint8Array {
    const bytes = this.take(limit)
    this.#bodyBytes += bytes.length
    return bytes
  }
}

function isLineEndsOnly(octets: Uint8Array): boolean {
  return octets.every((octet) => octet === CR || octet === LF)
}

const incompletePart: Readonly<Record<string, string>> = {
  start: 'its start line',
  fields: 'its header section',
  'chunk-line': 'its last chunk',
  trailers: 'its trailer section',
}
