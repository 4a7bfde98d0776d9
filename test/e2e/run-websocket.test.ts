/** WebSockets of `httpcli run` against a server that reads and writes frames byte by byte (RFC 6455). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import {
  closing,
  frame,
  handshakeAnswer,
  opcodes,
  type ReceivedFrame,
  webSocketServer,
} from '../helpers/websocket-peer.ts'
import { listening, onHead } from '../wire/peer.ts'

type Serve = (socket: Socket) => void

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly port: number
}

interface Talk {
  /** Bytes after the head of the first request. `$H` in it is the address of the server. */
  readonly body?: string
  /** Header lines of the first request. */
  readonly fields?: string
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly isSecure?: boolean
  /** Seconds that the server may be silent. */
  readonly patienceS?: number | 'default'
  readonly proxyPort?: number
}

async function talk(
  serve: Serve,
  { body = 'hello', fields = '', files = {}, isSecure = false, patienceS = 30, proxyPort }: Talk = {},
): Promise<Outcome> {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.git'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  const trust = isSecure ? makeAuthority(directory) : undefined
  const port = await listening(
    trust === undefined ? createServer({ allowHalfOpen: true }, serve) : tlsServer(directory, serve),
  )
  const scheme = isSecure ? 'wss' : 'ws'
  const timeout = patienceS === 'default' ? '' : `# @timeout ${patienceS} s\n`
  const head = `${timeout}WEBSOCKET ${scheme}://127.0.0.1:${port}/\n${fields}\n`
  writeFileSync(join(directory, 'a.http'), head + body.replaceAll('$H', `127.0.0.1:${port}`))
  const words = [
    'run',
    'a.http',
    '-p',
    'body',
    '--quiet',
    ...(trust === undefined ? [] : ['--cacert', trust.certificate]),
    ...(proxyPort === undefined ? [] : ['--proxy', `http://127.0.0.1:${proxyPort}`]),
  ]
  const { code, stdout, stderr } = await runCommand(words, { cwd: directory })
  return { code, out: messagesOf(stdout.toString('latin1')), err: stderr.toString(), port }

  function tlsServer(place: string, onConnection: Serve) {
    const { certificate, key } = makeCertificate(place, { name: 'server', authority: trust! })
    return createTlsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (socket) => {
      socket.on('error', () => undefined)
      onConnection(socket)
    })
  }
}

/** The messages of the server as they are printed, without headings, empty lines, the failures and the sums. */
function messagesOf(out: string): string {
  const [messages] = out.split('\nFailed:\n')
  return messages!
    .split('\n')
    .filter((line) => line !== '' && !/^### |^\d+ requests?: /.test(line))
    .join('\n')
}

/** Bytes that differ from their neighbours, valid as text. */
const contentOf = (sizeBytes: number): Buffer =>
  Buffer.from(Array.from({ length: sizeBytes }, (_, index) => 97 + ((index * 7) % 26)))
/** The same, and no text in UTF-8. */
const binaryOf = (sizeBytes: number): Buffer =>
  contentOf(sizeBytes).map((byte, index) => (index === 0 ? 0xff : byte)) as Buffer

/** Around the limits of the length field, and those at which libraries change how they mask. */
const sizesBytes = [0, 1, 47, 48, 125, 126, 127, 65_535, 65_536, 70_000]
const octets = (bytes: Buffer): string => bytes.toString('latin1')
const lengthFieldBytesOf = (sizeBytes: number): number => (sizeBytes < 126 ? 1 : sizeBytes < 65_536 ? 3 : 9)

const closed = frame(opcodes.close, closing(1000))

/** Sends every message back and closes after `count` of them. */
function echo(count: number, frames: ReceivedFrame[]): Serve {
  return webSocketServer((received, socket) => {
    if (received.opcode === opcodes.close) return void socket.end()
    frames.push(received)
    socket.write(frame(received.opcode, received.payload))
    if (frames.length === count) socket.write(frame(opcodes.close, closing(1000)))
  })
}

it('answers the last ping of a server that sends many before it reads', async () => {
  const pingCount = 100_000
  const pings = Array.from({ length: pingCount }, (_, index) => frame(opcodes.ping, String(index).padStart(125, '0')))
  const last = String(pingCount - 1)
  let pongCount = 0
  const serve = webSocketServer(
    ({ opcode, payload }, socket) => {
      if (opcode !== opcodes.pong) return
      pongCount++
      if (payload.toString().endsWith(last))
        socket.write(Buffer.concat([frame(opcodes.text, 'x'), frame(opcodes.close, closing(1000))]))
    },
    (socket) => {
      socket.pause()
      socket.write(Buffer.concat(pings), () => socket.resume())
    },
  )
  const ran = await talk(serve)
  expect([ran.code, ran.out, ran.err]).toEqual([0, 'x', ''])
  expect(pongCount).toBeLessThan(pingCount)
})

it('waits without a limit with @timeout 0', async () => {
  const serve = webSocketServer((received, socket) => {
    if (received.opcode === opcodes.close) return void socket.end()
    const answer = [frame(opcodes.text, Buffer.from('later')), frame(opcodes.close, closing(1000))]
    setTimeout(() => socket.write(Buffer.concat(answer)), 50)
  })
  const ran = await talk(serve, { patienceS: 0 })
  expect([ran.code, ran.err, ran.out]).toEqual([0, '', 'later'])
})

it.each(['', 'more'])('fails if the server closes while a message is awaited before %j', async (rest) => {
  const serve = webSocketServer(({ opcode }, socket) => {
    if (opcode === opcodes.close) socket.end()
    else socket.write(frame(opcodes.close, closing(1000, 'bye')))
  })
  const ran = await talk(serve, { body: `hello\n=== wait-for-server\n${rest}` })
  expect([ran.code, ran.out]).toEqual([4, ''])
  expect(ran.err).toContain('the server closed the WebSocket with 1000 (bye), but the request waits for a message')
})

it.each<[string, Serve]>([
  ['a close frame', (socket) => socket.end(closed)],
  ['an end', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
])('does not fail if a handler ends the connection while a message is awaited, and gets %s', async (_, end) => {
  const serve = webSocketServer(({ opcode }, socket) => {
    if (opcode === opcodes.close) end(socket)
    else socket.write(frame(opcodes.text, 'enough'))
  })
  const handler = '> {% response.body.onEachMessage((message, unsubscribe) => unsubscribe()) %}'
  const ran = await talk(serve, { body: `a\n=== wait-for-server\n=== wait-for-server\nb\n\n${handler}\n` })
  expect([ran.code, ran.err, ran.out]).toEqual([0, '', 'enough'])
})

describe('a message that arrives in two parts', () => {
  const message = frame(opcodes.text, contentOf(126))
  const start = frame(opcodes.text, 'a', { isFinal: false })
  const inParts = (first: Uint8Array, more: Uint8Array): Serve =>
    webSocketServer(({ opcode }, socket) => {
      if (opcode === opcodes.close) return void socket.end()
      if (opcode !== opcodes.text) return
      socket.write(first)
      setTimeout(() => socket.write(more), 1500)
    })

  it.each<[string, Uint8Array, Uint8Array, string]>([
    ['alone', message.subarray(0, 50), message.subarray(50), contentOf(126).toString()],
    [
      'in a packet with the message before it',
      Buffer.concat([frame(opcodes.text, 'x'), message.subarray(0, 50)]),
      message.subarray(50),
      `x\n${contentOf(126)}`,
    ],
    ['with a ping between', Buffer.concat([start, frame(opcodes.ping, '')]), frame(opcodes.continuation, 'b'), 'ab'],
  ])('is received, even if it takes longer than the server may be silent: %s', async (_, first, rest, printed) => {
    const ran = await talk(inParts(first, Buffer.concat([rest, closed])), { patienceS: 'default' })
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', printed])
  })

  it.each<[string, Uint8Array, Uint8Array, string]>([
    ['is missing', message.subarray(0, 50), Buffer.of(), 'sent nothing more of a message within 0.5 s'],
    [
      'is missing after a ping',
      Buffer.concat([start, frame(opcodes.ping, '')]),
      Buffer.of(),
      'sent nothing more of a message within 0.5 s',
    ],
    [
      'is a close frame',
      Buffer.concat([start, closed]),
      Buffer.of(),
      'closed the WebSocket with 1000 within a message',
    ],
  ])('is an error if the second part %s', async (_, first, more, problem) => {
    const ran = await talk(inParts(first, more), { patienceS: 0.5 })
    expect([ran.code, ran.out]).toEqual([4, ''])
    expect(ran.err).toContain(`the server ${problem}`)
  })
})

describe.each([{ isSecure: false }, { isSecure: true }])('over a connection with TLS: $isSecure', ({ isSecure }) => {
  it('goes through the tunnel of a proxy', async () => {
    const tunnel = onHead((socket, head) => {
      const target = connect(Number(/^CONNECT [^:]+:(\d+) /.exec(head)?.[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(target).pipe(socket)
      })
      for (const each of [socket, target]) each.on('error', () => undefined)
    })
    const proxyPort = await listening(createServer(tunnel))
    const ran = await talk(echo(1, []), { isSecure, proxyPort })
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', 'hello'])
  })

  it('sends and receives text and binary messages of every size', async () => {
    const texts = sizesBytes.filter((sizeBytes) => sizeBytes > 0).map(contentOf)
    const files = sizesBytes.map((sizeBytes) => [`${sizeBytes}.bin`, binaryOf(sizeBytes)] as const)
    const body = [...texts.map(String), ...files.map(([name]) => `< ./${name}`)].join('\n===\n')
    const sent = [...texts, ...files.map(([, content]) => content)]
    const frames: ReceivedFrame[] = []
    const ran = await talk(echo(sent.length, frames), { body, files: Object.fromEntries(files), isSecure })
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out).toBe(
      sent
        .filter(({ length }) => length > 0)
        .map(octets)
        .join('\n'),
    )
    expect(frames.map(({ payload }) => octets(payload))).toEqual(sent.map(octets))
    expect(frames.map(({ opcode }) => opcode)).toEqual([
      ...texts.map(() => opcodes.text),
      ...files.map(([, content]) => (content.length === 0 ? opcodes.text : opcodes.binary)),
    ])
    expect(frames.every(({ isMasked, isFinal }) => isMasked && isFinal)).toBe(true)
    expect(frames.map((each) => each.lengthFieldBytes)).toEqual(
      frames.map(({ payload }) => lengthFieldBytesOf(payload.length)),
    )
  })

  it('answers pings of every size with the same bytes', async () => {
    const pings = [0, 1, 31, 32, 47, 48, 125].map(contentOf)
    const pongs: ReceivedFrame[] = []
    const serve = webSocketServer(
      (received, socket) => {
        if (received.opcode === opcodes.close) return void socket.end()
        if (received.opcode !== opcodes.pong) return
        pongs.push(received)
        if (pongs.length === pings.length) socket.write(frame(opcodes.close, closing(1000)))
      },
      (socket) => socket.write(Buffer.concat(pings.map((content) => frame(opcodes.ping, content)))),
    )
    const ran = await talk(serve, { isSecure })
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(pongs.map(({ payload }) => payload)).toEqual(pings)
    expect(pongs.every(({ isMasked }) => isMasked)).toBe(true)
  })
})

describe('what the protocol allows', () => {
  it.each<[string, readonly Uint8Array[], string]>([
    [
      'a message in one frame for each byte',
      [...'fünf'].map((_, index, all) => partOf(Buffer.from('fünf'), index, all.length)),
      octets(Buffer.from('fünf')),
    ],
    [
      'a ping between the frames of a message',
      [
        frame(opcodes.text, 'a', { isFinal: false }),
        frame(opcodes.ping, contentOf(48)),
        frame(opcodes.continuation, 'b'),
      ],
      'ab',
    ],
    [
      'empty frames of a message',
      [frame(1, '', { isFinal: false }), frame(0, '', { isFinal: false }), frame(0, 'x')],
      'x',
    ],
    ['an unsolicited pong', [frame(opcodes.pong, 'p'), frame(opcodes.text, 'x')], 'x'],
    [
      'a message in large frames',
      [frame(2, contentOf(70_000), { isFinal: false }), frame(0, contentOf(70_000))],
      `${contentOf(70_000)}${contentOf(70_000)}`,
    ],
  ])('%s', async (_title, frames, printed) => {
    const ran = await talk(opening((socket) => socket.write(Buffer.concat([...frames, closed]))))
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', printed])
  })

  it('frames that arrive byte by byte', async () => {
    const bytes = Buffer.concat([frame(opcodes.ping, contentOf(48)), frame(opcodes.text, contentOf(126)), closed])
    const ran = await talk(
      opening((socket) => {
        socket.setNoDelay(true)
        const next = (index: number): void => {
          if (index < bytes.length) socket.write(bytes.subarray(index, index + 1), () => setImmediate(next, index + 1))
        }
        next(0)
      }),
    )
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', contentOf(126).toString()])
  })

  it('frames in the same packet as the handshake response', async () => {
    const ran = await talk(
      onHead((socket, head) => {
        socket.end(Buffer.concat([Buffer.from(handshakeAnswer(head)), frame(opcodes.text, contentOf(48)), closed]))
      }),
      { body: '' },
    )
    expect([ran.code, ran.err, ran.out]).toEqual([0, '', contentOf(48).toString()])
  })

  it.each([
    [undefined, undefined],
    [1000, 1000],
    [1001, 1001],
  ])('a close with the code %s, answered with the same one', async (code, answered) => {
    const answers: Buffer[] = []
    const serve = webSocketServer(({ opcode, payload }, socket) => {
      if (opcode === opcodes.text) socket.write(frame(opcodes.close, code === undefined ? '' : closing(code, 'bye')))
      if (opcode !== opcodes.close) return
      answers.push(payload)
      socket.end()
    })
    const ran = await talk(serve)
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(answers).toEqual([answered === undefined ? Buffer.alloc(0) : closing(answered)])
  })
})

it.each(['', 'Sec-WebSocket-Extensions: permessage-deflate\n'])(
  'refuses a handshake that turns on an extension; the request has %j',
  async (fields) => {
    const serve = onHead((socket, head) => {
      const answer = handshakeAnswer(head).replace(
        /\r\n\r\n$/,
        '\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
      )
      socket.end(Buffer.concat([Buffer.from(answer), frame(opcodes.text, 'x'), closed]))
    })
    const ran = await talk(serve, { fields })
    expect([ran.code, ran.out]).toEqual([4, ''])
    expect(ran.err).toContain('it chose the extension "permessage-deflate", which is not supported')
  },
)

it('prints what the server sent before it closed the connection, even if a message could not be sent', async () => {
  const serve = onHead((socket, head) => {
    socket.end(Buffer.concat([Buffer.from(handshakeAnswer(head)), frame(opcodes.text, 'not now'), closed]))
  })
  const ran = await talk(serve)
  expect([ran.code, ran.out]).toEqual([4, 'not now'])
  expect(ran.err).toContain(
    `127.0.0.1 port ${ran.port} has closed the WebSocket with 1000, so a message could not be sent`,
  )
})

const closeCodeFor = ({ source }: RegExp): number =>
  /utf-?8/i.test(source) ? 1007 : /size exceeded|payload length >/i.test(source) ? 1009 : 1002

describe('a server that breaks the protocol fails its request alone', () => {
  const text = (content: string | Uint8Array) => frame(opcodes.text, content)
  const rows: readonly (readonly [title: string, bytes: Uint8Array, problem: RegExp])[] = [
    ['a masked frame', frame(1, 'x', { mask: Buffer.of(1, 2, 3, 4) }), /MASK must be clear/],
    ['a long masked frame', frame(1, contentOf(48), { mask: Buffer.of(1, 2, 3, 4) }), /MASK must be clear/],
    ['a reserved bit', frame(1, 'x', { reservedBits: 0x40 }), /RSV1 must be clear/],
    ['other reserved bits', frame(1, 'x', { reservedBits: 0x30 }), /RSV2 and RSV3 must be clear/],
    ['an unknown opcode', frame(3, 'x'), /invalid opcode 3/],
    ['an unknown control opcode', frame(11, 'x'), /invalid opcode 11/],
    ['a ping of 126 bytes', frame(opcodes.ping, contentOf(126)), /invalid payload length 126/],
    ['a ping in pieces', frame(opcodes.ping, 'x', { isFinal: false }), /FIN must be set/],
    ['a continuation of nothing', frame(opcodes.continuation, 'x'), /invalid opcode 0/],
    ['a message within a message', Buffer.concat([frame(1, 'x', { isFinal: false }), text('y')]), /invalid opcode 1/],
    ['text that is not UTF-8', text(Buffer.of(0xc3, 0x28)), /invalid UTF-8/],
    ['long text that is not UTF-8', text(Buffer.alloc(70_000, 0xff)), /invalid UTF-8/],
    ['text of 48 bytes that is not UTF-8', text(Buffer.alloc(48, 0xff)), /invalid UTF-8/],
    ['a surrogate in text', text(Buffer.of(0xed, 0xa0, 0x80)), /invalid UTF-8/],
    [
      'a character cut off at the end',
      Buffer.concat([frame(1, Buffer.of(0xe2), { isFinal: false }), frame(0, Buffer.of(0x82))]),
      /invalid UTF-8/,
    ],
    ['a reason that is not UTF-8', frame(opcodes.close, closing(1000, Buffer.of(0xff))), /invalid UTF-8/],
    ['half a close code', frame(opcodes.close, Buffer.of(3)), /invalid payload length 1/],
    ['the close code 999', frame(opcodes.close, closing(999)), /invalid status code 999/],
    ['the close code 1005', frame(opcodes.close, closing(1005)), /invalid status code 1005/],
    ['the close code 1006', frame(opcodes.close, closing(1006)), /invalid status code 1006/],
    ['the close code 5000', frame(opcodes.close, closing(5000)), /invalid status code 5000/],
    [
      'a length beyond 2^53',
      Buffer.of(0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255),
      /payload length > 2\^53 - 1/,
    ],
    ['a length beyond the limit', Buffer.of(0x82, 127, 0, 0, 0, 0, 0x10, 0, 0, 0), /Max payload size exceeded/],
  ]

  it.each(rows)('%s', async (_title, bytes, problem) => {
    let received = Buffer.alloc(0)
    let onEnded = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      onEnded = resolve
    })
    const serve = opening((socket) => {
      socket.on('data', (piece: Buffer) => {
        received = Buffer.concat([received, piece])
      })
      socket.on('end', () => onEnded()).on('error', () => onEnded())
      socket.write(bytes)
    })
    const ran = await talk(serve)
    await ended
    // A close frame with a masked code (RFC 6455 section 7.1.7).
    const [opcode, , mask0, mask1, , , high, low] = received.subarray(-8)
    expect([opcode, (((high! ^ mask0!) << 8) | (low! ^ mask1!)) as number]).toEqual([0x88, closeCodeFor(problem)])
    expect(ran.err.split('\n')).toEqual([expect.stringMatching(problem), ''])
    expect(ran.err).toContain(`127.0.0.1 port ${ran.port} breaks the WebSocket protocol`)
    expect(ran.code).toBe(4)
  })

  it.each<[string, Serve]>([
    ['ends in the middle of a frame', opening((socket) => socket.end(frame(1, contentOf(200)).subarray(0, 90)))],
    ['ends in the middle of a frame head', opening((socket) => socket.end(Buffer.of(0x81)))],
    ['ends without a close frame', opening((socket) => socket.end())],
    ['resets the connection', opening((socket) => socket.resetAndDestroy())],
    [
      'resets it after a ping',
      opening((socket) => socket.write(frame(9, contentOf(48)), () => socket.resetAndDestroy())),
    ],
    ['closes with 1011', opening((socket) => socket.end(frame(opcodes.close, closing(1011, 'broken'))))],
    ['closes with 4000', opening((socket) => socket.end(frame(opcodes.close, closing(4000))))],
  ])('one that %s', async (_title, serve) => {
    const ran = await talk(serve)
    expect(ran.err.split('\n')).toEqual([expect.stringMatching(/WebSocket|connection/), ''])
    expect(ran.code).toBe(4)
  })

  it('does not prevent the next request', async () => {
    const frames: ReceivedFrame[] = []
    const hostile = opening((socket) => socket.write(frame(1, Buffer.alloc(48, 0xff))))
    let connections = 0
    const serve: Serve = (socket) => (connections++ === 0 ? hostile : echo(1, frames))(socket)
    const ran = await talk(serve, { body: 'first\n\n###\nWEBSOCKET ws://$H/\n\nsecond' })
    expect([ran.code, ran.out, frames.length]).toEqual([4, 'second', 1])
  })
})

function opening(act: (socket: Socket) => void): Serve {
  let isFirst = true
  return webSocketServer((_received, socket) => {
    if (isFirst) act(socket)
    isFirst = false
  })
}

/** Byte `index` of a text message as a frame; the last one has the rest. */
function partOf(content: Buffer, index: number, count: number): Buffer {
  const isFinal = index === count - 1
  const opcode = index === 0 ? opcodes.text : opcodes.continuation
  return frame(opcode, content.subarray(index, isFinal ? undefined : index + 1), { isFinal })
}
