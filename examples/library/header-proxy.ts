/**
 * A proxy that rewrites a header: requests and responses stream through it, only their heads are changed.
 *
 * Run: npx tsx examples/library/header-proxy.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type HeaderList, HttpParser, HttpRequest, HttpResponse } from 'httpcli'

const requestParser = new HttpParser({ preset: 'server' })
const responseParser = new HttpParser()

/** What is about one connection is not passed on to the next one (RFC 9110 section 7.6.1). */
function passedOn(headers: HeaderList): HeaderList {
  const own = headers.without('connection', 'keep-alive', 'te', 'upgrade', ...headers.list('connection'))
  return own.append('Via', '1.1 example')
}

async function proxy(client: Socket, originPort: number): Promise<void> {
  for await (const request of requestParser.requests(client)) {
    const origin = connect(originPort, '127.0.0.1')
    const outgoing = request.withHeaders((headers) => passedOn(headers).with('User-Agent', 'somebody'))
    const [response] = await Promise.all([
      responseParser.readResponse(origin, { method: request.method }),
      pipeline(outgoing.encode(), origin, { end: false }),
    ])
    await pipeline(response.withHeaders(passedOn).encode(), client, { end: false })
    origin.end()
  }
  client.end()
}

/** An origin that sends back what it got, in chunks. */
async function echo(socket: Socket): Promise<void> {
  const request = await requestParser.readRequest(socket)
  const seen = `${request.headers.get('user-agent')} via ${request.headers.get('via')} says ${await request.body?.text()}`
  const answer = new HttpResponse({ status: 200, headers: { Connection: 'close' } }).withBody(seen)
  await pipeline(answer.encode(), socket)
}

async function listening(onSocket: (socket: Socket) => Promise<void>): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => void onSocket(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

const origin = await listening(echo)
const proxyServer = await listening((socket) => proxy(socket, origin.port))

const socket = connect(proxyServer.port, '127.0.0.1')
const request = new HttpRequest({
  method: 'POST',
  url: 'http://origin.example/greeting',
  headers: { 'User-Agent': 'Joe/1.0', Connection: 'close, X-Hop', 'X-Hop': '1' },
  body: 'hello',
})
await pipeline(request.encode(), socket, { end: false })
const response = await responseParser.readResponse(socket)
process.stdout.write(`${response.status} ${response.reason}, via ${response.headers.get('via')}\n`)
process.stdout.write(`${await response.body?.text()}\n`)
socket.end()
origin.close()
proxyServer.close()
