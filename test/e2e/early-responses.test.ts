/** Servers that answer before they have the whole request: it is sent to its end, or it is reported that it was not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeCertificate } from '../helpers/certificates.ts'
import { commandEnvironment, commandLine, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { listening, onHead, type Peer, startPeer } from '../wire/peer.ts'
import { send } from './send-outcome.ts'

/** More than the buffers of both ends of a connection. */
const SIZE_BYTES = 20_000_000
const notAccepted = 'answered before it had the whole request, and ended the exchange'

function directoryWithBody(): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'body'), Buffer.alloc(SIZE_BYTES, 'x'))
  return cwd
}

/** A server that answers as soon as it has the head, and counts what follows. */
async function countingPeer(response: string): Promise<{ readonly peer: Peer; readonly bodyBytes: () => number }> {
  let receivedBytes = 0
  let headBytes = 0
  const peer = await startPeer((socket) => {
    socket.on('data', ({ length }) => {
      receivedBytes += length
    })
    onHead((_socket, head) => {
      headBytes = head.length
      socket.write(response)
    })(socket)
  })
  return { peer, bodyBytes: () => receivedBytes - headBytes }
}

const early = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const long = `HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n${'y'.repeat(100_000)}`

describe('a file is sent to its end after an early 200', () => {
  it.each([
    [[]],
    [['-p', 'status']],
    [['-p', 'body']],
    [['-p', 'stats']],
    [['--json']],
    [['-o', 'saved']],
    [['-p', 'status', '--verbose']],
  ])('with %j', async (words) => {
    const cwd = directoryWithBody()
    const { peer, bodyBytes } = await countingPeer(early)
    const { code, err } = await send(['PUT', peer.origin, '-g', 'body', ...words], { cwd })
    expect([code, err]).toEqual([0, expect.not.stringContaining('warning')])
    await expect.poll(bodyBytes, { timeout: 20_000 }).toBe(SIZE_BYTES)
  })

  it('with -p status and a response that is longer than all buffers', async () => {
    const cwd = directoryWithBody()
    const { peer, bodyBytes } = await countingPeer(
      `HTTP/1.1 200 OK\r\nContent-Length: ${SIZE_BYTES}\r\n\r\n${'y'.repeat(SIZE_BYTES)}`,
    )
    expect(await send(['PUT', peer.origin, '-g', 'body', '-p', 'status'], { cwd })).toEqual({
      code: 0,
      out: 'HTTP/1.1 200 OK\n',
      err: '',
    })
    await expect.poll(bodyBytes, { timeout: 20_000 }).toBe(SIZE_BYTES)
  })

  it.each([[[]], [['-p', 'status']]])('to a server that reads slowly, with %j', async (words) => {
    const cwd = directoryWithBody()
    let receivedBytes = 0
    const peer = await startPeer((socket) => {
      socket.on('data', ({ length }) => {
        receivedBytes += length
        socket.pause()
        setTimeout(() => socket.resume(), 1)
      })
      onHead(() => socket.write(early))(socket)
    })
    const { code, err } = await send(['PUT', peer.origin, '-g', 'body', ...words], { cwd })
    expect([code, err]).toEqual([0, ''])
    await expect.poll(() => receivedBytes, { timeout: 60_000 }).toBeGreaterThan(SIZE_BYTES)
  })

  it('with -p status and a response that never ends', async () => {
    const cwd = directoryWithBody()
    const peer = await startPeer(
      onHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const timer = setInterval(() => socket.write('more'), 10)
        socket.once('close', () => clearInterval(timer))
      }),
    )
    writeFileSync(join(cwd, 'r.http'), `PUT ${peer.origin}/\n\n< ./body\n`)
    const [sent, ran] = await Promise.all([
      send(['PUT', peer.origin, '-g', 'body', '-p', 'status'], { cwd }),
      runCommand(['run', 'r.http', '-p', 'status'], { cwd }),
    ])
    expect([sent.code, sent.out, sent.err]).toEqual([0, 'HTTP/1.1 200 OK\n', ''])
    expect([ran.code, ran.stderr.toString()]).toEqual([0, expect.not.stringContaining('warning')])
    expect(peer.received.map((text) => text.slice(-10))).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx'])
  })

  it.each([[[]], [['-p', 'status']], [['--quiet']], [['--json']]])('by a request file with %j', async (words) => {
    const cwd = directoryWithBody()
    const { peer, bodyBytes } = await countingPeer(long)
    writeFileSync(join(cwd, 'r.http'), `PUT ${peer.origin}/\n\n< ./body\n`)
    const { code, stderr } = await runCommand(['run', 'r.http', ...words], { cwd })
    expect([code, stderr.toString()]).toEqual([0, expect.not.stringContaining('warning')])
    await expect.poll(bodyBytes, { timeout: 20_000 }).toBe(SIZE_BYTES)
  })

  it.each([[[]], [['-p', 'status']], [['--json']]])('over HTTP/2 with %j', async (words) => {
    const cwd = directoryWithBody()
    let receivedBytes = 0
    const { certificate, key } = makeCertificate(cwd, { name: 'server' })
    const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key) }).on(
      'stream',
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.end('ok')
        stream.on('data', ({ length }: Buffer) => {
          receivedBytes += length
        })
      },
    )
    // The client may close the connection before it has read everything.
    server.on('secureConnection', (socket) => socket.on('error', () => undefined))
    server.on('session', (session) => session.on('error', () => undefined))
    const port = await listening(server)
    const { code, err } = await send(
      ['PUT', `https://localhost:${port}/`, '-g', 'body', '--http2', '--cacert', certificate, ...words],
      { cwd },
    )
    expect([code, err]).toEqual([0, ''])
    await expect.poll(() => receivedBytes, { timeout: 20_000 }).toBe(SIZE_BYTES)
  })
})

describe('a server that ends the connection after an early response', () => {
  const ended = (status: string) => startPeer(onHead((socket) => endUnread(socket, status)))

  function endUnread(socket: Socket, status: string): void {
    socket.pause()
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok`, () => socket.destroy())
  }

  it.each([[[]], [['-p', 'status']], [['--json']]])('is reported with 200 and %j', async (words) => {
    const cwd = directoryWithBody()
    const { origin } = await ended('200 OK')
    const { code, err } = await send(['PUT', origin, '-g', 'body', ...words], { cwd })
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^warning: 127.0.0.1 port \\d+ ${notAccepted}\n$`)),
    ])
  })

  it('is reported by run', async () => {
    const cwd = directoryWithBody()
    const { origin } = await ended('200 OK')
    writeFileSync(join(cwd, 'r.http'), `PUT ${origin}/\n\n< ./body\n`)
    const { code, stderr } = await runCommand(['run', 'r.http'], { cwd })
    expect([code, stderr.toString()]).toEqual([0, expect.stringContaining(notAccepted)])
  })

  it('needs no report if the response refuses the request', async () => {
    const cwd = directoryWithBody()
    const { origin } = await ended('413 Too Large')
    const { code, err } = await send(['PUT', origin, '-g', 'body', '-p', 'status'], { cwd })
    expect([code, err]).toEqual([0, ''])
  })
})

it.each([[[]], [['-p', 'status']], [['-o', 'saved']]])(
  'a body that ends too soon after an early 200 is an error, with %j',
  async (words) => {
    const cwd = temporaryDirectory()
    const { peer, bodyBytes } = await countingPeer(early)
    const [program, ...line] = commandLine()
    const child = spawn(program, [...line, 'send', '-f', '-', ...words], {
      cwd,
      env: commandEnvironment(),
    })
    const exited = once(child, 'exit')
    let err = ''
    child.stderr.on('data', (text) => {
      err += text
    })
    child.stdin.write(`POST ${peer.origin}/ HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(400_000)}`)
    await expect.poll(bodyBytes, { timeout: 20_000 }).toBe(400_000)
    child.stdin.end()
    expect(await exited).toEqual([2, null])
    expect(err).toContain('the content ends after 400000 of 1000000 bytes')
    // The response is complete, and may hold what the server did with the first part.
    if (words.includes('-o')) expect(readFileSync(join(cwd, 'saved'), 'latin1')).toBe('ok')
  },
)
