/**
 * Records exchanges byte for byte, and answers the same requests from the recording when the server is gone.
 *
 * Run: npx tsx examples/library/record-and-replay.ts
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { pipeline } from 'node:stream/promises'
import {
  type EagerRequest,
  type EagerResponse,
  HttpParser,
  HttpRequest,
  HttpResponse,
  parseRequest,
  parseResponse,
  serveRequests,
} from 'httpcli'

/** An exchange in a form that JSON can hold: messages as base64, because a body may have any bytes. */
interface Recording {
  readonly request: string
  readonly response: string
}

type Exchange = (request: EagerRequest) => Promise<EagerResponse>

async function start(answer: Exchange): Promise<Server> {
  const server = createServer(serveRequests(async (request) => answer(await request.eagerly())))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

async function exchange(server: Server, request: HttpRequest): Promise<EagerResponse> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await pipeline(request.encode(), socket, { end: false })
  const response = await new HttpParser().readResponse(socket, { method: request.method })
  const eager = await response.eagerly()
  socket.end()
  return eager
}

function recorder(origin: Server, recordings: Recording[]): Exchange {
  return async (request) => {
    const response = await exchange(origin, request)
    const [sent, got] = [request, response].map(({ bytes }) => Buffer.from(bytes).toString('base64'))
    recordings.push({ request: sent ?? '', response: got ?? '' })
    return response
  }
}

function replayer(recordings: readonly Recording[]): Exchange {
  const known = recordings.map(({ request, response }) => {
    const asked = parseRequest(Buffer.from(request, 'base64'))
    const answer = parseResponse(Buffer.from(response, 'base64'), { method: asked.method }).eagerly()
    return { key: `${asked.method} ${asked.target}`, answer }
  })
  const unknown = new HttpResponse({ status: 404, reason: 'Not Recorded' }).withBody(null).eagerly()
  return async ({ method, target }) => known.find(({ key }) => key === `${method} ${target}`)?.answer ?? unknown
}

let visits = 0
const origin = await start(async () => {
  visits += 1
  const headers = { 'Set-Cookie': ['a=1', 'b=2'] }
  return new HttpResponse({ status: 200, headers }).withBody(`visit ${visits}`).eagerly()
})
const recordings: Recording[] = []
const recording = await start(recorder(origin, recordings))
const ask = (url: string): HttpRequest => new HttpRequest({ method: 'GET', url, headers: { Connection: 'close' } })
await exchange(recording, ask('http://example.com/a'))
await exchange(recording, ask('http://example.com/b'))
for (const server of [origin, recording]) server.close()

const replay = await start(replayer(JSON.parse(JSON.stringify(recordings)) as Recording[]))
for (const path of ['/b', '/a', '/c']) {
  const { status, headers, content } = await exchange(replay, ask(`http://example.com${path}`))
  process.stdout.write(`${path}: ${status}, cookies ${headers.all('set-cookie').join(' ')}, "${content?.text()}"\n`)
}
replay.close()
