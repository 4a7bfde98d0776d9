/**
 * The body of a message for its reader: as a stream, as text, as chunks, decoded.
 *
 * Rules: what came over a connection can be read once, by one consumer; what is in memory, any number of times.
 * `text` goes by the charset of Content-Type, UTF-8 without one (RFC 9110 section 8.3.2).
 */

import type { BodyEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import type { HeaderList } from '../head/headers.ts'
import { HttpcliError } from '../syntax/errors.ts'
import { concatBytes, equalsIgnoringCase, readableText, trimWhitespace } from '../syntax/octets.ts'
import { type Chunk, type Content, collect, encodeContent, encodeMemory, type MemoryContent } from './content.ts'
import { contentCodings, decodeContent } from './content-coding.ts'
import { iterateBytes } from './message-body.ts'

/**
 * The body of a message. Iterating it gives the content, unframed, in pieces as they come. All ways of reading throw
 * HttpcliError `body-used` where a body that can be read once has been, and what its connection threw.
 */
export interface ReceivedBody extends AsyncIterable<Uint8Array> {
  /** How its end is found. */
  readonly framing: Framing
  /** The content, unframed, as a web stream. */
  stream(): ReadableStream<Uint8Array>
  /** Chunks as they were framed; of a message that is not chunked, its pieces as they come. */
  chunks(): AsyncIterable<Chunk>
  /** The octets as they go over the wire, framing included. */
  encoded(): AsyncIterable<Uint8Array>
  /** The content with its Content-Encoding undone. @throws HttpcliError `unknown-content-coding`, `content-coding`. */
  decoded(): AsyncIterable<Uint8Array>
  /** The content in memory, its Content-Encoding not undone; so too for `text` and `json`. */
  bytes(): Promise<Uint8Array>
  /** By the charset of Content-Type unless one is given. @throws HttpcliError `unknown-charset`. */
  text(charset?: string): Promise<string>
  /** @throws HttpcliError `invalid-json`. */
  json<T = unknown>(): Promise<T>
  /** The trailer section; settled once the content has been read to its end. */
  readonly trailers: Promise<HeaderList>
}

/** A body that is in memory: everything without waiting. */
export interface EagerBody {
  /** How its end was found, or will be. */
  readonly framing: Framing
  /** The content, unframed. */
  readonly bytes: Uint8Array
  /** The octets as they go over the wire, framing included. */
  readonly wire: Uint8Array
  readonly trailers: HeaderList
  /** Empty for a message that is not chunked. The last chunk, which has no data, is not among them. */
  readonly chunks: readonly Chunk[]
  /** By the charset of Content-Type unless one is given. @throws HttpcliError `unknown-charset`. */
  text(charset?: string): string
  /** @throws HttpcliError `invalid-json`. */
  json<T = unknown>(): T
  /** The content with its Content-Encoding undone. @throws HttpcliError `unknown-content-coding`, `content-coding`. */
  decoded(): Promise<Uint8Array>
}

export class ContentReader implements ReceivedBody {
  readonly framing: Framing
  readonly #content: Content
  readonly #headers: HeaderList
  readonly #trailers: PromiseWithResolvers

  constructor(framing: Framing, content: Content, headers: HeaderList) {
    this.framing = framing
    this.#content = content
    this.#headers = headers
    this.#trailers = withResolvers()
    if (content.memory !== undefined) this.#trailers.resolve(content.memory.trailers)
  }

  get trailers(): Promise<HeaderList> {
    return this.#trailers.promise
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return new DataIterator(this.#content, this.#trailers)
  }

  stream(): ReadableStream<Uint8Array> {
    const iterator = this[Symbol.asyncIterator]()
    return new ReadableStream<Uint8Array>({
      async pull(controller): Promise<void> {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(): Promise<void> {
        await iterator.return?.()
      },
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

  decoded(): AsyncIterable<Uint8Array> {
    return decodeContent(this, contentCodings(this.#headers))
  }

  async bytes(): Promise<Uint8Array> {
    return (await collect({ ...this.#content, events: () => this.events() })).data
  }

  async text(charset?: string): Promise<string> {
    return decodeText(await this.bytes(), charset ?? charsetOf(this.#headers))
  }

  async json<T = unknown>(): Promise<T> {
    return parseJson(await this.text()) as T
  }

  /** The events of the content, read once where it can be read once. @internal */
  async *events(): AsyncGenerator<BodyEvent> {
    try {
      for await (const event of this.#content.events()) {
        if (event.type === 'end') this.#trailers.resolve(event.trailers)
        yield event
      }
    } catch (error) {
      this.#trailers.reject(error)
      throw error
    }
  }
}

/** The octets of the content alone. Written out, because two generators around each other take twice as long. */
class DataIterator implements AsyncIterator<Uint8Array> {
  readonly #content: Content
  readonly #trailers: PromiseWithResolvers
  #events: AsyncIterator<BodyEvent> | undefined
  #isEnded = false

  constructor(content: Content, trailers: PromiseWithResolvers) {
    this.#content = content
    this.#trailers = trailers
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      while (!this.#isEnded) {
        this.#events ??= this.#content.events()[Symbol.asyncIterator]()
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
    await this.#events?.return?.()
    return { done: true, value: undefined }
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<HeaderList>
  resolve(trailers: HeaderList): void
  reject(error: unknown): void
}

/** Promise.withResolvers is not on every platform that we run on. */
function withResolvers(): PromiseWithResolvers {
  let settle: Omit<PromiseWithResolvers, 'promise'> | undefined
  const promise = new Promise<HeaderList>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Whoever reads the body sees the error; nobody has to look at the trailers.
  promise.catch(() => undefined)
  return { promise, ...(settle as Omit<PromiseWithResolvers, 'promise'>) }
}

/** @internal */
export function eagerBody(framing: Framing, memory: MemoryContent, headers: HeaderList): EagerBody {
  const text = (charset?: string): string => decodeText(memory.data, charset ?? charsetOf(headers))
  return {
    framing,
    bytes: memory.data,
    get wire(): Uint8Array {
      return encodeMemory(framing, memory)
    },
    trailers: memory.trailers,
    chunks: memory.chunks ?? [],
    text,
    json: <T>(): T => parseJson(text()) as T,
    async decoded(): Promise<Uint8Array> {
      const pieces: Uint8Array[] = []
      const whole = iterateBytes(memory.data)
      for await (const piece of decodeContent(whole, contentCodings(headers))) pieces.push(piece)
      return concatBytes(pieces)
    },
  }
}

/** The charset parameter of Content-Type, UTF-8 without one. */
function charsetOf(headers: HeaderList): string {
  for (const parameter of (headers.first('content-type') ?? '').split(';').slice(1)) {
    const equals = parameter.indexOf('=')
    if (equals === -1 || !equalsIgnoringCase(trimWhitespace(parameter.slice(0, equals)), 'charset')) continue
    return trimWhitespace(parameter.slice(equals + 1)).replace(/^"(.*)"$/, '$1') || 'utf-8'
  }
  return 'utf-8'
}

/** Content as text for people, who get to see it also where its charset is none that is known here. */
export function readableContent(bytes: Uint8Array, headers: HeaderList): string {
  try {
    return decodeText(bytes, charsetOf(headers))
  } catch {
    return readableText(bytes)
  }
}

/** @throws HttpcliError `unknown-charset`. */
function decodeText(bytes: Uint8Array, charset: string): string {
  return textDecoder(charset).decode(bytes)
}

function textDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch (cause) {
    throw new HttpcliError('unknown-charset', `the charset "${charset}" is not known here`, { cause })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new HttpcliError('invalid-json', `the body is no JSON: ${reason}`, { cause })
  }
}
