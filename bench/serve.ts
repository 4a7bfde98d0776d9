/**
 * `serve` against other servers: requests per second, and CPU time per request, as ratios to nginx.
 *
 * Rules: the servers alternate, round by round, so that a busy machine slows all of them; the median of each ratio over
 * the rounds counts, never an absolute figure. CPU time is the time of the whole process tree. A case fails the run if
 * one of its ratios is below its target; on a busy machine, trust the CPU ratio. Missing programs are listed at the
 * start. A peer that fails is omitted from its case; if httpcli or nginx fails, the case fails.
 *
 * Run: npm run build && npx tsx bench/serve.ts [--rounds 3] [--seconds 4] [--servers httpcli,nginx] [case …]
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './figures.ts'
import { curl, etagOf, h2load, type LoadResult, loadPrograms, wrk } from './serve/load.ts'
import { costOfTree } from './serve/process-tree.ts'
import { installed, planServers, type ServerPlan, type StartedServer, startServer } from './serve/servers.ts'

interface Case {
  readonly name: string
  readonly path: string
  readonly ours: string
  readonly peers: readonly string[]
  /** The minimum ratio to nginx of requests per second, or of the speed of a download. */
  readonly target: number
  /** The minimum ratio of the CPU time of nginx for a request to that of httpcli. Default: the same as `target`. */
  readonly cpuTarget?: number
  /** The minimum ratio of the 99th percentile of latency of nginx to that of httpcli. Default: not compared. */
  readonly latencyTarget?: number
  /** The number of measurements before the first one that counts. Default 1. */
  readonly warmRounds?: number
  readonly load: (url: string, seconds: number) => Promise<LoadResult>
}

interface Figures {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly residentMegabytes: number
  /** NaN if the load program does not report it. */
  readonly p99Ms: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    servers: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const wantedServers = values.servers?.split(',')

const work = mkdtempSync(join(tmpdir(), 'httpcli-bench-'))
const site = join(work, 'site')
const randomPathScript = join(work, 'random.lua')

/** Random content, so that no component can compress it or recognise patterns in it. */
function plantSite(): void {
  // nginx drops its privileges, so its workers need access.
  chmodSync(work, 0o755)
  mkdirSync(join(site, 'many'), { recursive: true })
  writeFileSync(join(site, '1k.html'), randomBytes(512).toString('hex'))
  writeFileSync(join(site, '10k.js'), randomBytes(5_120).toString('hex'))
  writeFileSync(join(site, '100k.jpg'), randomBytes(102_400))
  for (let index = 0; index < 10_000; index++) {
    writeFileSync(
      join(site, 'many', `${index}.txt`),
      randomBytes(200 + Math.floor(Math.random() * 1_800)).toString('hex'),
    )
  }
  for (let part = 0; part < 256; part++) appendFileSync(join(site, '256m.bin'), randomBytes(1_048_576))
  writeFileSync(
    randomPathScript,
    'request = function() return wrk.format("GET", "/many/" .. math.random(0, 9999) .. ".txt") end\n',
  )
}

function makeCertificate(): { certificate: string; key: string; pair: string } {
  const [certificate, key, pair] = [join(work, 'cert.pem'), join(work, 'key.pem'), join(work, 'pair.pem')] as const
  const subject = [
    '-subj',
    '/CN=localhost',
    '-days',
    '2',
    '-nodes',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
  ]
  execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  writeFileSync(pair, Buffer.concat([readFileSync(certificate), readFileSync(key)]))
  return { certificate, key, pair }
}

const plainPeers = ['nginx', 'nginx ofc', 'lighttpd', 'caddy', 'sirv-cli', 'serve', 'http-server']
const get = (url: string, duration: number) => wrk(url, duration)
const plain = { ours: 'httpcli', peers: plainPeers, load: get }

const cases: readonly Case[] = [
  { ...plain, name: '1k', path: '1k.html', target: 1.3 },
  { ...plain, name: '10k', path: '10k.js', target: 1.2 },
  { ...plain, name: '100k', path: '100k.jpg', target: 1 },
  {
    ...plain,
    name: '304',
    path: '1k.html',
    target: 1,
    peers: ['nginx', 'nginx ofc', 'lighttpd', 'caddy'],
    load: async (url, duration) => wrk(url, duration, { fields: [`If-None-Match: ${await etagOf(url)}`] }),
  },
  {
    ...plain,
    name: 'many',
    path: '',
    target: 0.9,
    cpuTarget: 1,
    warmRounds: 4,
    load: (url, duration) => wrk(url, duration, { script: randomPathScript }),
  },
  {
    ...plain,
    name: '256-connections',
    path: '1k.html',
    target: 1.2,
    latencyTarget: 0.5,
    peers: ['nginx', 'lighttpd', 'caddy'],
    load: (url, duration) => wrk(url, duration, { connections: 256 }),
  },
  { ...plain, name: '256m', path: '256m.bin', target: 1, cpuTarget: 0.4, load: (url) => curl(url, 4) },
  { ...plain, name: 'log', path: '1k.html', target: 0.95, ours: 'httpcli -l', peers: ['httpcli'] },
  { ...plain, name: 'tls-1k', path: '1k.html', target: 1.25, ours: 'httpcli tls', peers: ['nginx tls'] },
  { ...plain, name: 'tls-100k', path: '100k.jpg', target: 1.5, ours: 'httpcli tls', peers: ['nginx tls'] },
  { ...plain, name: 'h2-1k', path: '1k.html', target: 0.6, ours: 'httpcli tls', peers: ['nginx tls'], load: h2load },
  { ...plain, name: 'h2-100k', path: '100k.jpg', target: 1, ours: 'httpcli tls', peers: ['nginx tls'], load: h2load },
]

async function measure(server: StartedServer, { path, load }: Case): Promise<Figures> {
  const url = `${server.scheme}://127.0.0.1:${server.port}/${path}`
  const before = costOfTree(server.child.pid!)
  const { requests, seconds: taken, p99Ms = Number.NaN } = await load(url, seconds)
  const after = costOfTree(server.child.pid!)
  return {
    perSecond: requests / taken,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / requests,
    residentMegabytes: after.residentBytes / 1_048_576,
    p99Ms,
  }
}

/** Prints the ratios; returns whether the targets are met. */
function report(
  { name, target, cpuTarget = target, latencyTarget = 0, ours, peers }: Case,
  figures: ReadonlyMap<string, readonly Figures[]>,
): boolean {
  const reference = figures.get(peers[0]!)
  if (reference === undefined || !figures.has(ours)) {
    console.log(`\n${name}: ${reference === undefined ? peers[0] : ours} is missing or failed`)
    return false
  }
  console.log(`\n${name} (medians of ${rounds} rounds; ratios to ${peers[0]})`)
  console.log('server           req/s    ratio   CPU us/req   ratio    RSS MB    p99 ms   ratio')
  let isMet = true
  for (const [server, rows] of figures) {
    const rate = median(rows.map(({ perSecond }, round) => perSecond / reference[round]!.perSecond))
    const cost = median(rows.map(({ cpuMicroseconds }, round) => reference[round]!.cpuMicroseconds / cpuMicroseconds))
    const latency = median(rows.map(({ p99Ms }, round) => reference[round]!.p99Ms / p99Ms))
    const columns = [
      median(rows.map(({ perSecond }) => perSecond))
        .toFixed(perSecondDigits(rows))
        .padStart(8),
      rate.toFixed(2).padStart(7),
      median(rows.map(({ cpuMicroseconds }) => cpuMicroseconds))
        .toFixed(1)
        .padStart(12),
      cost.toFixed(2).padStart(7),
      median(rows.map(({ residentMegabytes }) => residentMegabytes))
        .toFixed(0)
        .padStart(9),
      median(rows.map(({ p99Ms }) => p99Ms))
        .toFixed(2)
        .padStart(9),
      latency.toFixed(2).padStart(7),
    ]
    if (server === ours) isMet = rate >= target && cost >= cpuTarget && !(latency < latencyTarget)
    const targets = `   targets ${target} and ${cpuTarget}${latencyTarget === 0 ? '' : `, p99 ${latencyTarget}`}`
    console.log(`${server.padEnd(14)}${columns.join(' ')}${server === ours ? targets : ''}`)
  }
  return isMet
}

function perSecondDigits(rows: readonly Figures[]): number {
  return median(rows.map(({ perSecond }) => perSecond)) < 100 ? 2 : 0
}

const isWanted = (name: string) => wantedServers === undefined || wantedServers.includes(name)

function serversOf({ ours, peers }: Case): readonly string[] {
  return [ours, ...peers.filter((peer, index) => index === 0 || isWanted(peer))]
}

/** The programs for these cases that are not installed. */
function missingPrograms(chosen: readonly Case[], plans: readonly ServerPlan[]): readonly string[] {
  const names = new Set(chosen.flatMap(serversOf))
  const servers = plans.filter(({ name, command }) => names.has(name) && command === undefined)
  const programs = loadPrograms.filter((program) => installed(program) === undefined)
  return [...servers.map(({ name }) => name), ...programs]
}

/** The servers of a case that are running; those that have stopped are restarted first. */
async function running(
  entry: Case,
  plans: readonly ServerPlan[],
  started: Map<string, StartedServer>,
): Promise<readonly StartedServer[]> {
  const names = serversOf(entry)
  for (const plan of plans.filter(({ name }) => names.includes(name) && !started.has(name))) {
    if (plan.command === undefined) continue
    try {
      started.set(plan.name, await startServer(plan))
    } catch (error) {
      console.log((error as Error).message)
    }
  }
  return names.flatMap((name) => started.get(name) ?? [])
}

/** The figures of a case. A server that fails is stopped, and has no figures. */
async function figuresOf(
  entry: Case,
  servers: readonly StartedServer[],
  started: Map<string, StartedServer>,
): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const figures = new Map(servers.map(({ name }): [string, Figures[]] => [name, []]))
  const { warmRounds = 1 } = entry
  // Warm: caches are filled and code is compiled before anything counts.
  for (let round = -warmRounds; round < rounds; round++) {
    for (const server of servers.filter(({ name }) => figures.has(name))) {
      try {
        const measured = await measure(server, entry)
        if (round >= 0) figures.get(server.name)!.push(measured)
      } catch (error) {
        console.log(
          `${entry.name}: ${server.name} failed and is left out: ${(error as Error).message.split('\n', 1)[0]}`,
        )
        figures.delete(server.name)
        started.delete(server.name)
        server.child.kill()
      }
    }
  }
  return figures
}

async function main(): Promise<void> {
  plantSite()
  const plans = planServers({ directory: work, site, ...makeCertificate() })
  const chosen = cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const missing = missingPrograms(chosen, plans)
  if (missing.length > 0) console.log(`not installed: ${missing.join(', ')}`)
  const started = new Map<string, StartedServer>()
  const missed: string[] = []
  try {
    for (const entry of chosen) {
      const figures = await figuresOf(entry, await running(entry, plans, started), started)
      if (!report(entry, figures)) missed.push(entry.name)
    }
  } finally {
    for (const { child } of started.values()) child.kill()
    rmSync(work, { recursive: true, force: true })
  }
  if (missed.length > 0) console.log(`\nbelow the target: ${missed.join(', ')}`)
  process.exitCode = missed.length === 0 ? 0 : 1
}

await main()
