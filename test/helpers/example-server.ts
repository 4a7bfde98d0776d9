/**
 * The server that the examples of the documents talk to: `http://localhost:3000`, `api.test`, `id.test` and others.
 *
 * Rules: it listens on a port and, for names that nobody can look up, on a Unix domain socket; both speak HTTP and, where
 * a handshake comes first, HTTPS. Every path is answered: the few of the table with what the examples need, all others
 * with what was asked. Requests are recorded as they came.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { WebSocketServer } from 'ws'
import { makeCertificate } from './certificates.ts'

/** A request as it came: head lines as sent, body as text. */
export interface RecordedRequest {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

export interface ExampleServer {
  readonly port: number
  readonly socketPath: string
  /** What came since the last call. */
  takeRequests(): readonly RecordedRequest[]
  close(): void
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const users = [
  { id: 1, name: 'Ada', roles: ['admin', 'author'] },
  { id: 2, name: 'Joe', roles: ['author'] },
]

const tokens = { access_token: 'a1b2c3d4e5f6', token_type: 'Bearer', expires_in: 3600, id_token: 'h.e.y' }

const events = 'id: 1\ndata: one\n\nid: 2\ndata: two\n\nid: 3\ndata: done\n\n'

/** By method and path; what is not here is answered with method and target. */
const answers: Readonly<Record<string, Answer>> = {
  'GET /users': { body: users },
  'GET /users/1': { body: users[0] },
  'POST /users': { status: 201, headers: { Location: '/users/3' }, body: { id: 3, name: 'Eve' } },
  'DELETE /users/1': { status: 204 },
  'POST /login': { headers: { 'Set-Cookie': 'sid=4f2a; Path=/; HttpOnly' }, body: tokens },
  'POST /token': { body: tokens },
  'POST /hook': { status: 202 },
  'GET /old': { status: 301, headers: { Location: '/users/1' } },
  'GET /broken': { status: 500, body: { error: 'out of order' } },
  'GET /events': { headers: { 'Content-Type': 'text/event-stream' }, body: events },
  'GET /page': { headers: { 'Content-Type': 'text/html' }, body: '<h1>Hello</h1><p class="price">24.50</p>\n' },
  'GET /text': { headers: { 'Content-Type': 'text/plain' }, body: 'hello\n' },
}

/** Starts it; `directory` is where its socket lies. Whoever starts it closes it. */
export async function startExampleServer(directory: string): Promise<ExampleServer> {
  let recorded: RecordedRequest[] = []
  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      recorded.push(recordOf(request, Buffer.concat(chunks).toString()))
      answer(request, response)
    })
  })
  const webSockets = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket, head) => {
    webSockets.handleUpgrade(request, socket, head, (peer) => peer.on('message', (text) => peer.send(`got ${text}`)))
  })
  const files = makeCertificate(directory, { name: 'example', names: ['DNS:api.test', 'DNS:id.test'] })
  const [key, cert] = [readFileSync(files.key), readFileSync(files.certificate)]
  const open = new Set<Socket>()
  const accept = (socket: Socket): void => {
    open.add(socket)
    // Clients of examples may leave in the middle of an answer.
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    // The first byte tells a TLS handshake (22) from a request; it is put back for whoever reads on.
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

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const path = url.replace(/\?.*/, '')
  const { status = 200, headers = {}, body = { method, target: url } } = answers[`${method} ${path}`] ?? {}
  const isText = typeof body === 'string'
  response.writeHead(status, isText ? headers : { 'Content-Type': 'application/json', ...headers })
  response.end(status === 204 ? '' : isText ? body : `${JSON.stringify(body)}\n`)
}
