/**
 * Bodies of answers that are not bytes in memory: parts of an open file, and a stream.
 *
 * Rules: a body owns its source. The code that responds closes it on every path, even if nothing of it is sent.
 */
import type { Readable } from 'node:stream'
import type { ServedFile } from '../files/served-file.ts'

/** Bytes of a file from `start` up to, not including, `end`. */
export interface FileSlice {
  readonly start: number
  readonly end: number
}

export type AnswerBody = Uint8Array | FileBody | StreamBody

/** Parts of an open file, with bytes between them if there are several (`multipart/byteranges`). */
export class FileBody {
  readonly file: ServedFile
  readonly parts: readonly (Uint8Array | FileSlice)[]
  readonly lengthBytes: number

  constructor(file: ServedFile, parts: readonly (Uint8Array | FileSlice)[]) {
    this.file = file
    this.parts = parts
    const lengths = parts.map((part) => (part instanceof Uint8Array ? part.length : part.end - part.start))
    this.lengthBytes = lengths.reduce((sum, length) => sum + length, 0)
  }

  /** May be called more than once. */
  close(): void {
    this.file.close()
  }
}

/**
 * Bytes produced while they are sent. Without a length, a body is chunked in HTTP/1.1, and ends the connection in 1.0.
 */
export class StreamBody {
  readonly stream: Readable
  readonly lengthBytes: number | undefined
  /** Whether it only sends occasional events, and its client can reconnect at any time. */
  readonly isEventStream: boolean

  constructor(stream: Readable, lengthBytes?: number, isEventStream = false) {
    this.stream = stream
    this.lengthBytes = lengthBytes
    this.isEventStream = isEventStream
    // A failure before the stream is read has no listener yet; it is reported again when the stream is read.
    stream.on('error', () => undefined)
  }

  /** May be called more than once. */
  close(): void {
    this.stream.destroy()
  }
}

/** Undefined if the length is known only at the end. */
export function bodyLength(body: AnswerBody): number | undefined {
  return body instanceof Uint8Array ? body.length : body.lengthBytes
}

export function closeBody(body: AnswerBody | undefined): void {
  if (body !== undefined && !(body instanceof Uint8Array)) body.close()
}
