/**
 * A file as the body of a message.
 *
 * Rules: the size is read when the body is made and announced as Content-Length, and exactly that many bytes are sent:
 * a file that grows in the meantime is cut at its old end, and one that shrinks is an error (content-length-mismatch),
 * never a broken message. A source without a size (a pipe, a device, a file in /proc) is sent chunked. Nothing is read
 * before the message is, except one byte of a file that reports size 0.
 */
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BodyEvent, HeaderList, type MessageBody } from '../message/index.ts'
import { PlatformError } from './errors.ts'
import { openPipe } from './pipes.ts'
import { unreadableFile } from './system-reasons.ts'

/** Bytes read at a time. Four times as many added 17 MiB to the peak memory of a large upload. */
const READ_BYTES = 64 * 1024

/**
 * The content of a file, read when the message is written.
 *
 *   request.withBody(new FileBody('photo.png', 'image/png'))
 */
export class FileBody<Source extends string | URL | Blob = string | URL | Blob> implements MessageBody {
  readonly contentType: string | undefined
  /** Size in bytes; undefined if it is not known. */
  readonly contentLength: number | undefined
  /** Reads the file, for `eagerly()`; only for a path. Waits for a pipe. @throws as `open` does. */
  readonly openEventsNow: Source extends Blob ? undefined : () => Iterable<BodyEvent>
  readonly #file: string | Blob

  /**
   * @param file a path, a `file:` URL, or a Blob or File of the web platform (whose type is the default content type).
   * @throws HttpcliError `file-not-found`, `file-not-readable` or `file-is-directory`.
   */
  constructor(file: Source, contentType?: string) {
    if (typeof file === 'string' || file instanceof URL) {
      const path = typeof file === 'string' ? file : fileURLToPath(file)
      this.#file = path
      this.contentLength = sizeOf(path)
      this.contentType = contentType
      const openNow: unknown = () => eventsOf(path, this.contentLength)
      this.openEventsNow = openNow as typeof this.openEventsNow
      return
    }
    this.openEventsNow = undefined as typeof this.openEventsNow
    this.#file = file
    this.contentLength = file.size
    this.contentType = contentType ?? (file.type === '' ? undefined : file.type)
  }

  /** @throws HttpcliError `file-not-found` or `file-not-readable`; errors of the file system. */
  async *open(): AsyncGenerator<Uint8Array> {
    if (typeof this.#file !== 'string') {
      yield* this.#file.stream() as unknown as AsyncIterable<Uint8Array>
      return
    }
    if (this.contentLength === 0) return
    const last = this.contentLength === undefined ? {} : { end: this.contentLength - 1 }
    const path = this.#file
    try {
      const pipe = this.contentLength === undefined ? await openPipe(path) : undefined
      yield* pipe ?? (createReadStream(path, { highWaterMark: READ_BYTES, ...last }) as AsyncIterable<Uint8Array>)
    } catch (cause) {
      throw fileError(path, cause)
    }
  }
}

function* eventsOf(path: string, sizeBytes = Number.POSITIVE_INFINITY): Generator<BodyEvent> {
  yield* piecesOf(path, sizeBytes)
  yield { type: 'end', trailers: HeaderList.EMPTY }
}

function* piecesOf(path: string, sizeBytes: number): Generator<BodyEvent> {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    for (let leftBytes = sizeBytes; leftBytes > 0; ) {
      const bytes = new Uint8Array(Math.min(READ_BYTES, leftBytes))
      const readBytes = readSync(descriptor, bytes)
      if (readBytes === 0) return
      leftBytes -= readBytes
      yield { type: 'data', bytes: bytes.subarray(0, readBytes) }
    }
  } catch (cause) {
    throw fileError(path, cause)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) {
      throw new PlatformError('file-is-directory', `${path} is a directory, expected a file`)
    }
    if (!stats.isFile()) return undefined
    return stats.size === 0 && holdsSomething(path) ? undefined : stats.size
  } catch (cause) {
    throw fileError(path, cause)
  }
}

/** Files that the system generates when they are read, such as those of /proc, report size 0. */
function holdsSomething(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    return readSync(descriptor, new Uint8Array(1)) > 0
  } finally {
    closeSync(descriptor)
  }
}

function fileError(path: string, cause: unknown): Error {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === 'ENOENT') {
    return new PlatformError('file-not-found', ...unreadableFile(`the file ${path}`, cause))
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR' || code === 'ENOTDIR') {
    return new PlatformError('file-not-readable', ...unreadableFile(`the file ${path}`, cause))
  }
  return cause as Error
}
