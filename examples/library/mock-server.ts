/**
 * A mock server: answers from a table, keeps connections open, and reports what is wrong to a client that breaks HTTP.
 *
 * Run: npx tsx examples/library/mock-server.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { HttpParser, HttpResponse, type RequestHandler, StringBody, serveRequests } from 'httpcli'

const answers: Readonly<Record<string, RequestHandler>> = {
  'GET /users/1': () => new HttpResponse({ status: 200, body: new StringBody('{"name":"Joe"}', 'application/json') }),
  'POST /users': async (request) => {
    const user = await request.body?.json<{ name: string }>()
    return new HttpResponse({ status: 201, headers: { Location: `/users/${user?.name.toLowerCase()}` } })
  },
}

const answer: RequestHandler = (request, exchange) => {
  const name = `${request.method} ${request.target}`
  process.stdout.write(`${name}\n`)
  return answers[name]?.(request, exchange) ?? new HttpResponse({ status: 404 })
}

const server = createServer({ allowHalfOpen: true }, serveRequests(answer)).listen(0, '127.0.0.1')
await once(server, 'listening')

// A client that sends three requests in one go, the last of them with white space before a colon.
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
