/**
 * Bodies to send: the content of a message.
 *
 * Rules: a body declares its type (`contentType`) and its length (`contentLength`; undefined means chunked); its bytes
 * are read piece by piece when the message is read. FileBody, which needs a file system, is in src/message-node. RFC
 * 9112 sections 6 and 7.1 define the framing.
 */
import type { BodyEvent } from '../head/events.ts'
import { type HeaderInit, HeaderList } from '../head/headers.ts'
import { checkBytes, checkKeys, checkType, type KeyTypes, typeName } from '../syntax/checked-input.ts'
import { extensionProblem } from '../syntax/chunk-line.ts'
import { HttpBuildError, type HttpcliError, MessageError } from '../syntax/errors.ts'
import { excerptOf } from '../syntax/excerpt.ts'
import { utf8Bytes } from '../syntax/octets.ts'

/** A source of bytes. Node's readable streams are async iterables. */
export type ByteSource = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** A body to send: any object of this shape, such as `{ contentLength: 3, open: () => source }`. */
export interface MessageBody {
  /** Sent as Content-Type, if given. */
  readonly contentType?: string | undefined
  /** Number of bytes, if known: sent as Content-Length. Otherwise the message is chunked. */
  readonly contentLength?: number | undefined
  /** The bytes, if they are in memory. */
  readonly bytes?: Uint8Array | undefined
  /** Number of bytes of each chunk, if the message is chunked. */
  readonly chunkSize?: number | undefined
  /** Opens the content from its beginning. Throws if it was consumed and cannot be read again. */
  open(): AsyncIterable<Uint8Array>
  /** For a chunked body: the content as events, with chunk extensions and trailers. */
  openEvents?(): AsyncIterable<BodyEvent>
  /** The same events synchronously, if that is possible. */
  readonly openEventsNow?: (() => Iterable<BodyEvent>) | undefined
  /** Called instead of `open` if the content is not sent, as in an answer to HEAD: closes a stream that is open. */
  discard?(): void
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

/** A text, sent as UTF-8; Content-Length is its length in bytes. */
export class StringBody implements MessageBody {
  readonly contentType: string | undefined
  readonly contentLength: number
  readonly bytes: Uint8Array

  /** @throws HttpcliError `invalid-option` for anything but a string. */
  constructor(text: string, contentType?: string) {
    this.bytes = utf8Bytes(checkType(text, 'string', 'the text of the body'))
    this.contentLength = this.bytes.length
    this.contentType = contentType
  }

  open(): AsyncIterable<Uint8Array> {
    return once(this.bytes)
  }
}

/** Bytes in memory. They are used without a copy. */
export class BytesBody implements MessageBody {
  readonly contentType: string | undefined
  readonly contentLength: number
  readonly bytes: Uint8Array

  /** @throws HttpcliError `invalid-option` for anything but a Uint8Array. */
  constructor(bytes: Uint8Array, contentType?: string) {
    this.bytes = checkBytes(bytes, 'the body')
    this.contentLength = bytes.length
    this.contentType = contentType
  }

  open(): AsyncIterable<Uint8Array> {
    return once(this.bytes)
  }
}

/** Data in chunks besides the content (RFC 9112 sections 7.1.1 and 7.1.2). */
export interface ChunkedBodyOptions {
  /** Fields after the last chunk. A function is called after the content has been read, for example to add a digest. */
  readonly trailers?: HeaderInit | (() => HeaderInit | Promise<HeaderInit>)
  /** Extensions of the chunk with that index: `sig=1;last`. A size of 0 means the last chunk. */
  readonly extensions?: (index: number, sizeBytes: number) => string
}

const optionTypes: KeyTypes = { trailers: 'any', extensions: 'function' }

/** The largest chunk of a body without a chunk size. */
const DEFAULT_CHUNK_BYTES = 4096

/**
 * Content of unknown length, read lazily, sent as chunks of the given size in bytes; the last one may be smaller.
 * Without a size, each piece of the source is sent once the source yields it, in chunks of at most 4096 bytes.
 *
 *   new ChunkedBody(createReadStream('log.txt'), 'text/plain', 65_536, { trailers: () => ({ Digest: digest() }) })
 */
export class ChunkedBody<Source extends ByteSource = ByteSource> implements MessageBody {
  readonly contentType: string | undefined
  /** The size of each chunk if it was given, otherwise the largest one. */
  readonly chunkSize: number
  /**
   * For a source in memory.
   * @throws HttpBuildError `TRAILER` if the trailers are a promise; otherwise as `openEvents` does.
   */
  readonly openEventsNow: Source extends Iterable<Uint8Array> | Uint8Array ? () => Iterable<BodyEvent> : undefined
  readonly #source: ByteSource
  readonly #options: ChunkedBodyOptions
  readonly #hasEqualChunks: boolean
  #isUsed = false

  /** @throws HttpcliError `invalid-option` for a chunk size that is not a whole number above 0, or another option. */
  constructor(source: Source, contentType?: string, chunkSize?: number, options: ChunkedBodyOptions = {}) {
    if (chunkSize !== undefined && (!Number.isSafeInteger(chunkSize) || chunkSize < 1)) {
      throw new MessageError('invalid-option', `the chunk size is ${chunkSize}, expected a whole number above 0`)
    }
    checkSource(source)
    checkKeys(options, optionTypes, 'the options of a chunked body')
    this.contentType = contentType
    this.chunkSize = chunkSize ?? DEFAULT_CHUNK_BYTES
    this.#hasEqualChunks = chunkSize !== undefined
    this.#source = source
    this.#options = options
    const openNow = isImmediate(source) ? () => this.#eventsNow(source) : undefined
    this.openEventsNow = openNow as typeof this.openEventsNow
  }

  /** The content in the pieces that become chunks. @throws HttpcliError `body-used`; what the source throws. */
  async *open(): AsyncGenerator<Uint8Array> {
    this.#use()
    const cutter = new PieceCutter(this.chunkSize, this.#hasEqualChunks)
    for await (const octets of iterateBytes(this.#source)) yield* cutter.cut(octets)
    yield* cutter.rest()
  }

  /** @throws as `open` does; HttpcliError `invalid-option` for extensions that break the grammar. */
  async *openEvents(): AsyncGenerator<BodyEvent> {
    const { trailers } = this.#options
    let index = 0
    for await (const bytes of this.open()) yield this.#chunk(index++, bytes)
    yield this.#end(index, typeof trailers === 'function' ? await trailers() : trailers)
  }

  *#eventsNow(source: Uint8Array | Iterable<Uint8Array>): Generator<BodyEvent> {
    this.#use()
    const cutter = new PieceCutter(this.chunkSize, this.#hasEqualChunks)
    let index = 0
    for (const octets of source instanceof Uint8Array ? [source] : source) {
      for (const bytes of cutter.cut(checkedPiece(octets))) yield this.#chunk(index++, bytes)
    }
    for (const bytes of cutter.rest()) yield this.#chunk(index++, bytes)
    const { trailers } = this.#options
    const fields = typeof trailers === 'function' ? trailers() : trailers
    if (fields instanceof Promise) {
      const hint = 'Give a function that answers at once, or write the message with encode()'
      throw new HttpBuildError('TRAILER', 'the trailers of content in memory are a promise', { hint })
    }
    yield this.#end(index, fields)
  }

  discard(): void {
    const source = this.#source as { destroy?: () => void; cancel?: () => Promise<void>; locked?: boolean }
    if (isDuplex(source)) return
    if (typeof source.destroy === 'function') source.destroy()
    else if (typeof source.cancel === 'function' && source.locked === false) source.cancel().catch(() => undefined)
  }

  /** Bytes in memory and collections can be read again; a stream or a generator can be read once. */
  #use(): void {
    const isReplayable = this.#source instanceof Uint8Array || Array.isArray(this.#source)
    if (this.#isUsed && !isReplayable) throw bodyUsed()
    this.#isUsed = true
  }

  #chunk(index: number, bytes: Uint8Array): BodyEvent {
    return {
      type: 'data',
      bytes,
      chunk: { sizeBytes: bytes.length, extensions: this.#extensions(index, bytes.length) },
    }
  }

  #end(index: number, trailers: HeaderInit | undefined): BodyEvent {
    const lastChunkExtensions = this.#extensions(index, 0)
    return { type: 'end', trailers: HeaderList.of(trailers ?? []), lastChunkExtensions }
  }

  #extensions(index: number, sizeBytes: number): string {
    const text = this.#options.extensions?.(index, sizeBytes) ?? ''
    const wrong = text === '' ? undefined : extensionProblem(`;${text}`, 0)
    if (wrong === undefined) return text
    throw new MessageError('invalid-option', `the extensions of chunk ${index} are wrong: ${wrong.problem}`, {
      excerpt: excerptOf(text, wrong.index - 1),
    })
  }
}

/** The error `body-used` for content that can be read only once. */
export function bodyUsed(): HttpcliError {
  return new MessageError('body-used', 'the body has been read already and cannot be read again', {
    hint: 'Call eagerly() first to keep a message',
  })
}

/** Properties of a Node.js socket and similar streams besides their bytes. */
interface DuplexStream {
  readonly write: unknown
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
}

/**
 * Any source as one async iteration. A source that is also writable is left open at its end, because the response is
 * sent on it and its owner closes it.
 */
export async function* iterateBytes(source: ByteSource): AsyncGenerator<Uint8Array> {
  checkSource(source)
  if (source instanceof Uint8Array) {
    yield source
  } else if (isDuplex(source)) {
    yield* source.iterator({ destroyOnReturn: false })
  } else if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    for await (const octets of source as AsyncIterable<Uint8Array>) yield checkedPiece(octets)
  } else {
    yield* iterateStream(source)
  }
}

/** @throws HttpBuildError `invalid-body` for a value that cannot be read. */
function checkSource(source: ByteSource): void {
  const isReadable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source || 'getReader' in source)
  if (isReadable) return
  throw new HttpBuildError(
    'invalid-body',
    `the source is ${typeName(source)}, expected a stream or an iterable of bytes`,
  )
}

/** A stream of strings, for example, would be sent as something other than its text. */
function checkedPiece(octets: unknown): Uint8Array {
  if (octets instanceof Uint8Array) return octets
  throw new HttpBuildError('invalid-body', `the source of bytes gave ${typeName(octets)}, expected a Uint8Array`, {
    hint: 'Encode text first, for example with TextEncoder',
  })
}

function isImmediate(source: ByteSource): source is Uint8Array | Iterable<Uint8Array> {
  return source instanceof Uint8Array || (Symbol.iterator in source && !(Symbol.asyncIterator in source))
}

function isDuplex(source: object): source is DuplexStream {
  return 'write' in source && typeof (source as DuplexStream).iterator === 'function'
}

/** Not every platform can iterate a ReadableStream. */
async function* iterateStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isDone = false
  try {
    while (true) {
      const result = await reader.read()
      isDone = result.done
      if (result.done) return
      yield checkedPiece(result.value)
    }
  } finally {
    if (!isDone) await reader.cancel()
    reader.releaseLock()
  }
}

/** Cuts bytes into pieces of at most one size; if they are to be equal, only the last piece may be smaller. */
class PieceCutter {
  readonly #sizeBytes: number
  readonly #isEqual: boolean
  #open: Uint8Array | undefined
  #filledBytes = 0

  constructor(sizeBytes: number, isEqual: boolean) {
    this.#sizeBytes = sizeBytes
    this.#isEqual = isEqual
  }

  *cut(octets: Uint8Array): Generator<Uint8Array> {
    const sizeBytes = this.#sizeBytes
    let rest = octets
    while (rest.length > 0) {
      if (this.#open === undefined && (!this.#isEqual || rest.length >= sizeBytes)) {
        yield rest.subarray(0, sizeBytes)
        rest = rest.subarray(sizeBytes)
        continue
      }
      this.#open ??= new Uint8Array(sizeBytes)
      const part = rest.subarray(0, sizeBytes - this.#filledBytes)
      this.#open.set(part, this.#filledBytes)
      this.#filledBytes += part.length
      rest = rest.subarray(part.length)
      if (this.#filledBytes === sizeBytes) yield* this.rest()
    }
  }

  *rest(): Generator<Uint8Array> {
    if (this.#open === undefined) return
    const piece = this.#open.subarray(0, this.#filledBytes)
    this.#open = undefined
    this.#filledBytes = 0
    yield piece
  }
}
