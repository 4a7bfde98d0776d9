/**
 * Opens a connection that is ready for a request: resolves the name, connects, opens the proxy tunnel, completes TLS.
 *
 * Rules: one time limit covers all steps, and its error names the step that did not finish; each step has its own
 * figure. If a later step fails, everything opened here is closed. A connection is independent of the requests sent
 * over it.
 */
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { HttpDecoder } from '../../message/index.ts'
import { type Cancellation, Deadline } from '../base/abort.ts'
import { type Address, bareHost, entriesOf, lookUp, placeText } from '../base/address.ts'
import type { ConnectionEvent, PeerRole } from '../base/connection-event.ts'
import { inStep, secondsText, WireError } from '../base/errors.ts'
import type { ExchangeSocket } from '../base/exchange-socket.ts'
import { isIP } from '../base/ip-address.ts'
import { defaultTimeouts, type TlsOptions, type WireOptions } from '../base/options.ts'
import type { Clock, ConnectionTimes } from '../base/timing.ts'
import type { SecureSocket } from '../tls/tls.ts'
import { type Connected, connectTcp, connectUnix } from './connect.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { isSocks, portOfUrl } from './proxy.ts'
import { SocketReader } from './socket-reader.ts'

/** The remote end of a connection: an IP address and port, or the path of a Unix domain socket. */
export type RemoteAddress =
  | {
      readonly address: string
      readonly port: number
      readonly family: 4 | 6
      /** The certificate of a TLS server, while the connection is open. */
      readonly certificate?: () => X509Certificate | undefined
    }
  | { readonly path: string }

/** The server of a request, regardless of proxies. `host` has no brackets around IPv6. */
export interface Destination {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** The ALPN protocols offered, in order of preference. HTTP/1.1 alone if omitted. */
  readonly protocols?: readonly string[]
  /** Whether a proxy opens a tunnel even without TLS: for a protocol that is not HTTP after its first exchange. */
  readonly isTunnelled?: boolean
}

export interface Connection {
  readonly socket: ExchangeSocket
  /** Created, and starts reading, on first use. */
  readonly reader: SocketReader
  /** Decodes all responses of the connection. */
  readonly decoder: HttpDecoder
  readonly remote: RemoteAddress
  readonly times: ConnectionTimes
  /** For messages: `example.com port 80`, with the proxy if there is one, or the path of the socket. */
  readonly place: string
}

/** A connection that is used outside an exchange. */
export interface HandedOnConnection extends Connection {
  readonly socket: Socket
}

/** The steps of opening a connection, as named in timeout errors. */
interface Progress {
  step: string
}

/**
 * Opens a connection to the destination, directly or through `proxy`: an http request goes to the proxy itself, an
 * https request through a tunnel (RFC 9110 section 9.3.6).
 * @throws WireError of looking up, connecting, TLS, proxy; `connect-timeout`, `too-many-open-files`; `aborted`.
 */
export async function openConnection(
  destination: Destination,
  proxy: URL | undefined,
  options: WireOptions,
  cancellation: Cancellation,
  clock: Clock,
): Promise<Connection> {
  const limitMs = options.timeouts?.connectMs ?? defaultTimeouts.connectMs
  const progress: Progress = { step: '' }
  const deadline = new Deadline(limitMs, cancellation, () => {
    const hint = 'Check the address'
    return new WireError('connect-timeout', `${progress.step}: no answer within ${secondsText(limitMs)}`, { hint })
  })
  try {
    // A proxy that asks for Digest once, and a second time because its nonce has become stale, needs no more attempts.
    for (let attempt = 1; ; attempt++) {
      const connection = await open(destination, proxy, options, clock, deadline, progress, attempt === 3)
      if (connection !== undefined) return connection
    }
  } finally {
    deadline.clear()
  }
}

/** Undefined if the next attempt will answer the proxy's challenge. */
async function open(
  destination: Destination,
  proxy: URL | undefined,
  options: WireOptions,
  clock: Clock,
  deadline: Deadline,
  progress: Progress,
  isLastAttempt: boolean,
): Promise<Connection | undefined> {
  const first: Destination =
    proxy === undefined
      ? destination
      : { host: bareHost(proxy.hostname), port: portOfUrl(proxy), secure: proxy.protocol === 'https:' }
  const firstPlace = placeText(first.host, first.port)
  const way = proxy === undefined ? '' : ` (through the proxy ${firstPlace})`
  const isHandedOn = first.secure || isReusable(destination) || (proxy !== undefined && isSocks(proxy))
  const { connected, dnsMs } = await withDescriptor(options.pool, deadline, () =>
    reach(first, options, clock, deadline, progress, isHandedOn),
  ).catch((error: unknown) => {
    throw proxy === undefined || options.unixSocket !== undefined ? error : proxyError(error)
  })
  const report = options.onConnectionEvent
  const role = proxy === undefined || options.unixSocket !== undefined ? 'server' : 'proxy'
  report?.(connectedEvent(role, connected, first.port, options.unixSocket))
  // A socket that is not handed on is used only as an ExchangeSocket.
  let socket = connected.socket as Socket
  let tlsMs = 0
  let certificate: SecureSocket['certificate'] | undefined
  try {
    if (proxy !== undefined && first.secure) {
      progress.step = `TLS handshake with ${firstPlace}`
      const startedAt = clock()
      // Certificates and names in the options are for the server, not for the proxy.
      const secured = await speakTls(socket, first, verifyOnly(options.tls), deadline).catch((error: unknown) => {
        throw proxyError(error instanceof WireError ? asProxyRefusal(error) : error)
      })
      socket = secured.socket
      if (report !== undefined) report(securedEvent('proxy', firstPlace, secured, clock() - startedAt))
    }
    if (proxy !== undefined && isSocks(proxy)) {
      progress.step = `connecting through the proxy ${firstPlace}`
      const { connectThroughSocks } = await import('./socks.ts')
      const host = await hostForSocks(proxy, destination, options, clock, deadline)
      await connectThroughSocks(socket, proxy, host, destination, deadline)
      report?.({ type: 'relayed', place: `proxy ${firstPlace}`, target: placeText(host, destination.port) })
    } else if (proxy !== undefined && (destination.secure || destination.isTunnelled === true)) {
      progress.step = `tunnel through the proxy ${firstPlace}`
      const { openTunnel } = await import('./tunnel.ts')
      const digest = options.proxyDigest
      const outcome = await openTunnel(socket, proxy, destination, deadline, { report, digest, isLastAttempt })
      if (outcome === 'challenged') {
        socket.destroy()
        connected.socket.destroy()
        return undefined
      }
    }
    if (destination.secure) {
      const place = placeText(destination.host, destination.port)
      progress.step = `TLS handshake with ${place}`
      const handshakeStart = clock()
      const secured = await speakTls(socket, destination, options.tls ?? {}, deadline)
      socket = secured.socket
      certificate = secured.certificate
      tlsMs = clock() - handshakeStart
      if (report !== undefined) report(securedEvent('server', place, secured, tlsMs))
    }
  } catch (error) {
    socket.destroy()
    connected.socket.destroy()
    throw error
  }
  let reader: SocketReader | undefined
  let decoder: HttpDecoder | undefined
  return {
    socket,
    get decoder(): HttpDecoder {
      decoder ??= new HttpDecoder('client')
      return decoder
    },
    get reader(): SocketReader {
      reader ??= new SocketReader(socket)
      return reader
    },
    remote: {
      ...remoteOf(connected.address, first.port, options.unixSocket),
      ...(certificate === undefined ? {} : { certificate }),
    },
    times: { dnsMs, connectMs: connected.connectMs, tlsMs },
    place: options.unixSocket ?? placeText(destination.host, destination.port) + way,
  }
}

/** Whether TLS or another protocol is spoken over the connection to the server. */
function isReusable({ secure, isTunnelled, protocols }: Destination): boolean {
  return secure || isTunnelled === true || protocols !== undefined
}

/** The host sent to a SOCKS proxy: a name, or an address that was looked up here or given by the caller. */
async function hostForSocks(
  { protocol }: URL,
  { host, port }: Destination,
  { resolve = [] }: WireOptions,
  clock: Clock,
  deadline: Deadline,
): Promise<string> {
  if (protocol === 'socks5h:' && entriesOf(host, port, resolve).length === 0) return host
  const { addresses } = await lookUp(host, port, resolve, deadline, clock)
  return addresses[0]?.address ?? host
}

interface Reached {
  readonly connected: Connected
  readonly dnsMs: number
}

/** Looks the name up and connects. */
async function reach(
  to: Destination,
  options: WireOptions,
  clock: Clock,
  deadline: Deadline,
  progress: Progress,
  isHandedOn: boolean,
): Promise<Reached> {
  if (options.unixSocket !== undefined) {
    progress.step = `connecting to ${options.unixSocket}`
    return { connected: await connectUnix(options.unixSocket, deadline, clock, isHandedOn), dnsMs: 0 }
  }
  progress.step = `looking up ${to.host}`
  const { addresses, dnsMs } = await lookUp(to.host, to.port, options.resolve ?? [], deadline, clock)
  const report = options.onConnectionEvent
  if (report !== undefined && isIP(to.host) === 0) {
    report({ type: 'looked-up', host: to.host, addresses: addresses.map(({ address }) => address), dnsMs })
  }
  progress.step = `connecting to ${placeText(to.host, to.port)}`
  return { connected: await connectTcp(to.host, to.port, addresses, deadline, clock, isHandedOn, report), dnsMs }
}

function connectedEvent(
  role: PeerRole,
  { socket, address, connectMs }: Connected,
  port: number,
  path: string | undefined,
): ConnectionEvent {
  if (address === undefined)
    return { type: 'connected', role, remote: { path: path ?? '' }, local: undefined, connectMs }
  const { localAddress, localPort } = socket
  const local =
    localAddress === undefined || localPort === undefined ? undefined : { address: localAddress, port: localPort }
  return { type: 'connected', role, remote: { address: address.address, port }, local, connectMs }
}

function securedEvent(role: PeerRole, place: string, secured: SecureSocket, tlsMs: number): ConnectionEvent {
  return { type: 'secured', role, place, tls: secured.details(), tlsMs }
}

/** How long a connection waits for others to release file descriptors. */
const DESCRIPTOR_WAIT_MS = 2000
const DESCRIPTOR_RETRY_MS = 50

/** Retries if no descriptor is available: other connections release theirs, idle ones of the pool first. */
async function withDescriptor<Result>(
  pool: ConnectionPool | undefined,
  deadline: Deadline,
  action: () => Promise<Result>,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += DESCRIPTOR_RETRY_MS) {
    try {
      return await action()
    } catch (error) {
      const isShort = error instanceof WireError && error.code === 'too-many-open-files'
      if (!isShort || waitedMs >= DESCRIPTOR_WAIT_MS) throw error
    }
    pool?.dropIdle()
    await deadline.wait<void>((resolve) => {
      const timer = setTimeout(resolve, DESCRIPTOR_RETRY_MS)
      return () => clearTimeout(timer)
    })
  }
}

/** Names the proxy, so that the user does not suspect the server: the proxy often comes from the environment. */
function proxyError(error: unknown): unknown {
  if (!(error instanceof WireError) || error.code === 'aborted') return error
  const isAway = error.code.startsWith('connect-') || error.code.startsWith('name-')
  return inStep('proxy', error, isAway ? 'Check the address of the proxy and that it is running' : error.hint)
}

/** The advice for these codes is about names and client certificates, which are not sent to a proxy. */
function asProxyRefusal(error: WireError): WireError {
  if (!error.code.startsWith('tls-')) return error
  const { message, hint, cause } = error
  return new WireError('proxy-refused', message, { ...(hint === undefined ? {} : { hint }), cause })
}

async function speakTls(
  socket: Socket,
  to: Destination,
  options: TlsOptions,
  deadline: Deadline,
): Promise<SecureSocket> {
  const { secure } = await import('../tls/tls.ts')
  return secure(socket, to, options, deadline)
}

function verifyOnly(options: TlsOptions = {}): TlsOptions {
  const { verify, ca } = options
  return { ...(verify === undefined ? {} : { verify }), ...(ca === undefined ? {} : { ca }) }
}

function remoteOf(address: Address | undefined, port: number, path: string | undefined): RemoteAddress {
  return address === undefined ? { path: path ?? '' } : { address: address.address, port, family: address.family }
}
