/**
 * Content codings for compressing (`--compress`) and decompressing on the fly.
 *
 * Rules: only content that is likely to shrink is compressed: text by its media type, unless it is very small. The
 * levels are chosen so that compressing takes about as long as sending the saved bytes. zstd is used if the runtime has
 * it. RFC 9110 section 8.4.1.
 */

import { finished, pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { canDecode, decodeContent } from '../../message/index.ts'
import { unreadableFile } from '../../message-node/index.ts'
import { isFileChanged, ServerError } from '../semantics/errors.ts'
import type { Conversion } from './streamed-file.ts'

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

/** Compresses piece by piece. */
export function compression({ stream }: Packer): Conversion {
  // A failure destroys the packer with that error, which then reaches the reader.
  return (content, onEnd) => pipeline(Readable.from(content, { objectMode: false }), stream(), onEnd)
}

/** Decompresses piece by piece; undefined if this runtime does not have the coding. `path`: the file, for errors. */
export function decompression(coding: string, path: string): Conversion | undefined {
  if (!canDecode(coding)) return undefined
  return (content, onEnd) => {
    const stream = Readable.from(decoded(content, coding, path), { objectMode: false })
    finished(stream, onEnd)
    return stream
  }
}

async function* decoded(content: AsyncIterable<Uint8Array>, coding: string, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* decodeContent(content, [coding])
  } catch (error) {
    throw isFileChanged(error) ? error : new ServerError('incomplete', ...unreadableFile(`the file ${path}`, error))
  }
}

/** Undefined if this runtime does not have the coding. */
export function packerOf(coding: string): Packer | undefined {
  return packers.get(coding)
}
