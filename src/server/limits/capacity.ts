/**
 * Computes how many connections and files a server may have open, from the limit of connections and the descriptors of
 * the process.
 *
 * A process without a free descriptor cannot accept: the system closes new connections without an answer. So the server
 * stays below its limit, with room for files, and for clients that get only a 503.
 */
import { readFileSync } from 'node:fs'

export interface Capacity {
  readonly connections: number
  /** Further connections, which get only a 503 or the health check. */
  readonly overflow: number
  /** Files that may be open for downloads at a time. */
  readonly openFiles: number
}

/**
 * Standard streams, the event loop, the listening socket, the keystore, directories: 20 to 25 on Node.js, 10 to 15 on
 * Bun.
 */
const ownDescriptors = 28

const maximumOverflow = 64
const maximumOpenFiles = 256

/**
 * `descriptorLimit`: undefined if the system has no limit, or does not report it. `hasBackends`: a client may need a
 * second connection.
 */
export function capacityFor(
  connections: number,
  descriptorLimit: number | undefined,
  hasBackends: boolean = false,
): Capacity {
  const free = Math.max(0, (descriptorLimit ?? Number.POSITIVE_INFINITY) - ownDescriptors)
  const overflow = Math.max(1, Math.min(maximumOverflow, Math.floor(free / 8)))
  const openFiles = Math.max(2, Math.min(maximumOpenFiles, Math.floor(free / 4)))
  const forClients = free - overflow - openFiles
  const most = hasBackends ? Math.floor(forClients / 2) : forClients
  return { connections: Math.max(1, Math.min(connections, most)), overflow, openFiles }
}

/** The maximum number of descriptors of this process; undefined if the system does not report it the way Linux does. */
export function readDescriptorLimit(): number | undefined {
  try {
    const match = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))
    return match === null ? undefined : Number(match[1])
  } catch {
    return undefined
  }
}
