/**
 * Content codings undone by the platform's own library: gzip, deflate, br, and zstd where the runtime has it.
 *
 * Rules: loaded when the first content is decoded; decoded piece by piece with back-pressure. `deflate` is the zlib
 * format (RFC 9110 section 8.4.1.2), but some servers send raw deflate: the first two octets tell which.
 */
import type { Transform } from 'node:stream'
import { type ContentDecoder, damagedContent, registerContentDecoder } from '../message/index.ts'

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
    const iterator = encoded[Symbol.asyncIterator]()
    const start = await firstTwoOctets(iterator)
    const open = openers[coding] as (zlib: Zlib, first: Uint8Array) => Transform
    const transform = open(zlib, start)
    let sourceError: unknown
    const whole = (async function* (): AsyncGenerator<Uint8Array> {
      yield start
      try {
        yield* { [Symbol.asyncIterator]: () => iterator }
      } catch (error) {
        sourceError = error
        throw error
      }
    })()
    // What goes wrong is thrown by the iteration of `transform`; the callback only keeps the error from going astray.
    pipeline(Readable.from(whole, { objectMode: false }), transform, () => undefined)
    try {
      yield* transform as AsyncIterable<Uint8Array>
    } catch (cause) {
      throw sourceError ?? damagedContent(coding, cause)
    }
  }
}

async function firstTwoOctets(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let start: Uint8Array = new Uint8Array(0)
  while (start.length < 2) {
    const piece = await iterator.next()
    if (piece.done) break
    start = start.length === 0 ? piece.value : Buffer.concat([start, piece.value])
  }
  return start
}

/** RFC 1950 section 2.2: compression method 8, and a header that is a multiple of 31. */
function hasZlibHeader(start: Uint8Array): boolean {
  const [method = 0, flags = 0] = start
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0
}
