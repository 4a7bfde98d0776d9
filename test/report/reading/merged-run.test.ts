/** Reports of shards made one: order, numbers, what is in several of them, and sets that are none. */
import { describe, expect, it } from 'vitest'
import { mergedRun } from '../../../src/report/reading/merged-run.ts'
import { setProblem } from '../../../src/report/reading/shard-set.ts'
import type { StoredReport } from '../../../src/report/reading/stored-report.ts'
import type { FailureRecord } from '../../../src/report/record/run-record.ts'
import type { RequestIdentity } from '../../../src/runner/index.ts'
import { identity, recordOf, requestEvents } from '../events.ts'
import { stored, textOf } from './reports.ts'

interface Part {
  readonly number: number
  readonly path?: string
  readonly requests?: readonly Partial<RequestIdentity>[]
  readonly errors?: readonly FailureRecord[]
  readonly warnings?: readonly FailureRecord[]
}

interface Shard {
  readonly number: number
  readonly of?: number
  readonly run?: string
  /** Of the whole run. */
  readonly jobs?: number
  readonly parts: readonly Part[]
  readonly changes?: object
}

/** The report of a shard. */
async function shard({ number, of = 2, run = 'r', jobs = 9, parts, changes }: Shard): Promise<StoredReport> {
  const record = recordOf(
    parts.map(({ path = `${number}.http`, requests = [{}], ...part }) => ({
      job: { number: part.number, path },
      events: requests.flatMap((each) => requestEvents(identity({ file: path, ...each }), 'passed')),
    })),
  )
  const json = JSON.parse(textOf(record)) as { jobs: object[] }
  const withFailures = json.jobs.map((job, index) => {
    const { errors = [], warnings = [] } = parts[index]!
    return { ...job, errors, warnings }
  })
  const text = JSON.stringify({ ...json, shard: { number, of, run, jobs }, ...changes, jobs: withFailures })
  return stored(text, 4096, `${number}.json`)
}

function read(reports: readonly StoredReport[]) {
  const { jobs, ...record } = mergedRun(reports)
  return { ...record, jobs: [...jobs].map((job) => ({ ...job, requests: [...job.requests] })) }
}

describe('a merged run', () => {
  it('has the jobs in numerical order, whatever the order of the reports', async () => {
    const one = await shard({ number: 1, parts: [{ number: 2 }, { number: 4 }] })
    const two = await shard({ number: 2, parts: [{ number: 1 }, { number: 3 }] })
    const merged = read([one, two])
    expect(merged.jobs.map(({ job }) => [job.number, job.path])).toEqual([
      [1, '2.http'],
      [2, '1.http'],
      [3, '2.http'],
      [4, '1.http'],
    ])
    expect(merged).toMatchObject({ jobCount: 4, counts: { requests: 4, passed: 4 }, repeatsFiles: true })
    expect('shard' in merged).toBe(false)
    expect(read([two, one]).jobs).toEqual(merged.jobs)
  })

  it('has the requests of a divided file in line order, renumbered', async () => {
    const path = 'a.http'
    const requests = [
      { line: 9, number: 1, iteration: 0 },
      { line: 9, number: 2, iteration: 1 },
      { line: 21, number: 3 },
    ]
    const one = await shard({ number: 1, parts: [{ number: 1, path, requests }] })
    const others = [{ line: 3 }, { line: 15, number: 2 }]
    const two = await shard({ number: 2, parts: [{ number: 1, path, requests: others }] })
    const [job, ...more] = read([one, two]).jobs
    expect(more).toEqual([])
    expect(job?.requestCount).toBe(5)
    expect(job?.requests.map(({ number, line, iteration }) => [number, line, iteration])).toEqual([
      [1, 3, 0],
      [2, 9, 0],
      [3, 9, 1],
      [4, 15, 0],
      [5, 21, 0],
    ])
  })

  it('gives once a warning that a run gives once, and repeats all others', async () => {
    const once = { code: 'untrusted-file', message: 'the environment file x is ignored' }
    const each = { code: 'later-value', message: 'w' }
    const one = await shard({ number: 1, parts: [{ number: 1, warnings: [once, each] }] })
    const two = await shard({ number: 2, parts: [{ number: 2, warnings: [once, each] }] })
    const merged = mergedRun([one, two])
    for (const _again of [1, 2]) {
      expect([...merged.jobs].map(({ warnings }) => warnings)).toEqual([[once, each], [each]])
    }
  })

  it('has the errors of shards that could not start once, after all jobs', async () => {
    const errors = [{ code: 'bad-header', message: 'a header needs a colon', file: 'x.http', line: 2 }]
    const failed = { run: '', jobs: 0, parts: [{ number: 1, path: 'x.http', requests: [], errors }] }
    const bothFailed = [await shard({ number: 1, ...failed }), await shard({ number: 2, ...failed })]
    expect(setProblem(bothFailed)).toBeUndefined()
    expect(read(bothFailed).jobs.map(({ job, errors: all }) => [job.number, job.path, all])).toEqual([
      [1, 'x.http', errors],
    ])
    const mixed = [await shard({ number: 1, parts: [{ number: 1 }] }), await shard({ number: 2, ...failed })]
    expect(setProblem(mixed)).toBeUndefined()
    expect(read(mixed).jobs.map(({ job }) => [job.number, job.path])).toEqual([
      [1, '1.http'],
      [2, 'x.http'],
    ])
  })

  it('spans from the first start to the last end, and names all machines', async () => {
    const at = (seconds: number) => `2026-11-21T10:00:0${seconds}.000Z`
    const parts = [{ number: 1 }]
    const merged = mergedRun([
      await shard({ number: 1, parts, changes: { hostname: 'b', startedAt: at(4), durationMs: 5000 } }),
      await shard({ number: 2, parts: [], changes: { hostname: 'a', startedAt: at(2), durationMs: 1000 } }),
    ])
    expect([merged.hostname, merged.startedAt, merged.durationMs]).toEqual(['b, a', Date.parse(at(2)), 7000])
  })
})

describe('reports that cannot be merged', () => {
  const parts = [{ number: 1 }]
  const shardOf = (number: number, changes: Partial<Shard> = {}) => shard({ number, parts, ...changes })

  it.each([
    ['a shard that is missing', () => [shardOf(1, { of: 3 }), shardOf(3, { of: 3 })], 'shard 2 of 3 is missing'],
    [
      'more that are missing than anyone has machines',
      () => [shardOf(2, { of: 1e15 })],
      'shards 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, … of 1000000000000000 are missing',
    ],
    ['several that are missing', () => [shardOf(2, { of: 3 })], 'shards 1, 3 of 3 are missing'],
    ['one shard twice', () => [shardOf(1), shardOf(1)], '1.json and 1.json are both shard 1 of 2'],
    ['another run', () => [shardOf(1), shardOf(2, { run: 's' })], '1.json and 2.json are reports of different runs'],
    [
      'another run, after a shard that could not start',
      () => [shardOf(1, { of: 3, run: '', jobs: 0 }), shardOf(2, { of: 3, run: 'r' }), shardOf(3, { of: 3, run: 's' })],
      '2.json and 3.json are reports of different runs',
    ],
    ['another count', () => [shardOf(1), shardOf(2, { of: 4 })], '1.json is one of 2 shards, and 2.json one of 4'],
    [
      'another version',
      () => [shardOf(1), shardOf(2, { changes: { generator: 'httpcli 3.0.0' } })],
      '1.json was made by httpcli 2.0.0, and 2.json by httpcli 3.0.0',
    ],
    [
      'a whole run among them',
      () => [shardOf(1), shardOf(2, { changes: { shard: undefined } })],
      '2.json is the report of a whole run, and cannot be merged with others',
    ],
  ])('are %s', async (_name, reports, message) => {
    expect(setProblem(await Promise.all(reports()))?.message).toBe(message)
  })

  it('do not include valid sets', async () => {
    expect(setProblem([await shardOf(2), await shardOf(1)])).toBeUndefined()
    expect(setProblem([await shardOf(1, { changes: { shard: undefined } })])).toBeUndefined()
  })
})
