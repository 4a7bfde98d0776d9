/**
 * Parsing: messages per second against Node.js's own parser and others, and the memory of a kept message.
 *
 * Rules: each parser runs in a separate process; their slices alternate, so that a busy machine slows all of them. Each
 * round gives a ratio to Node.js's parser: the medians of these ratios count, never an absolute time. CPU time is
 * measured, not wall time. The run fails if a ratio is below its target (targets are for Node.js 20).
 *
 * Run: npm run build && npm ci --prefix bench/peers && npx tsx bench/parse.ts [rounds]
 * HTTPCLI_LIBRARY is another build of the library, BENCH_MESSAGES some of the messages (SM).
 * With another runtime: BENCH_RUNTIME=/path/to/node (24 or later, or bun) npx tsx bench/parse.ts
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './figures.ts'
import { type MessageName, messageNames, type TaskName, taskNames } from './parse/contender.ts'
import type { Order, Result } from './parse/worker.ts'

const BASE = 'node'
/** For a runtime without a built-in parser. */
const SECOND_BASE = 'llhttp-wasm'
const contenders = [BASE, SECOND_BASE, 'http-parser-js', 'http-z', 'decoder', 'parser'] as const
const ours: readonly string[] = ['decoder', 'parser']

/** The minimum ratio to Node.js's parser for S, M, R and C, on Node.js 20. */
const targets: Partial<Record<TaskName, Readonly<Record<MessageName, number>>>> = {
  lazily: { S: 3, M: 3.8, R: 4.5, C: 8 },
  strings: { S: 1.8, M: 1.3, R: 2.3, C: 6.5 },
}
const KEPT_BROWSER_GET_BYTES = 2.1 * 1024

const SLICE_MS = 20
const WARM_UP_SLICES = 6
const KEPT_MESSAGES = 10_000

const rounds = Number(process.argv[2] ?? 21)
const runtime = process.env.BENCH_RUNTIME ?? process.execPath
const worker = fileURLToPath(new URL('parse/worker.ts', import.meta.url))
const environment = { ...process.env }
delete environment.NODE_EXTRA_CA_CERTS

class Contestant {
  readonly name: string
  readonly #process: ChildProcess
  /** Resolves without a value when the worker ends, so that code that waits for it continues. */
  readonly #ended: Promise<undefined>
  #isRunning = true

  private constructor(name: string, child: ChildProcess) {
    this.name = name
    this.#process = child
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isRunning = false
        if (code !== 0) console.log(`${name}: its worker ended (${signal ?? `exit code ${code}`}), it is left out`)
        resolve(undefined)
      })
    })
  }

  /** Undefined if the parser is not installed, or its worker ends before it measures. */
  static async start(name: string, message: MessageName): Promise<Contestant | undefined> {
    const isOwnRuntime = runtime === process.execPath
    const options = [...(isOwnRuntime ? ['--import', 'tsx'] : []), '--expose-gc', '--no-warnings', worker]
    const words = /bun$/.test(runtime) ? [worker] : options
    const child = spawn(runtime, [...words, name, message], {
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const contestant = new Contestant(name, child)
    return (await contestant.#message()) === undefined ? undefined : contestant
  }

  /** Undefined if the parser does not do this task, or its worker has ended. */
  async measure(order: Order): Promise<number | undefined> {
    if (!this.#isRunning) return undefined
    this.#process.send(order, () => undefined)
    return (await this.#message())?.value
  }

  stop(): void {
    if (this.#isRunning) this.#process.disconnect()
  }

  #message(): Promise<Result | undefined> {
    const message = new Promise<Result>((resolve) => this.#process.once('message', resolve))
    return Promise.race([message, this.#ended])
  }
}

/** The number of messages in a slice; undefined if the parser does not do this task. */
async function warmUp(contestant: Contestant, task: TaskName): Promise<number | undefined> {
  let count = 500
  for (let i = 0; i < WARM_UP_SLICES; i++) {
    const ns = await contestant.measure({ task, count })
    if (ns === undefined) return undefined
    count = Math.max(100, Math.round((SLICE_MS * 1e6) / Math.max(ns, 1)))
  }
  return count
}

/** Prints the figures of one task; returns those that miss their targets. */
async function race(all: readonly Contestant[], task: TaskName, message: MessageName): Promise<readonly string[]> {
  const counts = new Map<Contestant, number>()
  for (const contestant of all) {
    const count = await warmUp(contestant, task)
    if (count !== undefined) counts.set(contestant, count)
  }
  const times = new Map<Contestant, number[]>([...counts.keys()].map((contestant) => [contestant, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [contestant, count] of counts) {
      const ns = await contestant.measure({ task, count })
      if (ns !== undefined) times.get(contestant)?.push(ns)
      else times.delete(contestant)
    }
  }
  const named = (name: string): number[] | undefined => [...times].find(([contestant]) => contestant.name === name)?.[1]
  const base = named(BASE) ?? named(SECOND_BASE) ?? named('http-z')
  // No other parser reads a text with chunks.
  if (base === undefined) return []
  const misses: string[] = []
  for (const [{ name }, ns] of times) {
    const ratio = median(ns.map((own, round) => (base[round] as number) / own))
    const target = ours.includes(name) && base === named(BASE) ? targets[task]?.[message] : undefined
    const isMissed = target !== undefined && ratio < target
    const figures = `${median(ns).toFixed(0).padStart(7)} ns ${ratio.toFixed(2).padStart(6)}`
    const note = target === undefined ? '' : ` (at least ${target}${isMissed ? ': MISSED' : ''})`
    console.log(`${message}  ${task.padEnd(8)} ${name.padEnd(15)}${figures}${note}`)
    if (isMissed) misses.push(`${message} ${task} ${name}: ${ratio.toFixed(2)}, at least ${target}`)
  }
  return misses
}

async function memory(message: MessageName): Promise<readonly string[]> {
  const misses: string[] = []
  for (const name of [...contenders, 'eager']) {
    const contestant = await Contestant.start(name, message)
    if (contestant === undefined) continue
    const bytes = await contestant.measure({ task: 'memory', count: KEPT_MESSAGES })
    contestant.stop()
    if (bytes === undefined) continue
    const isMissed = message === 'M' && /^(parser|eager)$/.test(name) && bytes > KEPT_BROWSER_GET_BYTES
    console.log(
      `${message}  kept     ${name.padEnd(15)}${bytes.toFixed(0).padStart(7)} bytes${isMissed ? ' MISSED' : ''}`,
    )
    if (isMissed) misses.push(`${message} kept ${name}: ${bytes.toFixed(0)} bytes`)
  }
  return misses
}

const misses: string[] = []
const chosen = messageNames.filter((name) => (process.env.BENCH_MESSAGES ?? 'SMRC').includes(name))

console.log(
  `${runtime === process.execPath ? `Node.js ${process.version}` : runtime}, ${rounds} rounds; ratio: base over own`,
)
for (const message of chosen) {
  const all: Contestant[] = []
  for (const name of contenders) {
    const contestant = await Contestant.start(name, message)
    if (contestant !== undefined) all.push(contestant)
  }
  for (const task of taskNames) misses.push(...(await race(all, task, message)))
  for (const contestant of all) contestant.stop()
}
if (!/bun$/.test(runtime)) for (const message of chosen) misses.push(...(await memory(message)))
if (misses.length > 0) {
  console.log(`missed:\n${misses.join('\n')}`)
  process.exitCode = 1
}
