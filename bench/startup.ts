/**
 * Start-up: the CPU time of a whole `send` process against that of an empty CommonJS file.
 *
 * Rules: the two alternate, so that a busy machine slows both; the ratio of the means counts, never an absolute time.
 * NODE_EXTRA_CA_CERTS is unset, because some versions of Node.js read that file at every start. The run fails if the
 * ratio is above the budget, or if `send` loads a module that it must not load.
 *
 * Run: npm run build && npx tsx bench/startup.ts [runs]
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { childCpuMs } from './figures.ts'

const BUDGET = 1.5
const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const runs = Number(process.argv[2] ?? 40)
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS

/** The server runs in a separate thread, because this one waits for processes. */
const serverSource = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nok\\n'))
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address()) })
`

function cpuMs(words: readonly string[]): number {
  const before = childCpuMs()
  const { status, stderr } = spawnSync(process.execPath, words, { env: environment })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return childCpuMs() - before
}

const directory = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
const worker = new Worker(serverSource, { eval: true })
try {
  const [address] = (await once(worker, 'message')) as [AddressInfo]
  const empty = join(directory, 'empty.cjs')
  const probe = join(directory, 'probe.cjs')
  writeFileSync(empty, '')
  writeFileSync(
    probe,
    "process.on('exit', () => require('node:fs').writeFileSync(2, process.moduleLoadList.join('\\n')))",
  )
  const send = [command, 'send', '-t', `GET http://127.0.0.1:${address.port}/`]

  const totals = { empty: 0, send: 0 }
  for (let run = 0; run < runs; run++) {
    totals.empty += cpuMs([empty])
    totals.send += cpuMs(send)
  }
  const ratio = totals.send / totals.empty
  const mean = (total: number): string => (total / runs).toFixed(1)
  process.stdout.write(
    `empty file ${mean(totals.empty)} ms CPU, send ${mean(totals.send)} ms CPU, ` +
      `ratio ${ratio.toFixed(2)} (budget ${BUDGET}), ${runs} runs each\n`,
  )

  const forbidden =
    /^NativeModule (_http_|http$|https$|http2$|crypto$|internal\/crypto|internal\/deps\/undici|tls$|_tls)/
  const baseline = loadedModules([empty], probe)
  const loaded = loadedModules(send, probe).filter((name) => !baseline.includes(name))
  const wrong = loaded.filter((name) => forbidden.test(name))
  process.stdout.write(
    `modules beyond those of an empty file: ${loaded.length}; not allowed: ${wrong.join(', ') || 'none'}\n`,
  )
  if (ratio > BUDGET || wrong.length > 0) process.exitCode = 1
} finally {
  await worker.terminate()
  rmSync(directory, { recursive: true })
}

function loadedModules(words: readonly string[], probe: string): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ['--require', probe, ...words], { env: environment, encoding: 'utf8' })
  return stderr.split('\n')
}
