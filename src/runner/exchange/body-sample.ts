/**
 * The first bytes of a response body, kept for reports while the body is read.
 *
 * Content codings are decoded, so that reports show the content. If a body cannot be decoded, the sample contains what
 * was decoded so far; the reader of the body reports the error.
 */
import { canDecode, contentCodings, type HeaderList, OctetJoiner } from '../../message/index.ts'
import type { BodySample } from '../base/events.ts'
import { type BodyTap, decodingTap } from './body-tap.ts'

/** Decoding stops here: a small response may decode to any size. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024

/** A sample, and the tap that fills it as the body arrives. */
export interface OpenSample {
  readonly sample: BodySample & { readonly isFull: boolean }
  readonly tap: BodyTap
}

/** @param limitBytes the maximum size of the sample, above 0 */
export async function openSample(headers: HeaderList, limitBytes: number): Promise<OpenSample> {
  const sample = new Sample(limitBytes)
  const written = contentCodings(headers)
  // The module registers the platform's decoders when it is loaded.
  if (written.length > 0) await import('../../message-node/index.ts')
  const codings = written.every(canDecode) ? written : []
  return { sample, tap: tolerantTap(decodingTap(codings, sample)) }
}

class Sample implements BodySample, BodyTap {
  readonly #limitBytes: number
  readonly #kept = new OctetJoiner()
  #keptBytes = 0
  #readBytes = 0
  #isEnded = false

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get bytes(): Uint8Array {
    return this.#kept.joined()
  }

  get sizeBytes(): number | undefined {
    return this.#isEnded ? this.#readBytes : undefined
  }

  get isFull(): boolean {
    return this.#keptBytes === this.#limitBytes
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#readBytes += bytes.length
    if (this.#readBytes > Math.max(this.#limitBytes, MAX_DECODED_BYTES)) throw new Error('the sample is large enough')
    const kept = bytes.subarray(0, this.#limitBytes - this.#keptBytes)
    if (kept.length === 0) return
    this.#kept.add(kept)
    this.#keptBytes += kept.length
  }

  async end(): Promise<void> {
    this.#isEnded = true
  }

  async fail(): Promise<void> {}
}

/** A tap that ignores further input once the given one has failed. */
function tolerantTap(tap: BodyTap): BodyTap {
  let hasFailed = false
  const guarded = async (action: () => Promise<void>): Promise<void> => {
    if (hasFailed) return
    await action().catch(() => {
      hasFailed = true
    })
  }
  return {
    write: (bytes) => guarded(() => tap.write(bytes)),
    end: () => guarded(() => tap.end()),
    fail: () => guarded(() => tap.fail()),
  }
}
