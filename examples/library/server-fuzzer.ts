/**
 * A fuzzer of servers: sends requests that are almost right, and holds each answer against one rule: it is HTTP, or the
 * connection closes. What a server answers to the same octets is the same each time, so that a finding can be repeated.
 *
 * Run: npx tsx examples/library/server-fuzzer.ts [host port]
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { HttpParseError, HttpParser, HttpRequest, HttpResponse, octetString, octetsOf } from 'httpcli'

const splinters = [
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  ':',
  '\0',
  '\xff',
  ',',
  ';',
  '%',
  '0',
  'HTTP/1.1',
  'Content-Length: 9\r\n',
]

/** A small generator of numbers below 1: the same seed gives the same requests. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

function* damagedRequests(count: number): Generator<Uint8Array> {
  const request = new HttpRequest({ method: 'POST', url: 'http://server/form', headers: { Accept: '*/*' } })
  const valid = octetString(request.withBody('a=1&b=2').eagerly().bytes)
  const numbers = random(1)
  const below = (limit: number): number => Math.floor(numbers.next().value * limit)
  for (let i = 0; i < count; i++) {
    const at = below(valid.length)
    yield octetsOf(valid.slice(0, at) + splinters[below(splinters.length)] + valid.slice(at + below(4)))
  }
}

/** The statuses that came back. A body that breaks off or an answer that is no HTTP is thrown. */
async function answersTo(octets: Uint8Array, host: string, port: number): Promise<string> {
  const socket = connect(port, host)
  socket.end(octets)
  const statuses: number[] = []
  for await (const response of new HttpParser({ preset: 'strict' }).responses(socket)) {
    await response.body?.bytes()
    statuses.push(response.status)
  }
  return statuses.join(', ') || 'closed without an answer'
}

/** A server to look at: it forgets to answer a length that is wrong, and answers bad targets with something odd. */
async function serve(socket: Socket): Promise<void> {
  try {
    for await (const request of new HttpParser({ preset: 'server' }).requests(socket)) {
      socket.write(new HttpResponse({ status: 200 }).withBody(`${request.target}\n`).eagerly().bytes)
    }
  } catch (error) {
    if (!(error instanceof HttpParseError)) throw error
    if (error.code === 'TARGET') socket.write('HTTP/1.1 400\nBad target\n')
    else if (error.code !== 'CONTENT_LENGTH') socket.write(new HttpResponse({ status: error.status }).encodeHead())
  }
  socket.end()
}

const [host = '127.0.0.1', givenPort] = process.argv.slice(2)
const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket)).listen(0, '127.0.0.1')
await once(server, 'listening')
const port = Number(givenPort ?? (server.address() as AddressInfo).port)

const outcomes = new Map<string, { count: number; first: Uint8Array }>()
for (const octets of damagedRequests(300)) {
  const outcome = await answersTo(octets, host, port).catch((error: Error) => `no HTTP: ${error.message}`)
  const seen = outcomes.get(outcome)
  outcomes.set(outcome, { count: (seen?.count ?? 0) + 1, first: seen?.first ?? octets })
}
for (const [outcome, { count, first }] of outcomes) {
  process.stdout.write(`${count} x ${outcome}, first for ${JSON.stringify(octetString(first).split('\r\n')[0])}\n`)
}
server.close()
