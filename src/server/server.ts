/**
 * The static file server: listens, and hands each client to a connection.
 *
 * The way of one request, a file or two for each step:
 *   1. listen: this file (sockets, the limit of connections, the orderly end);
 *   2. decode: http1/connection.ts (one client's requests in their order) and request-reader.ts (octets to a head by the
 *      message library's HttpDecoder, bodies thrown away); a head that was read before is taken from head-cache.ts;
 *   3. plan: semantics/plan.ts, url-path.ts and allowed-hosts.ts (host, method, target, root path, conditions; text only);
 *   4. steps before: service.ts calls the hooks (semantics/hooks.ts) that features/features.ts makes of the settings;
 *      a request for a backend leaves the way here: backend/forwarder.ts sends it on by the client that the caller handed
 *      in, http1/forwarded-exchange.ts and http2/forwarded-stream.ts pass the response on, http1/tunnel.ts a WebSocket;
 *   5. look up: files/lookup.ts (exact file, variants by semantics/negotiation.ts, directories) and file-store.ts (kept
 *      content, once a turn compared with the disk; precompressed-files.ts and compressed-files.ts), over served-file.ts
 *      (never outside the directory);
 *   6. judge: semantics/file-answer.ts, conditional.ts and range.ts (preconditions, status, parts) over representation.ts;
 *   7. respond: http1/head-writer.ts and encoded-answer.ts (octets of the head, ready ones where possible),
 *      body-transfer.ts and files/file-transfer.ts (bodies with back-pressure), http1/client-socket.ts (the socket);
 *   8. tell: access-log.ts (one line for each answered request).
 * With a certificate, tls/tls-connection.ts stands between 1 and 2: tls-acceptor.ts shakes hands (src/keystore opens what
 * it shows, certificate-source.ts keeps that current), and http2/connection.ts does 2, 7 and 8 for clients that chose
 * HTTP/2. limits/limits.ts says what a client may take, timeouts.ts when its time is over.
 *
 * Rules: nothing is printed here, callers are told by callbacks; what a client does ends its own connection at most.
 */

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { ServerIdentity } from '../keystore/index.ts'
import type { HttpcliError } from '../message/index.ts'
import type { AnsweredRequest } from './access-log.ts'
import type { BackendClient } from './backend/backend-client.ts'
import type { BackendRoutes } from './backend/backend-routes.ts'
import type { Backend } from './backend/backend-setting.ts'
import { Connection } from './http1/connection.ts'
import { capacityFor, readDescriptorLimit } from './limits/capacity.ts'
import { clientNetwork } from './limits/client-network.ts'
import { defaultLimits, type ServerLimits } from './limits/limits.ts'
import { type PlaceHolder, Places } from './limits/places.ts'
import { countArrival } from './limits/turn-slice.ts'
import { listen } from './listening.ts'
import { AllowedHosts } from './semantics/allowed-hosts.ts'
import { ServerError } from './semantics/errors.ts'
import { type Hooks, noHooks } from './semantics/hooks.ts'
import { MediaTypes } from './semantics/media-types.ts'
import { parseRootPath, rootPathInUrls } from './semantics/plan.ts'
import { defaultVisibility, type Visibility } from './semantics/url-path.ts'
import { type Forwarding, Service } from './service.ts'
import type { TlsSettings } from './tls/certificate-source.ts'

export interface ServeOptions {
  /** The directory whose files are served. A relative one is resolved against the working directory. */
  readonly directory: string
  /** 0 takes any free port. Default 8080. */
  readonly port?: number
  /** Address or name to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string
  /** In the place of host and port: a socket in the file system, or the descriptor of one that is listening already. */
  readonly socket?: { readonly path: string } | { readonly descriptor: number }
  /**
   * Host names that requests may be for, as `parseAllowedHost` returns them, besides those that no stranger can own;
   * `*` is every name. Default: none where only this machine can connect, every name otherwise.
   */
  readonly allowedHosts?: readonly string[]
  /** Path in URLs under which the directory appears, by whole segments. Default `/`. */
  readonly rootPath?: string
  /** Extension (lower case, no dot) to media type, over the built-in table. */
  readonly mediaTypes?: ReadonlyMap<string, string>
  /** What of the directory is served beyond its visible files. Default: nothing. */
  readonly visibility?: Partial<Visibility>
  /** What is put around the look-up of files: listings, single-page applications, authentication and so on. */
  readonly steps?: Partial<Hooks>
  /** Whether text is compressed while a client waits. Files that are compressed already are used anyway. */
  readonly compresses?: boolean
  /** Whether entity tags are made of the content alone, so that servers with copies of it agree. Default: of the file's state. */
  readonly tagsContent?: boolean
  /** With it only HTTPS is spoken: HTTP/1.1 and HTTP/2, over TLS 1.2 or later. */
  readonly tls?: TlsSettings
  /** Told which certificate is shown: at the start, and each time when a changed keystore was read again. */
  readonly onIdentity?: (identity: ServerIdentity) => void
  /** Where requests go that files do not answer. */
  readonly forwarding?: {
    readonly backends: readonly Backend[]
    readonly client: BackendClient
    /** Whether Authorization is for this server, and not for what it forwards to. */
    readonly keepsAuthorization: boolean
  }
  readonly limits?: Partial<ServerLimits>
  /** Files and sockets that the process may have open. Default: what the system reports. */
  readonly descriptorLimit?: number
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
  /** The address; of a socket in the file system its path. */
  readonly host: string
  /** The real port, also where 0 was asked for; 0 for a socket in the file system. */
  readonly port: number
  /** Where a browser finds the directory; `unix:` and the path for a socket in the file system. */
  readonly url: string
  /** Stops accepting, lets running responses finish within `closeGraceMs`, cuts the rest. */
  close(): Promise<void>
}

/** One client, as the server sees it. */
interface ClientConnection extends PlaceHolder {
  /** `isOverflow`: only the health check is answered, everything else gets a 503. */
  run(isOverflow: boolean): void
  stop(): void
}

type ConnectionMaker = (socket: Socket) => ClientConnection

/**
 * Starts serving; resolves once connections are accepted. Rejects with HttpcliError `directory` (it is missing or no
 * directory), `directory-access`, `root-path`, `listen` (port or address; `cause` has the errno), or one of KeystoreError, and nothing is left
 * open then.
 */
export async function serveDirectory(options: ServeOptions): Promise<RunningServer> {
  const directory = resolve(options.directory)
  const { host = '127.0.0.1', port = 8080, rootPath = '/' } = options
  const rootNames = parseRootPath(rootPath)
  await checkDirectory(directory)
  const hosts = new AllowedHosts({ names: options.allowedHosts ?? [], listenHost: host, machineName: hostname() })
  const limits = { ...defaultLimits, ...options.limits }
  const { forwarding } = options
  const hasBackends = forwarding !== undefined
  const capacity = capacityFor(limits.connections, options.descriptorLimit ?? readDescriptorLimit(), hasBackends)
  const onError = options.onError ?? (() => undefined)
  const backends = forwarding && (await openBackends(forwarding, options.tls !== undefined, onError))
  const service = new Service({
    site: {
      root: directory,
      rootNames,
      visibility: { ...defaultVisibility, ...options.visibility },
      hosts,
      backends: backends?.routes,
    },
    forwarding: backends?.forwarding,
    mediaTypes: new MediaTypes(options.mediaTypes),
    steps: { ...noHooks, ...options.steps },
    limits,
    capacity,
    compresses: options.compresses ?? false,
    tagsContent: options.tagsContent ?? false,
    now: options.now ?? Date.now,
    onAnswer: options.onAnswer,
    onError,
  })
  const places = new Places<ClientConnection>(capacity)
  const makeConnection = await connectionMaker(options, service)
  // Half-open: a client may end its side behind its last request and still wants the answer.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    countArrival()
    accept(socket, makeConnection(socket), places)
  })
  const address = await listen(server, options.socket ?? { host, port })
  server.on('error', service.onError)
  hosts.listensOn(address.host)
  const urlHost = options.socket === undefined ? host : address.host
  let closing: Promise<void> | undefined
  return {
    directory,
    host: address.host,
    port: address.port,
    url: address.isUnixSocket
      ? `unix:${address.host}`
      : `${options.tls === undefined ? 'http' : 'https'}://${inUrl(urlHost)}:${address.port}${rootPathInUrls(rootNames)}`,
    close: () => {
      closing ??= closeServer(server, places, service.limits.closeGraceMs).then(() => forwarding?.client.close())
      return closing
    },
  }
}

interface OpenBackends {
  readonly routes: BackendRoutes
  readonly forwarding: Forwarding
}

/** Loaded where it is needed, as TLS is. */
async function openBackends(
  { backends, ...given }: NonNullable<ServeOptions['forwarding']>,
  hasHttp2: boolean,
  onFailure: (error: unknown) => void,
): Promise<OpenBackends> {
  const [{ BackendRoutes }, { Forwarder }, { ForwardedExchange }, http2] = await Promise.all([
    import('./backend/backend-routes.ts'),
    import('./backend/forwarder.ts'),
    import('./http1/forwarded-exchange.ts'),
    hasHttp2 ? import('./http2/forwarded-stream.ts') : undefined,
  ])
  // Each process has a name: a request that comes back to it has gone in a circle.
  const viaName = `httpcli-${randomBytes(4).toString('hex')}`
  return {
    routes: new BackendRoutes(backends),
    forwarding: {
      forwarder: new Forwarder({ ...given, viaName, onFailure }),
      Http1Exchange: ForwardedExchange,
      Http2Exchange: http2?.ForwardedStream,
    },
  }
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

async function connectionMaker({ tls, onIdentity }: ServeOptions, service: Service): Promise<ConnectionMaker> {
  if (tls === undefined) return (socket) => new Connection(socket, service)
  // Loaded where it is needed: TLS and HTTP/2 are a good part of what a server's start costs.
  const [{ TlsAcceptor }, { TlsConnection }, { Http2Fields }, { OpenStreams }] = await Promise.all([
    import('./tls/tls-acceptor.ts'),
    import('./tls/tls-connection.ts'),
    import('./http2/fields.ts'),
    import('./limits/open-streams.ts'),
  ])
  const acceptor = await TlsAcceptor.open(tls, service.limits.handshakeTimeoutMs, service.sweep, {
    onIdentity: onIdentity ?? (() => undefined),
    onError: service.onError,
    now: service.clock.now,
  })
  const http2 = { fields: new Http2Fields(service.heads), streams: new OpenStreams() }
  return (socket) => new TlsConnection(socket, service, acceptor, http2)
}

async function checkDirectory(directory: string): Promise<void> {
  let isDirectory: boolean
  try {
    isDirectory = (await stat(directory)).isDirectory()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'EACCES') throw unreadable(directory, cause)
    const found = code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code})`
    throw new ServerError('directory', `the directory ${directory} ${found}`, {
      cause,
      hint: 'Give an existing directory.',
    })
  }
  if (!isDirectory) {
    throw new ServerError('directory', `${directory} is a file, not a directory`, {
      hint: 'Give the directory that holds it.',
    })
  }
  try {
    await access(directory, constants.R_OK | constants.X_OK)
  } catch (cause) {
    throw unreadable(directory, cause)
  }
}

function unreadable(directory: string, cause: unknown): HttpcliError {
  return new ServerError('directory-access', `the directory ${directory} may not be read by this user`, {
    cause,
    hint: 'Give this user the right to list and enter it.',
  })
}

function accept(socket: Socket, connection: ClientConnection, places: Places<ClientConnection>): void {
  const admission = places.admit(connection, clientNetwork(socket.remoteAddress))
  if (admission === 'none') {
    socket.destroy()
    return
  }
  socket.once('close', () => places.leave(connection))
  connection.run(admission === 'overflow')
}

async function closeServer(server: Server, connections: Iterable<ClientConnection>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolveClosed) => server.close(() => resolveClosed()))
  for (const connection of connections) connection.stop()
  const timer = setTimeout(() => {
    for (const connection of connections) connection.destroy()
  }, graceMs)
  await closed
  clearTimeout(timer)
}
