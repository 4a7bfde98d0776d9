/** Checks whether reports are those of all shards of one run. */
import type { ShardRecord } from '../record/run-record.ts'
import type { StoredReport } from './stored-report.ts'

/** Why reports cannot be merged, and what to do. */
export interface SetProblem {
  readonly message: string
  readonly hint: string
}

type ShardReport = StoredReport & { readonly head: { readonly shard: ShardRecord } }

/** Undefined if they are complete and belong together. A single report of a whole run is complete. */
export function setProblem(reports: readonly StoredReport[]): SetProblem | undefined {
  const whole = reports.find(({ head }) => head.shard === undefined)
  if (whole !== undefined) {
    if (reports.length === 1) return undefined
    return {
      message: `${whole.file} is the report of a whole run, and cannot be merged with others`,
      hint: 'Reports of shards can be merged: httpcli run … --shard 1/2 --report json=1.json',
    }
  }
  const shards = reports as readonly ShardReport[]
  return otherCountOrVersion(shards) ?? otherRun(shards) ?? repeatedShard(shards) ?? missingShards(shards)
}

const oneRunHint = 'Merge the reports of one run: the same files, options and times on each machine'

function otherCountOrVersion([first, ...others]: readonly ShardReport[]): SetProblem | undefined {
  for (const other of others) {
    const [a, b] = [first as ShardReport, other]
    if (a.head.shard.of !== b.head.shard.of) {
      const message = `${a.file} is one of ${a.head.shard.of} shards, and ${b.file} one of ${b.head.shard.of}`
      return { message, hint: oneRunHint }
    }
    if (a.head.generator !== b.head.generator) {
      const message = `${a.file} was made by ${a.head.generator}, and ${b.file} by ${b.head.generator}`
      return { message, hint: 'Use one version on all machines' }
    }
  }
  return undefined
}

function otherRun(shards: readonly ShardReport[]): SetProblem | undefined {
  // A machine that could not start does not know how the run was divided.
  const [first, ...others] = shards.filter(({ head }) => head.shard.jobs !== 0)
  const other = others.find(({ head }) => head.shard.run !== first?.head.shard.run)
  if (first === undefined || other === undefined) return undefined
  return { message: `${first.file} and ${other.file} are reports of different runs`, hint: oneRunHint }
}

function repeatedShard(reports: readonly ShardReport[]): SetProblem | undefined {
  const seen = new Map<number, string>()
  for (const { file, head } of reports) {
    const { number, of } = head.shard
    const other = seen.get(number)
    if (other !== undefined) {
      return { message: `${other} and ${file} are both shard ${number} of ${of}`, hint: 'Give each shard once' }
    }
    seen.set(number, file)
  }
  return undefined
}

/** A longer list is truncated. */
const MAX_NAMED = 10

function missingShards(reports: readonly ShardReport[]): SetProblem | undefined {
  const of = reports[0]?.head.shard.of ?? 0
  const present = new Set(reports.map(({ head }) => head.shard.number).filter((number) => number <= of))
  const count = of - present.size
  if (count === 0) return undefined
  const missing: number[] = []
  for (let number = 1; missing.length < Math.min(count, MAX_NAMED); number++) {
    if (!present.has(number)) missing.push(number)
  }
  const named = `${missing.join(', ')}${count > MAX_NAMED ? ', …' : ''}`
  const message = `${count === 1 ? `shard ${named} of ${of} is` : `shards ${named} of ${of} are`} missing`
  return { message, hint: 'Give the reports of all shards' }
}
