/**
 * Caches parsed heads by their exact bytes, since clients repeat themselves.
 *
 * Rules: a head is cached only if the decoder parsed it from exactly these bytes, in a message without content; so a
 * hit equals the result of parsing again. Memory is bounded: there are two generations. A hit in the older generation
 * moves to the younger one; when the younger one is full, it becomes the older.
 */
import type { RequestHead } from '../../message/index.ts'
import type { Plan } from '../semantics/plan.ts'

/** A request whose head was parsed. */
export interface KnownRequest {
  readonly head: RequestHead
  readonly plan: Plan
  /** The request line as received. */
  readonly line: string
  readonly isHead: boolean
  readonly version: string
  /** Whether another request may follow. */
  readonly keepAlive: boolean
}

/** In bytes. Longer heads and keys are rare. */
export const longestKnownHead = 4_096

const generationBytes = 12_582_912

/** Estimated size of the objects made for a head, besides its bytes. */
const objectBytes = 1_024
const bytesForOctet = 4

/** `Known`: the cached result for a key; for HTTP/1.1 the key is a head with its empty line, as a binary string. */
export class HeadCache<Known> {
  readonly #headBytesOf: (key: string, known: Known) => number
  #young = new Map<string, Known>()
  #old = new Map<string, Known>()
  #youngBytes = 0

  /** `headBytesOf`: the number of bytes of all heads with the key. Default: the key is the head. */
  constructor(headBytesOf: (key: string, known: Known) => number = (key) => key.length) {
    this.#headBytesOf = headBytesOf
  }

  get(key: string): Known | undefined {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, known: Known): void {
    if (key.length > longestKnownHead) return
    this.#young.set(key, known)
    this.#youngBytes += objectBytes + bytesForOctet * this.#headBytesOf(key, known)
    if (this.#youngBytes <= generationBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngBytes = 0
  }
}
