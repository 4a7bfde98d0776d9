/**
 * `serve` under a long mix of proper and hostile clients: descriptors and memory must stay flat, and every proper client
 * must get its file, whole.
 *
 * Rules: the server runs as the built command in a process of its own, over plain HTTP and over TLS in turn; what it
 * holds is read from /proc when all clients of a round have gone. The run fails when descriptors grow, when memory is
 * above the budget, or when a proper client is answered wrongly. Linux only.
 *
 * Run: npm run build && npx tsx bench/serve-hostile.ts [seconds for each of the two]
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expectService, hostileClients, hostileTlsClients, open, type Target } from '../test/helpers/hostile-clients.ts'

const MEMORY_BUDGET_MIB = 128
/** Sockets that the kernel has accepted and the server has not seen yet. */
const DESCRIPTOR_TOLERANCE = 4
const secondsEach = Number(process.argv[2] ?? 60)

const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const keystore = fileURLToPath(new URL('../test/server/keystores/combined.pem', import.meta.url))
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS

const base = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
let failures = 0
try {
  for (const isTls of [false, true]) failures += await run(isTls)
} finally {
  rmSync(base, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

async function run(isTls: boolean): Promise<number> {
  const directory = mkdtempSync(join(base, 'site-'))
  writeFileSync(join(directory, 'a.txt'), 'hello')
  closeSync(openSync(join(directory, 'big'), 'w'))
  truncateSync(join(directory, 'big'), 50_000_000)
  const child = startServer(directory, isTls)
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const target: Target = { port: Number(/:(\d+)\n/.exec(line.toString())?.[1]), isTls }
    child.stdout.resume()
    return await attack(target, child, directory)
  } finally {
    child.kill()
  }
}

function startServer(directory: string, isTls: boolean): ChildProcessByStdio<null, Readable, null> {
  // Proper clients share a process with hostile ones and may take their time before they send anything.
  const limits = { header: '1', body: '1', write: '1', idle: '5', ...(isTls ? { handshake: '2' } : {}) }
  const limitWords = Object.entries(limits).flatMap(([name, seconds]) => [`--${name}-timeout`, seconds])
  const words = [command, 'serve', directory, '-p', '0', '-l', ...limitWords, ...(isTls ? ['-k', keystore] : [])]
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env: environment })
}

async function attack(
  target: Target,
  child: { readonly pid?: number | undefined; exitCode: number | null },
  directory: string,
) {
  const status = `/proc/${child.pid}`
  const descriptors = () => readdirSync(`${status}/fd`).length
  const memoryMib = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${status}/status`, 'utf8'))?.[1]) / 1024
  const clients = target.isTls ? [...hostileClients, ...hostileTlsClients] : hostileClients
  for (let warmUp = 0; warmUp < 100; warmUp++) await expectService(target)
  const descriptorsAtStart = descriptors()
  const endMs = Date.now() + secondsEach * 1000
  const wrong: string[] = []
  let served = 0
  let highestMib = 0
  for (let round = 1; Date.now() < endMs && child.exitCode === null; round++) {
    let isOver = false
    const note = (error: unknown) => wrong.push(error instanceof Error ? error.message : String(error))
    const proper = async () => {
      while (!isOver) {
        await expectService(target).then(() => served++, note)
        writeFileSync(join(directory, 'b.txt'), `round ${round}`)
      }
    }
    const attacks = Promise.all(clients.map((client) => client.run(target).catch(note)))
    const watch = setInterval(() => {
      highestMib = Math.max(highestMib, memoryMib())
    }, 50)
    const properClients = Promise.all([proper(), proper()])
    await attacks
    isOver = true
    await properClients
    clearInterval(watch)
    for (let wait = 0; wait < 50 && descriptors() > descriptorsAtStart; wait++) await delay(100)
    const line = `round ${round}: ${descriptors()} descriptors, ${Math.round(memoryMib())} MiB`
    process.stdout.write(`${target.isTls ? 'TLS' : 'plain'} ${line}, highest ${Math.round(highestMib)} MiB\n`)
  }
  const idle = await open(target)
  idle.destroy()
  const faults = [
    ...(child.exitCode === null ? [] : [`the server ended with ${child.exitCode}`]),
    ...(descriptors() > descriptorsAtStart + DESCRIPTOR_TOLERANCE
      ? [`${descriptors()} descriptors are open, ${descriptorsAtStart} were at the start`]
      : []),
    ...(highestMib > MEMORY_BUDGET_MIB ? [`memory went up to ${Math.round(highestMib)} MiB`] : []),
    ...new Set(wrong),
  ]
  process.stdout.write(`${target.isTls ? 'TLS' : 'plain'}: ${served} proper requests served\n`)
  for (const fault of faults) process.stdout.write(`  FAULT: ${fault}\n`)
  return faults.length
}
