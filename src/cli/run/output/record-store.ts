/**
 * Stores the records of a run until its reports are written: a small run in memory, a large one in a temporary file.
 *
 * Rules: records are appended and retrieved by position. Reading is fast in the order of writing.
 */
import type { RecordStore } from '../../../report/index.ts'
import { SpillFile } from './spill-file.ts'

/** The maximum held in memory; beyond it, records go to the file. */
const MAX_HELD_BYTES = 1024 * 1024
/** The number of bytes read at a time. */
const WINDOW_BYTES = 256 * 1024

export class SpillingRecordStore implements RecordStore {
  readonly #file: SpillFile = new SpillFile('the record for the reports')
  /** The start of each record. */
  readonly #starts: number[] = []
  #sizeBytes = 0
  /** Records not yet written to the file. */
  #held: Buffer | undefined
  #heldBytes = 0
  #window: { readonly offset: number; readonly bytes: Uint8Array } | undefined

  /** @throws HttpcliError `spill-failed` */
  put(text: string): number {
    const bytes = Buffer.from(text)
    if (this.#heldBytes + bytes.length > MAX_HELD_BYTES) this.#spill()
    if (bytes.length > MAX_HELD_BYTES) this.#file.put(bytes)
    else {
      this.#held ??= Buffer.allocUnsafe(MAX_HELD_BYTES)
      bytes.copy(this.#held, this.#heldBytes)
      this.#heldBytes += bytes.length
    }
    this.#starts.push(this.#sizeBytes)
    this.#sizeBytes += bytes.length
    return this.#starts.length - 1
  }

  /** @throws HttpcliError `spill-failed` */
  get(place: number): string {
    const offset = this.#starts[place] as number
    const length = (this.#starts[place + 1] ?? this.#sizeBytes) - offset
    return Buffer.from(this.#bytesAt(offset, length)).toString()
  }

  close(): void {
    this.#file.close()
  }

  #spill(): void {
    if (this.#held === undefined || this.#heldBytes === 0) return
    this.#file.put(this.#held.subarray(0, this.#heldBytes))
    this.#heldBytes = 0
  }

  #bytesAt(offset: number, length: number): Uint8Array {
    const spilledBytes = this.#sizeBytes - this.#heldBytes
    if (offset >= spilledBytes) {
      const from = offset - spilledBytes
      return (this.#held as Buffer).subarray(from, from + length)
    }
    const { offset: start, bytes } = this.#window ?? { offset: 0, bytes: new Uint8Array(0) }
    if (offset >= start && offset + length <= start + bytes.length) {
      return bytes.subarray(offset - start, offset - start + length)
    }
    const windowBytes = Math.max(length, Math.min(WINDOW_BYTES, spilledBytes - offset))
    this.#window = { offset, bytes: this.#file.read({ offset, length: windowBytes }) }
    return this.#window.bytes.subarray(0, length)
  }
}
