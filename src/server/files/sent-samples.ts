/**
 * Samples of the bytes that a download has sent, which distinguish a file that has grown from one that was rewritten.
 *
 * Rules: samples are the first and the last bytes, and bytes of the pieces in between: of every piece at first, then of
 * every second one, and so on, so that their number stays bounded and they are spread over everything sent. Comparing
 * them is a heuristic, not a proof: a change between samples goes unnoticed. So they count only if the file is longer
 * than before, like a log or a recording, or if its times are unchanged but recent; after any other change the download
 * is aborted.
 */
import { read } from 'node:fs'

interface Sample {
  readonly position: number
  readonly octets: Buffer
}

const sampleBytes = 512

/** Not counting the first and the last. Two thirds remain after each thinning. */
const maximumSamples = 96

export class SentSamples {
  #first: Sample | undefined
  #last: Sample | undefined
  #between: Sample[] = []
  /** One piece in this many is sampled. */
  #stride = 1
  #pieces = 0

  /** Adds a piece at `position` of the file. Its bytes are copied. */
  add(position: number, piece: Buffer): void {
    this.#first ??= sampleOf(position, piece, 0)
    if (this.#pieces % this.#stride === 0) this.#between.push(sampleOf(position, piece, piece.length >> 1))
    this.#pieces += 1
    if (this.#between.length < maximumSamples) return
    this.#between = this.#between.filter((_, index) => index % 2 === 0)
    this.#stride *= 2
  }

  /** Adds the end of the last piece. The piece itself was added like all others. */
  addEnd(position: number, piece: Buffer): void {
    this.#last = sampleOf(position, piece, piece.length - sampleBytes)
  }

  /** Whether the file still contains the samples at their positions. Rejects with errors of reading. */
  async areUnchanged(descriptor: number): Promise<boolean> {
    for (const sample of [this.#first, ...this.#between, this.#last]) {
      if (sample !== undefined && !(await isUnchanged(sample, descriptor))) return false
    }
    return true
  }
}

function sampleOf(position: number, piece: Buffer, offset: number): Sample {
  const start = Math.max(0, offset)
  return { position: position + start, octets: Buffer.from(piece.subarray(start, start + sampleBytes)) }
}

/** Reads in a thread: the disk may block. */
function isUnchanged({ position, octets }: Sample, descriptor: number): Promise<boolean> {
  const found = Buffer.alloc(octets.length)
  return new Promise((resolve, reject) => {
    read(descriptor, found, 0, found.length, position, (error, count) => {
      if (error) reject(error)
      else resolve(count === octets.length && found.equals(octets))
    })
  })
}
