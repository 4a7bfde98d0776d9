/**
 * Samples of what a download has sent, by which a file that has grown meanwhile is told from one that was rewritten.
 *
 * Rules: the first and the last octets are kept, and some of pieces between: of every piece at first, then of every
 * second one, and so on, so that their number stays bounded and they stay spread over all that was sent. Whether they
 * stand in the file still is a bet, not a proof: a change between them goes unseen. So it is asked only where the file is
 * longer than it was, as a log or a recording becomes; anything else that changed is cut without asking.
 */
import { read } from 'node:fs'

interface Sample {
  readonly position: number
  readonly octets: Buffer
}

const sampleBytes = 512

/** Between the first and the last: two thirds of it after each thinning. */
const maximumSamples = 96

export class SentSamples {
  #first: Sample | undefined
  #last: Sample | undefined
  #between: Sample[] = []
  /** One piece of so many is sampled. */
  #stride = 1
  #pieces = 0

  /** A piece that stands at `position` of the file. Its octets are copied. */
  add(position: number, piece: Buffer): void {
    this.#first ??= sampleOf(position, piece, 0)
    if (this.#pieces % this.#stride === 0) this.#between.push(sampleOf(position, piece, piece.length >> 1))
    this.#pieces += 1
    if (this.#between.length < maximumSamples) return
    this.#between = this.#between.filter((_, index) => index % 2 === 0)
    this.#stride *= 2
  }

  /** The end of the last piece, which was added as all others are. */
  addEnd(position: number, piece: Buffer): void {
    this.#last = sampleOf(position, piece, piece.length - sampleBytes)
  }

  /** Whether the file holds them where they were. Rejects with what reading rejects with. */
  async standIn(descriptor: number): Promise<boolean> {
    for (const sample of [this.#first, ...this.#between, this.#last]) {
      if (sample !== undefined && !(await stands(sample, descriptor))) return false
    }
    return true
  }
}

function sampleOf(position: number, piece: Buffer, offset: number): Sample {
  const start = Math.max(0, offset)
  return { position: position + start, octets: Buffer.from(piece.subarray(start, start + sampleBytes)) }
}

/** In a thread: the disk may have to be waited for. */
function stands({ position, octets }: Sample, descriptor: number): Promise<boolean> {
  const found = Buffer.alloc(octets.length)
  return new Promise((resolve, reject) => {
    read(descriptor, found, 0, found.length, position, (error, count) => {
      if (error) reject(error)
      else resolve(count === octets.length && found.equals(octets))
    })
  })
}
