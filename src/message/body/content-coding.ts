/**
 * Decodes Content-Encoding (RFC 9110 section 8.4), and the codings that Transfer-Encoding lists before `chunked` (RFC
 * 9112 section 7.2).
 *
 * Rules: codings are decoded in reverse order, piece by piece. The portable decoders use DecompressionStream; a
 * platform can register better ones, and decoders of other codings. An unknown coding is an error.
 */
import { HeaderList } from '../head/headers.ts'
import { checkInstance, checkKeys, checkList, checkType } from '../syntax/checked-input.ts'
import { HttpcliError, MessageError } from '../syntax/errors.ts'
import { asciiLowerCase, byteCount, concatBytes } from '../syntax/octets.ts'

/** Decodes one coding. The iteration throws HttpcliError `content-coding` if the bytes are damaged or truncated. */
export type ContentDecoder = (encoded: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/**
 * Decodes one coding of content in memory synchronously. Throws HttpcliError `content-coding` if the bytes are damaged
 * or truncated, or decode to more than `limitBytes`.
 */
export type ImmediateDecoder = (encoded: Uint8Array, limitBytes: number) => Uint8Array

/** Limits for decoding content. */
export interface DecodeOptions {
  /**
   * Maximum number of decoded bytes; one more is an error. Default 256 MiB: a megabyte can decode to a gigabyte.
   */
  readonly limitBytes?: number
}

const DEFAULT_LIMIT_BYTES = 256 * 1024 * 1024

function limitOf(options: DecodeOptions): number {
  checkKeys(options, { limitBytes: 'number' }, 'decode options')
  return options.limitBytes ?? DEFAULT_LIMIT_BYTES
}

/** Encoded content whose first bytes have been read. */
export interface PeekedContent {
  /** At least two bytes, unless the content is shorter. */
  readonly start: Uint8Array
  /** All bytes, including `start`. */
  readonly content: AsyncGenerator<Uint8Array>
  /** The error that the source threw, if any: such an error does not mean that the content is damaged. */
  sourceError(): unknown
}

/** Reads enough to distinguish zlib from raw deflate. */
export async function peekContent(encoded: AsyncIterable<Uint8Array>): Promise<PeekedContent> {
  const iterator = encoded[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  for (let length = 0; length < 2; ) {
    const piece = await iterator.next()
    if (piece.done) break
    pieces.push(piece.value)
    length += piece.value.length
  }
  const start = concatBytes(pieces)
  let sourceError: unknown
  const content = (async function* (): AsyncGenerator<Uint8Array> {
    yield start
    try {
      yield* { [Symbol.asyncIterator]: () => iterator }
    } catch (error) {
      sourceError = error
      throw error
    }
  })()
  return { start, content, sourceError: () => sourceError }
}

/**
 * `deflate` is the zlib format (RFC 9110 section 8.4.1.2), but some servers send raw deflate. RFC 1950 section 2.2:
 * compression method 8, and a header that is a multiple of 31.
 */
export function hasZlibHeader(start: Uint8Array): boolean {
  const [method = 0, flags = 0] = start
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0
}

function portableDecoder(coding: 'gzip' | 'deflate'): ContentDecoder {
  return async function* decode(encoded): AsyncGenerator<Uint8Array> {
    const { start, content, sourceError } = await peekContent(encoded)
    const format = coding === 'deflate' && !hasZlibHeader(start) ? 'deflate-raw' : coding
    const transform = new DecompressionStream(format)
    const reader = transform.readable.getReader()
    const written = feed(content, transform.writable.getWriter())
    try {
      for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value
      await written
    } catch (cause) {
      throw sourceError() ?? damagedContent(coding, cause)
    } finally {
      // If the reader stops early, release the source.
      await reader.cancel().catch(() => undefined)
      await content.return(undefined)
    }
  }
}

/** The readable side reports errors; this only prevents unhandled rejections. */
async function feed(content: AsyncIterable<Uint8Array>, writer: WritableStreamDefaultWriter): Promise<void> {
  try {
    for await (const piece of content) await writer.write(piece)
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => undefined)
  }
}

interface Decoders {
  readonly decoder: ContentDecoder
  readonly immediate: ImmediateDecoder | undefined
}

const decoders = new Map<string, Decoders>([
  ['gzip', { decoder: portableDecoder('gzip'), immediate: undefined }],
  ['deflate', { decoder: portableDecoder('deflate'), immediate: undefined }],
])

/** Each coding needs a decoder with its window; more than one or two is a mistake or an attack. curl allows 5. */
const MAX_CODINGS = 5

const aliases: Readonly<Record<string, string>> = { 'x-gzip': 'gzip', 'x-compress': 'compress' }

/**
 * Adds or replaces the decoder of a coding for all messages. gzip and deflate are built in. With `immediate`, messages
 * in memory can be decoded synchronously.
 */
export function registerContentDecoder(coding: string, decoder: ContentDecoder, immediate?: ImmediateDecoder): void {
  checkType(decoder, 'function', 'the decoder')
  decoders.set(asciiLowerCase(checkType(coding, 'string', 'the coding')), { decoder, immediate })
}

/** The codings of a message in the order in which they were applied, in lower case, without `identity`. */
export function contentCodings(headers: HeaderList): readonly string[] {
  return codingsOf(checkInstance(headers, HeaderList, 'the list of fields').list('content-encoding'))
}

/** The codings that were applied to the whole message before it was chunked, in the form of `contentCodings`. */
export function transferCodings(headers: HeaderList): readonly string[] {
  return codingsOf(headers.list('transfer-encoding')).filter((coding) => coding !== 'chunked')
}

function codingsOf(names: readonly string[]): string[] {
  return names
    .map((coding) => asciiLowerCase(coding))
    .map((coding) => aliases[coding] ?? coding)
    .filter((coding) => coding !== 'identity')
}

/** Whether there is a decoder for the coding. `coding` is in lower case, as `contentCodings` returns it. */
export function canDecode(coding: string): boolean {
  return decoders.has(coding)
}

/**
 * Decodes content piece by piece; `codings` are those returned by `contentCodings`. Empty input is empty content in
 * every coding: servers send it for empty files.
 * @throws HttpcliError `unknown-content-coding` or `content-coding`, both from the iteration.
 */
export function decodeContent(
  encoded: AsyncIterable<Uint8Array>,
  codings: readonly string[],
): AsyncIterable<Uint8Array> {
  checkList(codings, 'the list of codings')
  return codings.length === 0 ? encoded : decodeUnlessEmpty(encoded, codings)
}

/**
 * As `decodeContent`, with a limit. Content without a coding is not limited, because its framing has announced its
 * length.
 * @throws HttpcliError `content-coding` if there is more, from the iteration; as `decodeContent` does.
 */
export async function* decodeWithin(
  encoded: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  options: DecodeOptions = {},
): AsyncGenerator<Uint8Array> {
  const limitBytes = limitOf(options)
  let lengthBytes = 0
  for await (const piece of decodeContent(encoded, codings)) {
    lengthBytes += piece.length
    if (codings.length > 0 && lengthBytes > limitBytes) throw aboveLimit(limitBytes)
    yield piece
  }
}

/**
 * Decodes content in memory synchronously.
 * @throws HttpcliError `content-coding`, `unknown-content-coding`; `content-coding-waits` if the coding has only an
 * asynchronous decoder.
 */
export function decodeNow(encoded: Uint8Array, codings: readonly string[]): Uint8Array {
  const limitBytes = DEFAULT_LIMIT_BYTES
  if (encoded.length === 0) return encoded
  checkCount(codings)
  return codings.toReversed().reduce((content, coding) => {
    const { immediate } = decodersOf(coding)
    if (immediate !== undefined) return immediate(content, limitBytes)
    throw new MessageError('content-coding-waits', `${coding} content cannot be decoded without waiting here`, {
      hint: 'Await body.text(), body.json() or content.decoded() instead',
    })
  }, encoded)
}

/** The error for content that is larger than the limit. */
export function aboveLimit(limitBytes: number): HttpcliError {
  return new MessageError('content-coding', `the decoded content is above the limit of ${byteCount(limitBytes)}`, {
    hint: 'Decode it piece by piece with decoded({ limitBytes: Infinity }), or allow more',
  })
}

function decodersOf(coding: string): Decoders {
  const found = decoders.get(coding)
  if (found !== undefined) return found
  throw new MessageError('unknown-content-coding', `unknown content coding "${coding}"`, {
    hint: `Expected one of ${[...decoders.keys()].join(', ')}`,
  })
}

function checkCount(codings: readonly string[]): void {
  if (codings.length <= MAX_CODINGS) return
  throw new MessageError('content-coding', `${codings.length} content codings, expected at most ${MAX_CODINGS}`)
}

async function* decodeUnlessEmpty(
  encoded: AsyncIterable<Uint8Array>,
  codings: readonly string[],
): AsyncGenerator<Uint8Array> {
  checkCount(codings)
  const chain = codings.toReversed().map((coding) => decodersOf(coding).decoder)
  const iterator = encoded[Symbol.asyncIterator]()
  let first = await iterator.next()
  while (!first.done && first.value.length === 0) first = await iterator.next()
  if (first.done) return
  const piece = first.value
  const whole = (async function* (): AsyncGenerator<Uint8Array> {
    yield piece
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
  const decoded = chain.reduce<AsyncIterable<Uint8Array>>((content, decode) => decode(content), whole)
  const pieces = decoded[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      const result = await pieces.next()
      isDone = result.done === true
      if (result.done) return
      yield result.value
    }
  } finally {
    // The source ends first: a decoder may wait for its next piece.
    if (!isDone) {
      await iterator.return?.()
      await pieces.return?.()
    }
  }
}

/** The error `content-coding` for bytes that do not match their coding. */
export function damagedContent(coding: string, cause: unknown): HttpcliError {
  if (cause instanceof HttpcliError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new MessageError('content-coding', `the ${coding} content is damaged or truncated: ${reason}`, { cause })
}
