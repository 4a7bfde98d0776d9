/**
 * Content codings for compressing (`--compress`) and decompressing on the fly.
 *
 * Rules: only content that is likely to shrink is compressed: text by its media type, unless it is very small. The
 * levels are chosen so that compressing takes about as long as sending the saved bytes. zstd is used if the runtime has
 * it. RFC 9110 section 8.4.1.
 */

import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

/** In bytes. Below this size, compression saves hardly anything. */
const smallestPackedBytes = 512

const packedTypes =
  /^(?:text\/|application\/(?:json|javascript|xml|wasm|yaml|manifest\+json|rtf|sql|x-sh|x-ndjson|toml)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection)|[^;]*\+(?:json|xml|yaml|text))/i

interface Packer {
  readonly pack: (content: Uint8Array) => Promise<Buffer>
  /** Flushes each piece when it is written: otherwise Brotli would hold back the first megabytes of a page. */
  readonly stream: () => Transform
}

const brotliOptions: zlib.BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }
const gzipOptions: zlib.ZlibOptions = { level: 6 }

/** Available in Node.js 22.15 and later; the installed types are older. */
interface ZstdFunctions {
  readonly zstdCompress?: (content: Uint8Array, done: (error: Error | null, packed: Buffer) => void) => void
  readonly createZstdCompress?: (options: { readonly flush: number | undefined }) => Transform
  readonly createZstdDecompress?: () => Transform
}

const packers: ReadonlyMap<string, Packer> = new Map([...requiredPackers(), ...zstdPackers(zlib as ZstdFunctions)])

function requiredPackers(): readonly (readonly [string, Packer])[] {
  const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
  const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip)
  return [
    [
      'br',
      {
        pack: (content) => brotli(content, brotliOptions),
        stream: () => zlib.createBrotliCompress({ ...brotliOptions, flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
      },
    ],
    [
      'gzip',
      {
        pack: (content) => gzip(content, gzipOptions),
        stream: () => zlib.createGzip({ ...gzipOptions, flush: zlib.constants.Z_SYNC_FLUSH }),
      },
    ],
  ]
}

function zstdPackers({ zstdCompress, createZstdCompress }: ZstdFunctions): readonly (readonly [string, Packer])[] {
  if (zstdCompress === undefined || createZstdCompress === undefined) return []
  const { ZSTD_e_flush: flush } = zlib.constants as { readonly ZSTD_e_flush?: number }
  return [['zstd', { pack: promisify(zstdCompress), stream: () => createZstdCompress({ flush }) }]]
}

/** Whether content of this type and size is worth compressing. */
export function isPackable(mediaType: string, sizeBytes: number): boolean {
  return sizeBytes >= smallestPackedBytes && packedTypes.test(mediaType)
}

/** Decompresses a coding, piece by piece; undefined if this runtime does not have it. */
export function unpackerOf(coding: string): (() => Transform) | undefined {
  if (coding === 'br') return () => zlib.createBrotliDecompress()
  if (coding === 'gzip') return () => zlib.createGunzip()
  return coding === 'zstd' ? (zlib as ZstdFunctions).createZstdDecompress : undefined
}

/** Undefined if this runtime does not have the coding. */
export function packerOf(coding: string): Packer | undefined {
  return packers.get(coding)
}
