/** Hostile clients of HTTP/2, as bytes: see hostile-clients.ts. */
import { once } from 'node:events'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { gone, type HostileClient, type Target, untilCut } from './hostile-clients.ts'
import {
  endHeaders,
  endStream,
  field,
  frame,
  frameTypes,
  get,
  preface,
  requestFields,
  reset,
  settings,
  windowUpdate,
} from './http2-frames.ts'

export async function openHttp2({ port }: Target): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'secureConnect'), gone(socket)])
  return socket
}

/** Sends `start`, then small pieces one by one, until the server has closed the connection. */
async function drip(target: Target, start: Buffer, drop: (index: number) => Buffer): Promise<void> {
  const socket = await openHttp2(target)
  socket.resume()
  socket.write(start)
  let index = 0
  const timer = setInterval(() => socket.write(drop((index += 1))), 100)
  try {
    await untilCut(socket)
  } finally {
    clearInterval(timer)
  }
}

async function silent(target: Target, bytes: Buffer): Promise<void> {
  const socket = await openHttp2(target)
  socket.resume()
  if (bytes.length > 0) socket.write(bytes)
  await untilCut(socket)
}

/** Sends everything as fast as the server reads, and disconnects. */
async function flood(target: Target, start: Buffer, piece: (index: number) => Buffer, pieces: number): Promise<void> {
  const socket = await openHttp2(target)
  socket.resume()
  const left = gone(socket)
  socket.write(start)
  for (let index = 0; index < pieces && !socket.destroyed && !socket.readableEnded; index++) {
    if (!socket.write(piece(index))) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), left])
  }
  socket.destroy()
}

const streams = (count: number, make: (stream: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(2 * index + 1)))
const repeated = (bytes: Buffer) => Buffer.concat(Array.from({ length: 1_000 }, () => bytes))
const opening = Buffer.concat([preface, settings()])
const unfinished = frame(frameTypes.headers, endStream, 1, requestFields('GET', '/a.txt'))

/** Clients whose head, settings or preface never arrives completely: the header timeout ends them. */
export const slowHeadClients: readonly HostileClient[] = [
  { name: 'sends nothing after its handshake', run: (target) => silent(target, Buffer.alloc(0)) },
  { name: 'sends half a preface', run: (target) => silent(target, preface.subarray(0, 10)) },
  {
    name: 'sends half of its settings',
    run: (target) => silent(target, Buffer.concat([preface, settings(1_000).subarray(0, 11)])),
  },
  { name: 'sends a head without its end', run: (target) => silent(target, Buffer.concat([opening, unfinished])) },
  {
    name: 'sends continuations one by one',
    run: (target) => drip(target, Buffer.concat([opening, unfinished]), () => frame(frameTypes.continuation, 0, 1)),
  },
]

/** The same with a frame that never arrives completely. */
export const slowFrameClients: readonly HostileClient[] = [
  {
    name: 'sends a frame of headers byte by byte',
    run: (target) =>
      drip(
        target,
        Buffer.concat([
          opening,
          frame(frameTypes.headers, endStream | endHeaders, 1, Buffer.alloc(9_000)).subarray(0, 9),
        ]),
        () => Buffer.of(0x82),
      ),
  },
]

/** Clients that read nothing, or too little, of the files that they request: the write timeout ends them. */
export const slowTakerClients: readonly HostileClient[] = [
  {
    name: 'opens a hundred streams without a window',
    run: (target) => silent(target, Buffer.concat([preface, settings(0), streams(100, (id) => get(id, '/big'))])),
  },
  {
    name: 'opens a hundred streams without a window for small files',
    run: (target) => silent(target, Buffer.concat([preface, settings(0), streams(100, (id) => get(id, '/a.txt'))])),
  },
  {
    name: 'opens the windows of a hundred streams byte by byte',
    run: (target) =>
      drip(target, Buffer.concat([preface, settings(1), streams(100, (id) => get(id, '/big'))]), () =>
        streams(100, (id) => windowUpdate(id, 1)),
      ),
  },
]

/** Clients that send the content of a request byte by byte, and block the answer: the body timeout ends the request. */
export const slowContentClients: readonly HostileClient[] = [
  {
    name: 'sends content byte by byte',
    run: (target) =>
      drip(
        target,
        Buffer.concat([
          preface,
          settings(0),
          frame(frameTypes.headers, endHeaders, 1, requestFields('POST', '/a.txt')),
        ]),
        () => frame(frameTypes.data, 0, 1, Buffer.from('x')),
      ),
  },
]

/** Clients without any request: the idle timeout ends them. */
export const idleClients: readonly HostileClient[] = [
  { name: 'asks for nothing', run: (target) => silent(target, opening) },
  {
    name: 'sends pings only',
    run: (target) => drip(target, opening, () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
  },
]

export const floodClients: readonly HostileClient[] = [
  ...(
    [
      ['settings', opening, () => repeated(settings())],
      ['pings', opening, () => repeated(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)))],
      ['priorities', opening, () => repeated(frame(frameTypes.priority, 0, 1, Buffer.from([0, 0, 0, 0, 16])))],
      ['window updates', opening, () => repeated(windowUpdate(0, 1))],
      ['unknown frames', opening, () => repeated(frame(0xee, 0, 0, Buffer.alloc(8)))],
      [
        'resets',
        opening,
        (index) =>
          Buffer.concat(
            Array.from({ length: 1_000 }, (_, offset) => {
              const stream = 2 * (1_000 * index + offset) + 1
              return Buffer.concat([get(stream, '/big'), reset(stream)])
            }),
          ),
      ],
      [
        'continuations',
        Buffer.concat([opening, unfinished]),
        () => repeated(frame(frameTypes.continuation, 0, 1, field('x', 'y'.repeat(100)))),
      ],
      [
        'empty content',
        Buffer.concat([opening, frame(frameTypes.headers, endHeaders, 1, requestFields('POST', '/a.txt'))]),
        () => repeated(frame(frameTypes.data, 0, 1)),
      ],
      [
        // A field of 4,000 bytes is added to the table once, and after that referenced by one byte each time.
        'headers that unpack to gigabytes',
        Buffer.concat([
          opening,
          frame(
            frameTypes.headers,
            endStream | endHeaders,
            1,
            Buffer.concat([
              requestFields('GET', '/a.txt'),
              Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]),
              Buffer.alloc(4_000, 'y'),
            ]),
          ),
        ]),
        (index) =>
          frame(
            frameTypes.headers,
            endStream | endHeaders,
            2 * index + 3,
            Buffer.concat([requestFields('GET', '/a.txt'), Buffer.alloc(16_000, 0xbe)]),
          ),
      ],
    ] as const satisfies readonly (readonly [string, Buffer, (index: number) => Buffer])[]
  ).map(([what, start, piece]) => ({
    name: `floods with ${what}`,
    run: (target: Target) => flood(target, start, piece, 50),
  })),
  {
    name: 'asks for large files with the widest windows and reads nothing',
    run: async (target) => {
      const socket = await openHttp2(target)
      socket.pause()
      socket.write(
        Buffer.concat([
          preface,
          settings(0x7fffffff),
          windowUpdate(0, 0x7fff0000),
          streams(100, (id) => get(id, '/big')),
        ]),
      )
      await new Promise((resolve) => setTimeout(resolve, 300))
      socket.destroy()
    },
  },
]

export const hostileHttp2Clients: readonly HostileClient[] = [
  ...[slowHeadClients, slowFrameClients, slowTakerClients, slowContentClients, idleClients]
    .flat()
    .map((client) => ({ ...client, waits: true as const })),
  ...floodClients,
]
