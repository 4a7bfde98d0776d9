/**
 * The static file server: listens, and hands each client to a connection.
 *
 * The steps of one request, with the main files of each:
 *   1. listen: this file (sockets, the limit of connections, the orderly end);
 *   2. decode: http1/connection.ts (one client's requests in order) and request-reader.ts (bytes to a head by the
 *      message library's HttpDecoder, bodies discarded); a repeated head is taken from head-cache.ts;
 *   3. plan: semantics/plan.ts, url-path.ts and allowed-hosts.ts (host, method, target, root path, conditions);
 *   4. steps before: service.ts calls the hooks (semantics/hooks.ts) that features/features.ts makes of the settings; a
 *      request for a backend leaves this path here: backend/forwarder.ts forwards it through the client that was passed
 *      in, http1/forwarded-exchange.ts and http2/forwarded-stream.ts pass the response on, http1/tunnel.ts a WebSocket;
 *   5. look up: files/lookup.ts (exact file, variants by semantics/negotiation.ts, directories) and file-store.ts
 *      (cached content, checked once a turn; precompressed-files.ts and compressed-files.ts), over served-file.ts
 *      (never outside the directory);
 *   6. judge: semantics/file-answer.ts, conditional.ts and range.ts (preconditions, parts) over representation.ts;
 *   7. respond: http1/head-writer.ts and encoded-answer.ts (bytes of the head, cached ones if possible),
 *      body-transfer.ts and files/file-transfer.ts (bodies with back-pressure), http1/client-socket.ts (the socket);
 *   8. log: access-log.ts (one line for each answered request).
 * With a certificate, tls/tls-connection.ts comes between 1 and 2: tls-acceptor.ts performs the handshake (src/keystore
 * opens the certificate, certificate-source.ts keeps it current), and http2/connection.ts does 2, 7 and 8 for clients
 * that chose HTTP/2; a repeated head is taken from http2/request-cache.ts. limits/limits.ts has the limits per client,
 * timeouts.ts the sweep that enforces deadlines.
 *
 * Rules: nothing is printed here, callers pass callbacks; an error of a client ends at most its own connection.
 */

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { TlsIdentity } from '../keystore/index.ts'
import type { HttpcliError } from '../message/index.ts'
import { unreadableFile } from '../message-node/index.ts'
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
  /** 0 chooses any free port. Default 8080. */
  readonly port?: number
  /** Address or name to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string
  /** Instead of host and port: a Unix domain socket, or the descriptor of a socket that is already listening. */
  readonly socket?: { readonly path: string } | { readonly descriptor: number }
  /**
   * Allowed host names of requests, as `parseAllowedHost` returns them, in addition to names that no stranger can own;
   * `*` is every name. Default: none if only this machine can connect, every name otherwise.
   */
  readonly allowedHosts?: readonly string[]
  /** Path in URLs under which the directory appears, by whole segments. Default `/`. */
  readonly rootPath?: string
  /** Extension (lower case, no dot) to media type, over the built-in table. */
  readonly mediaTypes?: ReadonlyMap<string, string>
  /** Files that are served in addition to the visible files of the directory. Default: none. */
  readonly visibility?: Partial<Visibility>
  /** Hooks around the look-up of files: listings, single-page applications, authentication and so on. */
  readonly steps?: Partial<Hooks>
  /** Whether text is compressed on the fly. Precompressed files are used in any case. */
  readonly isCompressing?: boolean
  /**
   * Whether entity tags are computed from the content alone, so that servers with copies of it agree. By default they
   * are computed from the file's state.
   */
  readonly hasContentTags?: boolean
  /** Enables HTTPS only: HTTP/1.1 and HTTP/2, over TLS 1.2 or later. */
  readonly tls?: TlsSettings
  /** Called with the certificate at the start, and each time a changed keystore was read again. */
  readonly onIdentity?: (identity: TlsIdentity) => void
  /** Backends for requests that files do not answer. */
  readonly forwarding?: {
    readonly backends: readonly Backend[]
    readonly client: BackendClient
    /** Whether Authorization is consumed by this server and not forwarded. */
    readonly isAuthorizationConsumed: boolean
  }
  readonly limits?: Partial<ServerLimits>
  /** Called for each answered request, malformed ones included. */
  readonly onAnswer?: (entry: AnsweredRequest) => void
  /** Called for errors that no client caused, such as a disk error; the server continues. */
  readonly onError?: (error: unknown) => void
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

export interface RunningServer {
  /** Absolute path of the served directory. */
  readonly directory: string
  /** The address; the path of a Unix domain socket. */
  readonly host: string
  /** The actual port, even if 0 was requested; 0 for a Unix domain socket. */
  readonly port: number
  /** The URL of the directory in a browser; `unix:` and the path for a Unix domain socket. */
  readonly url: string
  /** Stops accepting, lets running responses finish within `closeGraceMs`, cuts the rest. */
  close(): Promise<void>
}

interface ClientConnection extends PlaceHolder {
  /** `isOverflow`: only the health check is answered, everything else gets a 503. */
  run(isOverflow: boolean): void
  stop(): void
}

type ConnectionMaker = (socket: Socket) => ClientConnection

/**
 * Starts serving; resolves once connections are accepted. Rejects with HttpcliError `directory` (missing or not a
 * directory), `directory-access`, `root-path`, `listen` (port or address; `cause` has the errno), or a KeystoreError;
 * in that case nothing is left open.
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
  const capacity = capacityFor(limits.connections, readDescriptorLimit(), hasBackends)
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
    isCompressing: options.isCompressing ?? false,
    hasContentTags: options.hasContentTags ?? false,
    now: options.now ?? Date.now,
    onAnswer: options.onAnswer,
    onError,
  })
  const places = new Places<ClientConnection>(capacity)
  const makeConnection = await connectionMaker(options, service)
  // Half-open: a client may end its side after its last request and still wait for the answer.
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
      closing ??= closeServer(server, places, service.limits.closeGraceMs)
        .then(() => service.settled())
        .then(() => forwarding?.client.close())
      return closing
    },
  }
}

interface OpenBackends {
  readonly routes: BackendRoutes
  readonly forwarding: Forwarding
}

/** Loaded on demand, as TLS is. */
async function openBackends(
  { backends, ...settings }: NonNullable<ServeOptions['forwarding']>,
  hasHttp2: boolean,
  onFailure: (error: unknown) => void,
): Promise<OpenBackends> {
  const [{ BackendRoutes }, { Forwarder }, { ForwardedExchange }, http2] = await Promise.all([
    import('./backend/backend-routes.ts'),
    import('./backend/forwarder.ts'),
    import('./http1/forwarded-exchange.ts'),
    hasHttp2 ? import('./http2/forwarded-stream.ts') : undefined,
  ])
  // A unique name for each process: a request that returns to it is in a loop.
  const viaName = `httpcli-${randomBytes(4).toString('hex')}`
  return {
    routes: new BackendRoutes(backends),
    forwarding: {
      forwarder: new Forwarder({ ...settings, viaName, onFailure }),
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
  // Loaded on demand: TLS and HTTP/2 take much of a server's start-up time.
  const [{ TlsAcceptor }, { TlsConnection }, { Http2Fields }, { Http2RequestCache }, { OpenStreams }] =
    await Promise.all([
      import('./tls/tls-acceptor.ts'),
      import('./tls/tls-connection.ts'),
      import('./http2/fields.ts'),
      import('./http2/request-cache.ts'),
      import('./limits/open-streams.ts'),
    ])
  const acceptor = await TlsAcceptor.open(tls, service.limits.handshakeTimeoutMs, service.sweep, {
    onIdentity: onIdentity ?? (() => undefined),
    onError: service.onError,
    now: service.clock.now,
  })
  const http2 = {
    fields: new Http2Fields(service.heads),
    requests: new Http2RequestCache((request) => service.plan(request), service.limits.headerBytes),
    streams: new OpenStreams(),
  }
  return (socket) => new TlsConnection(socket, service, acceptor, http2)
}

async function checkDirectory(directory: string): Promise<void> {
  let isDirectory: boolean
  try {
    isDirectory = (await stat(directory)).isDirectory()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EACCES') throw unreadable(directory, cause)
    throw new ServerError('directory', ...unreadableFile(`the directory ${directory}`, cause))
  }
  if (!isDirectory) {
    throw new ServerError('directory', `${directory} is a file, not a directory`, {
      hint: 'Give the directory that contains it.',
    })
  }
  try {
    await access(directory, constants.R_OK | constants.X_OK)
  } catch (cause) {
    throw unreadable(directory, cause)
  }
}

function unreadable(directory: string, cause: unknown): HttpcliError {
  return new ServerError('directory-access', `the directory ${directory} cannot be read by this user`, {
    cause,
    hint: 'Give this user permission to list and enter it.',
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
