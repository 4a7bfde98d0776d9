/**
 * Reads and writes named pipes (FIFOs) that are given as files, those of `mkfifo` and `<(command)` of a shell, and
 * reads devices.
 *
 * Rules: opening a pipe blocks until its other end is open, and a program that blocks handles no signal. Node.js does
 * not even exit while one of its threads blocks, so there a pipe is opened without waiting and used like a socket. The
 * runtime of the executable cannot use a pipe in this way, but exits while a thread blocks. A pipe that cannot be
 * opened is left to the reader of other files, which describes the error. Pipes and devices may have no end: not more
 * than a text can have is kept in memory.
 */
import { constants, createReadStream, openSync, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { versions } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import type { Sink } from './output-target.ts'

const MAX_BYTES = 512 * 1024 * 1024

/** The bytes of a pipe or a device as they arrive; undefined for any other path, and if it cannot be opened. */
export async function openPipe(path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { O_RDONLY, O_NONBLOCK } = constants
  // Windows has neither FIFOs nor this flag.
  if (O_NONBLOCK === undefined) return undefined
  let fd: number
  try {
    const stats = statSync(path)
    if (!stats.isFIFO()) return stats.isCharacterDevice() ? createReadStream(path) : undefined
    if (versions.bun !== undefined) return createReadStream(path)
    fd = openSync(path, O_RDONLY | O_NONBLOCK)
  } catch {
    return undefined
  }
  const { Socket } = await import('node:net')
  return new Socket({ fd, writable: false })
}

/**
 * All bytes of a pipe or a device, once it has ended; undefined for any other path, and if it cannot be opened.
 * @throws errors of the file system, also `EFBIG`
 */
export async function pipeBytes(path: string): Promise<Uint8Array | undefined> {
  const pipe = await openPipe(path)
  if (pipe === undefined) return undefined
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  for await (const piece of pipe) {
    pieces.push(piece)
    sizeBytes += piece.length
    if (sizeBytes > MAX_BYTES) throw Object.assign(new Error('EFBIG'), { code: 'EFBIG', syscall: 'read', path })
  }
  return Buffer.concat(pieces)
}

/** All bytes of a file of any kind that the user named. @throws errors of the file system */
export async function fileBytes(path: string): Promise<Uint8Array> {
  const bytes = await pipeBytes(path)
  if (bytes !== undefined) return bytes
  try {
    return readFileSync(path)
  } catch (error) {
    // The platform's error for a directory does not name it.
    throw Object.assign(error as Error, { path })
  }
}

const READER_POLL_MS = 50

/** Opens a pipe for writing, as soon as it has a reader. @throws errors of the file system */
export async function openPipeSink(path: string): Promise<Sink> {
  const { O_WRONLY, O_NONBLOCK } = constants
  if (versions.bun !== undefined) return open(path, 'w')
  let fd: number | undefined
  while (fd === undefined) {
    try {
      fd = openSync(path, O_WRONLY | O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      await setTimeout(READER_POLL_MS)
    }
  }
  const { Socket } = await import('node:net')
  const socket = new Socket({ fd, readable: false })
  // Each write reports its own error.
  socket.on('error', () => undefined)
  return {
    writev: async (pieces) => {
      const bytes = Buffer.concat(pieces)
      await new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
      return { bytesWritten: bytes.length }
    },
    sync: () => Promise.resolve(),
    close: async () => void socket.destroy(),
  }
}
