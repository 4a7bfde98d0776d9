/**
 * Reads named pipes (FIFOs) that are given as files: those of `mkfifo`, and `<(command)` of a shell.
 *
 * Rules: opening a pipe blocks until it has a writer, and a program that blocks handles no signal. Node.js does not
 * even exit while one of its threads blocks, so there a pipe is opened without waiting and read like a socket. The
 * runtime of the executable cannot read a pipe in this way, but exits while a thread blocks. A pipe that cannot be
 * opened is left to the reader of other files, which describes the error.
 */
import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { versions } from 'node:process'

/** The bytes of a pipe as they arrive; undefined if the path does not name a pipe that can be opened. */
export async function openPipe(path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { O_RDONLY, O_NONBLOCK } = constants
  // Windows has neither FIFOs nor this flag.
  if (O_NONBLOCK === undefined) return undefined
  let fd: number
  try {
    if (!statSync(path).isFIFO()) return undefined
    if (versions.bun !== undefined) return createReadStream(path)
    fd = openSync(path, O_RDONLY | O_NONBLOCK)
  } catch {
    return undefined
  }
  const { Socket } = await import('node:net')
  return new Socket({ fd, writable: false })
}

/** All bytes of a pipe, once it has ended; undefined if the path does not name a pipe that can be opened. */
export async function pipeBytes(path: string): Promise<Uint8Array | undefined> {
  const pipe = await openPipe(path)
  if (pipe === undefined) return undefined
  const pieces: Uint8Array[] = []
  for await (const piece of pipe) pieces.push(piece)
  return Buffer.concat(pieces)
}
