/**
 * Sends parts of a large file to a sink, in constant memory.
 *
 * Rules: a transfer has one buffer at a time, from a shared pool (buffer-pool.ts): a piece is read when the previous
 * one was accepted, so no more is read than the client receives, and data is sent while it is in the processor's cache
 * (file-reader.ts). While the client receives a piece, the file may be closed to free its descriptor (open-files.ts).
 * The last bytes are held back until the file is known to be unchanged, or to have only grown (sent-samples.ts): then
 * all announced bytes are delivered. Any other change rejects the transfer, so that a body never looks complete. The
 * times of a file change when a write begins, and a busy machine may interrupt the write: if the file was written
 * recently, samples are compared as well. Other clients are served between pieces.
 */

import type { OpenFiles } from '../limits/open-files.ts'
import { isTurnOver, nextTurn } from '../limits/turn-slice.ts'
import type { FileBody, FileSlice } from '../semantics/answer-body.ts'
import { type BufferPool, pieceBytes } from './buffer-pool.ts'
import { FileReader } from './file-reader.ts'
import { SentSamples } from './sent-samples.ts'
import { fileChanged, type ServedFile } from './served-file.ts'

/**
 * The maximum number of pieces of one transfer in a turn of the event loop. With a fast disk and client they take half
 * a millisecond.
 */
const piecesInTurn = 8

/** A destination of bytes. */
export interface Sink {
  /** Settles when the bytes may be overwritten. Rejects if they can no longer be delivered. */
  flush(bytes: Uint8Array): Promise<void>
}

/** Shared by all transfers of a server. */
export interface TransferResources {
  readonly buffers: BufferPool
  readonly openFiles: OpenFiles
}

/**
 * Sends all parts. `onSent` is called with the size of each piece sent. Rejects with HttpcliError `file-changed`, or
 * with errors of reading or of the sink; the body is then incomplete. The caller closes the file.
 */
export async function transferParts(
  { file, parts }: FileBody,
  sink: Sink,
  { buffers, openFiles }: TransferResources,
  onSent: (bytes: number) => void,
): Promise<void> {
  const lastSlice = parts.findLastIndex((part) => !(part instanceof Uint8Array))
  const pieces = new Pieces(file)
  let hasSent = false
  const send = async (bytes: Uint8Array) => {
    openFiles.wait(file, hasSent)
    await sink.flush(bytes)
    openFiles.resume(file)
    hasSent = true
    onSent(bytes.length)
  }
  openFiles.enter(file)
  try {
    for (const [index, part] of parts.entries()) {
      if (part instanceof Uint8Array) {
        await send(part)
        continue
      }
      pieces.begin(part, index === lastSlice)
      while (pieces.areLeft) {
        // Hundreds of concurrent transfers share a turn: otherwise other clients would wait for a piece of each.
        if (pieces.isTurnOver || isTurnOver()) await nextTurn(hasSent ? 'long' : 'start')
        if (file.isReleased) await openFiles.restore(file)
        const buffer = hasSent ? buffers.take() : buffers.takeFirst()
        try {
          // Nearly every piece is read synchronously, and awaiting costs as much as reading.
          const count = pieces.read(buffer)
          const piece = pieces.take(buffer, typeof count === 'number' ? count : await count)
          if (pieces.areLast) await pieces.confirm()
          await send(piece)
        } finally {
          buffers.giveBack(buffer)
        }
      }
    }
  } finally {
    openFiles.leave(file)
  }
}

/** Yields the content of a whole file, in buffers that belong to the caller. */
export async function* readFile(file: ServedFile): AsyncGenerator<Uint8Array> {
  const pieces = new Pieces(file)
  pieces.begin({ start: 0, end: file.sizeBytes }, true)
  while (pieces.areLeft) {
    if (pieces.isTurnOver || isTurnOver()) await nextTurn('long')
    const buffer = Buffer.allocUnsafeSlow(pieceBytes)
    const piece = pieces.take(buffer, await pieces.read(buffer))
    if (pieces.areLast) await pieces.confirm()
    yield piece
  }
}

/** The position of a transfer in its file. */
class Pieces {
  readonly #file: ServedFile
  readonly #samples = new SentSamples()
  /** Whether a sample belongs to the state with the announced length. */
  #isAnchored: boolean
  #reader: FileReader
  #position = 0
  #end = 0
  #isLast = false
  #count = 0

  constructor(file: ServedFile) {
    this.#file = file
    this.#reader = new FileReader(file.descriptor)
    this.#isAnchored = file.beginning !== undefined
    if (file.beginning !== undefined) this.#samples.add(0, file.beginning)
  }

  /** `isLast`: whether the file must be checked before the last piece. */
  begin({ start, end }: FileSlice, isLast: boolean): void {
    this.#position = start
    this.#end = end
    this.#isLast = isLast
  }

  get areLeft(): boolean {
    return this.#position < this.#end
  }

  /** Whether the last piece was taken, so that it must be confirmed. */
  get areLast(): boolean {
    return this.#isLast && !this.areLeft
  }

  get isTurnOver(): boolean {
    return this.#count % piecesInTurn === piecesInTurn - 1
  }

  /** Fills the buffer, or a part of it; returns the number of bytes. */
  read(buffer: Buffer): number | Promise<number> {
    this.#count += 1
    if (this.#reader.descriptor !== this.#file.descriptor) this.#reader = new FileReader(this.#file.descriptor)
    const leftBytes = this.#end - this.#position
    const room = leftBytes < buffer.length ? buffer.subarray(0, leftBytes) : buffer
    return this.#reader.read(room, this.#position)
  }

  /** The bytes that were read. Throws HttpcliError `file-changed` if the file has become too short. */
  take(buffer: Buffer, count: number): Buffer {
    if (count === 0) throw fileChanged()
    const piece = count < buffer.length ? buffer.subarray(0, count) : buffer
    this.#samples.add(this.#position, piece)
    if (this.#count === 1) this.#isAnchored ||= this.#file.change() === 'none'
    if (this.#isLast && this.#position + count === this.#end) this.#samples.addEnd(this.#position, piece)
    this.#position += count
    return piece
  }

  /** Confirms that all pieces belong to one state of the file. Rejects with HttpcliError `file-changed`. */
  async confirm(): Promise<void> {
    const change = this.#file.change()
    const hasSameTimes = change === 'none' && this.#file.isSettled
    if (hasSameTimes && this.#file.beginning === undefined) return
    if (
      (change !== 'grown' && !hasSameTimes) ||
      !this.#isAnchored ||
      !(await this.#samples.areUnchanged(this.#file.descriptor))
    )
      throw fileChanged()
  }
}
