/**
 * A small API to send requests to: users, a login, and paths that fail, redirect, stream, or take their time.
 *
 * Run: node api.mjs [port or path of a socket]. The default is http://localhost:3000.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const users = [
  { id: 1, name: 'Ada', roles: ['admin', 'author'] },
  { id: 2, name: 'Joe', roles: ['author'] },
]
const tokens = { access_token: 'a1b2c3d4e5f6', token_type: 'Bearer', expires_in: 3600, id_token: 'h.e.y' }
const events = 'id: 1\ndata: one\n\nid: 2\ndata: two\n\nid: 3\ndata: done\n\n'
const page = '<h1>Hello</h1><p class="price">24.50</p>\n'

/** By method and path, the response or a function of the request; every other path answers with what was asked. */
const answers = {
  'GET /users': { body: users },
  'POST /users': ({ body }) => ({
    status: 201,
    headers: { Location: '/users/3' },
    body: { id: 3, name: nameIn(body) },
  }),
  'GET /users/1': { body: users[0] },
  'DELETE /users/1': { status: 204 },
  'POST /login': { headers: { 'Set-Cookie': 'sid=4f2a; Path=/; HttpOnly' }, body: tokens },
  'GET /account': ({ headers }) =>
    headers.authorization === `Bearer ${tokens.access_token}`
      ? { body: { name: 'Ada', orders: 2 } }
      : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: { error: 'log in first' } },
  'GET /session': ({ headers }) => ({ body: { cookies: headers.cookie ?? null } }),
  'POST /token': { body: tokens },
  'POST /hook': { status: 202 },
  'POST /graphql': { body: { data: { user: users[0] } } },
  'GET /old': { status: 301, headers: { Location: '/users/1' } },
  'GET /broken': { status: 500, body: { error: 'out of order' } },
  'GET /flaky': ({ count }) => (count % 3 === 0 ? { body: { ok: true } } : { status: 503, body: { error: 'busy' } }),
  'GET /jobs/1': ({ count }) => ({ body: { id: 1, state: count % 3 === 0 ? 'done' : 'running' } }),
  'GET /events': { headers: { 'Content-Type': 'text/event-stream' }, body: events },
  'GET /page': { headers: { 'Content-Type': 'text/html' }, body: page },
  'GET /text': { headers: { 'Content-Type': 'text/plain' }, body: 'hello\n' },
}

function nameIn(body) {
  try {
    return JSON.parse(body).name ?? 'Eve'
  } catch {
    return 'Eve'
  }
}

/** The API as an HTTP server that does not listen yet; `onRequest` is called with each request and its body. */
export function createApi(onRequest = () => undefined) {
  const counts = new Map()
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      onRequest(request, body)
      respond(request, body, response)
    })
  })
  const respond = (request, body, response) => {
    const { method, headers } = request
    // A client that takes the API for its proxy sends a whole URL.
    const target = request.url.replace(/^http:\/\/[^/]+/, '')
    const name = `${method} ${target.replace(/\?.*/, '')}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const found = answers[name] ?? { body: { method, target } }
    const answer = typeof found === 'function' ? found({ headers, body, count }) : found
    const isText = typeof answer.body === 'string'
    response.writeHead(
      answer.status ?? 200,
      isText ? answer.headers : { 'Content-Type': 'application/json', ...answer.headers },
    )
    response.end(isText ? answer.body : answer.body && `${JSON.stringify(answer.body)}\n`)
  }
  return server.on('upgrade', (request, socket) => answerMessages(request.headers['sec-websocket-key'], socket))
}

/** A WebSocket that answers each short text `x` with `got x`. */
function answerMessages(key, socket) {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'))
  const send = (opcode, payload) => socket.write(Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]))
  let rest = Buffer.alloc(0)
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 6 && rest.length >= 6 + (rest[1] & 0x7f)) {
        const [opcode, end] = [rest[0] & 0x0f, 6 + (rest[1] & 0x7f)]
        const mask = rest.subarray(2, 6)
        const payload = Buffer.from(rest.subarray(6, end).map((byte, index) => byte ^ mask[index % 4]))
        rest = rest.subarray(end)
        if (opcode === 1) send(1, Buffer.concat([Buffer.from('got '), payload]))
        if (opcode === 8) send(8, payload)
        if (opcode === 8) socket.end()
      }
    })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const place = process.argv[2] ?? '3000'
  const server = createApi().listen(
    /^\d+$/.test(place) ? { port: Number(place), host: '127.0.0.1' } : { path: place },
    () => {
      const address = server.address()
      console.log(`API on ${typeof address === 'string' ? address : `http://localhost:${address.port}`}`)
    },
  )
}
