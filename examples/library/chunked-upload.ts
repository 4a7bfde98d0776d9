/**
 * Uploads a stream of unknown length in chunks, with a digest of what was sent in the trailer section.
 *
 * Run: npx tsx examples/library/chunked-upload.ts
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { ChunkedBody, HttpParser, HttpRequest, HttpResponse, type RequestHandler, serveRequests } from 'httpcli'

/** Some megabytes of lines, produced only as fast as the server reads them. */
async function* readings(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.from(`${i};${Math.sqrt(i).toFixed(3)};ok\n`)
}

/** The same bytes, and their digest once all of them were read. */
function digesting(source: AsyncIterable<Uint8Array>): { bytes: AsyncIterable<Uint8Array>; digest(): string } {
  const hash = createHash('sha256')
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      hash.update(piece)
      yield piece
    }
  }
  return { bytes: bytes(), digest: () => `sha-256=:${hash.digest('base64')}:` }
}

const receive: RequestHandler = async (request) => {
  let chunks = 0
  let sizeBytes = 0
  const hash = createHash('sha256')
  for await (const chunk of request.body?.chunks() ?? []) {
    chunks += 1
    sizeBytes += chunk.data.length
    hash.update(chunk.data)
  }
  const trailers = await request.body?.trailers
  const isWhole = trailers?.get('content-digest') === `sha-256=:${hash.digest('base64')}:`
  const text = `${chunks} chunks, ${sizeBytes} bytes, digest ${isWhole ? 'right' : 'wrong'}`
  return new HttpResponse({ status: 200, body: text })
}

const server = createServer({ allowHalfOpen: true }, serveRequests(receive)).listen(0, '127.0.0.1')
await once(server, 'listening')

const { bytes, digest } = digesting(readings(200_000))
const body = new ChunkedBody(bytes, 'text/csv', 65_536, { trailers: () => ({ 'Content-Digest': digest() }) })
const request = new HttpRequest({
  method: 'PUT',
  url: 'http://example.com/readings',
  headers: { Trailer: 'Content-Digest' },
  body,
})
const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
await pipeline(request.encode(), socket, { end: false })
const response = await new HttpParser().readResponse(socket, { method: 'PUT' })
process.stdout.write(`${response.status}: ${await response.body?.text()}\n`)
socket.end()
server.close()
