/** Answers to gRPC calls from servers that break the protocol in one way, and from what is not gRPC at all. */
import { once } from 'node:events'
import { createServer as createHttp1Server } from 'node:http'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frame } from '../../../src/runner/grpc/frames.ts'
import { SecretMask } from '../../../src/secrets/index.ts'
import { runText } from '../running.ts'

const proto = fileURLToPath(new URL('../../fixtures/grpc', import.meta.url))

type Answer = (stream: ServerHttp2Stream) => void

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function http2Server(answer: Answer): Promise<string> {
  const server = createServer()
  server.on('session', (session) => onTestFinished(() => session.destroy()))
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    stream.resume()
    answer(stream)
  })
  return listening(server as unknown as Server)
}

/** What the call reports as its error; '' if it has an answer that passes its assertions. */
async function errorOf(address: string, method = 'Get', head = ''): Promise<string> {
  const text = `${head}# @grpc-proto ${proto}/shop.proto\nGRPC ${address}/shop.v1.Shop/${method}\n\n{}\n`
  const { errors, results } = await runText(text, { fileRoot: '/' })
  return [...errors, ...results.filter((line) => !line.startsWith('passed '))].join('\n')
}

const grpcHead = { ':status': 200, 'content-type': 'application/grpc' }

/** Sends the bytes, then the trailers. */
const sending =
  (bytes: Uint8Array, trailers: Readonly<Record<string, string>> = { 'grpc-status': '0' }, head = {}): Answer =>
  (stream) => {
    stream.respond({ ...grpcHead, ...head }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(bytes)
  }

const empty = frame(new Uint8Array(0), undefined)
const flagged = (flag: number, bytes: Uint8Array): Uint8Array => {
  const framed = Buffer.from(frame(bytes, undefined))
  framed[0] = flag
  return framed
}
const huge = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3])
/** Field 19 of Item within itself, 1,000 times. */
const deep = (): Uint8Array => {
  let bytes = Buffer.alloc(0)
  for (let depth = 0; depth < 1000; depth++) {
    const length = bytes.length
    const size =
      length < 128
        ? [length]
        : [(length & 127) | 128, ...(length < 16_384 ? [length >> 7] : [((length >> 7) & 127) | 128, length >> 14])]
    bytes = Buffer.concat([Buffer.from(depth === 999 ? [0x9a, 1, ...size] : [0x12, ...size]), bytes])
  }
  return bytes
}

describe('a server that', () => {
  it.each<[string, Answer, string]>([
    ['sends no trailers', (stream) => stream.respond(grpcHead) ?? stream.end(empty), 'grpc-message the answer of'],
    [
      'sends a status that is not a number',
      sending(empty, { 'grpc-status': 'x' }),
      'has no grpc-status in its trailers',
    ],
    ['says OK without a message', sending(new Uint8Array(0)), 'sent the status OK, but no message'],
    ['sends two messages for one', sending(Buffer.concat([empty, empty])), 'more than the one message'],
    ['ends within a message', sending(Buffer.from([0, 0, 0, 0, 9, 1])), 'ended within a message'],
    ['ends within a prefix', sending(Buffer.from([0, 0])), 'ended within a message'],
    ['sends a wrong flag', sending(flagged(7, new Uint8Array(1))), 'has a message with the flag 7, expected 0 or 1'],
    ['announces too much', sending(huge), 'has a message of 4294967295 bytes; the limit is'],
    ['compresses without a coding', sending(flagged(1, gzipSync('x'))), 'compressed message without grpc-encoding'],
    [
      'compresses with another coding',
      sending(flagged(1, empty), undefined, { 'grpc-encoding': 'snappy' }),
      '"snappy"',
    ],
    ['sends broken gzip', sending(flagged(1, empty), undefined, { 'grpc-encoding': 'gzip' }), 'is not valid gzip'],
    [
      'sends what decompresses to too much',
      sending(flagged(1, gzipSync(Buffer.alloc(70 * 1024 * 1024))), undefined, { 'grpc-encoding': 'gzip' }),
      'decompresses to more than',
    ],
    ['sends another type', sending(frame(Buffer.from([0x0a, 9, 1]), undefined)), 'that is not a valid shop.v1.Item'],
    ['nests without end', sending(frame(deep(), undefined)), 'that is not a valid shop.v1.Item'],
    ['resets the stream', (stream) => stream.close(2), 'connection-reset'],
    [
      'resets it within the answer',
      (stream) => {
        stream.respond(grpcHead)
        stream.write(empty, () => stream.destroy(new Error('broken')))
      },
      'ended the response before it was complete (INTERNAL_ERROR)',
    ],
    [
      'answers with a page',
      (stream) => {
        stream.respond({ ':status': 404, 'content-type': 'text/html' })
        stream.end('<h1>No</h1>')
      },
      'grpc-refused',
    ],
  ])('%s', async (_, answer, message) => {
    const address = await http2Server(answer)
    expect(await errorOf(address)).toContain(message)
    // A stream is read by another way, with the same errors except for the number of messages.
    if (!/message$|one message/.test(message)) expect(await errorOf(address, 'List')).toContain(message)
  })

  it('speaks only HTTP/1.1', async () => {
    const address = await listening(createHttp1Server((_request, response) => response.end('hello')))
    expect(await errorOf(address)).toMatch(/ (?:invalid-response|connection-reset) /)
  })

  it('closes at once', async () => {
    const address = await listening(createTcpServer((socket) => socket.on('error', () => undefined).destroy()))
    expect(await errorOf(address)).toMatch(/ connection-reset /)
  })

  it('sends the status in its only head', async () => {
    const address = await http2Server((stream) => {
      stream.respond({ ...grpcHead, 'grpc-status': '16', 'grpc-message': 'who%20is%20it' }, { endStream: true })
    })
    const head = '# @assert status == 16\n# @assert jsonpath $.message == "who is it"\n'
    expect([await errorOf(address, 'Get', head), await errorOf(address, 'List', head)]).toEqual(['', ''])
  })

  it('reports that the deadline has passed', async () => {
    const address = await http2Server((stream) => {
      stream.respond({ ...grpcHead, 'grpc-status': '4' }, { endStream: true })
    })
    expect(await errorOf(address, 'Get', '# @timeout 9 s\n')).toContain('first-byte-timeout')
    expect(await errorOf(address)).toBe('')
  })

  it('sends messages in pieces of any size', async () => {
    const address = await http2Server((stream) => {
      stream.respond(grpcHead, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      const bytes = [...Buffer.concat([empty, frame(Buffer.from([0x0a, 1, 0x41]), undefined), empty])]
      const next = (): void => {
        const byte = bytes.shift()
        if (byte === undefined) stream.end()
        else stream.write(Buffer.from([byte]), () => setImmediate(next))
      }
      next()
    })
    const head = '# @assert jsonpath $[1].id == "A"\n# @assert jsonpath $ count == 3\n'
    expect(await errorOf(address, 'List', head)).toBe('')
  })
})

describe('a reflection service that', () => {
  const asked = async (answer: Answer, head = ''): Promise<string> => {
    const address = await http2Server(answer)
    const secrets = new SecretMask()
    const { errors } = await runText(
      `${head}GRPC ${address}/shop.v1.Shop/Get\nAuthorization: Bearer {{token}}\n\n{}\n`,
      {
        secrets,
      },
    )
    return secrets.mask(errors.join('\n'))
  }

  it('repeats the credentials in its error does not reveal them', async () => {
    const head = '< {% request.variables.set("token", "made" + "ByAScript99") %}\n'
    const answer: Answer = (stream) => {
      stream.respond({ ...grpcHead, 'grpc-status': '16', 'grpc-message': 'not madeByAScript99.' }, { endStream: true })
    }
    expect(await asked(answer, head)).toContain('failed: UNAUTHENTICATED: not ***.')
  })

  it('reports OK without a response is an error', async () => {
    expect(await asked(sending(new Uint8Array(0)), '@token = abcdef\n')).toContain('gave no answer')
  })
})
