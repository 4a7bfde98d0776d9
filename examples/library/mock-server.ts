/**
 * A mock server: answers from a table, keeps connections open, and tells a client that breaks HTTP what is wrong.
 *
 * Run: npx tsx examples/library/mock-server.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { HttpParseError, HttpParser, type HttpRequest, HttpResponse, StringBody } from 'httpcli'

const answers: Readonly<Record<string, (request: HttpRequest) => HttpResponse | Promise<HttpResponse>>> = {
  'GET /users/1': () => new HttpResponse({ status: 200, body: new StringBody('{"name":"Joe"}', 'application/json') }),
  'POST /users': async (request) => {
    const user = await request.body?.json<{ name: string }>()
    return new HttpResponse({ status: 201, headers: { Location: `/users/${user?.name.toLowerCase()}` } })
  },
}

const parser = new HttpParser({ preset: 'server' })

async function serve(socket: Socket): Promise<void> {
  try {
    for await (const request of parser.requests(socket)) {
      const answer = answers[`${request.method} ${request.target}`] ?? (() => new HttpResponse({ status: 404 }))
      await pipeline((await answer(request)).encode(), socket, { end: false })
      process.stdout.write(`${request.method} ${request.target}\n`)
    }
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    const refusal = new HttpResponse({ status: error.status, headers: { Connection: 'close' } })
    socket.write(refusal.withBody(`${error.message}\n${error.excerpt}\n`).eagerly().bytes)
  } finally {
    socket.end()
  }
}

const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket)).listen(0, '127.0.0.1')
await once(server, 'listening')

// A client that sends three requests in one go, the last of them with white space where none may stand.
const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
client.end(
  'GET /users/1 HTTP/1.1\r\nHost: mock\r\n\r\n' +
    'POST /users HTTP/1.1\r\nHost: mock\r\nContent-Length: 14\r\n\r\n{"name":"Ann"}' +
    'GET / HTTP/1.1\r\nHost : mock\r\n\r\n',
)
for await (const response of new HttpParser().responses(client)) {
  process.stdout.write(`${response.status} ${response.reason} ${response.headers.get('location') ?? ''}\n`)
  process.stdout.write(`${await response.body?.text()}\n`)
}
server.close()
