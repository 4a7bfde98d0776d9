/**
 * From text to fetch and back: what a person typed is sent by `fetch`, what `fetch` got is shown as the text of a
 * message, and a handler for fetch requests answers messages that came as bytes.
 *
 * Run: npx tsx examples/library/fetch-and-raw.ts
 */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { HttpRequest, HttpResponse, parseRequest, serveRequests } from 'httpcli'

/** A handler as workers and other runtimes have it. */
async function handler(request: Request): Promise<Response> {
  const name = new URL(request.url).searchParams.get('name')
  return Response.json({ greeting: `Hello, ${name}!`, said: await request.text() }, { status: 201 })
}

/** The handler behind sockets: bytes in, bytes out. */
const server = createServer(
  serveRequests(async (request) => {
    const response = HttpResponse.fromFetch(await handler(request.toFetch()))
    return response.withHeader('Connection', 'close')
  }),
).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const typed = parseRequest(`POST http://127.0.0.1:${port}/greet?name=Joe\nContent-Type: text/plain\n\nGood morning`)
const fetched = await fetch(typed.toFetch())
const received = await HttpResponse.fromFetch(fetched).eagerly()
process.stdout.write(`${received}\n`)

// The other way round: what would `fetch` send?
const sent = await HttpRequest.fromFetch(
  new Request('http://example.com/form', { method: 'POST', body: new URLSearchParams({ a: '1', b: '2' }) }),
).eagerly()
process.stdout.write(`\n${sent}\n`)
server.close()
