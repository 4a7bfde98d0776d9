/**
 * Clock and random octets that are the same in every run.
 *
 * Rules: a seed gives one stream of octets for each job, so that jobs side by side do not take from one another. The
 * clock stands still: what was sent does not depend on how fast the machine was. What is not given comes from the
 * platform. The stream is AES-256 in counter mode (NIST SP 800-38A section 6.5) under a key made of seed and job.
 */
import { createCipheriv, createHash } from 'node:crypto'
import { platformSources, type ValueSources } from './dynamic-variables.ts'
import type { RandomBytes } from './random-numbers.ts'

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

function randomStream(seed: string, jobNumber: number): RandomBytes {
  const key = createHash('sha256')
    .update(JSON.stringify([seed, jobNumber]))
    .digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return (count) => cipher.update(Buffer.alloc(count))
}
