/** Clients of the built command that do not finish their TLS handshake: each is cut. */
import { readdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { platform } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../helpers/command.ts'
import { expectService, gone } from '../helpers/hostile-clients.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))
const startLine = /^Serving directory \S+ on https:\/\/127\.0\.0\.1:(\d+)$/

/** The first bytes that a client of the platform sends. */
function makeHello(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const link = new Duplex({
      read: () => undefined,
      write: (octets: Buffer, _encoding, callback) => {
        resolve(octets)
        callback()
      },
    })
    connectTls({ ...options, socket: link, rejectUnauthorized: false }).on('error', () => undefined)
  })
}

let hello: Buffer
let hello12: Buffer

beforeAll(async () => {
  hello = await makeHello({})
  hello12 = await makeHello({ maxVersion: 'TLSv1.2' })
})

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const changeCipherSpec = latin1('\x14\x03\x03\x00\x01\x01')
const deaf = 'sends a hello, and reads nothing'
const isCountable = platform() === 'linux'
const emptyRecord = latin1('\x16\x03\x01\x00\x00')

/** Again and again, until the connection has ended. */
function repeat(socket: Socket, write: (count: number) => void): void {
  let count = 0
  const timer = setInterval(() => write(count++), 50)
  void gone(socket).then(() => clearInterval(timer))
}

const clients: readonly (readonly [name: string, attack: (socket: Socket) => void])[] = [
  ['sends nothing', () => undefined],
  ['sends the first byte of a record', (socket) => socket.write(hello.subarray(0, 1))],
  ['sends the head of a record', (socket) => socket.write(hello.subarray(0, 5))],
  ['sends a part of a hello', (socket) => socket.write(hello.subarray(0, 60))],
  ['sends a hello but for its last byte', (socket) => socket.write(hello.subarray(0, -1))],
  ['sends a hello byte by byte', (socket) => repeat(socket, (count) => socket.write(hello.subarray(count, count + 1)))],
  ['sends empty records', (socket) => repeat(socket, () => socket.write(emptyRecord))],
  ['sends a record other than a hello', (socket) => socket.write(latin1('\x16\x03\x01\x00\x05garbage'))],
  ['sends a record that is too long', (socket) => socket.write(latin1(`\x16\x03\x01\xff\xff${'x'.repeat(70_000)}`))],
  [
    'sends the beginning of a hello, and garbage',
    (socket) => socket.write(Buffer.concat([hello.subarray(0, 60), latin1('\xff'.repeat(1000))])),
  ],
  ['sends zeros', (socket) => socket.write(Buffer.alloc(100))],
  ['sends an alert', (socket) => socket.write(latin1('\x15\x03\x01\x00\x02\x02\x28'))],
  ['sends a hello of TLS 1.3, and nothing more', (socket) => socket.write(hello)],
  ['sends a hello of TLS 1.2, and nothing more', (socket) => socket.write(hello12)],
  ['sends two hellos', (socket) => socket.write(Buffer.concat([hello, hello]))],
  ['sends a hello, and garbage', (socket) => socket.write(Buffer.concat([hello, latin1('garbage')]))],
  [
    'sends a hello, and a warning',
    (socket) => socket.write(Buffer.concat([hello, latin1('\x15\x03\x03\x00\x02\x01\x00')])),
  ],
  [
    'sends a hello, and changes of the cipher without end',
    (socket) => {
      socket.write(hello)
      repeat(socket, () => socket.write(changeCipherSpec))
    },
  ],
  ['ends its side at once', (socket) => socket.end()],
  ['ends its side after a part of a hello', (socket) => socket.end(hello.subarray(0, 60))],
  ['ends its side after its hello', (socket) => socket.end(hello)],
  [deaf, (socket) => socket.pause().write(hello)],
]

/** A client that may end its side and go on reading. */
function begin(port: number, attack: (socket: Socket) => void): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.resume()
  socket.once('connect', () => attack(socket))
  return socket
}

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
] as const)('httpcli serve with a keystore and %s', (_what, words) => {
  it('disconnects every client whose handshake does not end, and serves the next one', async () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, 'a.txt'), 'hello')
    const limits = ['--handshake-timeout', '2', '--idle-timeout', '60', '--header-timeout', '60']
    const running = await startCommand(['serve', root, '-p', '0', '-k', keystore, ...limits, ...words], startLine)
    onTestFinished(() => void running.child.kill('SIGTERM'))
    const port = Number(running.match[1])
    // Of one process only: workers hold the connections themselves.
    const descriptors = () => (isCountable ? readdirSync(`/proc/${running.child.pid}/fd`).length : 0)
    const before = descriptors()
    await expectService({ port, isTls: true })
    const left = new Set<string>()
    for (const [name, attack] of clients) {
      const socket = begin(port, attack)
      left.add(name)
      void gone(socket).then(() => left.delete(name))
    }
    // A client that reads nothing sees no end: the server has closed its descriptor all the same.
    await expect.poll(() => [...left], { timeout: 40_000 }).toEqual([deaf])
    await expect.poll(descriptors, { timeout: 40_000 }).toBeLessThanOrEqual(before)
    await expectService({ port, isTls: true })
    expect(running.stderr()).toBe('')
  }, 90_000)
})
