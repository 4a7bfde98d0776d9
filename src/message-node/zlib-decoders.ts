/**
 * Decodes content with the platform's zlib: gzip, deflate, br, and zstd if the runtime has it.
 *
 * Rules: loaded when the first content is decoded; decodes piece by piece, with back-pressure.
 */
import type { Transform } from 'node:stream'
import {
  aboveLimit,
  type ContentDecoder,
  damagedContent,
  hasZlibHeader,
  type ImmediateDecoder,
  peekContent,
  registerContentDecoder,
} from '../message/index.ts'

type Immediate = (octets: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array
type Zlib = typeof import('node:zlib') & { createZstdDecompress?: () => Transform; zstdDecompressSync?: Immediate }

const openers: Readonly<Record<string, (zlib: Zlib, first: Uint8Array) => Transform>> = {
  gzip: (zlib) => zlib.createGunzip(),
  deflate: (zlib, first) => (hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
  ...('zstd' in process.versions ? { zstd: (zlib: Zlib) => (zlib.createZstdDecompress as () => Transform)() } : {}),
}

const immediates: Readonly<Record<string, (zlib: Zlib, first: Uint8Array) => Immediate>> = {
  gzip: (zlib) => zlib.gunzipSync,
  deflate: (zlib, first) => (hasZlibHeader(first) ? zlib.inflateSync : zlib.inflateRawSync),
  br: (zlib) => zlib.brotliDecompressSync,
  zstd: (zlib) => zlib.zstdDecompressSync as Immediate,
}

export function registerZlibDecoders(): void {
  for (const coding of Object.keys(openers)) {
    registerContentDecoder(coding, zlibDecoder(coding), immediateDecoder(coding))
  }
}

/** Not an import: bundles for another runtime have only the names that the building one exports. */
function platformZlib(): Zlib {
  return process.getBuiltinModule('node:zlib')
}

/** The largest length that the platform accepts. */
const MAX_OUTPUT_LENGTH = 0x7fff_ffff

function immediateDecoder(coding: string): ImmediateDecoder {
  return (encoded, limitBytes) => {
    const decode = immediates[coding] as (zlib: Zlib, first: Uint8Array) => Immediate
    const maxOutputLength = Math.min(limitBytes, MAX_OUTPUT_LENGTH)
    try {
      return decode(platformZlib(), encoded)(encoded, { maxOutputLength })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw aboveLimit(maxOutputLength)
      throw damagedContent(coding, cause)
    }
  }
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

function zlibDecoder(coding: string): ContentDecoder {
  return async function* decode(encoded): AsyncGenerator<Uint8Array> {
    const { Readable, pipeline } = await import('node:stream')
    const { start, content, sourceError } = await peekContent(encoded)
    const open = openers[coding] as (zlib: Zlib, first: Uint8Array) => Transform
    const transform = open(platformZlib(), start)
    // Errors are thrown by the iteration of `transform`; the callback only prevents an unhandled error.
    pipeline(Readable.from(endingAtError(content), { objectMode: false }), transform, () => undefined)
    try {
      yield* transform as AsyncIterable<Uint8Array>
    } catch (cause) {
      throw sourceError() ?? damagedContent(coding, cause)
    }
    const error = sourceError()
    if (error !== undefined) throw error
  }
}
