/**
 * A server fuzzer: sends requests that break one rule of HTTP, then requests with random damage. One rule decides: the
 * answer is HTTP, or the connection closes. The same seed sends the same bytes, so a finding can be reproduced.
 *
 * Run: npx tsx examples/library/server-fuzzer.ts [host port]
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import {
  brokenMessage,
  HttpcliError,
  HttpParseError,
  HttpParser,
  HttpRequest,
  HttpResponse,
  octetString,
  octetsOf,
  violationNames,
} from 'httpcli'

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

/** Numbers from 0 to below 1; the same seed gives the same numbers. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

const form = new HttpRequest({ method: 'POST', url: 'http://server/form', headers: { Accept: '*/*' } })
const validBytes = form.withBody('a=1&b=2').eagerly().bytes

/** The valid request with each rule broken that it can break; some need chunks or a response. */
function* brokenRequests(): Generator<Uint8Array> {
  for (const name of violationNames) {
    try {
      yield brokenMessage(name, validBytes)
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
    }
  }
}

function* damagedRequests(count: number): Generator<Uint8Array> {
  const valid = octetString(validBytes)
  const numbers = random(1)
  const below = (limit: number): number => Math.floor(numbers.next().value * limit)
  for (let i = 0; i < count; i++) {
    const at = below(valid.length)
    yield octetsOf(valid.slice(0, at) + splinters[below(splinters.length)] + valid.slice(at + below(4)))
  }
}

/** The statuses of the answer. @throws HttpParseError for a truncated body, or an answer that is not HTTP. */
async function answersTo(bytes: Uint8Array, host: string, port: number): Promise<string> {
  const socket = connect(port, host)
  socket.end(bytes)
  const statuses: number[] = []
  for await (const response of new HttpParser({ preset: 'strict' }).responses(socket)) {
    await response.body?.bytes()
    statuses.push(response.status)
  }
  return statuses.join(', ') || 'closed without an answer'
}

/** A server with two faults: it does not answer a wrong length, and its answer to a bad target is not HTTP. */
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
for (const bytes of [...brokenRequests(), ...damagedRequests(300)]) {
  const outcome = await answersTo(bytes, host, port).catch((error: Error) => `not HTTP: ${error.message}`)
  const seen = outcomes.get(outcome)
  outcomes.set(outcome, { count: (seen?.count ?? 0) + 1, first: seen?.first ?? bytes })
}
for (const [outcome, { count, first }] of outcomes) {
  process.stdout.write(`${count} x ${outcome}, first for ${JSON.stringify(octetString(first).split(/\r?\n/)[0])}\n`)
}
server.close()
