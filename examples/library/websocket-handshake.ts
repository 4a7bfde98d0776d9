/**
 * A WebSocket handshake: HTTP up to 101 (Switching Protocols), and from the next octet on another protocol, of which
 * the first frame may have come with the response.
 *
 * Run: npx tsx examples/library/websocket-handshake.ts
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { HttpDecoder, HttpRequest, HttpResponse } from 'httpcli'

const acceptFor = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** One unmasked text frame of less than 126 octets (RFC 6455 section 5.2). */
const frame = (text: string): Uint8Array => Buffer.from([0x81, text.length, ...Buffer.from(text)])

async function serve(socket: Socket): Promise<void> {
  const decoder = new HttpDecoder('server')
  for await (const octets of socket as AsyncIterable<Uint8Array>) {
    for (const event of decoder.push(octets)) {
      if (event.type !== 'request') continue
      const { headers, upgrade } = event.head
      const key = headers.get('sec-websocket-key')
      if (!upgrade.includes('websocket') || key === undefined) {
        socket.end(new HttpResponse({ status: 426, headers: { Upgrade: 'websocket' } }).encodeHead())
        return
      }
      const accept = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Accept': acceptFor(key) }
      // The head and the first frame in one piece: the client has to tell them apart.
      socket.end(Buffer.concat([new HttpResponse({ status: 101, headers: accept }).encodeHead(), frame('welcome')]))
      return
    }
  }
}

const server = createServer((socket) => void serve(socket).catch(() => socket.destroy())).listen(0, '127.0.0.1')
await once(server, 'listening')

async function open(headers: Readonly<Record<string, string>>): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const key = randomBytes(16).toString('base64')
  const url = 'http://chat.example/room'
  socket.write(new HttpRequest({ method: 'GET', url, headers: { 'Sec-WebSocket-Key': key, ...headers } }).encodeHead())
  const decoder = new HttpDecoder('client')
  for await (const octets of socket as AsyncIterable<Uint8Array>) {
    for (const event of decoder.push(octets)) {
      if (event.type === 'response' && event.head.status !== 101) return `refused with ${event.head.status}`
      if (event.type === 'response' && event.head.get('sec-websocket-accept') !== acceptFor(key)) return 'not for us'
      if (event.type === 'upgrade') return `open, first frame: ${Buffer.from(event.rest.subarray(2))}`
    }
  }
  return 'closed'
}

const version = { 'Sec-WebSocket-Version': '13' }
process.stdout.write(`with Upgrade: ${await open({ Connection: 'Upgrade', Upgrade: 'websocket', ...version })}\n`)
process.stdout.write(`without: ${await open(version)}\n`)
server.close()
