/**
 * Chunked content (RFC 9112 section 7.1).
 *
 *   chunked-body = *chunk last-chunk trailer-section CRLF
 *   chunk        = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
 *   last-chunk   = 1*("0") [ chunk-ext ] CRLF
 *
 * State: the part to read next, the rest of the current chunk, sums for the limits.
 *
 * Rules: syntax/chunk-line.ts reads the line before a chunk; a canonical line is read in place, without a string.
 * fast/canonical-message.ts reads the chunks of a message in memory in the same way.
 */
import { type BodyEvent, DataEvent } from '../head/events.ts'
import { HeaderList } from '../head/headers.ts'
import { canonicalChunk, canonicalChunkLine, parseChunkLine } from '../syntax/chunk-line.ts'
import { CR, LF } from '../syntax/octets.ts'
import type { ReceiveBuffer } from '../syntax/receive-buffer.ts'
import type { ContentReader } from './content-reader.ts'
import type { FieldSectionReader } from './field-section-reader.ts'
import { BARE_LF_REPAIR, type LineKind, type LineReader } from './line-reader.ts'
import { contentAboveLimit, type Reporter } from './reporter.ts'

type ChunkedPart = 'line' | 'data' | 'data-end' | 'trailers'

const LINE: LineKind = {
  limited: 'a chunk extension',
  part: 'its last chunk',
  status: 413,
  isInContent: true,
  allowsEmpty: false,
}
/** Space for the size in a chunk line, in addition to its extensions. */
const SIZE_ROOM_BYTES = 64

export class ChunkedReader implements ContentReader {
  readonly #buffer: ReceiveBuffer
  readonly #lines: LineReader
  readonly #reporter: Reporter
  readonly #trailers: FieldSectionReader
  #part: ChunkedPart = 'line'
  /** Total size of all chunks whose lines have been read. */
  #contentBytes = 0
  #extensionBytes = 0
  #left = 0
  /** The size of the chunk if its first bytes are still to come, otherwise 0. */
  #chunkBytes = 0
  #extensions = ''
  #lastDataByte: number | undefined

  constructor(buffer: ReceiveBuffer, lines: LineReader, reporter: Reporter, trailers: FieldSectionReader) {
    this.#buffer = buffer
    this.#lines = lines
    this.#reporter = reporter
    this.#trailers = trailers
  }

  begin(): void {
    this.#part = 'line'
    this.#contentBytes = 0
    this.#extensionBytes = 0
  }

  read(): BodyEvent | undefined {
    for (;;) {
      switch (this.#part) {
        case 'line':
          if (this.#reporter.options.fastPath && this.#readCanonicalLine()) {
            if (this.#left > 0) break
            return { type: 'end', trailers: HeaderList.EMPTY, lastChunkExtensions: '' }
          }
          if (!this.#readLine()) return undefined
          break
        case 'data':
          return this.#readData()
        case 'data-end':
          if (!this.#readDataEnd()) return undefined
          break
        case 'trailers': {
          const trailers = this.#trailers.read()
          return trailers && { type: 'end', trailers, lastChunkExtensions: this.#extensions }
        }
      }
    }
  }

  #readLine(): boolean {
    const reporter = this.#reporter
    const { chunkExtensions, body } = reporter.options.limits
    const line = this.#lines.read(LINE, chunkExtensions - this.#extensionBytes + SIZE_ROOM_BYTES)
    if (line === undefined) return false
    const { sizeBytes, extensions } = parseChunkLine(line, reporter)
    this.#extensionBytes += extensions === '' ? 0 : extensions.length + 1
    if (this.#extensionBytes > chunkExtensions) {
      reporter.fail('LIMIT', 0, `more than ${chunkExtensions} bytes of chunk extensions`, 413)
    }
    if (this.#contentBytes + sizeBytes > body) reporter.fail('LIMIT', 0, contentAboveLimit(body), 413)
    this.#beginChunk(sizeBytes, extensions)
    if (sizeBytes > 0) return true
    this.#part = 'trailers'
    this.#trailers.begin()
    return true
  }

  /** Reads a complete line without extensions; with the last chunk, also the end of a message without trailers. */
  #readCanonicalLine(): boolean {
    const buffer = this.#buffer
    const { bytes, start, end } = buffer
    const lineBytes = canonicalChunkLine(bytes, start, end)
    const { sizeBytes } = canonicalChunk
    if (lineBytes === 0 || this.#contentBytes + sizeBytes > this.#reporter.options.limits.body) return false
    if (sizeBytes > 0) {
      buffer.start = start + lineBytes
      this.#reporter.endLines(1, lineBytes)
    } else {
      const next = start + lineBytes
      if (next + 2 > end || bytes[next] !== CR || bytes[next + 1] !== LF) return false
      buffer.start = next + 2
      this.#reporter.endLines(2, 2)
    }
    this.#beginChunk(sizeBytes, '')
    return true
  }

  #beginChunk(sizeBytes: number, extensions: string): void {
    this.#contentBytes += sizeBytes
    this.#left = sizeBytes
    this.#chunkBytes = sizeBytes
    this.#extensions = extensions
    this.#part = 'data'
  }

  #readData(): BodyEvent | undefined {
    const buffer = this.#buffer
    const { bytes, start, length } = buffer
    if (length === 0) {
      if (!buffer.isEnded) return undefined
      const message = `the content ends ${this.#left} bytes before the end of a chunk`
      return this.#reporter.failAhead('INCOMPLETE', 0, message)
    }
    const sizeBytes = Math.min(length, this.#left)
    const data = new DataEvent(bytes, start, sizeBytes, this.#chunkBytes, this.#extensions)
    buffer.start = start + sizeBytes
    this.#left -= sizeBytes
    this.#chunkBytes = 0
    if (this.#left === 0) this.#endData()
    return data
  }

  /** Also reads the CRLF after the data if it has arrived. */
  #endData(): void {
    const { bytes, start, end } = this.#buffer
    if (start + 2 <= end && bytes[start] === CR && bytes[start + 1] === LF) {
      this.#endChunk(2)
      return
    }
    this.#lastDataByte = bytes[start - 1]
    this.#part = 'data-end'
  }

  #endChunk(lineEndBytes: number): void {
    this.#buffer.start += lineEndBytes
    this.#reporter.endLine()
    this.#part = 'line'
  }

  /** Only CRLF is allowed after the data of a chunk. */
  #readDataEnd(): boolean {
    const { bytes, start, length, isEnded } = this.#buffer
    const reporter = this.#reporter
    const first = bytes[start]
    if (length === 0 || (length === 1 && first === CR)) {
      if (!isEnded) return false
      reporter.failAhead('INCOMPLETE', length, 'the content ends after the data of a chunk')
    }
    // A lone LF after data that ends in CR is more likely the CRLF of a chunk whose size is wrong.
    const isBareLf = first === LF && this.#lines.allowsBareLf(true) && this.#lastDataByte !== CR
    if (!(first === CR && bytes[start + 1] === LF) && !isBareLf) {
      reporter.failAhead('CHUNK_DATA', 0, 'expected CRLF after the data of a chunk')
    }
    if (isBareLf && reporter.isLenient) reporter.repairOnce('bare-lf', 0, BARE_LF_REPAIR)
    this.#endChunk(isBareLf ? 1 : 2)
    return true
  }
}
