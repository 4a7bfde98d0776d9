/**
 * The server that the examples of the documents connect to: `http://localhost:3000`, `api.test`, `id.test` and others.
 *
 * Rules: it is examples/api.mjs, which readers of the tutorial start themselves. It listens on a port and, for names
 * that do not resolve, on a Unix domain socket; both accept HTTP and, if a handshake comes first, HTTPS. Requests are
 * recorded as received.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { makeCertificate } from './certificates.ts'

/** A request as received: head lines unchanged, body as text. */
export interface RecordedRequest {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

export interface ExampleServer {
  readonly port: number
  readonly socketPath: string
  /** Requests since the last call. */
  takeRequests(): readonly RecordedRequest[]
  close(): void
}

/** The part of examples/api.mjs that is used here; it has no declarations. */
interface ExampleApi {
  createApi(onRequest: (request: IncomingMessage, body: string) => void): HttpServer
}

const apiModule = new URL('../../examples/api.mjs', import.meta.url)

/** Starts the server; `directory` is for its socket. The caller closes it. */
export async function startExampleServer(directory: string): Promise<ExampleServer> {
  let recorded: RecordedRequest[] = []
  const { createApi } = (await import(apiModule.href)) as ExampleApi
  const http = createApi((request, body) => recorded.push(recordOf(request, body)))
  const files = makeCertificate(directory, { name: 'example', names: ['DNS:api.test', 'DNS:id.test'] })
  const [key, cert] = [readFileSync(files.key), readFileSync(files.certificate)]
  const open = new Set<Socket>()
  const accept = (socket: Socket): void => {
    open.add(socket)
    // Clients of examples may disconnect in the middle of an answer.
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    // The first byte distinguishes a TLS handshake (22) from a request; it is put back for the next reader.
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      const isTls = first[0] === 22
      http.emit('connection', isTls ? new TLSSocket(socket, { isServer: true, key, cert }) : socket)
      if (!isTls) process.nextTick(() => socket.resume())
    })
  }
  const socketPath = join(directory, 'api.sock')
  const servers = [createServer(accept).listen(0, '127.0.0.1'), createServer(accept).listen(socketPath)]
  await Promise.all(servers.map((server: Server) => once(server, 'listening')))
  return {
    port: (servers[0]!.address() as AddressInfo).port,
    socketPath,
    takeRequests: () => {
      const taken = recorded
      recorded = []
      return taken
    },
    close: () => {
      for (const server of servers) server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

function recordOf({ method, url, httpVersion, rawHeaders }: IncomingMessage, body: string): RecordedRequest {
  const headers = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  return { line: `${method} ${url} HTTP/${httpVersion}`, headers, body }
}
