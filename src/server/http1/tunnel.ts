/**
 * Transfers bytes of a protocol other than HTTP between a client and a backend.
 *
 * Rules: each direction ends separately, so that a half-closed side can still be answered; a side that fails ends both.
 * No direction reads more than the other side has accepted. Dead peers are found by keep-alive probes, because such a
 * connection may be idle for any length of time. RFC 9110 section 7.8, RFC 6455 section 7.1.
 */
import type { Socket } from 'node:net'
import type { BackendTunnel } from '../backend/backend-client.ts'

/** Silence after which a peer is probed. */
const probeAfterMs = 60_000

export interface TunnelInput {
  push(bytes: Uint8Array): void
  end(): void
}

export interface TunnelContext {
  /** Bytes that the client has already sent. */
  readonly first: Uint8Array
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
  /** Called with the object that takes further bytes of the client. */
  readonly onInput: (input: TunnelInput) => void
}

/** Resolves with the number of bytes sent to the client, when its connection is closed. Never rejects. */
export async function carryTunnel(tunnel: BackendTunnel, client: Socket, context: TunnelContext): Promise<number> {
  const { socket: backend } = tunnel
  const { first, signal, onInput } = context
  for (const socket of [client, backend]) socket.setKeepAlive(true, probeAfterMs)
  const closed = whenClosed(client)
  const destroy = () => {
    client.destroy()
    backend.destroy()
  }
  signal.addEventListener('abort', destroy, { once: true })
  backend.on('drain', () => client.resume())
  backend.once('close', () => {
    // After an orderly end the client may still be receiving what came before it.
    if (backend.errored !== null) client.destroy()
  })
  const push = (bytes: Uint8Array) => {
    if (!backend.write(bytes)) client.pause()
  }
  onInput({ push, end: () => backend.end() })
  if (first.length > 0) push(first)
  client.resume()
  const sentBytes = await carryToClient(tunnel, client)
  await closed
  return sentBytes
}

async function carryToClient({ rest, read, socket }: BackendTunnel, client: Socket): Promise<number> {
  let sentBytes = 0
  try {
    for (let bytes = rest.length > 0 ? rest : await read(); bytes !== undefined; bytes = await read()) {
      if (client.destroyed) break
      sentBytes += bytes.length
      if (!client.write(bytes)) await whenDrained(client)
    }
    client.end()
  } catch {
    client.destroy()
  }
  if (client.destroyed) socket.destroy()
  return sentBytes
}

/** Also resolves when the socket is closed. */
function whenDrained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    if (socket.closed) resolve()
    else socket.on('drain', settle).on('close', settle)
  })
}

function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}
