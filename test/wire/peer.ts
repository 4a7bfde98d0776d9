/**
 * Servers for tests that do exactly what a test specifies on the socket, and nothing that an HTTP library would do.
 *
 * Rules: each listens on a free port of this machine and is closed, with its sockets, when the test ends.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Peer {
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** The bytes that each connection has sent so far, as binary strings. */
  readonly received: readonly string[]
  /** Resolves once some connection has sent matching bytes. */
  waitFor(pattern: RegExp): Promise<void>
}

/** @param serve called for each connection. Without it, nothing is ever answered. */
export async function startPeer(serve: (socket: Socket) => void = () => undefined): Promise<Peer> {
  const received: string[] = []
  const waiting = new Set<() => void>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = received.push('') - 1
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      received[index] += bytes.toString('latin1')
      for (const check of waiting) check()
    })
    serve(socket)
  })
  const port = await listening(server)
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received,
    waitFor: (pattern) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!received.some((text) => pattern.test(text))) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Listens on a free port, and closes server and sockets when the test ends. */
export async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Answers the first request of a connection with these bytes, once its head is complete, and ends the connection. */
export function answering(...pieces: readonly (string | Uint8Array)[]): (socket: Socket) => void {
  return onHead((socket) => {
    for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
    socket.end()
  })
}

/** Calls `act` when the head of the first request of a connection is complete. */
export function onHead(act: (socket: Socket, head: string) => void): (socket: Socket) => void {
  return (socket) => {
    let text = ''
    const onData = (bytes: Buffer): void => {
      text += bytes.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      socket.off('data', onData)
      act(socket, text.slice(0, end + 4))
    }
    socket.on('data', onData)
  }
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
