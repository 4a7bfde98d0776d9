/**
 * The fuzzer: changes messages, keeps those that reach code which none has reached before, and stops at the first one
 * that breaks an invariant or takes longer than its length allows.
 *
 * Rules: what is kept goes to corpus/, which every test run replays; a finding is printed reduced, and the exit code is
 * 1. It uses one core at most and stops by itself.
 *
 * Run: nice npx tsx test/fuzz/fuzz.ts [seconds, default 60] [seed]
 */
import type { Role } from '../../src/message/index.ts'
import { octetsOf, traceOf, wholeTraceOf } from '../property/decoder-trace.ts'
import { damaged, makeConnection } from '../property/message-maker.ts'
import { Random } from '../property/random.ts'
import { reduced } from '../property/reduced.ts'
import { type Input, keep, kept, seeds } from './corpus.ts'
import { Coverage } from './coverage.ts'
import { brokenInvariant, presets } from './invariants.ts'

// Stack traces are not needed here, and cost more than the error.
Error.stackTraceLimit = 0

const MAX_OCTETS = 1500
/**
 * CPU time that no input may take, all presets and ways of cutting together: 2 ms and 40 microseconds for each byte.
 */
const allowedMicroseconds = (octets: number): number => 40_000 + 40 * octets

const [seconds = '60', seed = '1'] = process.argv.slice(2)
const random = new Random(Number(seed))
const coverage = new Coverage()
const known = new Set<string>()

function coveredBy({ role, octets }: Input): readonly string[] {
  const bytes = octetsOf(octets)
  return coverage.of(() => {
    for (const preset of presets) {
      const look = { role, options: { preset }, methods: [], isThorough: false }
      const half = bytes.length >> 1
      traceOf(look, [bytes.slice()])
      traceOf(look, [bytes.slice(0, half), bytes.slice(half)])
      wholeTraceOf(look, bytes)
    }
  })
}

/** Whether the input reaches something new. */
function isNews(input: Input): boolean {
  const before = known.size
  for (const place of coveredBy(input)) known.add(place)
  return known.size > before
}

/** The fault that an input shows: an invariant, a foreign exception, or its time. */
function complaintAbout(role: Role, octets: Uint8Array): string | undefined {
  try {
    return brokenInvariant(role, octets)
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

function isSlow({ role, octets }: Input): boolean {
  // An input that is slow by chance is not slow three times.
  return [1, 2, 3].every(() => {
    const before = process.cpuUsage()
    brokenInvariant(role, octetsOf(octets))
    const { user, system } = process.cpuUsage(before)
    return user + system > allowedMicroseconds(octets.length)
  })
}

function changed(corpus: readonly Input[]): Input {
  if (random.once(50)) {
    const role = random.pick(['server', 'client'] as const)
    return { role, octets: makeConnection(random, role).slice(0, MAX_OCTETS) }
  }
  const { role, octets } = random.pick(corpus)
  let text = octets
  for (let count = random.between(1, 4); count > 0; count--) {
    if (random.once(6)) {
      const other = random.pick(corpus).octets
      text = text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1))
    } else {
      text = damaged(random, text, role)
    }
  }
  return { role, octets: text.slice(0, MAX_OCTETS) }
}

function report(input: Input, complaint: string): void {
  const small = reduced(octetsOf(input.octets), (octets) => complaintAbout(input.role, octets) !== undefined)
  const shown = JSON.stringify(Buffer.from(small).toString('latin1'))
  process.stdout.write(`role ${input.role}: ${complaint}\nreduced: ${shown}\n${complaintAbout(input.role, small)}\n`)
  process.exitCode = 1
}

function run(): void {
  const corpus: Input[] = [...seeds()]
  for (const input of corpus) isNews(input)
  const fromSeeds = known.size
  const found: Input[] = kept().filter((input) => isNews(input))
  corpus.push(...found)
  process.stdout.write(`${corpus.length} inputs, ${fromSeeds} places from seeds, ${known.size} with what was kept\n`)
  const end = performance.now() + Number(seconds) * 1000
  let count = 0
  while (performance.now() < end && process.exitCode !== 1) {
    const input = changed(corpus)
    count += 1
    if (isNews(input)) {
      found.push(input)
      corpus.push(input)
    }
    const complaint = complaintAbout(input.role, octetsOf(input.octets))
    if (complaint !== undefined) report(input, complaint)
    else if (count % 16 === 0 && isSlow(input)) report(input, 'slower than its length allows')
  }
  keep(found)
  process.stdout.write(`${count} inputs tried, ${known.size} places, ${found.length} inputs kept\n`)
}

run()
