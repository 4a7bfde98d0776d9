/**
 * Content codings undone by the platform's own library: gzip, deflate, br, and zstd where the runtime has it.
 *
 * Rules: loaded when the first content is decoded; decoded piece by piece with back-pressure.
 */
import type { Transform } from 'node:stream'
import {
  type ContentDecoder,
  damagedContent,
  hasZlibHeader,
  peekContent,
  registerContentDecoder,
} from '../message/index.ts'

type Zlib = typeof import('node:zlib') & { createZstdDecompress?: () => Transform }

const openers: Readonly<Record<string, (zlib: Zlib, first: Uint8Array) => Transform>> = {
  gzip: (zlib) => zlib.createGunzip(),
  deflate: (zlib, first) => (hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
  ...('zstd' in process.versions ? { zstd: (zlib: Zlib) => (zlib.createZstdDecompress as () => Transform)() } : {}),
}

/** Registers the decoders for all messages. */
export function registerZlibDecoders(): void {
  for (const coding of Object.keys(openers)) registerContentDecoder(coding, zlibDecoder(coding))
}

function zlibDecoder(coding: string): ContentDecoder {
  return async function* decode(encoded): AsyncGenerator<Uint8Array> {
    const [zlib, { Readable, pipeline }] = await Promise.all([
      import('node:zlib') as Promise<Zlib>,
      import('node:stream'),
    ])
    const { start, content, sourceError } = await peekContent(encoded)
    const open = openers[coding] as (zlib: Zlib, first: Uint8Array) => Transform
    const transform = open(zlib, start)
    // What goes wrong is thrown by the iteration of `transform`; the callback only keeps the error from going astray.
    pipeline(Readable.from(content, { objectMode: false }), transform, () => undefined)
    try {
      yield* transform as AsyncIterable<Uint8Array>
    } catch (cause) {
      throw sourceError() ?? damagedContent(coding, cause)
    }
  }
}
