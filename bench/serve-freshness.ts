/**
 * `serve` under hostile editing: nothing stale, nothing torn, nothing leaked.
 *
 * Three parts, each with its figures; a stale or torn answer, a leak or too much memory fails the run:
 *   stale: edits (half replace the file by rename, half rewrite it in place), each followed at once by a request, under
 *     a background load of 64 connections on the same file;
 *   torn: a file of 3 MiB that is rewritten in place continuously; a body of full length must come from one edit;
 *   mixed: valid requests, aborted and slow downloads, malformed and partial heads; descriptors and memory at the end.
 *
 * Run: npm run build && npx tsx bench/serve-freshness.ts [--edits 4000] [--seconds 20] [stale|torn|mixed …]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { costOfTree, descriptorsOf } from './serve/process-tree.ts'

const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { edits: { type: 'string', default: '4000' }, seconds: { type: 'string', default: '20' } },
})
const edits = Number(values.edits)
const durationMs = Number(values.seconds) * 1_000
const MIB = 1_048_576
const allowedMegabytes = 128

const site = mkdtempSync(join(tmpdir(), 'httpcli-fresh-'))
const request = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

interface Reply {
  readonly head: string
  readonly body: Buffer
  /** Whether the body has the length that its head says. */
  readonly isWhole: boolean
}

/** Sends one request on a separate connection, or on a kept one. */
function ask(port: number, octets: string, kept?: Socket): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = kept ?? connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    const pieces: Buffer[] = []
    let missing = Number.POSITIVE_INFINITY
    let head = ''
    const end = (): void => {
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      if (kept === undefined) socket.destroy()
      if (head === '') reject(new Error('no answer'))
      else resolve({ head, body: Buffer.concat(pieces), isWhole: missing <= 0 })
    }
    socket.on('data', (bytes: Buffer) => {
      if (head === '') {
        received = Buffer.concat([received, bytes])
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        head = received.toString('latin1', 0, headEnd)
        missing = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
        bytes = received.subarray(headEnd + 4)
      }
      pieces.push(bytes)
      missing -= bytes.length
      if (missing <= 0) end()
    })
    socket.on('close', end)
    socket.on('error', () => undefined)
    socket.write(octets)
  })
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const environment = { ...process.env }
  delete environment.NODE_EXTRA_CA_CERTS
  const words = [command, 'serve', site, '-p', '0', '--write-timeout', '3', '--header-timeout', '2']
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env: environment })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, port: Number(/:(\d+)/.exec(String(line).split('http').at(-1)!)![1]) }
}

async function checkStale(port: number): Promise<boolean> {
  const file = join(site, 'edited.txt')
  const content = (edit: number) => `edit ${String(edit).padStart(6, '0')}`
  writeFileSync(file, content(0))
  let isOver = false
  const background = Array.from({ length: 64 }, async () => {
    const socket = connect(port, '127.0.0.1')
    while (!isOver) await ask(port, request('/edited.txt'), socket)
    socket.destroy()
  })
  const socket = connect(port, '127.0.0.1')
  let stale = 0
  let unchanged = 0
  let etag = '"none"'
  for (let edit = 1; edit <= edits; edit++) {
    if (edit % 2 === 0) writeFileSync(file, content(edit))
    else {
      writeFileSync(`${file}.next`, content(edit))
      renameSync(`${file}.next`, file)
    }
    const { head, body } = await ask(port, request('/edited.txt', `If-None-Match: ${etag}\r\n`), socket)
    if (head.startsWith('HTTP/1.1 304')) unchanged += 1
    else if (body.toString() !== content(edit)) stale += 1
    etag = /^etag: (.*)$/im.exec(head)?.[1] ?? etag
  }
  isOver = true
  await Promise.all(background)
  socket.destroy()
  console.log(`stale: ${edits} edits, ${stale} stale, ${unchanged} wrong 304`)
  return stale === 0 && unchanged === 0
}

const rewriter = `
  const fs = require('node:fs')
  const { workerData: { file, size, isOver } } = require('node:worker_threads')
  const descriptor = fs.openSync(file, 'r+')
  for (let edit = 0; Atomics.load(isOver, 0) === 0; edit++) {
    fs.writeSync(descriptor, Buffer.alloc(size, 65 + edit % 26), 0, size, 0)
    // Every third edit the file has a moment of peace.
    if (edit % 3 === 0) Atomics.wait(isOver, 0, 0, 60)
  }
`

async function checkTorn(port: number): Promise<boolean> {
  const file = join(site, 'rewritten.bin')
  writeFileSync(file, Buffer.alloc(3 * MIB, 65))
  const isOver = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(rewriter, { eval: true, workerData: { file, size: 3 * MIB, isOver } })
  const counts = { whole: 0, cut: 0, busy: 0, torn: 0 }
  for (let count = 0; count < 160; count++) {
    const { head, body, isWhole } = await ask(port, request('/rewritten.bin'))
    if (!head.startsWith('HTTP/1.1 200')) counts.busy += 1
    else if (!isWhole) counts.cut += 1
    else if (body.equals(Buffer.alloc(body.length, body[0]))) counts.whole += 1
    else counts.torn += 1
  }
  Atomics.store(isOver, 0, 1)
  Atomics.notify(isOver, 0)
  await once(worker, 'exit')
  console.log(`torn: ${JSON.stringify(counts)}`)
  return counts.torn === 0 && counts.whole > 0
}

/** What clients do, well-behaved or not; each ends by itself. */
const behaviours: readonly ((port: number) => Promise<unknown>)[] = [
  (port) => ask(port, request('/small.txt')),
  (port) => ask(port, request('/none')),
  (port) => ask(port, request('/large.bin', 'Range: bytes=1000-200000\r\n')),
  (port) => ask(port, 'NONSENSE\r\n\r\n'),
  (port) => ask(port, request(`/${Math.random()}`)),
  abortedDownload,
  slowDownload,
  halfHead,
]

async function abortedDownload(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(request('/large.bin'))
  await once(socket, 'data')
  socket.resetAndDestroy()
}

async function slowDownload(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(request('/large.bin'))
  await once(socket, 'data')
  socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 500))
  socket.destroy()
}

async function halfHead(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET /small.txt HTTP/1.1\r\nHost:')
  await new Promise((resolve) => setTimeout(resolve, 200))
  socket.destroy()
}

async function checkMixed(port: number, pid: number): Promise<boolean> {
  writeFileSync(join(site, 'small.txt'), 'small')
  closeSync(openSync(join(site, 'large.bin'), 'w'))
  truncateSync(join(site, 'large.bin'), 50 * MIB)
  const descriptor = openSync(join(site, 'large.bin'), 'r+')
  writeSync(descriptor, 'x', 10 * MIB)
  closeSync(descriptor)
  const before = descriptorsOf(pid)
  const endMs = Date.now() + durationMs
  let requests = 0
  let largestMegabytes = 0
  const clients = Array.from({ length: 32 }, async (_, client) => {
    while (Date.now() < endMs) {
      await behaviours[(client + requests) % behaviours.length]!(port).catch(() => undefined)
      requests += 1
      if (requests % 50 === 0) {
        largestMegabytes = Math.max(largestMegabytes, costOfTree(pid).residentBytes / MIB)
      }
    }
  })
  await Promise.all(clients)
  // Connections that linger have a separate time limit.
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  const after = descriptorsOf(pid)
  console.log(
    `mixed: ${requests} requests, descriptors ${before} to ${after}, ${largestMegabytes.toFixed(0)} MiB at most`,
  )
  return after <= before + 1 && largestMegabytes <= allowedMegabytes
}

async function main(): Promise<void> {
  const { child, port } = await startServer()
  const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)
  try {
    const outcomes = [
      !isWanted('stale') || (await checkStale(port)),
      !isWanted('torn') || (await checkTorn(port)),
      !isWanted('mixed') || (await checkMixed(port, child.pid!)),
    ]
    process.exitCode = outcomes.every(Boolean) ? 0 : 1
  } finally {
    child.kill()
    rmSync(site, { recursive: true, force: true })
  }
}

await main()
