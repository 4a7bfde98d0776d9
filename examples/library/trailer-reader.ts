/**
 * Reads a streamed response and believes it only when the trailer section, which comes last, says that all is well.
 *
 * Run: npx tsx examples/library/trailer-reader.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { ChunkedBody, HttpcliError, HttpParser, HttpRequest, HttpResponse } from 'httpcli'

const rows = ['id,name', '1,Joe', '2,Ann'].map((row) => Buffer.from(`${row}\n`))

/** A report whose status is known at its end only. `/cut` breaks off before that. */
async function serve(socket: Socket): Promise<void> {
  const request = await new HttpParser({ preset: 'server' }).readRequest(socket)
  const trailers = { 'X-Rows': String(rows.length - 1), 'X-Status': request.target === '/bad' ? 'failed' : 'complete' }
  const headers = { Trailer: 'X-Rows, X-Status', Connection: 'close' }
  const response = new HttpResponse({ status: 200, headers, body: new ChunkedBody(rows, 'text/csv', 8, { trailers }) })
  if (request.target === '/cut') {
    const octets = (await response.eagerly()).bytes
    socket.end(octets.subarray(0, octets.length - 20))
  } else {
    await pipeline(response.encode(), socket)
  }
}

async function readReport(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const request = new HttpRequest({ method: 'GET', url: `http://reports.example${path}`, headers: { TE: 'trailers' } })
  await pipeline(request.encode(), socket, { end: false })
  const { body, headers } = await new HttpParser().readResponse(socket)
  if (body === undefined) return 'no report'
  const text = await body.text()
  const trailers = await body.trailers
  socket.end()
  // Trailers are a list of their own: a field that decides something is never taken from the wrong place.
  const isAnnounced = headers.has('trailer', 'x-status') && !headers.has('x-status')
  const lines = text.trimEnd().split('\n').length
  return `${lines} lines, ${trailers.get('x-rows')} rows, ${trailers.get('x-status')}${isAnnounced ? ', announced' : ''}`
}

const server = createServer((socket) => void serve(socket)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
for (const path of ['/good', '/bad', '/cut']) {
  const outcome = await readReport(port, path).catch((error: unknown) => {
    if (error instanceof HttpcliError) return `${error.code}: ${error.message}`
    throw error
  })
  process.stdout.write(`${path}: ${outcome}\n`)
}
server.close()
