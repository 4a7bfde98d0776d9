/**
 * Reads a streamed response and trusts it only when its trailer section, which comes last, reports success.
 *
 * Run: npx tsx examples/library/trailer-reader.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import {
  ChunkedBody,
  HttpcliError,
  HttpParser,
  HttpRequest,
  HttpResponse,
  type RequestHandler,
  serveRequests,
} from 'httpcli'

const rows = ['id,name', '1,Joe', '2,Ann'].map((row) => Buffer.from(`${row}\n`))

async function* rowsOf(target: string): AsyncGenerator<Uint8Array> {
  yield* rows
  if (target === '/cut') throw new Error('the database is away')
}

/** A report whose status is known only at its end. `/cut` fails before that, so the connection closes early. */
const answer: RequestHandler = (request) => {
  const trailers = { 'X-Rows': String(rows.length - 1), 'X-Status': request.target === '/bad' ? 'failed' : 'complete' }
  const headers = { Trailer: 'X-Rows, X-Status', Connection: 'close' }
  const body = new ChunkedBody(rowsOf(request.target), 'text/csv', 8, { trailers })
  return new HttpResponse({ status: 200, headers, body })
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
  // Trailers are a separate list: a field that decides something is never read from the wrong section.
  const isAnnounced = headers.has('trailer', 'x-status') && !headers.has('x-status')
  const lines = text.trimEnd().split('\n').length
  return `${lines} lines, ${trailers.get('x-rows')} rows, ${trailers.get('x-status')}${isAnnounced ? ', announced' : ''}`
}

const server = createServer({ allowHalfOpen: true }, serveRequests(answer)).listen(0, '127.0.0.1')
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
