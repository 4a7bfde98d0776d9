/**
 * Values as long as the limits allow, made to take as long as possible to read: they cost a server little more than
 * harmless values of the same length.
 *
 * Rules: time is judged by the time that the process spends on the CPU and against a harmless load of the same size, in
 * several rounds of which the best counts: other work on the machine only ever adds time.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../helpers/command.ts'
import { open, type Target } from '../helpers/hostile-clients.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))
const startLine = /^Serving directory \S+ on https?:\/\/127\.0\.0\.1:(\d+)$/

/** Below the server's limit for a header section, with room for the other fields. */
const FIELD_CHARACTERS = 30_000
const CONNECTIONS = 10
const REQUESTS = 10
const ROUNDS = 3
/** The wait that an honest client may see, if it sees none under a harmless load. */
const MAX_WAIT_MS = 50

type Field = readonly [name: string, value: string]

const repeat = (unit: string): string => unit.repeat(Math.floor(FIELD_CHARACTERS / unit.length))

const harmless: readonly Field[] = [['x-note', repeat('harmless ')]]

/** Ten to a connection: each of the connections sends them all. */
const hostile: readonly Field[] = [
  ['range', `bytes=${repeat('0')}x`],
  ['range', `bytes=0-${repeat(' ')}1`],
  ['range', `bytes=${repeat('0')}-${'0'.repeat(500)}x`],
  ['range', `bytes=${repeat('1-1,')}x`],
  ['accept', `text/html;${repeat('a="\\",')}`],
  ['accept', `${repeat('a/b,')}x/`],
  ['accept-encoding', `gzip;${repeat(' ')}q`],
  ['if-none-match', `${repeat('"a",')}x`],
  ['if-modified-since', `Sat, ${repeat(' ')}x`],
  ['authorization', `Basic ${repeat(' ')}x`],
]

interface Server extends Target {
  /** Time on the CPU. */
  cpuMs(): number
}

async function serve(words: readonly string[], isTls: boolean): Promise<Server> {
  const root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
  const running = await startCommand(['serve', root, '-p', '0', ...words], startLine)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { port: Number(running.match[1]), isTls, cpuMs: () => cpuMsOf(running.child.pid as number) }
}

/** User and system time of a process: fields 14 and 15 of its line, in ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * 10
}

/** Pipelines the requests on one connection. @returns the number of answers */
async function pipeline(target: Target, fields: readonly Field[]): Promise<number> {
  const socket = await open(target)
  const chunks: Buffer[] = []
  socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  for (let count = 0; count < REQUESTS; count++) {
    const [name, value] = fields[count % fields.length] as Field
    const end = count === REQUESTS - 1 ? 'Connection: close\r\n' : ''
    socket.write(`GET /a.txt HTTP/1.1\r\nHost: a\r\n${end}${name}: ${value}\r\n\r\n`)
  }
  await once(socket, 'end')
  socket.destroy()
  return (
    Buffer.concat(chunks)
      .toString('latin1')
      .match(/HTTP\/1\.1 (?:200|206|304|401|416) /g)?.length ?? 0
  )
}

/** The same as streams of one HTTP/2 connection. */
async function streams({ port }: Target, fields: readonly Field[]): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  const statuses = await Promise.all(
    Array.from({ length: REQUESTS }, async (_, count) => {
      const [name, value] = fields[count % fields.length] as Field
      const stream = session.request({ ':path': '/a.txt', [name]: value })
      stream.resume()
      // Both at once: the end may come in the same turn as the head.
      const [[answer]] = (await Promise.all([once(stream, 'response'), once(stream, 'close')])) as unknown as [
        [{ readonly ':status': number }],
      ]
      return answer[':status']
    }),
  )
  session.close()
  return statuses.filter((status) => [200, 206, 304, 401, 416].includes(status)).length
}

/** Asks one request after the other on its own connection until the load is over. @returns the longest wait */
async function honestWaitMs(target: Target, load: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = load.finally(() => {
    isOver = true
  })
  const socket = await open(target)
  let longestMs = 0
  while (!isOver) {
    const startedAt = performance.now()
    socket.write('GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    longestMs = Math.max(longestMs, performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.destroy()
  await over
  return longestMs
}

interface Measured {
  readonly cpuMs: number
  readonly waitMs: number
}

async function measure(
  server: Server,
  send: (target: Target, fields: readonly Field[]) => Promise<number>,
  fields: readonly Field[],
): Promise<Measured> {
  const before = server.cpuMs()
  const load = Promise.all(Array.from({ length: CONNECTIONS }, () => send(server, fields)))
  const waitMs = await honestWaitMs(server, load)
  expect(await load).toEqual(Array(CONNECTIONS).fill(REQUESTS))
  return { cpuMs: server.cpuMs() - before, waitMs }
}

function best(measured: readonly Measured[]): Measured {
  return {
    cpuMs: Math.min(...measured.map(({ cpuMs }) => cpuMs)),
    waitMs: Math.min(...measured.map(({ waitMs }) => waitMs)),
  }
}

describe('a hundred requests with hostile values', () => {
  it.each([
    ['plain HTTP', false, pipeline],
    ['TLS', true, pipeline],
    ['HTTP/2', true, streams],
  ] as const)(
    'over %s cost httpcli serve little more than harmless ones, and delay no other client',
    async (_what, isTls, send) => {
      const server = await serve(isTls ? ['-k', keystore] : [], isTls)
      await measure(server, send, harmless)
      const quiet: Measured[] = []
      const attacked: Measured[] = []
      for (let round = 0; round < ROUNDS; round++) {
        quiet.push(await measure(server, send, harmless))
        attacked.push(await measure(server, send, hostile))
      }
      const [expected, found] = [best(quiet), best(attacked)]

      expect(found.cpuMs).toBeLessThan(5 * expected.cpuMs + 200)
      expect(found.waitMs).toBeLessThan(MAX_WAIT_MS + 5 * expected.waitMs)
    },
    120_000,
  )
})
