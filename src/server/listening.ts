/**
 * The socket on which a server accepts connections: an address and port, a Unix domain socket, or a socket that the
 * parent process has opened.
 *
 * Rules: an error names the reason and the remedy. A Unix domain socket without a listener, left behind by a killed
 * server, is replaced; any other file is not. The socket is removed when the server ends.
 */

import { existsSync, lstatSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type ListenOptions, type Server } from 'node:net'
import { platform } from 'node:os'
import { dirname } from 'node:path'
import type { HttpcliError } from '../message/index.ts'
import { ServerError } from './semantics/errors.ts'

/** `descriptor`: a socket that is already listening. */
export type ListeningPlace =
  | { readonly host: string; readonly port: number }
  | { readonly path: string }
  | { readonly descriptor: number }

/** Where a server listens, as the system reports it. A Unix domain socket has its path as host, and port 0. */
export interface ListeningAddress {
  readonly host: string
  readonly port: number
  readonly isUnixSocket: boolean
}

/** Messages for listening errors, by errno; for any other error the message contains the errno. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'cannot be used: this user lacks permission',
  EADDRNOTAVAIL: 'cannot be used: this machine does not have that address',
  ENOTFOUND: 'cannot be used: the host name was not found',
  EAI_AGAIN: 'cannot be used: the host name cannot be resolved now',
  EBADF: 'is not a socket',
  ENOTSOCK: 'is not a socket',
}

/**
 * Length of the queue of connections to accept, limited by the system. Beyond it the first packet of a connection is
 * dropped, and the client retries after 1, 3, 7 or 15 seconds: the platform's default of 511 is too short for a burst.
 */
const listenBacklog = 4_096

/** The system's limit for the path of a socket, without the final zero: 108 bytes on Linux, 104 elsewhere. */
const maximumPathBytes = platform() === 'linux' ? 107 : 103

/** Rejects with HttpcliError `listen`; `cause` has the errno. */
export async function listen(server: Server, place: ListeningPlace): Promise<ListeningAddress> {
  if ('path' in place && Buffer.byteLength(place.path) > maximumPathBytes) {
    throw new ServerError('listen', `the path of the socket ${place.path} is longer than ${maximumPathBytes} bytes`)
  }
  try {
    await tryListening(server, place)
  } catch (error) {
    if (!('path' in place) || !(await isAbandoned(place.path, error))) throw listenError(place, error)
    rmSync(place.path, { force: true })
    await tryListening(server, place).catch((cause: unknown) => Promise.reject(listenError(place, cause)))
  }
  const address = server.address() as AddressInfo | string | null
  if (address !== null && typeof address === 'object') return { ...pick(address), isUnixSocket: false }
  return { host: address ?? ('path' in place ? place.path : ''), port: 0, isUnixSocket: true }
}

const pick = ({ address, port }: AddressInfo): Pick<ListeningAddress, 'host' | 'port'> => ({ host: address, port })

function tryListening(server: Server, place: ListeningPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenOptions(place), () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

function listenOptions(place: ListeningPlace): ListenOptions & { readonly fd?: number } {
  if ('descriptor' in place) return { fd: place.descriptor }
  return { ...place, backlog: listenBacklog }
}

/** Whether the path is a socket without a listener. */
async function isAbandoned(path: string, error: unknown): Promise<boolean> {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return false
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return false
  return new Promise((resolve) => {
    const client = connect(path)
    client.once('connect', () => {
      client.destroy()
      resolve(false)
    })
    client.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code === 'ECONNREFUSED'))
  })
}

function listenError(place: ListeningPlace, cause: unknown): HttpcliError {
  const { code = '' } = cause as NodeJS.ErrnoException
  // For a socket in a missing directory, platforms report EACCES or ENOENT.
  const isNowhere = 'path' in place && (code === 'EACCES' || code === 'ENOENT') && !existsSync(dirname(place.path))
  const fault = isNowhere
    ? 'is in a directory that does not exist'
    : (listenFaults[code] ?? `cannot be listened on (${code})`)
  return new ServerError('listen', `${nameOf(place)} ${fault}`, { cause })
}

function nameOf(place: ListeningPlace): string {
  if ('path' in place) return `the socket ${place.path}`
  return 'descriptor' in place ? `descriptor ${place.descriptor}` : `port ${place.port} on ${place.host}`
}
