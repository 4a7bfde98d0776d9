/**
 * Clients that try to take a server down, in one table: for a test of each, and for a long mix of all.
 *
 * Rules: each ends by itself within a few seconds: when the server has closed its connection, or when it has finished
 * its attack. They expect a server with limits of about a second, and these files: `a.txt` (`hello`), `big` (about 50
 * MB). They are not proper clients, so nothing that happens to their sockets is an error.
 */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Target {
  readonly port: number
  readonly isTls: boolean
  /** A socket of the file system, instead of the port. */
  readonly path?: string
}

export interface HostileClient {
  readonly name: string
  /** Whether it only waits for a limit of the server, so that several can run in parallel. */
  readonly waits?: true
  /** Rejects only if the server makes a mistake: a wrong response, or none if one is required. */
  run(target: Target): Promise<void>
}

/** Longer than any limit of the attacked server, even on a busy machine. */
const patienceMs = 45_000

export async function open({ port, isTls, path }: Target): Promise<Socket> {
  const place = path === undefined ? { port, host: '127.0.0.1' } : { path }
  const plain = connectTcp({ ...place, allowHalfOpen: true })
  plain.on('error', () => undefined)
  if (!isTls) {
    await Promise.race([once(plain, 'connect'), gone(plain)])
    return plain
  }
  const socket = connectTls({ socket: plain, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => undefined)
  plainOf.set(socket, plain)
  await Promise.race([once(socket, 'secureConnect'), gone(socket)])
  return socket
}

/** The sockets below TLS sockets: only these can be reset. */
const plainOf = new WeakMap<Socket, Socket>()

function reset(socket: Socket): void {
  const plain = plainOf.get(socket) ?? socket
  plain.resetAndDestroy()
}

/**
 * Resolves when the server has ended its side, which is all that a half-open client notices, or has closed the
 * connection.
 */
export function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.readableEnded) resolve()
    socket.once('close', () => resolve()).once('end', () => resolve())
  })
}

/** Resolves when the server has closed the connection. Rejects if it does not. */
export async function untilCut(socket: Socket): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the server did not cut this client off')), patienceMs)
  })
  try {
    await Promise.race([gone(socket), tooLate])
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/**
 * Writes until the server has closed the connection or `maximumBytes` have been written; returns the bytes received.
 */
async function pour(socket: Socket, piece: string | Buffer, maximumBytes = Number.POSITIVE_INFINITY): Promise<string> {
  let received = ''
  socket.on('data', (bytes: Buffer) => {
    if (received.length < 1000) received += bytes.toString('latin1')
  })
  let sentBytes = 0
  const pump = () => {
    while (!socket.destroyed && sentBytes < maximumBytes) {
      sentBytes += piece.length
      if (!socket.write(piece)) {
        socket.once('drain', pump)
        return
      }
    }
  }
  pump()
  await untilCut(socket)
  return received
}

async function drip(target: Target, start: string, drop: string): Promise<void> {
  const socket = await open(target)
  socket.resume()
  socket.write(start)
  const timer = setInterval(() => socket.write(drop), 50)
  try {
    await untilCut(socket)
  } finally {
    clearInterval(timer)
  }
}

async function silent(target: Target, octets: string | Buffer): Promise<void> {
  const socket = await open(target)
  socket.resume()
  if (octets.length > 0) socket.write(octets)
  await untilCut(socket)
}

/** Disconnects once the first bytes of the response have arrived. */
async function abort(target: Target, request: string, how: 'end' | 'reset' | 'destroy'): Promise<void> {
  const socket = await open(target)
  socket.write(request)
  await Promise.race([once(socket, 'data').catch(() => undefined), gone(socket)])
  if (how === 'end') socket.end()
  if (how === 'reset') reset(socket)
  socket.destroy()
}

function times<Value>(count: number, make: (index: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

function expectStatus(received: string, statuses: readonly number[]): void {
  // A client whose connection is closed while it writes may lose the response to a reset.
  if (received === '') return
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1])
  if (!statuses.includes(status)) throw new Error(`answered by ${JSON.stringify(received.slice(0, 100))}`)
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
const begunHead = 'GET /a.txt HTTP/1.1\r\nHost: a\r\n'
const post = (fields: string) => `POST /a.txt HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

export const hostileClients: readonly HostileClient[] = [
  { name: 'connects and stays silent', waits: true, run: (target) => silent(target, '') },
  { name: 'sends one letter and stays silent', waits: true, run: (target) => silent(target, 'G') },
  { name: 'sends a head without its end', waits: true, run: (target) => silent(target, begunHead) },
  { name: 'sends a head letter by letter', waits: true, run: (target) => drip(target, begunHead, 'X') },
  { name: 'sends a head field by field', waits: true, run: (target) => drip(target, begunHead, 'X: y\r\n') },
  { name: 'sends empty lines without end', waits: true, run: (target) => drip(target, '', '\r\n') },
  {
    name: 'promises content and sends none',
    waits: true,
    run: (target) => silent(target, post('Content-Length: 100\r\n')),
  },
  {
    name: 'sends content letter by letter',
    waits: true,
    run: (target) => drip(target, post('Content-Length: 9999\r\n'), 'x'),
  },
  {
    name: 'sends chunks letter by letter',
    waits: true,
    run: (target) => drip(target, post('Transfer-Encoding: chunked\r\n'), '1\r\nx\r\n'),
  },
  {
    name: 'sends Expect: 100-continue and no content',
    waits: true,
    run: (target) => silent(target, post('Content-Length: 100\r\nExpect: 100-continue\r\n')),
  },
  {
    name: 'reads nothing of a large file',
    run: async (target) => {
      const socket = await open(target)
      socket.pause()
      socket.write(get('/big'))
      // A paused socket gets no events: that the server has closed the connection shows only in its descriptors, which
      // the caller counts.
      await new Promise((resolve) => setTimeout(resolve, 200))
      socket.destroy()
    },
  },
  {
    name: 'reads a large file in small pieces, and leaves',
    run: async (target) => {
      const socket = await open(target)
      socket.write(get('/big'))
      const left = gone(socket)
      for (let count = 0; count < 20; count++) {
        await Promise.race([once(socket, 'data').catch(() => undefined), left])
        socket.pause()
        await new Promise((resolve) => setTimeout(resolve, 10))
        socket.resume()
      }
      socket.destroy()
    },
  },
  {
    name: 'sends header fields without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write(begunHead)
      expectStatus(await pour(socket, `X-Field: ${'y'.repeat(1000)}\r\n`.repeat(50)), [431, 400])
    },
  },
  {
    name: 'sends one header line without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write(`${begunHead}X: `)
      expectStatus(await pour(socket, 'y'.repeat(65_536)), [431, 400])
    },
  },
  {
    name: 'sends a request line without end',
    run: async (target) => expectStatus(await pour(await open(target), 'G'.repeat(65_536)), [400, 414, 431, 501]),
  },
  {
    name: 'sends a target without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write('GET /')
      expectStatus(await pour(socket, 'x/'.repeat(30_000)), [414, 400, 431])
    },
  },
  {
    name: 'sends chunks without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write(post('Transfer-Encoding: chunked\r\n'))
      expectStatus(await pour(socket, `1000\r\n${'x'.repeat(4096)}\r\n`.repeat(16)), [405, 413, 400, 408])
    },
  },
  {
    name: 'sends chunk extensions without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write(post('Transfer-Encoding: chunked\r\n'))
      expectStatus(await pour(socket, `1;${'x=y;'.repeat(1000)}`), [400, 413, 431, 405, 408])
    },
  },
  {
    name: 'sends trailers without end',
    run: async (target) => {
      const socket = await open(target)
      socket.write(`${post('Transfer-Encoding: chunked\r\n')}0\r\n`)
      expectStatus(await pour(socket, `X: ${'y'.repeat(1000)}\r\n`), [400, 431, 405, 413, 408])
    },
  },
  {
    name: 'sends gigabytes of content',
    run: async (target) => {
      const socket = await open(target)
      socket.write(post('Content-Length: 999999999999\r\n'))
      expectStatus(await pour(socket, Buffer.alloc(65_536)), [405, 413, 408])
    },
  },
  {
    name: 'sends zeros',
    run: async (target) => expectStatus(await pour(await open(target), Buffer.alloc(65_536)), [400]),
  },
  {
    name: 'sends requests without reading an answer',
    run: async (target) => {
      const socket = await open(target)
      socket.pause()
      for (let count = 0; count < 200 && !socket.destroyed; count++) socket.write(get('/a.txt').repeat(100))
      await new Promise((resolve) => setTimeout(resolve, 300))
      socket.destroy()
    },
  },
  {
    name: 'sends requests for a large file without reading an answer',
    run: async (target) => {
      const socket = await open(target)
      socket.pause()
      socket.write(get('/big').repeat(1000))
      await new Promise((resolve) => setTimeout(resolve, 300))
      socket.destroy()
    },
  },
  {
    name: 'leaves fifty downloads',
    run: async (target) => void (await times(50, () => abort(target, get('/big'), 'destroy'))),
  },
  {
    name: 'resets fifty downloads',
    run: async (target) => void (await times(50, () => abort(target, get('/big'), 'reset'))),
  },
  {
    name: 'ends its side of downloads',
    run: async (target) => void (await times(10, () => abort(target, get('/big'), 'end'))),
  },
  {
    name: 'resets at every stage of a request',
    run: async (target) => {
      const request = `${post('Content-Length: 5\r\n')}hello${get('/big')}`
      await times(40, async (index) => {
        const socket = await open(target)
        socket.write(request.slice(0, Math.floor((request.length * index) / 39)))
        await new Promise((resolve) => setImmediate(resolve))
        reset(socket)
      })
    },
  },
  {
    name: 'ends its side after its request, and waits for the answer',
    run: async (target) => {
      const socket = await open(target)
      let received = ''
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString('latin1')
      })
      socket.end(get('/a.txt'))
      await untilCut(socket)
      if (!received.endsWith('\r\n\r\nhello')) throw new Error(`answered by ${JSON.stringify(received)}`)
    },
  },
  {
    name: 'holds two hundred connections open',
    run: async (target) => {
      const sockets = await times(200, () => open(target))
      await times(200, (index) => Promise.resolve(void sockets[index]!.write('GET / HT')))
      for (const socket of sockets) socket.resume()
      await times(200, (index) => untilCut(sockets[index]!))
    },
  },
  {
    name: 'declares two lengths at once',
    run: async (target) => {
      const socket = await open(target)
      const smuggled = `${post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${get('/a.txt')}`
      expectStatus(await pour(socket, smuggled, 1), [400])
    },
  },
  {
    name: 'asks for three thousand ranges',
    run: async (target) => {
      const ranges = Array.from({ length: 3000 }, (_, index) => `${2 * index}-${2 * index}`).join(',')
      const socket = await open(target)
      expectStatus(
        await pour(socket, get('/big', `Range: bytes=${ranges}\r\nConnection: close\r\n`), 1),
        [200, 206, 416, 400, 431],
      )
    },
  },
  {
    name: 'asks for invalid ranges',
    run: async (target) => {
      for (const range of [
        '9-5',
        '0-18446744073709551615',
        '-0',
        '-',
        '0-0,',
        '1e3-',
        '0x1-2',
        '99999999999999999999-',
      ]) {
        const socket = await open(target)
        expectStatus(
          await pour(socket, get('/a.txt', `Range: bytes=${range}\r\nConnection: close\r\n`), 1),
          [200, 206, 416],
        )
      }
    },
  },
  {
    name: 'accepts thousands of types and codings',
    run: async (target) => {
      const accept = Array.from({ length: 2000 }, (_, index) => `a/b${index};q=0.1`).join(',')
      const codings = Array.from({ length: 500 }, (_, index) => `c${index};q=0.1`).join(',')
      const fields = `Accept: ${accept}\r\nAccept-Encoding: ${codings}\r\nIf-None-Match: ${'"x",'.repeat(500)}"y"\r\nConnection: close\r\n`
      const socket = await open(target)
      expectStatus(await pour(socket, get('/a', fields), 1), [200, 404, 431])
    },
  },
  {
    name: 'asks for very long and very deep paths',
    run: async (target) => {
      for (const path of [
        `/${'x'.repeat(300)}`,
        `/${'x'.repeat(5000)}`,
        '/a'.repeat(4000),
        `/${'%41'.repeat(2000)}`,
        '/%2e'.repeat(2000),
        '/%2e%2e'.repeat(1000),
        `${'/a/..'.repeat(1000)}/b`,
      ]) {
        const socket = await open(target)
        expectStatus(await pour(socket, get(path, 'Connection: close\r\n'), 1), [200, 404, 400, 414])
      }
    },
  },
]

/** Attacks on TLS alone, before any HTTP. */
export const hostileTlsClients: readonly HostileClient[] = [
  ...[
    ['nothing', ''],
    ['the first byte of a record', '\x16'],
    ['a part of a hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an invalid hello', '\x16\x03\x01\x00\x05garbage'],
    ['zeros', '\0'.repeat(100)],
    ['plain HTTP', get('/a.txt')],
  ].map(([what = '', octets = '']) => ({
    name: `sends ${what} before its handshake`,
    run: (target: Target) => silent({ ...target, isTls: false }, Buffer.from(octets, 'latin1')),
  })),
  {
    name: 'resets a hundred handshakes',
    run: async ({ port }) => {
      await times(100, async (index) => {
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        socket.on('error', () => undefined)
        await new Promise((resolve) => setTimeout(resolve, index / 10))
        socket.destroy()
      })
    },
  },
  {
    name: 'renegotiates without end',
    run: async ({ port }) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.2' })
      socket.on('error', () => undefined)
      await Promise.race([once(socket, 'secureConnect'), gone(socket)])
      const left = gone(socket)
      for (let count = 0; count < 20 && !socket.destroyed; count++) {
        const renegotiated = new Promise<void>((resolve) => {
          if (socket.renegotiate({}, () => resolve()) === false) resolve()
        })
        await Promise.race([renegotiated, left])
      }
      socket.destroy()
    },
  },
]

/** A proper client: reads the whole response to `GET /a.txt`. Rejects if it is not the file. */
export async function expectService(target: Target): Promise<void> {
  const socket = await open(target)
  let received = ''
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
  })
  socket.write(get('/a.txt', 'Connection: close\r\n'))
  await untilCut(socket)
  if (!/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhello$/.test(received)) {
    throw new Error(`a proper client was answered by ${JSON.stringify(received.slice(0, 200))}`)
  }
}
