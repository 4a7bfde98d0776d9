/** Notes about a shard for the user: its size, files that cannot be divided, files without an earlier time. */
import type { ShardSettings } from './shard-settings.ts'
import type { Bonds, Unit } from './shard-units.ts'

export interface ShardFacts {
  readonly settings: ShardSettings
  readonly own: readonly Unit[]
  /** The units of all shards. */
  readonly units: readonly Unit[]
  /** Undefined if files should not be divided. */
  readonly bonds: Bonds | undefined
  /** The number of jobs that the earlier report does not have. */
  readonly unknownJobs: number
  readonly jobCount: number
}

/** A longer list is truncated. */
const MAX_NAMED_FILES = 20

export function shardNotes({ settings, own, units, bonds, unknownJobs, jobCount }: ShardFacts): readonly string[] {
  const { number, of, by, timesFile } = settings
  const isRows = units.some(({ job }) => (job.reported.pass ?? job.reported.row) !== undefined)
  const noun = by === 'request' ? 'request' : isRows ? 'pass' : 'file'
  const size = (list: readonly Unit[]): number => (by === 'request' ? requestCount(list) : list.length)
  const part = `shard ${number} of ${of}`
  const whole = plural(size(units), noun)
  const sizeNote =
    own.length > 0 ? `${part} runs ${size(own)} of ${whole}` : `${part} has nothing to run: the whole run has ${whole}`
  const unknown = `${unknownJobs} of ${plural(jobCount, isRows ? 'pass' : 'file')} are not in ${timesFile}: they count as its median`
  return [sizeNote, ...(unknownJobs === 0 ? [] : [unknown]), ...bondNotes(bonds)]
}

function requestCount(units: readonly Unit[]): number {
  return units.reduce((sum, { requestCount: count }) => sum + count, 0)
}

function bondNotes(bonds: Bonds | undefined): readonly string[] {
  const notes = [...(bonds ?? [])].flatMap(([{ loaded }, bond]) => {
    if (bond === undefined) return []
    const { path } = loaded.source
    return [`${path} is not divided: line ${bond.line} ${bond.reason}`]
  })
  const left = notes.length - MAX_NAMED_FILES
  if (left <= 0) return notes
  return [...notes.slice(0, MAX_NAMED_FILES), `${plural(left, 'more file')} are not divided`]
}

function plural(count: number, noun: 'file' | 'more file' | 'pass' | 'request'): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun === 'pass' ? 'passes' : `${noun}s`}`
}
