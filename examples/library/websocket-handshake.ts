/**
 * A WebSocket handshake: HTTP up to 101 (Switching Protocols), then another protocol, whose first frame may
 * arrive together with the response.
 *
 * Run: npx tsx examples/library/websocket-handshake.ts
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { HttpConnection, HttpResponse, serveRequests } from 'httpcli'

const acceptFor = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** One unmasked text frame of less than 126 bytes (RFC 6455 section 5.2). */
const frame = (text: string): Uint8Array => Buffer.from([0x81, text.length, ...Buffer.from(text)])

const server = createServer(
  serveRequests(({ headers, upgrade }, exchange) => {
    const key = headers.get('sec-websocket-key')
    if (!upgrade.includes('websocket') || key === undefined) {
      return new HttpResponse({ status: 426, headers: { Upgrade: 'websocket', Connection: 'Upgrade' } })
    }
    // What the client sent early is in `rest`; here it has to wait for our first frame.
    exchange.onSwitch((socket) => socket.end(frame('welcome')))
    const accept = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Accept': acceptFor(key) }
    return new HttpResponse({ status: 101, headers: accept })
  }),
).listen(0, '127.0.0.1')
await once(server, 'listening')

async function open(headers: Readonly<Record<string, string>>): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const key = randomBytes(16).toString('base64')
  const connection = new HttpConnection('client')
  const head = { method: 'GET', target: 'http://chat.example/room', headers: { 'Sec-WebSocket-Key': key, ...headers } }
  socket.write(connection.send({ type: 'request', head }))
  connection.send({ type: 'end' })
  let frames: Uint8Array | undefined
  for await (const octets of socket as AsyncIterable<Uint8Array>) {
    if (frames !== undefined) {
      frames = Buffer.concat([frames, octets])
      continue
    }
    connection.receive(octets)
    for (const event of connection.events()) {
      if (event.type === 'response' && event.head.status !== 101) return `refused with ${event.head.status}`
      if (event.type === 'response' && event.head.get('sec-websocket-accept') !== acceptFor(key)) return 'not for us'
      if (event.type === 'upgrade') frames = event.rest
    }
  }
  return frames === undefined ? 'closed' : `open, first frame: ${Buffer.from(frames.subarray(2))}`
}

const version = { 'Sec-WebSocket-Version': '13' }
process.stdout.write(`with Upgrade: ${await open({ Connection: 'Upgrade', Upgrade: 'websocket', ...version })}\n`)
process.stdout.write(`without: ${await open(version)}\n`)
server.close()
