/**
 * Bodies to send: what a message is given as its content.
 *
 * Rules: a body says what it is (`contentType`) and how long it is (`contentLength`; undefined means chunked); its
 * octets are read when somebody reads the message, piece by piece. FileBody, which needs a file system, is in
 * src/message-node. RFC 9112 sections 6 and 7.1 for how they are framed.
 */

import type { BodyEvent } from '../head/events.ts'
import { type HeaderInit, HeaderList } from '../head/headers.ts'
import { extensionProblem } from '../syntax/chunk-line.ts'
import { HttpcliError } from '../syntax/errors.ts'
import { excerptOf } from '../syntax/excerpt.ts'
import { utf8Bytes } from '../syntax/octets.ts'

/** Where octets come from. Node's readable streams are async iterables. */
export type ByteSource = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** A body to send. Anything of this shape will do: `{ contentLength: 3, open: () => source }`. */
export interface MessageBody {
  /** Set as Content-Type, where given. */
  readonly contentType?: string | undefined
  /** Octets, where known: Content-Length. Otherwise the message is chunked. */
  readonly contentLength?: number | undefined
  /** The octets, where they are in memory. */
  readonly bytes?: Uint8Array | undefined
  /** Octets of each chunk, where the message is chunked. */
  readonly chunkSize?: number | undefined
  /** Opens the content from its beginning. Throws where it was used up and cannot be had again. */
  open(): AsyncIterable<Uint8Array>
  /** For a chunked body: the content as events, so that chunk extensions and trailers come along. */
  openEvents?(): AsyncIterable<BodyEvent>
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

/** A text, sent as UTF-8, with its length in octets as Content-Length. */
export class StringBody implements MessageBody {
  readonly contentType: string | undefined
  readonly contentLength: number
  readonly bytes: Uint8Array

  constructor(text: string, contentType?: string) {
    this.bytes = utf8Bytes(text)
    this.contentLength = this.bytes.length
    this.contentType = contentType
  }

  open(): AsyncIterable<Uint8Array> {
    return once(this.bytes)
  }
}

/** Octets in memory. They are used as they are, without a copy. */
export class BytesBody implements MessageBody {
  readonly contentType: string | undefined
  readonly contentLength: number
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, contentType?: string) {
    this.bytes = bytes
    this.contentLength = bytes.length
    this.contentType = contentType
  }

  open(): AsyncIterable<Uint8Array> {
    return once(this.bytes)
  }
}

/** What chunks can carry besides the content (RFC 9112 sections 7.1.1 and 7.1.2). */
export interface ChunkedBodyOptions {
  /** Fields behind the last chunk; a function is called when the content has been read (for a digest, say). */
  readonly trailers?: HeaderInit | (() => HeaderInit | Promise<HeaderInit>)
  /** Extensions of the chunk with that index: `sig=1;last`. A size of 0 means the last chunk. */
  readonly extensions?: (index: number, sizeBytes: number) => string
}

const DEFAULT_CHUNK_SIZE = 4096

/**
 * Content of unknown length, sent as chunks of the given size in octets (default 4096; the last one may be smaller),
 * read lazily.
 *
 *   new ChunkedBody(createReadStream('log.txt'), 'text/plain', 65_536, { trailers: () => ({ Digest: digest() }) })
 */
export class ChunkedBody implements MessageBody {
  readonly contentType: string | undefined
  readonly chunkSize: number
  readonly #source: ByteSource
  readonly #options: ChunkedBodyOptions
  #isUsed = false

  /** @throws HttpcliError `invalid-option` for a chunk size that is no whole number above 0. */
  constructor(
    source: ByteSource,
    contentType?: string,
    chunkSize: number = DEFAULT_CHUNK_SIZE,
    options: ChunkedBodyOptions = {},
  ) {
    if (!Number.isSafeInteger(chunkSize) || chunkSize < 1) {
      throw new HttpcliError('invalid-option', `the chunk size is ${chunkSize}, expected a whole number above 0`)
    }
    this.contentType = contentType
    this.chunkSize = chunkSize
    this.#source = source
    this.#options = options
  }

  /** The content in pieces of the chunk size. @throws HttpcliError `body-used`; what the source throws. */
  async *open(): AsyncGenerator<Uint8Array> {
    // Octets in memory and collections can be read again; a stream or a generator is gone after the first time.
    const isReplayable = this.#source instanceof Uint8Array || Array.isArray(this.#source)
    if (this.#isUsed && !isReplayable) throw bodyUsed()
    this.#isUsed = true
    yield* inPieces(iterateBytes(this.#source), this.chunkSize)
  }

  /** @throws as `open` does; HttpcliError `invalid-option` for extensions that break the grammar. */
  async *openEvents(): AsyncGenerator<BodyEvent> {
    const { trailers } = this.#options
    let index = 0
    for await (const bytes of this.open()) {
      const chunk = { sizeBytes: bytes.length, extensions: this.#extensions(index++, bytes.length) }
      yield { type: 'data', bytes, chunk }
    }
    const lastChunkExtensions = this.#extensions(index, 0)
    const fields = typeof trailers === 'function' ? await trailers() : trailers
    yield { type: 'end', trailers: HeaderList.of(fields ?? []), lastChunkExtensions }
  }

  #extensions(index: number, sizeBytes: number): string {
    const text = this.#options.extensions?.(index, sizeBytes) ?? ''
    const wrong = text === '' ? undefined : extensionProblem(`;${text}`, 0)
    if (wrong === undefined) return text
    throw new HttpcliError('invalid-option', `the extensions of chunk ${index} are wrong: ${wrong.problem}`, {
      excerpt: excerptOf(text, wrong.index - 1),
    })
  }
}

/** The error `body-used` for content that can be read only once. */
export function bodyUsed(): HttpcliError {
  return new HttpcliError('body-used', 'the body has been read already and cannot be read again', {
    hint: 'call eagerly() first to keep a message',
  })
}

/** What a socket of Node.js and its like have besides their octets. */
interface DuplexStream {
  readonly write: unknown
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
}

/**
 * Any source as one async iteration. A source that can also be written to stays open at its end: the answer goes over
 * it, and its owner closes it.
 */
export async function* iterateBytes(source: ByteSource): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    yield source
  } else if (isDuplex(source)) {
    yield* source.iterator({ destroyOnReturn: false })
  } else if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    yield* source as AsyncIterable<Uint8Array>
  } else {
    yield* iterateStream(source)
  }
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
      yield result.value
    }
  } finally {
    if (!isDone) await reader.cancel()
    reader.releaseLock()
  }
}

async function* inPieces(source: AsyncIterable<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let open: Uint8Array | undefined
  let filled = 0
  for await (const piece of source) {
    let rest = piece
    while (rest.length > 0) {
      if (open === undefined && rest.length >= sizeBytes) {
        yield rest.subarray(0, sizeBytes)
        rest = rest.subarray(sizeBytes)
        continue
      }
      open ??= new Uint8Array(sizeBytes)
      const part = rest.subarray(0, sizeBytes - filled)
      open.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
      if (filled === sizeBytes) {
        yield open
        open = undefined
        filled = 0
      }
    }
  }
  if (open !== undefined && filled > 0) yield open.subarray(0, filled)
}
