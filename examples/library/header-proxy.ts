/**
 * A proxy that rewrites a header: requests and responses stream through it, only their heads are changed. Interim
 * responses and trailers pass, and what is about one connection stays there (RFC 9110 section 7.6.1).
 *
 * Run: npx tsx examples/library/header-proxy.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import {
  type BodyEvent,
  ChunkedBody,
  type ConnectionEvent,
  forwardedResponse,
  type HeaderList,
  HttpConnection,
  HttpResponse,
  type RequestHandler,
  type SwitchListener,
  serveRequests,
  withoutHopByHop,
} from 'httpcli'

/** What the peer says, event by event, until the program has enough of it. */
async function* eventsOf(connection: HttpConnection, socket: Socket): AsyncGenerator<ConnectionEvent, undefined> {
  for await (const octets of socket.iterator({ destroyOnReturn: false })) {
    connection.receive(octets)
    yield* connection.events()
  }
  connection.receiveEnd()
  yield* connection.events()
}

/** The content of a response, to its end. A reader that stops earlier ends the exchange with the origin, too. */
async function* contentOf(events: AsyncGenerator<ConnectionEvent>, origin: Socket): AsyncGenerator<BodyEvent> {
  try {
    for await (const event of events) {
      if (event.type === 'data' || event.type === 'end') yield event
      if (event.type === 'end') return
    }
  } finally {
    origin.destroy()
  }
}

/** From here on the two sockets talk to each other, beginning with what was read of the other protocol. */
const joined =
  (events: AsyncGenerator<ConnectionEvent>, origin: Socket): SwitchListener =>
  async (client, rest) => {
    for await (const event of events) {
      if (event.type !== 'upgrade') continue
      client.write(event.rest)
      break
    }
    origin.write(rest)
    // Where one of them breaks off, the other ends, too.
    await pipeline(client, origin, client).catch(() => undefined)
  }

const passedOn = (headers: HeaderList): HeaderList => withoutHopByHop(headers).append('Via', '1.1 example')

const withUpgrade = (headers: HeaderList, protocols: readonly string[]): HeaderList =>
  protocols.length === 0 ? headers : headers.merge({ Connection: 'upgrade', Upgrade: protocols.join(', ') })

/** The host that is asked is that of the target: a request with another Host gets no further than its target says. */
const forwardTo =
  (originPort: number): RequestHandler =>
  async (request, exchange) => {
    if (request.url?.hostname !== 'origin.example') return new HttpResponse({ status: 403 })
    const origin = connect(originPort, '127.0.0.1')
    const connection = new HttpConnection('client')
    const outgoing = request.withHeaders((headers) =>
      withUpgrade(passedOn(headers), request.upgrade).with('User-Agent', 'somebody'),
    )
    const events = eventsOf(connection, origin)
    // An answer may come before the request is complete; a connection that fails shows in the events.
    void pipeline(connection.sendMessage(outgoing), origin, { end: false }).catch(() => origin.destroy())
    for (;;) {
      const { value: event } = await events.next()
      if (event?.type === 'informational') {
        if (event.head.status !== 100) await exchange.sendInformational(event.head.status, event.head.headers)
      } else if (event?.type === 'response') {
        const { head } = event
        const isSwitch = head.status === 101
        if (isSwitch) exchange.onSwitch(joined(events, origin))
        else if (head.framing === undefined) origin.destroy()
        const protocols = isSwitch ? head.headers.list('upgrade') : []
        const response = HttpResponse.fromEvents(forwardedResponse(head), contentOf(events, origin))
        return response.withHeaders((headers) => withUpgrade(headers.append('Via', '1.1 example'), protocols))
      } else {
        return new HttpResponse({ status: 502 })
      }
    }
  }

/** An origin that sends back what it got, in chunks, after a hint and before a trailer field. */
const echo: RequestHandler = async ({ headers, body, upgrade }, exchange) => {
  if (upgrade.includes('chat')) {
    exchange.onSwitch((socket, rest) => {
      socket.write(`you said ${Buffer.from(rest)}`)
      socket.pipe(socket)
    })
    return new HttpResponse({ status: 101, headers: { Connection: 'upgrade', Upgrade: 'chat' } })
  }
  await exchange.sendInformational(103, { Link: '</style.css>; rel=preload' })
  const seen = `${headers.get('user-agent')} via ${headers.get('via')} says ${await body?.text()}`
  const trailers = { 'X-Hop': headers.has('x-hop') ? 'seen' : 'not seen' }
  return new HttpResponse({ status: 200, body: new ChunkedBody([Buffer.from(seen)], undefined, 16, { trailers }) })
}

async function listening(handler: RequestHandler): Promise<{ port: number; close(): void }> {
  const server = createServer({ allowHalfOpen: true }, serveRequests(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

const origin = await listening(echo)
const proxy = await listening(forwardTo(origin.port))

// Two requests in one go, in the form that is for proxies; the second asks for a host that it does not name in Host.
const socket = connect(proxy.port, '127.0.0.1')
socket.end(
  'POST http://origin.example/greeting HTTP/1.1\r\nHost: origin.example\r\nUser-Agent: Joe/1.0\r\n' +
    'Connection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 5\r\n\r\nhello' +
    'GET http://inner.example/ HTTP/1.1\r\nHost: origin.example\r\n\r\n',
)
const client = new HttpConnection('client')
client.send({ type: 'request', head: { method: 'POST', target: 'http://origin.example/greeting' } })
client.send({ type: 'end' })
const print = (text: string): unknown => process.stdout.write(text)
for await (const octets of socket) {
  client.receive(octets as Uint8Array)
  for (const event of client.events()) {
    if (event.type === 'informational') print(`${event.head.status} ${event.head.get('link')}\n`)
    if (event.type === 'response') print(`${event.head.status} ${event.head.reason}, via ${event.head.get('via')}\n`)
    if (event.type === 'data') print(Buffer.from(event.bytes).toString())
    if (event.type === 'end') print(`\ntrailer X-Hop: ${event.trailers.get('x-hop')}\n`)
  }
}
print(`${Buffer.from(client.leftover).toString().split('\r')[0]}\n`)

// Another protocol through the proxy. The client does not wait for the answer.
const chat = connect(proxy.port, '127.0.0.1')
chat.end('GET /chat HTTP/1.1\r\nHost: origin.example\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nhi')
let heard = ''
for await (const octets of chat) heard += octets
print(`${heard.split('\r')[0]}: ${heard.split('\r\n\r\n')[1]}\n`)
origin.close()
proxy.close()
