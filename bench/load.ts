/**
 * An exported load test in k6, against a handwritten script that sends and checks the same.
 *
 * Rules: K6 is the path of the k6 program. The file has 50 requests and 70 checks: a login whose token the other
 * requests send, JSON bodies, captured values in paths. The two scripts alternate, with 100 virtual users and with one;
 * the medians count. The memory of a virtual user is the growth of the process's peak per additional user. `scripts`
 * gives ten of the requests a handler with tests.
 *
 * Run: npm run build && K6=/path/to/k6 npx tsx bench/load.ts [rounds] [scripts]
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { childCpuMs, median } from './figures.ts'

/** Of the exported script against the other: CPU time of a request, and memory of a virtual user. */
const BUDGETS = { cpu: 1.5, memory: 1.4 } as const
const REQUESTS = 50
const USERS = 100
const ITERATIONS = 5

const k6 = process.env.K6 ?? 'k6'
const [rounds = '5', variant = ''] = process.argv.slice(2)
if (spawnSync(k6, ['version']).status !== 0) {
  process.stderr.write(`${k6} cannot be started: install k6, or name it with K6=/path/to/k6\n`)
  process.exit(1)
}
const command = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'httpcli-load-'))

/** The server runs in a separate thread, because this one waits. */
const serverSource = `
  const { createServer } = require('node:http')
  const { parentPort } = require('node:worker_threads')
  const answer = JSON.stringify({ id: 7, token: 'abc', name: 'Ada', items: [{ id: 1 }, { id: 2 }] })
  createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
    response.end(answer)
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address()) })
`

function requestFile(): string {
  const login = [
    '### Log in',
    '# @assert status == 200',
    '# @capture token = $.token',
    '# @capture id = $.id',
    'POST {{host}}/login',
    'Content-Type: application/json',
    '',
    '{"user": "ada", "password": "{{password}}"}',
    '',
  ]
  const others = Array.from({ length: REQUESTS - 1 }, (_, index) => {
    const isPost = index % 4 === 0
    const hasScript = variant === 'scripts' && index % 5 === 1
    return [
      `### Request ${index}`,
      '# @assert status == 200',
      ...(index % 5 < 2 && index > 0 ? ['# @assert $.items[0].id == 1'] : []),
      isPost ? `POST {{host}}/items/{{id}}?page=${index}` : `GET {{host}}/items/{{id}}/${index}`,
      'Authorization: Bearer {{token}}',
      ...(isPost ? ['Content-Type: application/json', '', `{"id": {{id}}, "name": "item ${index}"}`] : []),
      '',
      ...(hasScript ? ["> {% client.test('Ada', () => client.assert(response.body.name === 'Ada')) %}", ''] : []),
    ]
  })
  return [login, ...others].flat().join('\n')
}

/** A script as an engineer would write it for k6. */
function handwritten(): string {
  const requests = Array.from({ length: REQUESTS - 1 }, (_, index) => {
    const name = `Request ${index}`
    const isPost = index % 4 === 0
    const url = isPost ? `\${host}/items/\${id}?page=${index}` : `\${host}/items/\${id}/${index}`
    const body = isPost ? `\`{"id": \${id}, "name": "item ${index}"}\`` : 'null'
    const checks = [
      "'status == 200': (r) => r.status === 200",
      ...(index % 5 < 2 && index > 0 ? ["'first item': (r) => r.json().items[0].id === 1"] : []),
      ...(variant === 'scripts' && index % 5 === 1 ? ["Ada: (r) => r.json().name === 'Ada'"] : []),
    ]
    const type = isPost ? "'Content-Type': 'application/json', " : ''
    const fields = `{ ${type}Authorization: \`Bearer \${token}\` }`
    return `  r = http.request('${isPost ? 'POST' : 'GET'}', \`${url}\`, ${body}, {
    headers: ${fields}, tags: { name: '${name}' },
  })
  check(r, { ${checks.join(', ')} })`
  })
  return `import http from 'k6/http'
import { check } from 'k6'
export const options = { vus: 1, iterations: 1, thresholds: { checks: ['rate==1'] } }
const host = __ENV.host
export default function () {
  let r = http.request('POST', \`\${host}/login\`, JSON.stringify({ user: 'ada', password: __ENV.password }), {
    headers: { 'Content-Type': 'application/json' }, tags: { name: 'Log in' },
  })
  check(r, { 'status == 200': (r) => r.status === 200 })
  const { token, id } = r.json()
${requests.join('\n')}
}
`
}

interface Cost {
  readonly cpuMs: number
  readonly peakKib: number
}

async function measure(script: string, users: number, host: string): Promise<Cost> {
  const words = ['run', '--quiet', '--no-usage-report', '--address', '', '--vus', String(users)]
  const args = ['--iterations', String(users * ITERATIONS), '-e', `host=${host}`, '-e', 'password=secret', script]
  const started = childCpuMs()
  // The shell waits for k6, so that the kernel records its peak.
  const inner = spawn('/bin/sh', ['-c', 'exec "$@" >out 2>&1', 'sh', k6, ...words, ...args], { cwd: directory })
  let peakKib = 0
  const poll = setInterval(() => {
    peakKib = Math.max(peakKib, peakOf(inner.pid ?? 0))
  }, 20)
  const [code] = (await once(inner, 'exit')) as [number]
  clearInterval(poll)
  if (code !== 0) throw new Error(`${script}: k6 ended with ${code}: ${readFileSync(join(directory, 'out'), 'utf8')}`)
  return { cpuMs: childCpuMs() - started, peakKib }
}

/** VmHWM of a process; 0 once it has ended. */
function peakOf(id: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const worker = new Worker(serverSource, { eval: true })
const [{ port }] = (await once(worker, 'message')) as [AddressInfo]
const host = `http://127.0.0.1:${port}`
try {
  writeFileSync(join(directory, 'api.http'), requestFile())
  writeFileSync(join(directory, 'http-client.env.json'), JSON.stringify({ dev: { host } }))
  writeFileSync(join(directory, 'http-client.private.env.json'), JSON.stringify({ dev: { password: 'secret' } }))
  writeFileSync(join(directory, 'hand.js'), handwritten())
  const words = [command, 'convert', 'api.http', '--to', 'k6', '-e', 'dev', '--strict', '-o', 'exported.js']
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: directory })
  if (status !== 0) throw new Error(`convert ended with ${status}: ${stderr}`)
  const costs: Record<string, { many: Cost[]; one: Cost[] }> = {}
  for (let round = 0; round < Number(rounds); round++) {
    for (const script of ['exported.js', 'hand.js']) {
      costs[script] ??= { many: [], one: [] }
      costs[script].many.push(await measure(script, USERS, host))
      costs[script].one.push(await measure(script, 1, host))
    }
  }
  const figures = Object.entries(costs).map(([script, { many, one }]) => {
    const cpuMs = median(many.map((cost) => cost.cpuMs)) / (USERS * ITERATIONS * REQUESTS)
    const grown = median(many.map(({ peakKib }) => peakKib)) - median(one.map(({ peakKib }) => peakKib))
    const mib = grown / (USERS - 1) / 1024
    const peakMib = median(many.map(({ peakKib }) => peakKib)) / 1024
    const shown = `${cpuMs.toFixed(3)} ms of CPU for a request, ${mib.toFixed(2)} MiB for a virtual user`
    process.stdout.write(`${script.padEnd(12)} ${shown}, peak ${peakMib.toFixed(0)} MiB\n`)
    return { cpuMs, mib }
  })
  const [exported, hand] = figures as [{ cpuMs: number; mib: number }, { cpuMs: number; mib: number }]
  const [cpu, memory] = [exported.cpuMs / hand.cpuMs, exported.mib / hand.mib]
  process.stdout.write(`exported/hand: CPU ${cpu.toFixed(2)}, memory ${memory.toFixed(2)}\n`)
  if (cpu > BUDGETS.cpu || memory > BUDGETS.memory) process.exitCode = 1
} finally {
  await worker.terminate()
  rmSync(directory, { recursive: true, force: true })
}
