/**
 * The jobs of one shard: `--shard 2/8`; notes for the user about its size and what could not be divided.
 *
 * Rules: every machine creates the jobs of the whole run, divides them in the same way and keeps its part. Jobs keep
 * their numbers, so that seeds, traces and reports are the same as in the whole run.
 */
import { createHash } from 'node:crypto'
import type { Section } from '../../../http-file/index.ts'
import type { ShardRecord } from '../../../report/index.ts'
import { labelOf, loadRequestBonds, type RequestBond } from '../../../runner/index.ts'
import type { RunFile } from '../files/run-files.ts'
import type { Job } from '../jobs/jobs.ts'
import type { CommonOptions, PreparedRun } from '../jobs/run-preparation.ts'
import { type EarlierTimes, readEarlierTimes } from './earlier-times.ts'
import type { ShardSettings } from './shard-settings.ts'

export interface ShardedRun {
  readonly prepared: PreparedRun
  /** For reports. */
  readonly shard: ShardRecord
  /** Notes for the user, one line each. */
  readonly notes: readonly string[]
}

/** @throws HttpcliError of the earlier report: `unreadable-file`, `invalid-report` */
export async function takeShard(
  whole: PreparedRun,
  settings: ShardSettings,
  { variables, workingDirectory = '' }: Pick<CommonOptions, 'variables' | 'workingDirectory'>,
): Promise<ShardedRun> {
  const { number, of, by, timesFile } = settings
  const times = timesFile === undefined ? undefined : await readEarlierTimes(timesFile, workingDirectory)
  const bonds = by === 'request' ? await bondsOf(whole, JSON.stringify([...(variables?.values() ?? [])])) : undefined
  const units = unitsOf(whole, bonds, times)
  const weights = units.map(({ weight }) => weight)
  const numbers = divide(weights, of)
  const own = units.filter((_unit, index) => numbers[index] === number)
  const division = units.map(({ job, section }, index) => [
    job.reported.number,
    section?.request?.line.span.line,
    numbers[index],
  ])
  const unknownFiles = times && new Set(whole.jobs.filter(({ reported }) => times.jobTime(reported) === undefined))
  return {
    prepared: { ...whole, jobs: jobsOf(own) },
    shard: { number, of, run: runIdentity(whole, [of, by, division]), jobs: whole.jobs.length },
    notes: shardNotes({
      settings,
      own,
      units,
      bonds,
      unknownJobs: unknownFiles?.size ?? 0,
      jobCount: whole.jobs.length,
    }),
  }
}

/** @param values the values of variables on the command line, which may contain other variables */
async function bondsOf({ jobs }: PreparedRun, values: string): Promise<Bonds> {
  const { findBond } = await loadRequestBonds()
  const files = new Set(jobs.map(({ file }) => file))
  return new Map(
    [...files].map((file) => {
      const environment = JSON.stringify([...file.environment.variables.values()])
      return [file, findBond(file.loaded, [environment, values])] as const
    }),
  )
}

/** Joins the units of each job into one job again. */
function jobsOf(units: readonly Unit[]): readonly Job[] {
  const jobs = new Map<Job, Set<Section>>()
  for (const { job, section } of units) {
    const sections = jobs.get(job) ?? new Set()
    jobs.set(job, section === undefined ? sections : sections.add(section))
  }
  return [...jobs].map(([job, sections]) => (sections.size === 0 ? job : { ...job, sections }))
}

/** Enough digits to make a collision impossible in practice. */
const DIGITS = 32

/**
 * A digest that is the same for all shards of one run: reports with different digests are not merged. It excludes
 * values of variables and rows, which may be secret, and line endings, which may differ between machines.
 * @param division every unit of work and its shard
 */
function runIdentity({ jobs, files, choice }: PreparedRun, division: unknown): string {
  const texts = files.map(({ source }) => digest(source.text.replace(/\r\n?/g, '\n'))).sort()
  const chosen = choice && [choice.names, choice.tags, choice.lines.map(({ line }) => line)]
  const description = [jobs.map(({ reported }) => reported), texts, chosen, division]
  return digest(JSON.stringify(description)).slice(0, DIGITS)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

interface ShardFacts {
  readonly settings: ShardSettings
  readonly own: readonly Unit[]
  readonly units: readonly Unit[]
  /** Undefined: files should not be divided. */
  readonly bonds: Bonds | undefined
  /** The number of jobs that the earlier report does not have. */
  readonly unknownJobs: number
  readonly jobCount: number
}

/** A longer list is shortened. */
const MAX_NAMED_FILES = 20

function shardNotes({ settings, own, units, bonds, unknownJobs, jobCount }: ShardFacts): readonly string[] {
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

/**
 * A job, or one request of a job whose file can be divided. Its weight is its time in an earlier report, or the median
 * of the report's times if the report does not have it; without a report, it is the number of requests.
 */
interface Unit {
  readonly job: Job
  /** The section of its only request; undefined for the whole job. */
  readonly section: Section | undefined
  /** The number of requests that are sent, not counting rounds. */
  readonly requestCount: number
  readonly weight: number
}

/** The reason why a file is not divided, by file; undefined for files that are divided. */
type Bonds = ReadonlyMap<RunFile, RequestBond | undefined>

/** @param bonds undefined if no file is divided */
function unitsOf(run: PreparedRun, bonds: Bonds | undefined, times: EarlierTimes | undefined): readonly Unit[] {
  return run.jobs.flatMap((job): readonly Unit[] => {
    const sections = chosenSections(job.file, run)
    const requestCount = run.requestsOf.get(job.file)?.length ?? sections.length
    if (bonds === undefined || bonds.get(job.file) !== undefined || sections.length < 2) {
      const time = times && (times.jobTime(job.reported) ?? times.medianJobTime)
      return [{ job, section: undefined, requestCount, weight: time ?? requestCount }]
    }
    return sections.map((section) => {
      const label = labelOf({ loaded: job.file.loaded, section })
      const time = times && (times.requestTime(job.reported, label) ?? times.medianRequestTime)
      return { job, section, requestCount: 1, weight: time ?? 1 }
    })
  })
}

/** The sections of a file whose requests are sent. */
function chosenSections(file: RunFile, { choice, requestsOf }: PreparedRun): readonly Section[] {
  const sections = file.loaded.file.sections.filter(({ request }) => request !== undefined)
  if (choice === undefined) return sections
  const lines = new Set(requestsOf.get(file)?.map(({ line }) => line))
  return sections.filter(({ request }) => lines.has(request?.line.span.line ?? 0))
}

/**
 * Divides units so that all shards take about the same time, identically on every machine.
 *
 * Rules: units are assigned from the heaviest to the lightest, each to the shard with the least work so far. Among
 * equal units, the earlier one is first; among equal shards, the one with fewer units, then the one with the lower
 * number. Weights are whole numbers, so that sums do not depend on their order. The largest shard gets at most 4/3 of
 * the work of the largest shard in the best division (Graham, 1969), and far less with many units.
 * @returns by unit, the number of its shard, from 1
 */
export function divide(weights: readonly number[], shardCount: number): readonly number[] {
  const shards = Array.from({ length: shardCount }, () => ({ weight: 0, units: 0 }))
  const order = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b)
  const numbers = new Array<number>(weights.length)
  for (const unit of order) {
    let least = 0
    for (let index = 1; index < shardCount; index++) if (isLess(shards[index], shards[least])) least = index
    const shard = shards[least] as Shard
    shard.weight += weights[unit] as number
    shard.units++
    numbers[unit] = least + 1
  }
  return numbers
}

interface Shard {
  weight: number
  units: number
}

function isLess(one: Shard | undefined, other: Shard | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.weight < other.weight || (one.weight === other.weight && one.units < other.units)
}
