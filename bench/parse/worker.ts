/**
 * One parser with one message in a separate process: runs slices of work and reports the CPU time they took.
 *
 * Rules: parse.ts starts it and triggers each slice. CPU time is the time of the process (user and system, all
 * threads), so the threads of the garbage collector are included.
 */
import { COPIES, type MakeContender, type MessageName, octetsOf, type TaskName } from './contender.ts'
import { httpParserJs } from './http-parser-js.ts'
import { httpZ } from './http-z.ts'
import { llhttpWasm } from './llhttp-wasm.ts'
import { nodeParser } from './node-parser.ts'
import { decoder, eager, parser } from './own.ts'

const contenders: Readonly<Record<string, MakeContender>> = {
  decoder,
  parser,
  eager,
  node: nodeParser,
  'llhttp-wasm': llhttpWasm,
  'http-parser-js': httpParserJs,
  'http-z': httpZ,
}

/** Asks for a slice of `count` messages, or for the memory of `count` kept messages. */
export interface Order {
  readonly task: TaskName | 'memory'
  readonly count: number
}

/** Nanoseconds of CPU time for each message, or bytes for each; undefined if this parser does not do that. */
export interface Result {
  readonly value: number | undefined
}

const [contenderName, messageName] = process.argv.slice(2) as [string, MessageName]
const octets = octetsOf(messageName)
const copies = Array.from({ length: COPIES }, () => Buffer.from(octets))
const contender = (contenders[contenderName] as MakeContender)(messageName, copies)
let checksum = 0

function cpuNs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

function measure({ task, count }: Order): number | undefined {
  if (task === 'memory') return contender?.keep === undefined ? undefined : bytesPerMessage(contender.keep, count)
  const run = contender?.tasks[task]
  if (run === undefined) return undefined
  const start = cpuNs()
  checksum += run(count)
  return (cpuNs() - start) / count
}

/** Each message comes in a separate buffer, which is included, because a message from a socket also has its own. */
function bytesPerMessage(keep: (octets: Buffer) => unknown, count: number): number {
  const own = (): Buffer => {
    const copy = Buffer.allocUnsafeSlow(octets.length)
    octets.copy(copy)
    return copy
  }
  // The first messages pay for compiled code and for tables.
  for (let i = 0; i < 2000; i++) keep(own())
  const before = liveBytes()
  const kept = Array.from({ length: count }, () => keep(own()))
  const after = liveBytes()
  checksum += kept.length
  return (after - before) / count
}

function liveBytes(): number {
  for (let i = 0; i < 4; i++) (globalThis as { gc?: () => void }).gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

process.on('message', (order: Order) => {
  process.send?.({ value: measure(order) } satisfies Result)
})
process.on('disconnect', () => process.exit(checksum < 0 ? 1 : 0))
process.send?.({ value: undefined } satisfies Result)
