/**
 * The body of a received message: as a stream, as text, as chunks, decoded.
 *
 * Rules: a body from a connection can be read once, by one consumer; a body in memory can be read any number of times.
 * The iteration, `stream` and `bytes` give the content as it was sent, in its Content-Encoding; methods that convert it
 * (`text`, `json`, `blob`, `arrayBuffer`, `formData`) decode it first, as fetch does. Codings of Transfer-Encoding
 * belong to the connection and are always decoded (RFC 9112 section 7.2).
 */
import type { BodyEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import { MessageError } from '../syntax/errors.ts'
import { visible } from '../syntax/excerpt.ts'
import { concatBytes, copyOf } from '../syntax/octets.ts'
import type { Chunk } from './chunk-list.ts'
import {
  type Content,
  collect,
  encodeContent,
  encodeMemory,
  type MemoryContent,
  memoryContent,
  type SettledTrailers,
  settledTrailers,
} from './content.ts'
import { contentCodings, type DecodeOptions, decodeNow, decodeWithin, transferCodings } from './content-coding.ts'
import { charsetOf, decodeText, parseJson } from './content-text.ts'
import { OctetJoiner } from './octet-joiner.ts'

/**
 * The body of a message. Iterating it gives the content, unframed, in pieces as they arrive. Every way of reading
 * throws HttpcliError `body-used` if a body that can be read only once has been read, and the errors of its connection.
 */
export interface ReceivedBody extends AsyncIterable<Uint8Array> {
  /** How its end is found. */
  readonly framing: Framing
  /** The content, unframed, as a web stream. */
  stream(): ReadableStream<Uint8Array>
  /** Chunks as they were framed; if the message is not chunked, its pieces as they arrive. */
  chunks(): AsyncIterable<Chunk>
  /** The bytes as sent, framing included. */
  encoded(): AsyncIterable<Uint8Array>
  /** The content, decoded by its Content-Encoding. @throws HttpcliError `unknown-content-coding`, `content-coding`. */
  decoded(options?: DecodeOptions): AsyncIterable<Uint8Array>
  /** The content in memory, not decoded. */
  bytes(): Promise<Uint8Array>
  /** Decoded, by the charset of Content-Type unless one is given. @throws as `decoded` does; `unknown-charset`. */
  text(charset?: string): Promise<string>
  /** @throws as `text` does; HttpcliError `invalid-json`. */
  json<T = unknown>(): Promise<T>
  /** Decoded. @throws as `decoded` does. */
  arrayBuffer(): Promise<ArrayBuffer>
  /** Decoded, with Content-Type as its type. @throws as `decoded` does. */
  blob(): Promise<Blob>
  /** The fields of a form, by Content-Type. @throws as `decoded` does; HttpcliError `invalid-form`. */
  formData(): Promise<FormData>
  /**
   * The trailer section; settled once the content has been read to its end. Rejects with HttpcliError `body-used` if
   * reading stopped before, and with the error of the connection.
   */
  readonly trailers: Promise<HeaderList>
}

/** A body in memory: everything is available without waiting. */
export interface EagerBody {
  /** How its end was found, or will be. */
  readonly framing: Framing
  /** The content, unframed. */
  readonly bytes: Uint8Array
  /** The bytes as sent, framing included. */
  readonly wire: Uint8Array
  readonly trailers: HeaderList
  /** Empty for a message that is not chunked. The last chunk, which has no data, is not included. */
  readonly chunks: readonly Chunk[]
  /** As written after the first ";" of the last chunk; may be empty. */
  readonly lastChunkExtensions: string
  /**
   * Decoded, by the charset of Content-Type unless one is given.
   * @throws HttpcliError `unknown-charset`; `content-coding-waits` if its coding cannot be decoded at once, as in
   *   `httpcli/message`; as `decoded` does.
   */
  text(charset?: string): string
  /** @throws as `text` does; HttpcliError `invalid-json`. */
  json<T = unknown>(): T
  /** The content, decoded by its Content-Encoding. @throws HttpcliError `unknown-content-coding`, `content-coding`. */
  decoded(options?: DecodeOptions): Promise<Uint8Array>
}

export class ContentReader implements ReceivedBody {
  readonly framing: Framing
  readonly #content: Content
  readonly #headers: HeaderList
  readonly #trailers: SettledTrailers

  constructor(framing: Framing, content: Content, headers: HeaderList) {
    this.framing = framing
    this.#content = content
    this.#headers = headers
    this.#trailers = content.sharedTrailers ?? settledTrailers()
    if (content.memory !== undefined) this.#trailers.resolve(content.memory.trailers)
  }

  get trailers(): Promise<HeaderList> {
    return this.#trailers.promise
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#withoutCodings(new DataIterator(this.#content, this.#trailers))
  }

  stream(): ReadableStream<Uint8Array> {
    return this.#streamOf((octets) => octets)
  }

  /** The decoded content as a web stream, however large it is. @internal */
  decodedStream(): ReadableStream<Uint8Array> {
    const limits = { limitBytes: Number.POSITIVE_INFINITY }
    return this.#streamOf((octets) => {
      return decodeWithin({ [Symbol.asyncIterator]: () => octets }, contentCodings(this.#headers), limits)
    })
  }

  async *chunks(): AsyncGenerator<Chunk> {
    let extensions = ''
    let left = 0
    let pieces: Uint8Array[] = []
    for await (const event of this.events()) {
      if (event.type === 'end') return
      if (event.chunk !== undefined) {
        extensions = event.chunk.extensions
        left = event.chunk.sizeBytes
      }
      pieces.push(event.bytes)
      left -= event.bytes.length
      if (left > 0) continue
      yield { data: concatBytes(pieces), extensions }
      pieces = []
      extensions = ''
    }
  }

  encoded(): AsyncIterable<Uint8Array> {
    return encodeContent(this.framing, { ...this.#content, events: () => this.events() })
  }

  decoded(options?: DecodeOptions): AsyncIterable<Uint8Array> {
    return decodeWithin(this, contentCodings(this.#headers), options)
  }

  async bytes(): Promise<Uint8Array> {
    if (this.#transferCodings.length > 0) return joined(this)
    return (await collect(this.#content, this.#trailers)).data
  }

  async text(charset?: string): Promise<string> {
    return decodeText(await this.#plainBytes(), charset ?? charsetOf(this.#headers))
  }

  async json<T = unknown>(): Promise<T> {
    return parseJson(await this.text()) as T
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return copyOf(await this.#plainBytes()).buffer
  }

  async blob(): Promise<Blob> {
    return new Blob([copyOf(await this.#plainBytes())], { type: this.#headers.get('content-type') ?? '' })
  }

  async formData(): Promise<FormData> {
    const type = this.#headers.get('content-type') ?? ''
    const octets = copyOf(await this.#plainBytes())
    try {
      return await new Response(octets, { headers: { 'Content-Type': type } }).formData()
    } catch (cause) {
      const isForm = /^multipart\/form-data\b/i.test(type)
      const found = isForm ? 'a malformed form' : 'not a form'
      throw new MessageError('invalid-form', `the body is ${found}: its Content-Type is "${visible(type)}"`, { cause })
    }
  }

  /**
   * A web stream. When it is cancelled, the content ends first, so that the owner of its connection can release it,
   * even while a piece is awaited or if nothing was read: the generators that decode it cannot be ended then.
   */
  #streamOf(decode: (octets: AsyncIterator<Uint8Array>) => AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
    const received = new DataIterator(this.#content, this.#trailers)
    return streamOf(decode(this.#withoutCodings(received)), () => received.return())
  }

  #withoutCodings(octets: DataIterator): AsyncIterator<Uint8Array> {
    const codings = this.#transferCodings
    if (codings.length === 0) return octets
    return decodeWithin({ [Symbol.asyncIterator]: () => octets }, codings, { limitBytes: Number.POSITIVE_INFINITY })
  }

  get #transferCodings(): readonly string[] {
    return this.framing.type === 'length' ? [] : transferCodings(this.#headers)
  }

  async #plainBytes(): Promise<Uint8Array> {
    return contentCodings(this.#headers).length === 0 ? this.bytes() : joined(this.decoded())
  }

  /** Call this instead of reading content that is not sent. @internal */
  discard(): void {
    this.#content.discard?.()
  }

  /** The events of the content; content from a connection can be read once. @internal */
  async *events(): AsyncGenerator<BodyEvent> {
    // Outside `try`: content that is already in use throws here, and its trailers are still to come.
    const events = this.#content.events()
    try {
      for await (const event of events) {
        if (event.type === 'end') this.#trailers.resolve(event.trailers)
        yield event
      }
    } catch (error) {
      this.#trailers.reject(error)
      throw error
    } finally {
      this.#trailers.reject(endedEarly())
    }
  }
}

/** No effect on trailers that are settled. */
function endedEarly(): MessageError {
  return new MessageError('body-used', 'reading of the body stopped before its trailers', {
    hint: 'Read the body to its end first',
  })
}

/** The bytes of the content alone. Not a generator: two nested generators take twice as long. */
class DataIterator implements AsyncIterator<Uint8Array> {
  readonly #content: Content
  readonly #trailers: SettledTrailers
  #events: AsyncIterator<BodyEvent> | undefined
  #isEnded = false

  constructor(content: Content, trailers: SettledTrailers) {
    this.#content = content
    this.#trailers = trailers
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#isEnded) return { done: true, value: undefined }
    this.#events ??= this.#content.events()[Symbol.asyncIterator]()
    try {
      while (!this.#isEnded) {
        const { done, value } = await this.#events.next()
        if (done === true) this.#isEnded = true
        else if (value.type === 'data') return { done: false, value: value.bytes }
        else this.#trailers.resolve(value.trailers)
      }
      return { done: true, value: undefined }
    } catch (error) {
      this.#isEnded = true
      this.#trailers.reject(error)
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#isEnded = true
    if (this.#events === undefined && this.#content.discard !== undefined) {
      this.#content.discard()
    } else {
      this.#events ??= this.#content.events()[Symbol.asyncIterator]()
      await this.#events.return?.()
    }
    this.#trailers.reject(endedEarly())
    return { done: true, value: undefined }
  }
}

/** An iteration as a web stream. Not every platform has ReadableStream.from. `release` ends what it reads from. */
function streamOf(iterator: AsyncIterator<Uint8Array>, release: () => Promise<unknown>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel(): Promise<void> {
      await release()
      await iterator.return?.()
    },
  })
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept = new OctetJoiner()
  for await (const piece of pieces) kept.add(piece)
  return kept.joined()
}

/** @internal */
export function eagerBody(framing: Framing, memory: MemoryContent, headers: HeaderList): EagerBody {
  const bytes = (): Uint8Array => {
    const codings = framing.type === 'length' ? [] : transferCodings(headers)
    return codings.length === 0 ? memory.data : decodeNow(memory.data, codings)
  }
  let chunks: readonly Chunk[] | undefined
  const text = (charset?: string): string =>
    decodeText(decodeNow(bytes(), contentCodings(headers)), charset ?? charsetOf(headers))
  return {
    framing,
    get bytes(): Uint8Array {
      return bytes()
    },
    get wire(): Uint8Array {
      return encodeMemory(framing, memory)
    },
    trailers: memory.trailers,
    get chunks(): readonly Chunk[] {
      chunks ??= [...(memory.chunks?.of(memory.data) ?? [])]
      return chunks
    },
    lastChunkExtensions: memory.lastChunkExtensions,
    text,
    json: <T>(): T => parseJson(text()) as T,
    decoded: (options) => joined(new ContentReader(framing, memoryContent(memory), headers).decoded(options)),
  }
}
