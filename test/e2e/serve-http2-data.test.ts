/** `serve` and DATA frames that a client of HTTP/2 must not send: RFC 9113 section 6.1. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { isStandalone, startCommand } from '../helpers/command.ts'
import { expectService } from '../helpers/hostile-clients.ts'
import { openHttp2 } from '../helpers/hostile-http2-clients.ts'
import {
  endHeaders,
  endStream,
  frame,
  frameTypes,
  get,
  preface,
  requestFields,
  settings,
} from '../helpers/http2-frames.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))

/** RFC 9113 section 7. */
const protocolError = 1
const streamClosed = 5

const goAway = 7
const padded = 8

/** The errors that come until the connection or stream 1 has ended; `pieces` go out in turns of the event loop. */
async function faultsAfter(port: number, ...pieces: readonly Buffer[]): Promise<readonly string[]> {
  const socket = await openHttp2({ port, isTls: true } as never)
  const faults: string[] = []
  let onPing = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    let waiting = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      waiting = Buffer.concat([waiting, piece])
      while (waiting.length >= 9 && waiting.length >= 9 + waiting.readUIntBE(0, 3)) {
        const payload = waiting.subarray(9, 9 + waiting.readUIntBE(0, 3))
        const type = waiting[3]!
        if (type === frameTypes.ping) onPing()
        if (type === frameTypes.reset) faults.push(`stream error ${payload.readUInt32BE(0)}`)
        if (type === goAway) faults.push(`connection error ${payload.readUInt32BE(4)}`)
        if (type === goAway || type === frameTypes.reset) resolve()
        waiting = waiting.subarray(9 + payload.length)
      }
    })
    socket.on('close', () => resolve())
  })
  socket.write(Buffer.concat([preface, settings()]))
  for (const piece of pieces) {
    // A ping that is answered shows that the server has read what came before it.
    const answered = new Promise<void>((resolve) => {
      onPing = resolve
    })
    socket.write(Buffer.concat([piece, frame(frameTypes.ping, 0, 0, Buffer.alloc(8))]))
    await Promise.race([answered, ended])
  }
  await ended
  socket.destroy()
  return faults
}

/** The runtime of the executable answers other codes, and a stream that is half closed by an error of that stream. */
const isFault = (code: number): unknown =>
  isStandalone
    ? expect.arrayContaining([expect.stringMatching(/^(?:connection|stream) error [156]$/)])
    : [`connection error ${code}`]

const post = frame(frameTypes.headers, endHeaders, 1, requestFields('POST', '/a.txt'))

it('refuses DATA frames that no stream allows, and serves others', async () => {
  const root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
  const line = /^Serving directory \S+ on https:\/\/127\.0\.0\.1:(\d+)$/
  const running = await startCommand(['serve', root, '-p', '0', '-k', keystore], line)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const port = Number(running.match[1])
  const data = (stream: number, flags: number, payload: number[] = [0]) =>
    frame(frameTypes.data, flags, stream, Buffer.from(payload))
  expect({
    'on stream 0': await faultsAfter(port, data(0, 0)),
    'on a stream that was never opened': await faultsAfter(port, data(1, endStream)),
    'on a half-closed stream': await faultsAfter(port, Buffer.concat([get(1, '/a.txt'), data(1, endStream)])),
    'with padding as long as its payload': await faultsAfter(port, post, data(1, padded | endStream, [1])),
    'with padding longer than its payload': await faultsAfter(port, post, data(1, padded | endStream, [6, 0, 0])),
    'with padding and no payload': await faultsAfter(port, post, data(1, padded | endStream, [])),
  }).toEqual({
    'on stream 0': isFault(protocolError),
    'on a stream that was never opened': isFault(protocolError),
    'on a half-closed stream': isFault(streamClosed),
    'with padding as long as its payload': isFault(protocolError),
    'with padding longer than its payload': isFault(protocolError),
    'with padding and no payload': isFault(protocolError),
  })
  await expectService({ port, isTls: true } as never)
})
