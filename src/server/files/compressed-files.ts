/**
 * Files compressed on the fly, and cached for later requests.
 *
 * Rules: concurrent requests for the same content share one compression. A cached result belongs to one state of the
 * original; that of a file that changed a moment ago is not cached, because a second change may not show in its state.
 * A file that does not shrink is sent unchanged. A large file is compressed while it is sent; the number of these is
 * limited, because each holds memory and a descriptor until its client has read everything. Such an answer has no
 * length and no ranges, and its entity tag is weak, since the bytes may differ the next time. RFC 9110 sections 8.4.1
 * and 8.8.1.
 */

import type { HeadWriter } from '../http1/head-writer.ts'
import type { ContentCoding } from '../semantics/coding-negotiation.ts'
import { CachedFile, OpenFile, type Representation, tagged } from '../semantics/representation.ts'
import { compression, isPackable, packerOf } from './compression.ts'
import type { FileCache } from './file-cache.ts'
import type { OpenFailure } from './served-file.ts'
import { StreamedFile } from './streamed-file.ts'

/** The maximum number of large files being compressed at a time; others are sent unchanged. */
const maximumStreams = 32

/** A compression that has not ended. */
interface Compression {
  readonly original: CachedFile
  readonly made: Promise<CachedFile>
}

export class CompressedFiles {
  readonly #cache: FileCache
  readonly #heads: HeadWriter
  #streams = 0
  readonly #running = new Map<string, Compression>()

  constructor(cache: FileCache, heads: HeadWriter) {
    this.#cache = cache
    this.#heads = heads
  }

  /** Whether a file of this kind is offered compressed. */
  takes(mediaType: string, sizeBytes: number): boolean {
    return isPackable(mediaType, sizeBytes)
  }

  /** The file in the first available of these codings; unchanged if none shrinks it. */
  async offer(
    opened: Representation | Promise<Representation | OpenFailure>,
    key: string,
    codings: readonly ContentCoding[],
    nowMs: number,
  ): Promise<Representation | OpenFailure> {
    const original = await opened
    const coding = codings.find(({ name }) => packerOf(name) !== undefined)
    if (typeof original === 'string' || coding === undefined) return original
    const { mediaType } = original.presentation
    if (!isPackable(mediaType, original.sizeBytes ?? 0)) return original
    if (original instanceof OpenFile) return this.#streamed(original, coding.name)
    return original instanceof CachedFile
      ? this.#packed(original, `${key}\0${coding.name}`, coding.name, nowMs)
      : original
  }

  #streamed(original: OpenFile, coding: string): Representation {
    if (this.#streams >= maximumStreams) return original
    this.#streams += 1
    return new StreamedFile(original, coding, compression(packerOf(coding)!), () => {
      this.#streams -= 1
    })
  }

  async #packed(original: CachedFile, key: string, coding: string, nowMs: number): Promise<CachedFile> {
    const isSettled = original.isSettled(nowMs)
    const kept = isSettled ? this.#cache.get(key) : undefined
    if (kept?.isStateOf(original.seen)) return asSent(kept, original)
    let running = this.#running.get(key)
    if (running === undefined || !running.original.content.equals(original.content)) {
      running = { original, made: this.#pack(original, coding, nowMs) }
      this.#running.set(key, running)
    }
    try {
      const made = await running.made
      if (isSettled && made.isStateOf(original.seen)) this.#cache.set(key, made)
      return asSent(made, original)
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
  }

  async #pack(original: CachedFile, coding: string, nowMs: number): Promise<CachedFile> {
    const packed = await packerOf(coding)!.pack(original.content)
    // A file that does not shrink is cached as empty content.
    if (packed.length >= original.sizeBytes) return this.#keep(original, Buffer.alloc(0), undefined, nowMs)
    return this.#keep(original, packed, coding, nowMs)
  }

  #keep(original: CachedFile, content: Buffer, coding: string | undefined, nowMs: number): CachedFile {
    const { seen, presentation, validators } = original
    const file = { validators: tagged(validators, coding ?? 'identity'), seen }
    return new CachedFile(content, file, { ...presentation, coding }, this.#heads, nowMs)
  }
}

/** The original if it did not shrink. */
function asSent(packed: CachedFile, original: CachedFile): CachedFile {
  return packed.presentation.coding === undefined ? original : packed
}
