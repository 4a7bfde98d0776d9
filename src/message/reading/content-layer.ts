/**
 * Content by its framing (RFC 9112 sections 6 and 7.1): of a length, chunked, or until the connection ends.
 *
 * Rules: a state machine with one method per state; each returns an event, AGAIN (go on in the new state), NEED_MORE
 * or DONE. Data is given out as views, as it comes; where it was cut never changes what is told or refused.
 */

import { type BodyEvent, DataEvent } from '../head/events.ts'
import { FieldSection } from '../head/field-section.ts'
import type { Framing } from '../head/framing.ts'
import { HeaderList } from '../head/headers.ts'
import { canonicalChunkLine, parseChunkLine } from '../syntax/chunk-line.ts'
import { CR, LF } from '../syntax/octets.ts'
import type { ParserOptions } from '../syntax/options.ts'
import { type LineLimit, LineReader } from './line-reader.ts'

export const AGAIN = 'again'
export const NEED_MORE: undefined = undefined
const DONE = 'done'

type ContentState = 'length' | 'chunk-line' | 'chunk-data' | 'chunk-end' | 'trailers' | 'until-close' | 'done'
type ContentStep = BodyEvent | typeof AGAIN | typeof NEED_MORE | typeof DONE

/** Whose side reads: a `server` reads requests, a `client` reads responses. */
export type Role = 'server' | 'client'

/** The end of content that was not chunked is always the same. */
export const PLAIN_END: BodyEvent = Object.freeze({ type: 'end', trailers: HeaderList.EMPTY })

/** Room in a chunk's line for its size, besides its extensions. */
const CHUNK_SIZE_ROOM = 64

const incompletePart: Readonly<Record<ContentState, string>> = {
  length: 'its content',
  'chunk-line': 'its last chunk',
  'chunk-data': 'a chunk',
  'chunk-end': 'a chunk',
  trailers: 'its trailer section',
  'until-close': 'its content',
  done: 'its head',
}

export abstract class ContentLayer extends LineReader {
  protected readonly role: Role
  protected readonly isText: boolean
  protected sectionStart = 0
  #state: ContentState = 'done'
  #left = 0
  #bodyBytes = 0
  #extensionBytes = 0
  #lastDataOctet: number | undefined
  /** The size of a chunk whose first octets are still to come; 0 where there is none. */
  #chunkBytes = 0
  #chunkExtensions = ''
  #lastChunkExtensions: string | undefined
  #trailers: HeaderList = HeaderList.EMPTY

  constructor(role: Role, options: ParserOptions, isText: boolean) {
    super(options)
    this.role = role
    this.isText = isText
  }

  protected beginContent(framing: Framing | undefined): void {
    this.#bodyBytes = 0
    this.#extensionBytes = 0
    this.#lastChunkExtensions = undefined
    this.#trailers = HeaderList.EMPTY
    if (framing === undefined) {
      this.#state = 'done'
    } else if (framing.type === 'length') {
      this.#left = framing.length
      this.#state = framing.length === 0 ? 'done' : 'length'
    } else {
      this.#state = framing.type === 'chunked' ? 'chunk-line' : 'until-close'
    }
  }

  /** The next event of the content. DONE: it is complete, `contentEnd` has the end event. */
  protected readContent(): ContentStep {
    switch (this.#state) {
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
      case 'done':
        return DONE
    }
  }

  protected contentEnd(): BodyEvent {
    const trailers = this.#trailers
    const lastChunkExtensions = this.#lastChunkExtensions
    return lastChunkExtensions === undefined ? PLAIN_END : { type: 'end', trailers, lastChunkExtensions }
  }

  #readLength(): ContentStep {
    if (this.buffer.length === 0) {
      if (!this.isEnded) return NEED_MORE
      const got = this.#bodyBytes
      return this.failAhead('INCOMPLETE', 0, `the content ends after ${got} of ${got + this.#left} octets`)
    }
    const event = this.#takeData(this.#left, 0)
    if (this.#left === 0) this.#state = 'done'
    return event
  }

  #readChunkLine(): ContentStep {
    if (this.options.fastPath && this.#readCanonicalChunkLine()) return AGAIN
    const { chunkExtensions, body } = this.options.limits
    const limit = chunkExtensions - this.#extensionBytes + CHUNK_SIZE_ROOM
    if (!this.readLine({ octets: limit, what: 'a chunk extension', status: 413 })) return NEED_MORE
    const { sizeBytes, extensions } = parseChunkLine(this.line, this)
    this.#extensionBytes += extensions === '' ? 0 : extensions.length + 1
    if (this.#extensionBytes > chunkExtensions) {
      this.fail('LIMIT', 0, `more than ${chunkExtensions} octets of chunk extensions`, 413)
    }
    if (this.#bodyBytes + sizeBytes > body) this.fail('LIMIT', 0, aboveLimit(body), 413)
    this.#left = sizeBytes
    this.#state = sizeBytes === 0 ? 'trailers' : 'chunk-data'
    if (sizeBytes === 0) {
      this.#lastChunkExtensions = extensions
      this.beginSection(true)
    } else {
      this.#chunkBytes = sizeBytes
      this.#chunkExtensions = extensions
    }
    return AGAIN
  }

  /** A complete line without extensions, and with the last one the end of a message without trailers. */
  #readCanonicalChunkLine(): boolean {
    const { bytes, start, end } = this.buffer
    const found = canonicalChunkLine(bytes, start, end)
    const sizeBytes = found >> 3
    if (found === -1 || this.#bodyBytes + sizeBytes > this.options.limits.body) return false
    const lineOctets = (found & 7) + 2
    if (sizeBytes > 0) {
      this.skipLines(1, lineOctets, lineOctets)
      this.#left = sizeBytes
      this.#chunkBytes = sizeBytes
      this.#chunkExtensions = ''
      this.#state = 'chunk-data'
      return true
    }
    const next = start + lineOctets
    if (next + 2 > end || bytes[next] !== CR || bytes[next + 1] !== LF) return false
    this.skipLines(2, lineOctets + 2, 2)
    this.#lastChunkExtensions = ''
    this.#state = 'done'
    return true
  }

  #readChunkData(): ContentStep {
    if (this.buffer.length === 0) {
      if (!this.isEnded) return NEED_MORE
      return this.failAhead('INCOMPLETE', 0, `the content ends ${this.#left} octets before the end of a chunk`)
    }
    const event = this.#takeData(this.#left, this.#chunkBytes)
    this.#chunkBytes = 0
    if (this.#left === 0) this.#endChunk()
    return event
  }

  /** Its CRLF belongs to the chunk where it is there; else it is waited for. */
  #endChunk(): void {
    const { bytes, start, end } = this.buffer
    if (start + 2 <= end && bytes[start] === CR && bytes[start + 1] === LF) {
      this.#skipChunkEnd(2)
      return
    }
    this.#lastDataOctet = bytes[start - 1]
    this.#state = 'chunk-end'
  }

  #skipChunkEnd(octets: number): void {
    this.buffer.start += octets
    this.offset += octets
    this.lineTaken()
    this.#state = 'chunk-line'
  }

  /** CRLF behind the data of a chunk; nothing else may stand there (RFC 9112 section 7.1). */
  #readChunkEnd(): ContentStep {
    const { bytes, start, length } = this.buffer
    const first = bytes[start]
    if (length === 0 || (length === 1 && first === CR)) {
      if (!this.isEnded) return NEED_MORE
      return this.failAhead('INCOMPLETE', length, 'the content ends behind the data of a chunk')
    }
    // A lone LF behind data that ends in CR is more likely the CRLF of a chunk whose size is wrong.
    const isBareLf = first === LF && this.allowsBareLf && this.#lastDataOctet !== CR
    if (!(first === CR && bytes[start + 1] === LF) && !isBareLf) {
      this.failAhead('CHUNK_DATA', 0, 'expected CRLF behind the data of a chunk')
    }
    if (isBareLf && this.repairs) this.repairOnce('bare-lf', 0, 'lines end with LF; CRLF is written')
    this.#skipChunkEnd(isBareLf ? 1 : 2)
    return AGAIN
  }

  #readTrailer(): ContentStep {
    const { trailerSection, headerCount } = this.options.limits
    const limit = trailerSection - (this.offset - this.sectionStart)
    if (!this.readLine({ octets: limit, what: 'the trailer section', status: 431 })) return NEED_MORE
    if (this.line !== '') {
      this.addField(headerCount, 'trailer')
      return AGAIN
    }
    this.#trailers = (this.section as FieldSection).headers()
    this.#state = 'done'
    return AGAIN
  }

  #readUntilClose(): ContentStep {
    if (this.buffer.length > 0) {
      const room = this.options.limits.body - this.#bodyBytes
      if (room === 0) this.checkBodyLimit(this.#bodyBytes + 1)
      return this.#takeData(room, 0)
    }
    if (!this.isEnded) return NEED_MORE
    this.#state = 'done'
    return AGAIN
  }

  /** A header section or a trailer section begins here. */
  protected beginSection(isTrailer: boolean): void {
    const isResponse = this.role === 'client'
    this.section = new FieldSection({
      keepsControlCharacters: isResponse && this.repairs,
      folds: isResponse ? 'unfold' : this.options.foldedHeaders,
      isTrailer,
    })
    this.sectionStart = this.offset
  }

  protected addField(maxCount: number, what: string): void {
    const section = this.section as FieldSection
    section.add(this.line, this.lineNumber - 1, this.lineOffset, this)
    if (section.count > maxCount) this.fail('LIMIT', 0, `more than ${maxCount} ${what} lines`, 431)
  }

  /**
   * RFC 9112 section 2.2 is about start lines and field lines: within chunks other readers take an LF for something else,
   * and another message may follow. Nothing follows a text.
   */
  protected override get allowsBareLf(): boolean {
    return this.options.allowBareLf && (this.isText || this.#state === 'done')
  }

  protected readLine(limit: LineLimit): boolean {
    return this.takeLine(limit, this.#closeLine)
  }

  /** At the end of the input: the end of a text closes an open line, that of a connection does not. */
  readonly #closeLine = (): boolean => {
    const isOpenContent = this.#state === 'chunk-line' && this.buffer.length === 0
    if (!this.isText || !this.repairs || isOpenContent) {
      const message = `the message ends before ${this.incompletePart()} is complete`
      return this.failAhead('INCOMPLETE', this.buffer.length, message)
    }
    this.repairOnce('missing-empty-line', this.buffer.length, 'the empty line at the end of the text was added')
    this.takeOpenLine()
    return true
  }

  /** What is being read, in words. */
  protected incompletePart(): string {
    return incompletePart[this.#state]
  }

  protected checkBodyLimit(sizeBytes: number): void {
    const { body } = this.options.limits
    if (sizeBytes > body) this.failAhead('LIMIT', 0, aboveLimit(body), 413)
  }

  #takeData(limit: number, chunkBytes: number): DataEvent {
    const { buffer } = this
    const { start } = buffer
    const sizeBytes = Math.min(buffer.length, limit)
    buffer.start += sizeBytes
    this.offset += sizeBytes
    this.#bodyBytes += sizeBytes
    this.#left -= sizeBytes
    return new DataEvent(buffer.bytes, start, sizeBytes, chunkBytes, this.#chunkExtensions)
  }
}

function aboveLimit(sizeBytes: number): string {
  return `the content is above the limit of ${sizeBytes} octets`
}
