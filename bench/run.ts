/**
 * `run`: whole processes against a bare loop over a socket, and against httpYac if it is installed.
 *
 * Rules: the bare loop is the minimum that a Node.js program can do for the same requests: it writes them one after
 * another over one connection, reads the answers by their length, and runs no scripts. The programs alternate, so that
 * a busy machine slows all of them; the medians count. The peak of memory is the one that the kernel recorded. The run
 * fails if a ratio, or the peak, is above its budget. The tests are simple and need no script engine. The extra cost of
 * scripts that need it is measured in CPU time, because some of it is spent while the program waits.
 *
 * Run: npm run build && npx tsx bench/run.ts [rounds]
 * With httpYac: npm ci --prefix bench/peers
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { childCpuMs, median } from './figures.ts'

/** The maximum wall time of `run`, as a multiple of that of the bare loop. */
const BUDGETS = { one: 1.3, many: 1.6 } as const
/** The maximum CPU time of scripts that need the script engine, as a multiple of that of plain ones. */
const ENGINE_BUDGETS = { one: 1.6, many: 1.6 } as const
/** How many times as fast as httpYac. */
const LEAD = 5
const PEAK_MIB = 80
const MANY = 200
const VERY_MANY = 10_000

const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const httpYac = fileURLToPath(new URL('peers/node_modules/httpyac/bin/httpyac.js', import.meta.url))
const rounds = Number(process.argv[2] ?? 15)
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS
delete environment.http_proxy
delete environment.HTTP_PROXY

/** The server runs in a separate thread, because this one waits for processes. */
const serverSource = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const answer = 'HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: 8\\r\\n\\r\\n{"id":7}'
  createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      for (let count = bytes.toString('latin1').split('\\r\\n\\r\\n').length - 1; count > 0; count--) socket.write(answer)
    })
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address()) })
`

const bareLoop = `
  const { connect } = require('node:net')
  const [, , port, count] = process.argv
  let index = 0
  let text = ''
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true }, send)
  function send() {
    socket.write('GET /' + index + ' HTTP/1.1\\r\\nHost: 127.0.0.1:' + port + '\\r\\n\\r\\n')
  }
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    const end = text.indexOf('\\r\\n\\r\\n')
    if (end === -1) return
    const length = Number(/content-length: (\\d+)/i.exec(text)[1])
    if (text.length < end + 4 + length) return
    text = ''
    if (++index < Number(count)) send()
    else process.exit(0)
  })
`

const directory = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
/** Writes the figures that the kernel has recorded, just before the process ends. */
const probe = join(directory, 'probe.cjs')
const peakFile = join(directory, 'peak')

interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

function measure(words: readonly string[]): Cost {
  const cpuBeforeMs = childCpuMs()
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: directory, env: environment, maxBuffer: 1e9 })
  const wallMs = performance.now() - startedAt
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return { wallMs, cpuMs: childCpuMs() - cpuBeforeMs }
}

function peakOf(words: readonly string[]): number {
  const { status, stderr } = spawnSync(process.execPath, ['--require', probe, ...words], {
    cwd: directory,
    env: { ...environment, PEAK_FILE: peakFile },
    maxBuffer: 1e9,
  })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return Number(readFileSync(peakFile, 'utf8')) / 1024
}

function requestFile(name: string, count: number, test: string, port: number): string {
  const requests = Array.from(
    { length: count },
    (_, index) => `### ${index}\nGET http://127.0.0.1:${port}/${index}\n${test}`,
  )
  writeFileSync(join(directory, name), requests.join('\n'))
  return name
}

const failures: string[] = []
function judge(what: string, value: number, isGood: boolean): void {
  process.stdout.write(`${isGood ? 'ok  ' : 'MISS'} ${what}: ${value.toFixed(2)}\n`)
  if (!isGood) failures.push(what)
}

const worker = new Worker(serverSource, { eval: true })
try {
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo]
  const bare = join(directory, 'bare.cjs')
  writeFileSync(bare, bareLoop)
  writeFileSync(
    probe,
    `process.on('exit', () => {
      const { readFileSync, writeFileSync } = require('node:fs')
      writeFileSync(process.env.PEAK_FILE, /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
    })`,
  )
  const test = "\n> {%\n  client.test('ok', () => client.assert(response.status === 200, 'status'))\n%}\n"
  const forEngine = "\n> {%\n  client.test('ok', () => client.assert(/^200$/.test(response.status), 'status'))\n%}\n"
  const one = requestFile('one.http', 1, '', port)
  const oneWithTest = requestFile('one-with-test.http', 1, test, port)
  const oneForEngine = requestFile('one-for-engine.http', 1, forEngine, port)
  const manyForEngine = requestFile('many-for-engine.http', MANY, forEngine, port)
  const many = requestFile('many.http', MANY, test, port)
  const veryMany = requestFile('very-many.http', VERY_MANY, '', port)
  const some = requestFile('some.http', VERY_MANY / 10, '', port)
  const commands: Record<string, readonly string[]> = {
    'bare loop, 1': [bare, String(port), '1'],
    'run, 1': [command, 'run', one],
    'run, 1 with a test': [command, 'run', oneWithTest],
    'run, 1 with the script engine': [command, 'run', oneForEngine],
    [`bare loop, ${MANY}`]: [bare, String(port), String(MANY)],
    [`run, ${MANY} with tests`]: [command, 'run', many],
    [`run, ${MANY} with the script engine`]: [command, 'run', manyForEngine],
    ...(existsSync(httpYac)
      ? { 'httpYac, 1': [httpYac, one, '--all'], [`httpYac, ${MANY} with tests`]: [httpYac, many, '--all'] }
      : {}),
  }
  const measured = new Map<string, Cost[]>(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of Object.entries(commands)) measured.get(name)?.push(measure(words))
  }
  const wallMs = (name: string): number => median((measured.get(name) ?? []).map((cost) => cost.wallMs))
  /** The mean, because single values have coarse steps. */
  const cpuMs = (name: string): number => (measured.get(name) ?? []).reduce((sum, cost) => sum + cost.cpuMs, 0) / rounds
  for (const name of measured.keys()) {
    process.stdout.write(`${name}: ${wallMs(name).toFixed(0)} ms, ${cpuMs(name).toFixed(0)} ms CPU\n`)
  }
  const ratioOne = wallMs('run, 1') / wallMs('bare loop, 1')
  const ratioMany = wallMs(`run, ${MANY} with tests`) / wallMs(`bare loop, ${MANY}`)
  judge(`one request against the bare loop (budget ${BUDGETS.one})`, ratioOne, ratioOne <= BUDGETS.one)
  judge(
    `${MANY} requests with tests against the bare loop (budget ${BUDGETS.many})`,
    ratioMany,
    ratioMany <= BUDGETS.many,
  )
  const engineOne = cpuMs('run, 1 with the script engine') / cpuMs('run, 1 with a test')
  const engineMany = cpuMs(`run, ${MANY} with the script engine`) / cpuMs(`run, ${MANY} with tests`)
  const { one: oneBudget, many: manyBudget } = ENGINE_BUDGETS
  judge(`one script in the engine against a plain one (budget ${oneBudget})`, engineOne, engineOne <= oneBudget)
  judge(`${MANY} scripts in the engine against plain ones (budget ${manyBudget})`, engineMany, engineMany <= manyBudget)
  if (measured.has('httpYac, 1')) {
    const leadOne = wallMs('httpYac, 1') / wallMs('run, 1')
    const leadMany = wallMs(`httpYac, ${MANY} with tests`) / wallMs(`run, ${MANY} with tests`)
    judge(`times faster than httpYac, one request (at least ${LEAD})`, leadOne, leadOne >= LEAD)
    judge(`times faster than httpYac, ${MANY} with tests (at least ${LEAD})`, leadMany, leadMany >= LEAD)
  }
  for (const [name, path] of Object.entries({ '1 request': one, [`${MANY} with tests`]: many })) {
    const peak = peakOf([command, 'run', path])
    judge(`peak memory in MiB, ${name} (budget ${PEAK_MIB})`, peak, peak <= PEAK_MIB)
  }
  const { wallMs: smallMs } = measure([command, 'run', some])
  const growth = measure([command, 'run', veryMany]).wallMs / smallMs
  judge(`time of ${VERY_MANY} requests over that of ${VERY_MANY / 10} (at most 12)`, growth, growth <= 12)
  const peak = peakOf([command, 'run', veryMany])
  judge(`peak memory in MiB, ${VERY_MANY} requests (budget ${PEAK_MIB})`, peak, peak <= PEAK_MIB)
} finally {
  await worker.terminate()
  rmSync(directory, { recursive: true })
}
if (failures.length > 0) process.exitCode = 1
