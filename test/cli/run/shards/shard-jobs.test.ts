/** The division of a run: each machine takes its part, all parts together are the run, and they take the same time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunFile } from '../../../../src/cli/run/files/run-files.ts'
import { jobsOf } from '../../../../src/cli/run/jobs/jobs.ts'
import type { PreparedRun } from '../../../../src/cli/run/jobs/run-preparation.ts'
import { divide, takeShard } from '../../../../src/cli/run/shards/shard-jobs.ts'
import { type DataRow, readHttpFile } from '../../../../src/runner/index.ts'
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts'
import { Random } from '../../../property/random.ts'
import { identity, recordOf, requestEvents } from '../../../report/events.ts'
import { textOf } from '../../../report/reading/reports.ts'

/** A file whose requests may be divided, or may not. */
function fileOf(path: string, requestCount: number, isDivisible: boolean): RunFile {
  const tag = isDivisible ? '# @no-cookie-jar\n' : ''
  const text = Array.from({ length: requestCount }, (_, at) => `### r${at}\n${tag}GET http://h/${at}\n`).join('\n')
  const environment = { name: undefined, variables: new Map(), files: [], hidden: [] }
  return {
    loaded: readHttpFile(Buffer.from(text), path, '/'),
    environment: environment as unknown as RunFile['environment'],
  }
}

function runOf(files: readonly RunFile[], repeat: number, rows?: readonly DataRow[]): PreparedRun {
  const jobs = jobsOf(files, repeat, rows)
  return { jobs, choice: undefined, requestsOf: new Map(), files: files.map(({ loaded }) => loaded), errors: [] }
}

/** Every request of a run, by job and line. */
const requestsIn = ({ jobs }: PreparedRun): readonly string[] =>
  jobs.flatMap(({ file, sections, reported }) =>
    file.loaded.file.sections
      .filter((section) => sections === undefined || sections.has(section))
      .map(({ request }) => `${reported.number}:${request?.line.span.line}`),
  )

const seeds = [1, 2, 3, 4]
const counts = Array.from({ length: 16 }, (_, index) => index + 1)

describe('the shards of a run', () => {
  it.each(seeds)('together form the run, and no two share a request: seed %i', async (seed) => {
    const random = new Random(seed)
    const files = Array.from({ length: random.between(1, 20) }, (_, index) =>
      fileOf(`f${index}.http`, random.between(1, 5), random.once(2)),
    )
    const rows = random.once(2) ? [new Map([['a', '1']]), new Map([['a', '2']])] : undefined
    const whole = runOf(files, random.between(1, 2), rows)
    for (const of of counts) {
      for (const by of ['file', 'request'] as const) {
        const shards = []
        for (let number = 1; number <= of; number++) {
          shards.push(await takeShard(whole, { number, of, by, timesFile: undefined }, {}))
        }
        const all = shards.flatMap(({ prepared }) => requestsIn(prepared))
        expect(new Set(all).size).toBe(all.length)
        expect([...all].sort()).toEqual([...requestsIn(whole)].sort())
        expect(new Set(shards.map(({ shard }) => shard.run)).size).toBe(1)
        expect(shards.every(({ shard }) => shard.jobs === whole.jobs.length)).toBe(true)
      }
    }
  })

  it('do not split a file whose requests are connected, and split others', async () => {
    const whole = runOf([fileOf('a.http', 4, false), fileOf('b.http', 6, true)], 1)
    const shards = []
    for (const number of [1, 2])
      shards.push(await takeShard(whole, { number, of: 2, by: 'request', timesFile: undefined }, {}))
    expect(shards.map(({ prepared }) => requestsIn(prepared))).toEqual([
      ['1:2', '1:5', '1:8', '1:11', '2:19'],
      ['2:3', '2:7', '2:11', '2:15', '2:23'],
    ])
    expect(shards[0]?.notes).toEqual([
      'shard 1 of 2 runs 5 of 10 requests',
      'a.http is not divided: line 5 may send a cookie that an earlier request has received (# @no-cookie-jar prevents that)',
    ])
  })

  it.each([
    ['another text', (files: RunFile[]) => runOf([fileOf('f0.http', 9, false), ...files.slice(1)], 1)],
    ['another file', (files: RunFile[]) => runOf(files.slice(1), 1)],
    [
      'other chosen requests',
      (files: RunFile[]) => ({ ...runOf(files, 1), choice: { names: [], lines: [], tags: ['smoke'] } }),
    ],
    ['another number of passes', (files: RunFile[]) => runOf(files, 2)],
  ])('have another run ID with %s', async (_name, other) => {
    const files = [fileOf('f0.http', 2, true), fileOf('f1.http', 2, true)]
    const settings = { number: 1, of: 2, by: 'file', timesFile: undefined } as const
    const idOf = async (run: PreparedRun, by: 'file' | 'request' = 'file') =>
      (await takeShard(run, { ...settings, by }, {})).shard.run
    expect(await idOf(runOf(files, 1))).toMatch(/^[0-9a-f]{32}$/)
    expect(await idOf(other(files))).not.toBe(await idOf(runOf(files, 1)))
    expect(await idOf(runOf(files, 1), 'request')).not.toBe(await idOf(runOf(files, 1)))
  })
})

describe('shards by the times of an earlier report', () => {
  /** Its jobs and requests have these times. */
  function reportOf(times: ReadonlyMap<string, number>): string {
    const record = recordOf(
      [...times.keys()].map((path) => ({
        job: { path },
        events: requestEvents(identity({ name: 'r0', file: path }), 'passed'),
      })),
    )
    const json = JSON.parse(textOf(record)) as { jobs: { file: string; durationMs: number }[] }
    for (const job of json.jobs) job.durationMs = times.get(job.file) ?? 0
    return JSON.stringify(json)
  }

  it.each(seeds)(
    'take the same time, within a tenth: seed %i',
    async (seed) => {
      const random = new Random(seed)
      const directory = temporaryDirectory()
      // From 10 ms to 10 s, with many short ones, as suites are.
      const times = new Map<string, number>(
        Array.from(
          { length: 250 },
          (_, index) => [`f${index}.http`, 10 * 1000 ** (random.below(1000) / 1000)] as const,
        ),
      )
      writeFileSync(join(directory, 'times.json'), reportOf(times))
      const whole = runOf(
        [...times.keys()].map((path) => fileOf(path, 1, true)),
        1,
      )
      const total = [...times.values()].reduce((sum, each) => sum + each, 0)
      for (const of of [2, 3, 5, 8, 16]) {
        for (let number = 1; number <= of; number++) {
          const settings = { number, of, by: 'file', timesFile: 'times.json' } as const
          const { prepared } = await takeShard(whole, settings, { workingDirectory: directory })
          const time = prepared.jobs.reduce((sum, { reported }) => sum + (times.get(reported.path) ?? 0), 0)
          expect(time / (total / of), `shard ${number} of ${of}`).toBeGreaterThan(0.9)
          expect(time / (total / of), `shard ${number} of ${of}`).toBeLessThan(1.1)
        }
      }
    },
    60_000,
  )

  it('count missing times as the median', async () => {
    const directory = temporaryDirectory()
    writeFileSync(
      join(directory, 'times.json'),
      reportOf(
        new Map(
          [
            ['a', 1],
            ['b', 50],
            ['c', 1000],
          ].map(([n, t]) => [`${n}.http`, t as number]),
        ),
      ),
    )
    const files = ['a', 'b', 'c', 'new'].map((name) => fileOf(`${name}.http`, 1, true))
    const take = (number: number) =>
      takeShard(
        runOf(files, 1),
        { number, of: 3, by: 'file', timesFile: 'times.json' },
        { workingDirectory: directory },
      )
    const shards = [await take(1), await take(2), await take(3)]
    expect(shards.map(({ prepared }) => prepared.jobs.map(({ reported }) => reported.path))).toEqual([
      ['c.http'],
      ['a.http', 'b.http'],
      ['new.http'],
    ])
    expect(shards[0]?.notes).toContain('1 of 4 files are not in times.json: they count as its median')
  })
})

describe('dividing', () => {
  it('is deterministic: the heaviest first, then the earlier one', () => {
    expect(divide([1, 5, 5, 2, 1], 2)).toEqual([2, 1, 2, 1, 2])
    expect(divide([0, 0, 0], 2)).toEqual([1, 2, 1])
    expect(divide([], 3)).toEqual([])
    expect(divide([7], 3)).toEqual([1])
  })
})
