/**
 * The effect of slow readers on an honest client of `serve`: hundreds of clients that request a file and read nothing.
 *
 * Each combination of protocol and file size is measured with a new server: the slow readers connect and send their
 * requests immediately from a separate process, while one honest client requests a small file repeatedly, each time on
 * a new connection. Latencies are measured from the connect call to the last byte. If nginx is installed, the two
 * servers alternate. Linux only.
 *
 * Run: npm run build && npx tsx bench/serve-slow-readers.ts [--readers 800] [--seconds 10] [--only httpcli]
 *   [--protocol h2]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { costOfTree, descriptorsOf } from './serve/process-tree.ts'
import { planServers, startServer } from './serve/servers.ts'

const protocols = ['plain', 'tls', 'h2'] as const
type Protocol = (typeof protocols)[number]

/** HTTP/2: the widest windows, then one GET. */
function requestBytes(protocol: Protocol, path: string): Buffer {
  if (protocol !== 'h2') return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const headers = Buffer.concat([Buffer.from('828741016104', 'hex'), Buffer.of(path.length), Buffer.from(path)])
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from('00000604000000000000047fffffff', 'hex'),
    Buffer.from('000004080000000000' + '7fff0000', 'hex'),
    Buffer.from([0, 0, headers.length, 1, 5, 0, 0, 0, 1]),
    headers,
  ])
}

function open(protocol: Protocol, port: number, onOpen: (socket: Socket) => void): void {
  const plain = connectTcp({ port, host: '127.0.0.1' })
  plain.on('error', () => undefined)
  if (protocol === 'plain') {
    plain.once('connect', () => onOpen(plain))
    return
  }
  const secured = connectTls({
    socket: plain,
    rejectUnauthorized: false,
    ALPNProtocols: [protocol === 'h2' ? 'h2' : 'http/1.1'],
  })
  secured.on('error', () => undefined)
  secured.once('secureConnect', () => onOpen(secured))
}

/** Runs in the process of the slow readers. */
function readSlowly(protocol: Protocol, port: number, path: string, count: number): void {
  // A socket that is not read does not keep the process alive.
  setInterval(() => undefined, 1_000)
  for (let index = 0; index < count; index++) {
    open(protocol, port, (socket) => {
      socket.pause()
      socket.write(requestBytes(protocol, path))
    })
  }
}

/** Milliseconds from the connect call to the last byte of a small file. */
function ask(port: number, isTls: boolean): Promise<number> {
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    let received = ''
    open(isTls ? 'tls' : 'plain', port, (socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString('latin1')
      })
      socket.once('close', () => {
        if (received.endsWith('\r\n\r\nhello')) resolve(performance.now() - startedMs)
        else reject(new Error(`an honest client was answered by ${JSON.stringify(received.slice(0, 100))}`))
      })
      socket.write('GET /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    })
  })
}

async function measure(port: number, isTls: boolean, attack: () => ChildProcess, seconds: number) {
  for (let count = 0; count < 50; count++) await ask(port, isTls)
  const child = attack()
  const latenciesMs: number[] = []
  try {
    const endMs = performance.now() + 1000 * seconds
    while (performance.now() < endMs) latenciesMs.push(await ask(port, isTls))
  } finally {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  latenciesMs.sort((one, other) => one - other)
  return (share: number) => latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(share * latenciesMs.length))]!
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      readers: { type: 'string', default: '800' },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
      protocol: { type: 'string', default: '' },
    },
  })
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
  const site = join(directory, 'site')
  // nginx drops its privileges, so its workers need access.
  chmodSync(directory, 0o755)
  mkdirSync(site)
  writeFileSync(join(site, 'a.txt'), 'hello')
  writeFileSync(join(site, 'small'), Buffer.alloc(500_000))
  closeSync(openSync(join(site, 'large'), 'w'))
  truncateSync(join(site, 'large'), 500_000_000)
  const pair = fileURLToPath(new URL('../test/keystore/files/combined.pem', import.meta.url))
  const plans = planServers({ directory, site, certificate: pair, key: pair, pair })
  try {
    for (const protocol of protocols.filter((name) => values.protocol === '' || values.protocol === name)) {
      for (const file of ['large', 'small']) {
        for (const name of protocol === 'plain' ? ['httpcli', 'nginx'] : ['httpcli tls', 'nginx tls']) {
          if (values.only !== '' && !name.startsWith(values.only)) continue
          const plan = plans.find((candidate) => candidate.name === name)
          if (plan?.command === undefined) continue
          const server = await startServer(plan)
          try {
            const words = [
              '--readers',
              values.readers,
              '--attack',
              protocol,
              '--port',
              String(plan.port),
              '--path',
              `/${file}`,
            ]
            const self = fileURLToPath(import.meta.url)
            const at = await measure(
              plan.port,
              protocol !== 'plain',
              () =>
                spawn(process.execPath, [...process.execArgv, self, ...words], {
                  stdio: ['ignore', 'ignore', 'inherit'],
                }),
              Number(values.seconds),
            )
            const figures = [0.5, 0.99, 1].map((share) => `${at(share).toFixed(1)} ms`)
            const { cpuMs, residentBytes } = costOfTree(server.child.pid!)
            process.stdout.write(
              `${protocol} ${file} ${name}: p50 ${figures[0]}, p99 ${figures[1]}, max ${figures[2]}; ` +
                `${Math.round(cpuMs)} ms CPU, ${Math.round(residentBytes / 1_048_576)} MiB, ${descriptorsOf(server.child.pid!)} descriptors\n`,
            )
          } finally {
            server.child.kill()
            await once(server.child, 'exit')
          }
        }
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const attackAt = process.argv.indexOf('--attack')
if (attackAt < 0) await main()
else {
  const word = (name: string) => process.argv[process.argv.indexOf(name) + 1]!
  readSlowly(word('--attack') as Protocol, Number(word('--port')), word('--path'), Number(word('--readers')))
}
