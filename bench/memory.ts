/**
 * Memory: the peak of `send` with 2 GB against its peak with 1 KB, in each direction.
 *
 * Rules: the peak is the one that the kernel recorded for the process (VmHWM), read just before it ends; each transfer
 * uses a server in a separate process that keeps no data. The run fails if a peak exceeds the peak of the small
 * transfer by more than the budget.
 *
 * Run: npm run build && npx tsx bench/memory.ts [megabytes]
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BUDGET_MIB = 40
const MEGABYTE = 1_000_000
const sizeBytes = Number(process.argv[2] ?? 2000) * MEGABYTE
const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS

const serverSource = `
const { createServer } = require('node:net')
const piece = Buffer.alloc(65536, 'x')
createServer((socket) => {
  socket.on('error', () => undefined)
  let text = ''
  let left = -1
  socket.on('data', (bytes) => {
    if (left === -1) {
      text += bytes.toString('latin1')
      const end = text.indexOf('\\r\\n\\r\\n')
      if (end === -1) return
      const [method, path] = text.split(' ')
      if (method === 'GET') return download(socket, Number(path.slice(1)))
      left = Number(/content-length: (\\d+)/i.exec(text)[1]) - (text.length - end - 4)
    } else left -= bytes.length
    if (left === 0) socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok')
  })
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })

function download(socket, size) {
  socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: ' + size + '\\r\\n\\r\\n')
  let left = size
  const more = () => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      if (!socket.write(next)) return socket.once('drain', more)
    }
    socket.end()
  }
  more()
}
`

const directory = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
const probe = join(directory, 'probe.cjs')
const peakFile = join(directory, 'peak')
writeFileSync(
  probe,
  `process.on('exit', () => {
    const { readFileSync, writeFileSync } = require('node:fs')
    writeFileSync(${JSON.stringify(peakFile)}, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  })`,
)

/** The peak of one run in MiB. */
function peakMib(words: readonly string[], input?: string, output?: string): number {
  const stdin = input === undefined ? 'ignore' : openSync(input, 'r')
  const shell = output === undefined ? undefined : ['-c', `"$@" | ${output}`, 'sh']
  const full = ['--require', probe, command, 'send', ...words]
  const [program, args] = shell === undefined ? [process.execPath, full] : ['sh', [...shell, process.execPath, ...full]]
  const { status, stderr } = spawnSync(program, args, {
    env: environment,
    stdio: [stdin, 'ignore', 'pipe'],
    maxBuffer: MEGABYTE,
  })
  if (stdin !== 'ignore') closeSync(stdin)
  if (status !== 0) throw new Error(`send ${words.join(' ')} ended with ${status}: ${stderr}`)
  return Number(readFileSync(peakFile, 'utf8')) / 1024
}

function sparseFile(name: string, head: string, size: number): string {
  const path = join(directory, name)
  const file = openSync(path, 'w')
  writeFileSync(file, head)
  ftruncateSync(file, head.length + size)
  closeSync(file)
  return path
}

async function startServer(): Promise<{ server: ChildProcess; origin: string }> {
  const server = spawn(process.execPath, ['-e', serverSource], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { server, origin: `http://127.0.0.1:${String(line).trim()}` }
}

const { server, origin } = await startServer()
try {
  const target = join(directory, 'download')
  const cases: readonly [name: string, run: (size: number) => number][] = [
    ['upload with -g', (size) => peakMib(['-t', `POST ${origin}/`, '-g', sparseFile('body', '', size)])],
    ['upload from a request file', (size) => peakMib([sparseFile('r', `POST ${origin}/\r\n\r\n`, size)])],
    [
      'upload from standard input',
      (size) => peakMib([], sparseFile('s', `POST ${origin}/\r\nContent-Length: ${size}\r\n\r\n`, size)),
    ],
    [
      'download with -o',
      (size) => {
        const peak = peakMib(['-t', `GET ${origin}/${size}`, '-o', target])
        if (statSync(target).size !== size) throw new Error(`the download has ${statSync(target).size} bytes`)
        return peak
      },
    ],
    [
      'download to a pipe',
      (size) => peakMib(['-t', `GET ${origin}/${size}`, '-p', 'body'], undefined, 'cat > /dev/null'),
    ],
  ]
  for (const [name, run] of cases) {
    const small = run(1024)
    const startedAt = performance.now()
    const large = run(sizeBytes)
    const seconds = (performance.now() - startedAt) / 1000
    const above = large - small
    process.stdout.write(
      `${name}: ${small.toFixed(1)} MiB with 1 KB, ${large.toFixed(1)} MiB with ${sizeBytes / MEGABYTE} MB, ` +
        `${above.toFixed(1)} above (budget ${BUDGET_MIB}), ${(sizeBytes / MEGABYTE / seconds).toFixed(0)} MB/s\n`,
    )
    if (above > BUDGET_MIB) process.exitCode = 1
  }
} finally {
  server.kill()
  rmSync(directory, { recursive: true })
}
