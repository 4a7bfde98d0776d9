/**
 * The clock and random bytes: the platform's, or fixed ones that are the same for every run.
 *
 * Rules: a seed yields one stream of bytes for each job, so that parallel jobs do not affect each other. A fixed clock
 * does not advance, so that requests do not depend on the speed of the machine. Without a seed, values come from the
 * platform. The stream is AES-256 in counter mode (NIST SP 800-38A section 6.5) with a key derived from seed and job.
 */
import { getBuiltinModule } from 'node:process'
import type { RandomBytes } from './random-numbers.ts'

/** The sources of unpredictable values. */
export interface ValueSources {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Random bytes, suitable for secrets. */
  readonly randomBytes: RandomBytes
  /** Whether the bytes are the same in every run, so that none may be drawn and discarded. Default false. */
  readonly isRepeatable?: boolean
}

export const platformSources: ValueSources = {
  now: () => Date.now(),
  randomBytes: (count) => globalThis.crypto.getRandomValues(new Uint8Array(count)),
}

export interface Reproduction {
  /** Any text. */
  readonly seed: string | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: number | undefined
}

/** @param jobNumber from 1 */
export function seededSources({ seed, nowMs }: Reproduction, jobNumber: number): ValueSources {
  return {
    now: nowMs === undefined ? platformSources.now : () => nowMs,
    isRepeatable: seed !== undefined,
    randomBytes: seed === undefined ? platformSources.randomBytes : randomStream(seed, jobNumber),
  }
}

/** @param purpose distinguishes the stream from the one for values */
export function randomStream(seed: string, jobNumber: number, ...purpose: readonly string[]): RandomBytes {
  // Loaded on use: in the stand-alone executable it takes as long as the start of the runtime, and few runs have a
  // seed.
  const { createCipheriv, createHash } = getBuiltinModule('node:crypto')
  const key = createHash('sha256')
    .update(JSON.stringify([seed, jobNumber, ...purpose]))
    .digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return (count) => cipher.update(Buffer.alloc(count))
}
