/**
 * `serve` under a long mix of honest and hostile clients, over HTTP/1.1, TLS and HTTP/2 at the same time: descriptors
 * and memory must stay flat, and every honest client must get its complete file.
 *
 * Two servers run as the built command, one with a certificate. Hostile clients come in rounds, all at once; meanwhile
 * one honest client for each protocol sends requests repeatedly, on a new connection each time, from a separate
 * process, and its latency is recorded. The memory and descriptors of the servers are read from /proc. The run fails if
 * descriptors are not released, if the peak memory of the second half exceeds that of the first by more than a quarter,
 * or if an honest client is not served. Linux only.
 *
 * Run: npm run build && npx tsx bench/serve-hostile.ts [--seconds 60] [--executable dist/standalone/httpcli]
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  expectService,
  type HostileClient,
  hostileClients,
  hostileTlsClients,
  type Target,
} from '../test/helpers/hostile-clients.ts'
import { hostileHttp2Clients } from '../test/helpers/hostile-http2-clients.ts'
import { descriptorsOf } from './serve/process-tree.ts'

/** Sockets that the kernel has accepted and the server has not seen yet. */
const DESCRIPTOR_TOLERANCE = 4
const MEMORY_GROWTH = 1.25
const REPORT_MS = 60_000

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    executable: { type: 'string' },
    /** Used in the process of the honest clients: the ports of both servers. */
    honest: { type: 'string' },
  },
})
const command =
  values.executable === undefined
    ? [process.execPath, process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))]
    : [resolve(values.executable)]
const keystore = fileURLToPath(new URL('../test/keystore/files/combined.pem', import.meta.url))

type Child = ChildProcessByStdio<null, Readable, null>

/** One server and its memory over time. */
class Attacked {
  readonly target: Target
  readonly child: Child
  readonly memoriesMib: number[] = []
  descriptorsAtStart = 0

  constructor(target: Target, child: Child) {
    this.target = target
    this.child = child
  }

  get name(): string {
    return this.target.isTls ? 'TLS' : 'plain'
  }

  get descriptors(): number {
    return descriptorsOf(this.child.pid!)
  }

  measure(): void {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8')
    this.memoriesMib.push(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024)
  }

  /** The highest memory between two points of the run, each a share of its time. */
  highestMib(start: number, end: number): number {
    const { length } = this.memoriesMib
    return Math.max(...this.memoriesMib.slice(Math.floor(start * length), Math.ceil(end * length)))
  }
}

async function start(directory: string, isTls: boolean): Promise<Attacked> {
  // Shorter than the patience of the hostile clients, and longer than a busy machine takes for a request.
  const limits = { header: '4', body: '4', write: '4', idle: '6', ...(isTls ? { handshake: '6' } : {}) }
  const limitWords = Object.entries(limits).flatMap(([name, seconds]) => [`--${name}-timeout`, seconds])
  const [program = '', ...words] = [...command, 'serve', directory, '-p', '0', '-l', ...limitWords]
  const environment = { ...process.env }
  delete environment.NODE_EXTRA_CA_CERTS
  const child = spawn(program, [...words, ...(isTls ? ['-k', keystore] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.stdout.resume()
  return new Attacked({ port: Number(/:(\d+)\n/.exec(line.toString())?.[1]), isTls }, child)
}

/** The measurements of an honest client. */
interface Notes {
  readonly name: string
  readonly latenciesMs: readonly number[]
  readonly failures: readonly string[]
}

/** Sends requests until the time is over. */
async function askOften(name: string, ask: () => Promise<void>): Promise<Notes> {
  const latenciesMs: number[] = []
  const failures: string[] = []
  const endMs = performance.now() + 1000 * Number(values.seconds)
  while (performance.now() < endMs) {
    const startedMs = performance.now()
    try {
      await ask()
      latenciesMs.push(performance.now() - startedMs)
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { name, latenciesMs, failures }
}

/** The process of the honest clients. */
async function askAll(ports: string): Promise<void> {
  const [plain = 0, secured = 0] = ports.split(',').map(Number)
  const notes = await Promise.all([
    askOften('HTTP/1.1', () => expectService({ port: plain, isTls: false })),
    askOften('TLS', () => expectService({ port: secured, isTls: true })),
    askOften('HTTP/2', () => askOverHttp2({ port: secured, isTls: true })),
  ])
  print(JSON.stringify(notes))
}

async function honestNotes(ports: string): Promise<readonly Notes[]> {
  const words = [...process.execArgv, fileURLToPath(import.meta.url), '--honest', ports, '--seconds', values.seconds]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  for await (const bytes of child.stdout) chunks.push(bytes as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as readonly Notes[]
}

function summary({ name, latenciesMs, failures }: Notes): string {
  const sorted = latenciesMs.toSorted((one, other) => one - other)
  const at = (share: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)} ms`
  return `${name}: ${sorted.length} served, ${failures.length} failed, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`
}

async function askOverHttp2({ port }: Target): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  try {
    await new Promise<void>((resolveEnd, reject) => {
      session.on('error', reject)
      session.once('close', () => reject(new Error('an honest client of HTTP/2 lost its connection')))
      const stream = session.request({ ':path': '/a.txt' })
      const chunks: Buffer[] = []
      stream.on('error', reject)
      stream.on('data', (bytes: Buffer) => chunks.push(bytes))
      stream.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        if (body === 'hello') resolveEnd()
        else reject(new Error(`an honest client of HTTP/2 was answered by ${JSON.stringify(body.slice(0, 200))}`))
      })
    })
  } finally {
    session.destroy()
  }
}

async function attack(
  { target }: Attacked,
  clients: readonly HostileClient[],
  isOver: () => boolean,
): Promise<readonly string[]> {
  const faults = new Set<string>()
  while (!isOver()) {
    await Promise.all(
      clients.map((client) =>
        client.run(target).catch((error: unknown) => void faults.add(`${client.name}: ${(error as Error).message}`)),
      ),
    )
  }
  return [...faults]
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function run(base: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(base, 'site-'))
  writeFileSync(join(directory, 'a.txt'), 'hello')
  closeSync(openSync(join(directory, 'big'), 'w'))
  truncateSync(join(directory, 'big'), 50_000_000)
  const plain = await start(directory, false)
  const secured = await start(directory, true)
  const servers = [plain, secured]
  try {
    for (const server of servers) {
      for (let warmUp = 0; warmUp < 100; warmUp++) await expectService(server.target)
      server.descriptorsAtStart = server.descriptors
    }
    const startedMs = performance.now()
    const isOver = () => performance.now() - startedMs > 1000 * Number(values.seconds)
    const measuring = setInterval(() => {
      for (const server of servers) server.measure()
    }, 100)
    const reporting = setInterval(() => {
      const minute = Math.round((performance.now() - startedMs) / REPORT_MS)
      for (const { name, descriptors, memoriesMib } of servers) {
        print(`minute ${minute}, ${name}: ${descriptors} descriptors, ${Math.round(memoriesMib.at(-1) ?? 0)} MiB`)
      }
    }, REPORT_MS)
    const attacks = [
      attack(plain, hostileClients, isOver),
      attack(secured, [...hostileClients, ...hostileTlsClients, ...hostileHttp2Clients], isOver),
    ]
    const honest = await honestNotes(`${plain.target.port},${secured.target.port}`)
    // On a busy machine, hostile clients may not see in time what the server did; the end-to-end tests enforce that.
    for (const complaint of (await Promise.all(attacks)).flat()) print(`a hostile client complains: ${complaint}`)
    clearInterval(measuring)
    clearInterval(reporting)
    const isBack = ({ descriptors, descriptorsAtStart }: Attacked) =>
      descriptors <= descriptorsAtStart + DESCRIPTOR_TOLERANCE
    for (let wait = 0; wait < 100 && !servers.every(isBack); wait++) await delay(100)
    for (const notes of honest) print(summary(notes))
    for (const server of servers) {
      const [warm, highest] = [server.highestMib(0, 0.1), server.highestMib(0, 1)].map(Math.round)
      print(
        `${server.name}: highest ${warm} MiB in the first tenth, ${highest} MiB in all; ${server.descriptors} descriptors, ${server.descriptorsAtStart} at the start`,
      )
    }
    return [
      ...honest.flatMap(({ name, failures }) => [...new Set(failures)].map((failure) => `${name}: ${failure}`)),
      ...servers.filter((server) => !isBack(server)).map(({ name }) => `${name}: descriptors were not given back`),
      ...servers
        .filter((server) => server.highestMib(0.5, 1) > MEMORY_GROWTH * server.highestMib(0, 0.5))
        .map(({ name }) => `${name}: memory grows`),
      ...servers.filter(({ child }) => child.exitCode !== null).map(({ name }) => `${name}: the server has ended`),
    ]
  } finally {
    for (const { child } of servers) child.kill()
  }
}

async function main(): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
  try {
    const faults = await run(base)
    for (const fault of faults) print(`FAULT: ${fault}`)
    process.exitCode = faults.length === 0 ? 0 : 1
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

await (values.honest === undefined ? main() : askAll(values.honest))
