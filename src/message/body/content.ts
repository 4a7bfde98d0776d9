/**
 * The content of a message inside this room: in memory, or a stream that can be read once. Also writes it to the wire.
 *
 * Rules: content is a series of body events; content in memory can be read any number of times. Written content never
 * differs from its framing: too many or too few bytes are an error (`content-length-mismatch`), not a broken message.
 * RFC 9112 sections 6 and 7.1.
 */
import type { BodyEvent } from '../head/events.ts'
import type { Framing } from '../head/framing.ts'
import { HeaderList } from '../head/headers.ts'
import { checkTrailers, writtenTrailers } from '../head/trailer-fields.ts'
import { extensionProblem } from '../syntax/chunk-line.ts'
import { HttpBuildError } from '../syntax/errors.ts'
import { byteCount, copyOf, octetsOf, viewOf } from '../syntax/octets.ts'
import { ChunkSizes } from './chunk-list.ts'
import { bodyUsed, iterateBytes, type MessageBody } from './message-body.ts'
import { OctetJoiner } from './octet-joiner.ts'

export interface MemoryContent {
  readonly data: Uint8Array
  /** Undefined if the content was not chunked. */
  readonly chunks: ChunkSizes | undefined
  readonly lastChunkExtensions: string
  readonly trailers: HeaderList
}

/** Content in memory or on a connection. */
export interface Content {
  readonly memory: MemoryContent | undefined
  /** The number of bytes, if known before reading. */
  readonly lengthBytes: number | undefined
  /** Set if the content can be read only once: a changed copy of its message shares it, and its trailers. */
  readonly sharedTrailers?: SettledTrailers
  /** Reads all of it synchronously, if possible. @throws HttpcliError `body-used`. */
  readNow?(): MemoryContent
  /** @throws HttpcliError `body-used` if it can be read only once and has been read. */
  events(): AsyncIterable<BodyEvent>
  /** Called instead of `events` if the content is not sent. */
  discard?(): void
}

/** A trailer section, which is settled by reading the content. */
export interface SettledTrailers {
  readonly promise: Promise<HeaderList>
  resolve(trailers: HeaderList): void
  reject(error: unknown): void
}

/** Not every supported platform has Promise.withResolvers. */
export function settledTrailers(): SettledTrailers {
  let settle: Omit<SettledTrailers, 'promise'> | undefined
  const promise = new Promise<HeaderList>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The reader of the body gets the error, so nothing needs to handle it here as well.
  promise.catch(() => undefined)
  return { promise, ...(settle as Omit<SettledTrailers, 'promise'>) }
}

export function memoryContent(memory: MemoryContent): Content {
  return {
    memory,
    lengthBytes: memory.data.length,
    async *events() {
      yield* memoryEvents(memory)
    },
  }
}

function plainMemory(data: Uint8Array, chunks?: ChunkSizes): MemoryContent {
  return { data, chunks, lastChunkExtensions: '', trailers: HeaderList.EMPTY }
}

/** Content within the bytes of its message, without trailers; views are created on demand. */
export class LocatedContent implements Content {
  readonly lengthBytes: number
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #places: readonly number[] | undefined
  #memory: MemoryContent | undefined

  /**
   * Content that begins at `start` and has `lengthBytes` bytes. If it is chunked, `places` lists the start and the size
   * of each chunk.
   */
  constructor(bytes: Uint8Array, start: number, lengthBytes: number, places: readonly number[] | undefined) {
    this.lengthBytes = lengthBytes
    this.#bytes = bytes
    this.#start = start
    this.#places = places
    this.#memory = undefined
  }

  get memory(): MemoryContent {
    this.#memory ??= this.#places === undefined ? this.#whole() : this.#chunked(this.#places)
    return this.#memory
  }

  async *events(): AsyncGenerator<BodyEvent> {
    yield* memoryEvents(this.memory)
  }

  #whole(): MemoryContent {
    return plainMemory(viewOf(this.#bytes, this.#start, this.lengthBytes))
  }

  #chunked(places: readonly number[]): MemoryContent {
    const chunks = new ChunkSizes()
    const data = new Uint8Array(this.lengthBytes)
    for (let i = 0, at = 0; i < places.length; i += 2) {
      const sizeBytes = places[i + 1] as number
      data.set(viewOf(this.#bytes, places[i] as number, sizeBytes), at)
      at += sizeBytes
      chunks.begin('')
      chunks.grow(sizeBytes)
    }
    return plainMemory(data, chunks.count === 0 ? undefined : chunks)
  }
}

function* memoryEvents(memory: MemoryContent): Generator<BodyEvent> {
  if (memory.chunks === undefined) {
    if (memory.data.length > 0) yield { type: 'data', bytes: memory.data }
  } else {
    for (const { data, extensions } of memory.chunks.of(memory.data)) {
      yield { type: 'data', bytes: data, chunk: { sizeBytes: data.length, extensions } }
    }
  }
  yield { type: 'end', trailers: memory.trailers, lastChunkExtensions: memory.lastChunkExtensions }
}

/** Content that can be read once from a connection. Undefined if the framing allows no content. */
export function receivedContent(
  framing: Framing | undefined,
  events: AsyncIterable<BodyEvent> | undefined,
): Content | undefined {
  if (framing === undefined || events === undefined) return undefined
  const lengthBytes = framing.type === 'length' ? framing.length : undefined
  let isUsed = false
  return {
    memory: undefined,
    lengthBytes,
    // Not a getter: V8 creates a hidden class for each object that is written with one.
    sharedTrailers: settledTrailers(),
    events() {
      if (isUsed) throw bodyUsed()
      isUsed = true
      return events
    },
  }
}

/** Content of a body to send. */
export function contentOf(body: MessageBody): Content {
  if (body.bytes !== undefined) return memoryContent(plainMemory(body.bytes))
  const { openEventsNow } = body
  return {
    memory: undefined,
    ...(openEventsNow === undefined ? {} : { readNow: () => collectNow(openEventsNow()) }),
    lengthBytes: body.contentLength,
    discard: () => body.discard?.(),
    events() {
      return body.openEvents === undefined ? plainEvents(body) : checkedEvents(body.openEvents())
    },
  }
}

/** Trailers set by the program are checked; received trailers are not its fault. */
async function* checkedEvents(events: AsyncIterable<BodyEvent>): AsyncGenerator<BodyEvent> {
  for await (const event of events) yield checkedEvent(event)
}

function checkedEvent(event: BodyEvent): BodyEvent {
  if (event.type === 'end') checkTrailers(event.trailers)
  return event
}

async function* plainEvents(body: MessageBody): AsyncGenerator<BodyEvent> {
  for await (const bytes of iterateBytes(body.open())) yield { type: 'data', bytes }
  yield { type: 'end', trailers: HeaderList.EMPTY }
}

/** Collects events into memory. Copies the bytes, so the socket's buffer is not retained. */
export class ContentCollector {
  readonly #shouldCopy: boolean
  readonly #octets = new OctetJoiner()
  readonly #chunks = new ChunkSizes()
  /** The only piece so far, if it was not copied. */
  #only: Uint8Array | undefined
  #pieceCount = 0
  #lastChunkExtensions = ''
  #trailers: HeaderList = HeaderList.EMPTY

  /** `shouldCopy`: whether a single piece is copied too. */
  constructor(shouldCopy: boolean) {
    this.#shouldCopy = shouldCopy
  }

  add(event: BodyEvent): void {
    if (event.type === 'end') {
      this.#trailers = event.trailers
      this.#lastChunkExtensions = event.lastChunkExtensions ?? ''
      return
    }
    const { bytes, chunk } = event
    if (chunk !== undefined) this.#chunks.begin(chunk.extensions)
    this.#chunks.grow(bytes.length)
    this.#pieceCount += 1
    if (this.#pieceCount === 1 && !this.#shouldCopy) {
      this.#only = bytes
      return
    }
    if (this.#only !== undefined) this.#octets.add(this.#only)
    this.#only = undefined
    this.#octets.add(bytes)
  }

  content(): MemoryContent {
    return {
      data: this.#only ?? this.#octets.joined(),
      chunks: this.#chunks.count === 0 ? undefined : this.#chunks,
      lastChunkExtensions: this.#lastChunkExtensions,
      trailers: this.#trailers,
    }
  }
}

/** Reads content to its end into a copy in memory. */
export async function collect(
  content: Content,
  trailers: SettledTrailers | undefined = content.sharedTrailers,
): Promise<MemoryContent> {
  if (content.memory !== undefined) return ownMemory(content.memory)
  const collector = new ContentCollector(true)
  const events = content.events()
  try {
    for await (const event of events) collector.add(event)
  } catch (error) {
    trailers?.reject(error)
    throw error
  }
  const memory = collector.content()
  trailers?.resolve(memory.trailers)
  return memory
}

function collectNow(events: Iterable<BodyEvent>): MemoryContent {
  const collector = new ContentCollector(true)
  for (const event of events) collector.add(checkedEvent(event))
  return collector.content()
}

/** The result of `make` for content in memory. It is synchronous if the content is already in memory. */
export function inMemory<T>(content: Content | undefined, make: (content: Content | undefined) => T): T | Promise<T> {
  if (content === undefined || content.memory !== undefined) return make(content)
  if (content.readNow !== undefined) return make(memoryContent(content.readNow()))
  return collect(content).then((memory) => make(memoryContent(memory)))
}

/** A copy of the content that shares no memory with it. */
export function ownMemory(memory: MemoryContent): MemoryContent {
  return { ...memory, data: copyOf(memory.data) }
}

/** The bytes of content in memory as they go over the wire. */
export function encodeMemory(framing: Framing, memory: MemoryContent): Uint8Array {
  if (framing.type === 'close' || (framing.type === 'length' && framing.length === memory.data.length)) {
    return memory.data
  }
  const encoder = new ContentEncoder(framing)
  const wire = new OctetJoiner()
  for (const event of memoryEvents(memory)) for (const octets of encoder.encode(event)) wire.add(octets)
  return wire.joined()
}

/** The result of `encodeMemory` in pieces: content and framing. */
export function* encodedParts(
  framing: Framing,
  memory: MemoryContent,
): Generator<{ readonly octets: Uint8Array; readonly isContent: boolean }> {
  const encoder = new ContentEncoder(framing)
  for (const event of memoryEvents(memory)) {
    for (const octets of encoder.encode(event)) {
      yield { octets, isContent: event.type === 'data' && octets === event.bytes }
    }
  }
}

/** The bytes of content as they go over the wire, read on demand. */
export async function* encodeContent(framing: Framing, content: Content): AsyncGenerator<Uint8Array> {
  const encoder = new ContentEncoder(framing)
  for await (const event of content.events()) yield* encoder.encode(event)
}

const CRLF = octetsOf('\r\n')

/**
 * Encodes events as bytes (RFC 9112 sections 6 and 7.1). Chunks keep the sizes and extensions of their events. A
 * refused event writes nothing and changes nothing.
 */
export class ContentEncoder {
  readonly #framing: Framing
  #sentBytes = 0
  #leftInChunk = 0

  constructor(framing: Framing) {
    this.#framing = framing
  }

  /** The number of bytes still required before the end; undefined if the framing does not say. */
  get leftBytes(): number | undefined {
    return this.#framing.type === 'length' ? this.#framing.length - this.#sentBytes : undefined
  }

  /** Whether the content may end here. */
  get isComplete(): boolean {
    return this.#leftInChunk === 0 && (this.leftBytes ?? 0) === 0
  }

  /** @throws HttpcliError `content-length-mismatch` or `chunk-size-mismatch`. */
  *encode(event: BodyEvent): Generator<Uint8Array> {
    if (this.#framing.type === 'chunked') yield* this.#chunked(event)
    else yield* this.#plain(event, this.#framing.type === 'length' ? this.#framing.length : undefined)
  }

  *#plain(event: BodyEvent, length: number | undefined): Generator<Uint8Array> {
    if (event.type === 'data') {
      const sentBytes = this.#sentBytes + event.bytes.length
      if (length !== undefined && sentBytes > length) throw lengthMismatch(length, 'more')
      this.#sentBytes = sentBytes
      yield event.bytes
    } else if (event.type === 'end' && length !== undefined && this.#sentBytes < length) {
      throw lengthMismatch(length, `only ${this.#sentBytes}`)
    }
  }

  *#chunked(event: BodyEvent): Generator<Uint8Array> {
    const left = this.#leftInChunk
    if (event.type === 'end') {
      if (left > 0) throw chunkMismatch(`the message ends ${byteCount(left)} before the end of a chunk`)
      const extensions = withSemicolon(event.lastChunkExtensions ?? '')
      yield octetsOf(`0${extensions}\r\n${writtenTrailers(event.trailers)}\r\n`)
      return
    }
    const { bytes, chunk } = event
    if (bytes.length === 0) return
    const isStart = chunk !== undefined || left === 0
    if (isStart && left > 0)
      throw chunkMismatch(`a chunk begins ${byteCount(left)} before the end of the one before it`)
    const sizeBytes = isStart ? (chunk?.sizeBytes ?? bytes.length) : left
    if (bytes.length > sizeBytes)
      throw chunkMismatch(`${byteCount(bytes.length)} in a chunk that has room for ${sizeBytes}`)
    this.#leftInChunk = sizeBytes - bytes.length
    if (isStart) yield octetsOf(`${sizeBytes.toString(16)}${withSemicolon(chunk?.extensions ?? '')}\r\n`)
    yield bytes
    if (this.#leftInChunk === 0) yield CRLF
  }
}

/** A lenient parser keeps extensions that break the grammar; they are not passed on. */
function withSemicolon(extensions: string): string {
  const text = `;${extensions}`
  return extensions === '' || extensionProblem(text, 0) !== undefined ? '' : text
}

function lengthMismatch(length: number, found: string): HttpBuildError {
  return new HttpBuildError(
    'content-length-mismatch',
    `Content-Length says ${byteCount(length)}, the body has ${found}`,
  )
}

function chunkMismatch(problem: string): HttpBuildError {
  return new HttpBuildError('chunk-size-mismatch', problem, {
    hint: 'Give the size of each chunk with its first bytes',
  })
}
