/**
 * A large file to a socket, in constant memory.
 *
 * Rules: two buffers take turns, so the disk is read while the socket is written; no more is read than the client takes.
 * All transfers together hold at most the budget and a small floor for each, however slow their clients are. The last
 * octets are held back until the file is seen to be what it was at the start: a file that changed on the way ends in a
 * rejection, never in a body that looks whole.
 */
import { read } from 'node:fs'
import { HttpcliError } from '../message/index.ts'
import type { ServedFile } from './served-file.ts'
import type { SocketStream } from './socket-stream.ts'

const largestBufferBytes = 1_048_576
const smallestBufferBytes = 16_384

/** Memory that transfers share: each takes at most an eighth of what is left, so the first slow clients cannot take all. */
export class BufferBudget {
  #leftBytes: number

  constructor(totalBytes = 67_108_864) {
    this.#leftBytes = totalBytes
  }

  /** Grants the size of each of two buffers. */
  take(wantedBytes: number): number {
    const share = Math.min(largestBufferBytes, Math.floor(this.#leftBytes / 16))
    const granted = Math.max(1, Math.min(wantedBytes, Math.max(share, smallestBufferBytes)))
    this.#leftBytes -= 2 * granted
    return granted
  }

  giveBack(grantedBytes: number): void {
    this.#leftBytes += 2 * grantedBytes
  }
}

/**
 * Sends the whole file. `onSent` is told the octets of each part that went out. Rejects with HttpcliError `file-changed`
 * or `peer-gone`, or with what reading throws; the connection is then to be cut.
 */
export async function transferFile(
  file: ServedFile,
  stream: SocketStream,
  budget: BufferBudget,
  onSent: (bytes: number) => void,
): Promise<void> {
  const bufferBytes = budget.take(file.sizeBytes)
  const buffers: readonly [Buffer, Buffer] = [Buffer.allocUnsafeSlow(bufferBytes), Buffer.allocUnsafeSlow(bufferBytes)]
  let onTheWay: Promise<void> = Promise.resolve()
  try {
    for (let position = 0, turn = 0; position < file.sizeBytes; turn++) {
      const buffer = buffers[turn % 2]!
      const count = await readAt(file, buffer, position)
      position += count
      if (count === 0 || (position >= file.sizeBytes && !file.isUnchanged())) {
        throw new HttpcliError('file-changed', 'the file changed while it was being sent')
      }
      await onTheWay
      onTheWay = stream.flush(buffer.subarray(0, count)).then(() => onSent(count))
      // It is awaited one turn later; until then a failure must not count as unhandled.
      onTheWay.catch(() => undefined)
    }
    await onTheWay
  } finally {
    budget.giveBack(bufferBytes)
  }
}

function readAt(file: ServedFile, buffer: Buffer, position: number): Promise<number> {
  const wanted = Math.min(buffer.length, file.sizeBytes - position)
  return new Promise((resolve, reject) => {
    read(file.descriptor, buffer, 0, wanted, position, (error, count) => (error ? reject(error) : resolve(count)))
  })
}
