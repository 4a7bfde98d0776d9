/**
 * The static file server: listens, and hands each client to a connection.
 *
 * The way of one request, a file for each step:
 *   1. listen: this file (sockets, the limit of connections, the orderly end);
 *   2. decode: request-reader.ts (octets to a head by the message library's HttpDecoder, time limits, bodies);
 *   3. plan: plan.ts and url-path.ts (method, target, root path; text only);
 *   4. look up: lookup.ts (exact file, variants by negotiation.ts, directories) and served-file.ts (never outside);
 *   5. judge: answer.ts and conditional.ts (preconditions, status, fields);
 *   6. respond: respond.ts and file-transfer.ts (head, framing, body with back-pressure);
 *   7. tell: access-log.ts (one line for each answered request).
 * connection.ts walks a client's requests through 2 to 7 in their order; socket-stream.ts is the socket as they see it.
 *
 * Rules: nothing is printed here, callers are told by callbacks; what a client does ends its own connection at most.
 */
import { stat } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { HttpcliError } from '../message/index.ts'
import type { AnsweredRequest } from './access-log.ts'
import { Connection, type Service } from './connection.ts'
import { BufferBudget } from './file-transfer.ts'
import { defaultLimits, type ServerLimits } from './limits.ts'
import { Lookup } from './lookup.ts'
import { MediaTypes } from './media-types.ts'
import { parseRootPath } from './plan.ts'

export interface ServeOptions {
  /** The directory whose files are served. A relative one is resolved against the working directory. */
  readonly directory: string
  /** 0 takes any free port. Default 8080. */
  readonly port?: number
  /** Address or name to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string
  /** Path in URLs under which the directory appears, by whole segments. Default `/`. */
  readonly rootPath?: string
  /** Extension (lower case, no dot) to media type, over the built-in table. */
  readonly mediaTypes?: ReadonlyMap<string, string>
  readonly limits?: Partial<ServerLimits>
  /** Told each answered request, malformed ones included. */
  readonly onAnswer?: (entry: AnsweredRequest) => void
  /** Told what failed without being a client's doing, such as a disk error; the server goes on. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

export interface RunningServer {
  /** Absolute path of the served directory. */
  readonly directory: string
  readonly host: string
  /** The real port, also where 0 was asked for. */
  readonly port: number
  /** Where a browser finds the directory. */
  readonly url: string
  /** Stops accepting, lets running responses finish within `closeGraceMs`, cuts the rest. */
  close(): Promise<void>
}

/** What keeps a socket from listening, by errno; the rest is named by it. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'may not be used by this user',
  EADDRNOTAVAIL: 'is on no interface of this machine',
  ENOTFOUND: 'has an unknown host name',
  EAI_AGAIN: 'has a host name that cannot be resolved now',
}

/** Clients of a full server that are told so at one time; the rest of a flood is not answered. */
const maximumRefusals = 64

/**
 * Starts serving; resolves once connections are accepted. Rejects with HttpcliError `directory` (it is missing or no
 * directory), `root-path` or `listen` (port or address; `cause` has the errno), and nothing is left open then.
 */
export async function serveDirectory(options: ServeOptions): Promise<RunningServer> {
  const directory = resolve(options.directory)
  const { host = '127.0.0.1', port = 8080, rootPath = '/' } = options
  const rootNames = parseRootPath(rootPath)
  await checkDirectory(directory)
  const service: Service = {
    rootNames,
    lookup: new Lookup(directory, new MediaTypes(options.mediaTypes)),
    limits: { ...defaultLimits, ...options.limits },
    budget: new BufferBudget(),
    now: options.now ?? Date.now,
    onAnswer: options.onAnswer ?? (() => undefined),
    onError: options.onError ?? (() => undefined),
  }
  const connections = new Set<Connection>()
  // Half-open: a client may end its side behind its last request and still wants the answer.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => accept(socket, service, connections))
  await listen(server, host, port)
  server.on('error', service.onError)
  const address = server.address() as AddressInfo
  const urlHost = host.includes(':') ? `[${host}]` : host
  const urlPath = rootNames.map((name) => `/${encodeURIComponent(name)}`).join('')
  let closing: Promise<void> | undefined
  return {
    directory,
    host: address.address,
    port: address.port,
    url: `http://${urlHost}:${address.port}${urlPath}`,
    close: () => (closing ??= closeServer(server, connections, service.limits.closeGraceMs)),
  }
}

async function checkDirectory(directory: string): Promise<void> {
  let isDirectory: boolean
  try {
    isDirectory = (await stat(directory)).isDirectory()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const found = code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code})`
    throw new HttpcliError('directory', `the directory ${directory} ${found}`, {
      cause,
      hint: 'Give an existing directory.',
    })
  }
  if (!isDirectory) {
    throw new HttpcliError('directory', `${directory} is a file, not a directory`, {
      hint: 'Give the directory that holds it.',
    })
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolveListening, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const fault = listenFaults[cause.code ?? ''] ?? `cannot be listened on (${cause.code})`
      reject(new HttpcliError('listen', `port ${port} on ${host} ${fault}`, { cause }))
    })
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      resolveListening()
    })
  })
}

function accept(socket: Socket, service: Service, connections: Set<Connection>): void {
  const { limits } = service
  const isFull = connections.size >= limits.connections && !closeLongestIdle(connections)
  if (isFull && connections.size >= limits.connections + maximumRefusals) {
    socket.destroy()
    return
  }
  const connection = new Connection(socket, service)
  connections.add(connection)
  socket.once('close', () => connections.delete(connection))
  void (isFull ? connection.refuse() : connection.run())
}

/** Makes room for a new client. False where every connection is busy. */
function closeLongestIdle(connections: Set<Connection>): boolean {
  let longestIdle: Connection | undefined
  let sinceMs = Number.POSITIVE_INFINITY
  for (const connection of connections) {
    const idleSinceMs = connection.idleSinceMs
    if (idleSinceMs === undefined || idleSinceMs >= sinceMs) continue
    longestIdle = connection
    sinceMs = idleSinceMs
  }
  if (longestIdle === undefined) return false
  longestIdle.destroy()
  // Its 'close' comes later; by then the next client may have asked for room.
  connections.delete(longestIdle)
  return true
}

async function closeServer(server: Server, connections: ReadonlySet<Connection>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolveClosed) => server.close(() => resolveClosed()))
  for (const connection of connections) connection.stop()
  const timer = setTimeout(() => {
    for (const connection of connections) connection.destroy()
  }, graceMs)
  await closed
  clearTimeout(timer)
}
