/**
 * The answers to clients of `serve --backend` if a backend is away, slow, or breaks the protocol; and that nothing else
 * stops.
 */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Site, startBackend, startSite } from '../helpers/backend-site.ts'
import { startPeer } from '../wire/peer.ts'

interface Outcome {
  readonly text: string
  /** Whether the connection was reset. */
  readonly isReset: boolean
}

/** One request on its own connection, read to the end. */
/** @param onText receives all text that has arrived, after each piece */
async function ask(
  { port }: Site,
  head = 'GET /api HTTP/1.1\r\nHost: a\r\n\r\n',
  onText: (text: string) => void = () => undefined,
): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  let isReset = false
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    onText(text)
  })
  socket.on('error', () => {
    isReset = true
  })
  socket.write(head, 'latin1')
  await whenClosed(socket)
  return { text, isReset }
}

function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()))
}

const close = 'Connection: close\r\n'
const get = `GET /api HTTP/1.1\r\nHost: a\r\n${close}\r\n`

async function startFor(serve: (socket: Socket) => void, ...words: string[]): Promise<Site> {
  const peer = await startPeer((socket) => void socket.once('data', () => serve(socket)))
  return startSite(['--backend', `/api=${peer.origin}`, ...words])
}

const notHttp = '502 Bad Gateway: the backend did not answer with a valid response\n'
const closed = '502 Bad Gateway: the backend closed the connection before it answered\n'

it.each([
  ['another protocol', 'Connection: Upgrade\r\nUpgrade: other\r\n'],
  ['no protocol', ''],
])('a WebSocket handshake that is answered by a switch to %s gets 502', async (_name, fields) => {
  const site = await startFor((socket) => socket.end(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\nbytes`))
  const handshake = `Connection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`
  const { text } = await ask(site, `GET /api HTTP/1.1\r\nHost: a\r\n${handshake}Sec-WebSocket-Version: 13\r\n\r\n`)
  expect(text).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
  expect(text.endsWith(notHttp)).toBe(true)
})

it('a browser gets an error page, and the connection is kept', async () => {
  const site = await startFor((socket) => socket.end('220 mail.example ESMTP\r\n\r\n'))
  const asked = 'GET /api HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n'
  const { text } = await ask(site, `${asked}\r\n${asked}${close}\r\n`)
  const answers = text.split(/(?=HTTP\/1\.1 502 Bad Gateway\r\n)/)
  expect(answers).toHaveLength(2)
  for (const answer of answers) {
    expect(answer).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m)
    expect(answer).toContain('the backend did not answer with a valid response')
  }
})

describe('a backend that is', () => {
  it.each<readonly [string, (socket: Socket) => void, string]>([
    ['silent at the end', (socket) => socket.end(), closed],
    ['reset', (socket) => socket.resetAndDestroy(), closed],
    ['cut in its head', (socket) => socket.end('HTTP/1.1 200 OK\r\nX: '), closed],
    ['garbage', (socket) => socket.end('\x00\xff\x80 what?\r\n\r\n'), notHttp],
    ['another protocol', (socket) => socket.end('220 mail.example ESMTP\r\n\r\n'), notHttp],
    ['TLS', (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])), notHttp],
    [
      'of two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      notHttp,
    ],
    [
      'with a control character in a field',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nab'),
      notHttp,
    ],
    [
      'with an unknown transfer coding',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: foo\r\n\r\nab'),
      notHttp,
    ],
    ['of no length', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab'), notHttp],
    ['a huge head', (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(30_000)}\r\n`), notHttp],
    ['a huge field', (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1_000_000)}\r\n\r\n`), notHttp],
    ['a flood of 1xx', (socket) => socket.end('HTTP/1.1 102 Processing\r\n\r\n'.repeat(5_000)), notHttp],
    [
      '101 without a question',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      notHttp,
    ],
  ])('%s is answered by 502', async (_name, serve, text) => {
    const site = await startFor(serve)
    const outcome = await ask(site, get)
    expect(outcome.text.replaceAll(/HTTP\/1\.1 102 Processing\r\n\r\n/g, '')).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(outcome.text.endsWith(`\r\n\r\n${text}`)).toBe(true)
    expect((await fetch(`${site.origin}/`)).status).toBe(200)
  })

  it.each<readonly [string, (socket: Socket) => void]>([
    ['shorter than its length', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
    [
      'reset within its length',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () => socket.resetAndDestroy()),
    ],
    ['cut in its chunks', (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')],
    [
      'of wrong chunks',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n'),
    ],
    [
      'cut in its trailers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX: '),
    ],
    ['silent in its body', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
  ])('%s is cut where the client can see it', async (_name, serve) => {
    const site = await startFor(serve, '--backend-timeout', '1')
    // The connection would stay open: its end is the sign.
    const { text } = await ask(site)
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text).not.toMatch(/\r\n0\r\n|ten bytes/)
    await expect(fetch(`${site.origin}/api`).then((response) => response.text())).rejects.toThrow()
  })

  it('cut in its chunks resets the connection of an HTTP/1.0 client, whose mere end could be that of the body', async () => {
    let cut = (): void => undefined
    const site = await startFor((socket) => {
      cut = () => socket.end()
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
    })
    // Node.js takes a reset that arrives together with content for an end.
    const { isReset } = await ask(site, 'GET /api HTTP/1.0\r\n\r\n', (text) => text.includes('half') && cut())
    expect(isReset).toBe(true)
  })

  it('longer than its length, or responds twice, has its connection dropped', async () => {
    let connections = 0
    const peer = await startPeer((socket) => {
      connections += 1
      socket.once('data', () => {
        const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
        socket.write(connections === 1 ? `${answer}evil` : `${answer}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`)
      })
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    for (let round = 0; round < 3; round++) expect(await (await fetch(`${site.origin}/api`)).text()).toBe('ok')
    expect(connections).toBe(3)
  })

  it('silent is answered by 504 after the time limit, and so is one that reads nothing', async () => {
    const silent = await startFor(() => undefined, '--backend-timeout', '1')
    expect((await ask(silent, get)).text).toMatch(
      /^HTTP\/1\.1 504 [\s\S]*504 Gateway Timeout: the backend did not answer in time\n$/,
    )
    const peer = await startPeer((socket) => void socket.pause())
    const site = await startSite(['--backend', `/api=${peer.origin}`, '--backend-timeout', '1'])
    const socket = connect({ port: site.port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.write('PUT /api HTTP/1.1\r\nHost: a\r\nContent-Length: 500000000\r\n\r\n')
    socket.write(Buffer.alloc(50_000_000))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 504 /)
    socket.destroy()
  })

  it('down is answered by 502, reported once, and used again when it is back', async () => {
    const gone = await startPeer()
    const probe = await startBackend()
    const site = await startSite([
      '--backend',
      `/api=http://127.0.0.1:1`,
      '--backend',
      `/ok=${probe.origin}`,
      '-l',
      '--log-format',
      'json',
    ])
    for (let round = 0; round < 3; round++) {
      const answer = await fetch(`${site.origin}/api`)
      expect([answer.status, await answer.text()]).toEqual([
        502,
        '502 Bad Gateway: the backend refused the connection\n',
      ])
    }
    expect(await (await fetch(`${site.origin}/ok`)).text()).toBe('from the backend\n')
    const { stdout, stderr } = await site.running.stop()
    expect(stderr.toString().match(/the backend of \/api: /g)).toHaveLength(1)
    const lines = stdout
      .toString()
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line))
    expect(lines.map(({ status, backend, backendFailure }) => [status, backend, backendFailure])).toEqual([
      ...Array.from({ length: 3 }, () => [502, 'http://127.0.0.1:1', 'connect-refused']),
      [200, probe.origin, undefined],
    ])
    expect(gone.received).toEqual([])
  })
})

describe('a kept connection', () => {
  it('that has ended is replaced only for requests that may be repeated', async () => {
    const requests: string[] = []
    const peer = await startPeer((socket) => {
      let count = 0
      socket.on('data', (bytes: Buffer) => {
        requests.push(bytes.toString('latin1').split(' ', 1)[0]!)
        count += 1
        // The second request on a connection is never answered.
        if (count === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        else socket.resetAndDestroy()
      })
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    const status = async (method: string) => (await fetch(`${site.origin}/api`, { method })).status
    expect([await status('GET'), await status('GET'), await status('POST')]).toEqual([200, 200, 502])
    expect(requests).toEqual(['GET', 'GET', 'GET', 'POST'])
  })
})

describe('a client', () => {
  it('that sends a broken body gets a 400, and the backend gets no complete one', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/api=${backend.origin}`])
    const head = 'POST /api HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect((await ask(site, `${head}5\r\nhello\r\nxyz\r\n`)).text).toMatch(/^HTTP\/1\.1 400 /)
    expect(backend.seen).toEqual([])
  })

  it('that stops within its body gets a 408', async () => {
    const backend = await startBackend()
    const site = await startSite(['--backend', `/api=${backend.origin}`, '--body-timeout', '1'])
    expect((await ask(site, 'POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf')).text).toMatch(
      /^HTTP\/1\.1 408 /,
    )
    expect(backend.seen).toEqual([])
  })

  it('that leaves ends its backend request, at whatever stage it is', async () => {
    const ended: Promise<unknown>[] = []
    const peer = await startPeer((socket) => {
      socket.on('end', () => socket.end())
      ended.push(whenClosed(socket))
    })
    const site = await startSite(['--backend', `/api=${peer.origin}`])
    const descriptors = () => readdirSync(`/proc/${site.running.child.pid}/fd`).length
    for (const request of [get, 'PUT /api HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf']) {
      const socket = connect({ port: site.port, host: '127.0.0.1' })
      const count = ended.length
      socket.write(request)
      while (ended.length === count) await new Promise((resolve) => setTimeout(resolve, 10))
      await peer.waitFor(/\r\n\r\n/)
      socket.destroy()
      await ended[count]
    }
    const before = descriptors()
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect({ port: site.port, host: '127.0.0.1' })
        socket.write(get)
        await once(socket, 'connect')
        socket.destroy()
      }),
    )
    expect((await fetch(`${site.origin}/`)).status).toBe(200)
    while (descriptors() > before + 2) await new Promise((resolve) => setTimeout(resolve, 50))
  })

  it('that waits for a backend does not prevent the server from ending', async () => {
    const site = await startFor(() => undefined)
    const pending = ask(site, get)
    const { code } = await site.running.stop()
    expect(code).toBe(0)
    expect((await pending).text).toBe('')
  })
})
