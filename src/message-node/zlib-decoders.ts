/**
 * Decodes content with the platform's zlib: gzip, deflate, br, and zstd if the runtime has it.
 *
 * Rules: loaded when the first content is decoded; decodes piece by piece, with back-pressure.
 */
import type { Transform } from 'node:stream'
import {
  aboveLimit,
  type ContentDecoder,
  concatBytes,
  damagedContent,
  hasZlibHeader,
  type ImmediateDecoder,
  peekContent,
  registerContentDecoder,
} from '../message/index.ts'
import { ZstdFrames } from './zstd-frames.ts'

interface ImmediateOptions {
  readonly maxOutputLength: number
  readonly finishFlush?: number
  /** Returns the engine as well, which counts the bytes that it has read. */
  readonly info: true
}

interface ImmediateResult {
  readonly buffer: Uint8Array
  readonly engine: { readonly bytesWritten: number }
}

type Immediate = (octets: Uint8Array, options: ImmediateOptions) => ImmediateResult
/** A stream of the platform, which counts the bytes that it has read. */
type Decompressor = Transform & { readonly bytesWritten: number }

type ImmediateName = 'gunzipSync' | 'inflateSync' | 'inflateRawSync' | 'brotliDecompressSync' | 'zstdDecompressSync'
/** The declarations of the platform do not include `info`, nor zstd in all versions. */
type Zlib = Omit<typeof import('node:zlib'), ImmediateName | 'createZstdDecompress'> &
  Readonly<Record<ImmediateName, Immediate>> & { createZstdDecompress?: () => Decompressor }

const openers: Readonly<Record<string, (zlib: Zlib, first: Uint8Array) => Decompressor>> = {
  gzip: (zlib) => zlib.createGunzip(),
  deflate: (zlib, first) => (hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
  ...('zstd' in process.versions ? { zstd: (zlib: Zlib) => (zlib.createZstdDecompress as () => Decompressor)() } : {}),
}

const immediates: Readonly<Record<string, (zlib: Zlib, first: Uint8Array) => Immediate>> = {
  gzip: (zlib) => zlib.gunzipSync,
  deflate: (zlib, first) => (hasZlibHeader(first) ? zlib.inflateSync : zlib.inflateRawSync),
  br: (zlib) => zlib.brotliDecompressSync,
  zstd: (zlib) => zlib.zstdDecompressSync,
}

/** Ended with this flush, a decoder returns what truncated content contains. */
const flushes: Readonly<Record<string, string>> = {
  gzip: 'Z_SYNC_FLUSH',
  deflate: 'Z_SYNC_FLUSH',
  br: 'BROTLI_OPERATION_FLUSH',
  zstd: 'ZSTD_e_flush',
}

export function registerZlibDecoders(): void {
  for (const coding of Object.keys(openers)) {
    registerContentDecoder(coding, zlibDecoder(coding), immediateDecoder(coding))
  }
}

/** Not an import, because a bundle can import only the names that the runtime of the build exports. */
function platformZlib(): Zlib {
  return process.getBuiltinModule('node:zlib') as unknown as Zlib
}

/** The largest length that the platform accepts. */
const MAX_OUTPUT_LENGTH = 0x7fff_ffff

function immediateDecoder(coding: string): ImmediateDecoder {
  return (encoded, limitBytes) => {
    const decode = immediates[coding] as (zlib: Zlib, first: Uint8Array) => Immediate
    const maxOutputLength = Math.min(limitBytes, MAX_OUTPUT_LENGTH)
    try {
      if (coding === 'zstd') return decodedFrames(encoded, maxOutputLength)
      const { buffer, engine } = decode(platformZlib(), encoded)(encoded, { maxOutputLength, info: true })
      checkEnd(coding, engine.bytesWritten, encoded.length)
      return buffer
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw aboveLimit(maxOutputLength)
      throw damagedContent(coding, cause)
    }
  }
}

function decodedFrames(encoded: Uint8Array, maxOutputLength: number): Uint8Array {
  const frames = new ZstdFrames()
  const decoded: Uint8Array[] = []
  let leftBytes = maxOutputLength
  for (const frame of frames.divide(encoded)) {
    checkCount(frames)
    // The platform refuses a limit of 0.
    const options = { maxOutputLength: Math.max(1, leftBytes), info: true } as const
    const { buffer } = platformZlib().zstdDecompressSync(frame, options)
    leftBytes -= buffer.length
    if (leftBytes < 0) throw aboveLimit(maxOutputLength)
    decoded.push(buffer)
  }
  checkComplete(frames)
  return concatBytes(decoded)
}

/** Programs that compress in parallel make a frame of each megabyte or more. An empty frame has 9 bytes. */
const MAX_FRAMES = 10_000

function checkCount({ completeCount }: ZstdFrames): void {
  if (completeCount > MAX_FRAMES) throw damagedContent('zstd', new Error(`it has more than ${MAX_FRAMES} frames`))
}

/** Separates the frames, because the platform decodes only one for each write. */
async function* dividedFrames(content: AsyncIterable<Uint8Array>, frames: ZstdFrames): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    for (const part of frames.divide(piece)) {
      checkCount(frames)
      yield part
    }
  }
}

function checkComplete(frames: ZstdFrames): void {
  if (frames.isInside) throw damagedContent('zstd', new Error('it ends within a frame'))
}

/**
 * Bytes may follow the end of gzip, whose decoder reads further members and padding with zeros, and a frame of zstd.
 * @throws HttpcliError `content-coding` if bytes are left that belong to no content
 */
function checkEnd(coding: string, readBytes: number, encodedBytes: number): void {
  if (coding === 'gzip' || readBytes === encodedBytes) return
  throw damagedContent(coding, new Error('bytes follow its end'))
}

/**
 * An error of the source would destroy the decoder and lose the output so far. The caller throws the error afterwards.
 */
async function* endingAtError(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch {
    // Kept by `peekContent`.
  }
}

/** Content that is longer is not decoded again after an error. */
const MAX_REPEATED_BYTES = 256 * 1024
const MAX_REPEATED_OUTPUT_BYTES = 16 * 1024 * 1024

/** What follows the data: checksum and length (RFC 1952 section 2.3.1), or the checksum (RFC 1950 section 2.2). */
const checksumBytes: Readonly<Record<string, number>> = { gzip: 8, deflate: 4 }

/** The start of encoded content, for `decodedBeforeError`. */
class EncodedStart {
  readonly #checksumBytes: number
  #pieces: Uint8Array[] = []
  #lengthBytes = 0

  constructor(coding: string) {
    this.#checksumBytes = checksumBytes[coding] ?? 0
  }

  get lengthBytes(): number {
    return this.#lengthBytes
  }

  /** Undefined if the content is too long. */
  get whole(): Uint8Array | undefined {
    return this.#lengthBytes > MAX_REPEATED_BYTES ? undefined : concatBytes(this.#pieces)
  }

  async *copying(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      this.#lengthBytes += piece.length
      if (this.#lengthBytes <= MAX_REPEATED_BYTES) {
        this.#pieces.push(piece)
        yield piece
        continue
      }
      this.#pieces = []
      // What may be a checksum is decoded separately, because a write that fails loses what it has decoded.
      const end = Math.max(0, piece.length - this.#checksumBytes)
      if (end > 0) yield piece.subarray(0, end)
      if (end < piece.length) yield piece.subarray(end)
    }
  }
}

/**
 * The platform discards what it has decoded in the step that fails, for example all of a short body with a wrong
 * checksum. So this searches for the longest start of the content without an error, and decodes that.
 */
function decodedBeforeError(coding: string, encoded: Uint8Array): Uint8Array {
  const zlib = platformZlib()
  const decode = (immediates[coding] as (zlib: Zlib, first: Uint8Array) => Immediate)(zlib, encoded)
  const options: ImmediateOptions = {
    info: true,
    maxOutputLength: MAX_REPEATED_OUTPUT_BYTES,
    finishFlush: (zlib.constants as Readonly<Record<string, number>>)[flushes[coding] as string] as number,
  }
  let decoded: Uint8Array = new Uint8Array()
  for (let low = 1, high = encoded.length; low <= high; ) {
    const middle = (low + high) >> 1
    try {
      decoded = decode(encoded.subarray(0, middle), options).buffer
      low = middle + 1
    } catch {
      high = middle - 1
    }
  }
  return decoded
}

function zlibDecoder(coding: string): ContentDecoder {
  return async function* decode(encoded): AsyncGenerator<Uint8Array> {
    const { Readable, pipeline } = await import('node:stream')
    const { start, content, sourceError } = await peekContent(encoded)
    const open = openers[coding] as (zlib: Zlib, first: Uint8Array) => Decompressor
    const transform = open(platformZlib(), start)
    const encodedStart = new EncodedStart(coding)
    const frames = coding === 'zstd' ? new ZstdFrames() : undefined
    const copied = encodedStart.copying(endingAtError(content))
    const source = frames === undefined ? copied : dividedFrames(copied, frames)
    // Errors are thrown by the iteration of `transform`; the callback only prevents an unhandled error.
    pipeline(Readable.from(source, { objectMode: false }), transform, () => undefined)
    let lengthBytes = 0
    try {
      for await (const piece of transform as AsyncIterable<Uint8Array>) {
        lengthBytes += piece.length
        yield piece
      }
    } catch (cause) {
      const { whole } = encodedStart
      const lost = whole && decodedBeforeError(coding, whole).subarray(lengthBytes)
      if (lost?.length) yield lost
      throw sourceError() ?? damagedContent(coding, cause)
    }
    const error = sourceError()
    if (error !== undefined) throw error
    if (frames !== undefined) checkComplete(frames)
    checkEnd(coding, transform.bytesWritten, encodedStart.lengthBytes)
  }
}
