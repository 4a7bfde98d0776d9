/**
 * Reads an open file piece by piece: in the event loop while the system has it in memory, otherwise in a thread.
 *
 * Rules: reading cached bytes takes tens of microseconds, and leaves them in the cache of the processor that sends
 * them; reading in a thread costs half as much again. So a piece is read in the event loop if the previous read was
 * fast. After a slow read the next firstThreadPieces go to the thread pool, doubled on each further slow read, so that
 * a slow disk blocks other clients less and less. The first piece always uses a thread: the disk may have to wake up.
 *
 * Processor time for 1 GiB over loopback, where nginx takes 0.15 s with sendfile: 0.5 to 0.6 s in pieces of 128 KiB
 * read in the event loop, 0.7 s in two buffers of 1 MiB filled by threads. A piece must fit the processor's
 * second-level cache: reading alone takes 0.2 s in pieces of 128 KiB and 0.6 s in larger ones, and sending 0.25 s.
 */
import { read, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** Cached data never takes this long, unless the process has to wait for the processor. */
const slowMs = 2

/** The number of pieces that go to a thread after the first slow read. */
const firstThreadPieces = 16
const maximumThreadPieces = 1_024

export class FileReader {
  readonly descriptor: number
  readonly #clock: () => number
  /** How many more pieces go to a thread. */
  #threadPieces = 1
  #nextThreadPieces = firstThreadPieces

  /** `clock`: milliseconds of a clock with any start. */
  constructor(descriptor: number, clock: () => number = () => performance.now()) {
    this.descriptor = descriptor
    this.#clock = clock
  }

  /** Fills the buffer from this position; returns the number of bytes, 0 at the end. Throws or rejects. */
  read(buffer: Buffer, position: number): number | Promise<number> {
    if (this.#threadPieces > 0) {
      this.#threadPieces -= 1
      return this.#readInThread(buffer, position)
    }
    const startMs = this.#clock()
    const count = readSync(this.descriptor, buffer, 0, buffer.length, position)
    if (this.#clock() - startMs > slowMs) {
      this.#threadPieces = this.#nextThreadPieces
      this.#nextThreadPieces = Math.min(2 * this.#nextThreadPieces, maximumThreadPieces)
    }
    return count
  }

  #readInThread(buffer: Buffer, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.descriptor, buffer, 0, buffer.length, position, (error, count) =>
        error ? reject(error) : resolve(count),
      )
    })
  }
}
