/** Jobs: which there are, in which order they are started, how their results add up. */
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../../src/cli/frame/exit-codes.ts'
import type { RunFile } from '../../../../src/cli/run/files/run-files.ts'
import { RunTotals } from '../../../../src/cli/run/jobs/job-run.ts'
import { type Job, jobsOf, runJobs } from '../../../../src/cli/run/jobs/jobs.ts'
import type { RunSummary } from '../../../../src/runner/index.ts'

const fileNamed = (path: string): RunFile =>
  ({ loaded: { source: { path } }, environment: { name: undefined } }) as unknown as RunFile
const row = (id: string): ReadonlyMap<string, string> => new Map([['id', id]])
const shown = ({ reported, row: values }: Job): string =>
  [reported.number, reported.path, reported.pass?.number, reported.row?.number, values?.get('id')].join(' ')

describe('jobs', () => {
  it('are the files, each with its repetitions, each repetition with its rows', () => {
    const jobs = jobsOf([fileNamed('a'), fileNamed('b')], 2, [row('x'), row('y')])
    expect(jobs.map(shown)).toEqual([
      '1 a 1 1 x',
      '2 a 1 2 y',
      '3 a 2 1 x',
      '4 a 2 2 y',
      '5 b 1 1 x',
      '6 b 1 2 y',
      '7 b 2 1 x',
      '8 b 2 2 y',
    ])
    expect(jobs[3]?.reported).toMatchObject({ pass: { number: 2, of: 2 }, row: { number: 2, of: 2 } })
  })

  it('do not mention repetitions and rows if there are none', () => {
    expect(jobsOf([fileNamed('a')], 1, undefined).map(({ reported }) => reported)).toEqual([
      { number: 1, path: 'a', environment: undefined },
    ])
  })
})

describe('running jobs', () => {
  const jobs = jobsOf(['a', 'b', 'c', 'd', 'e'].map(fileNamed), 1, undefined)
  const never = new AbortController().signal

  it.each([1, 2, 5, 9])('starts them in order, %i at a time', async (width) => {
    const begun: string[] = []
    let underWay = 0
    let most = 0
    await runJobs(jobs, width, never, async ({ reported }) => {
      begun.push(reported.path)
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
    })
    expect([begun, most]).toEqual([['a', 'b', 'c', 'd', 'e'], Math.min(width, 5)])
  })

  it('lets a signal be handled between jobs that wait for nothing', async () => {
    const interruption = new AbortController()
    setImmediate(() => interruption.abort())
    const many = jobsOf([fileNamed('a')], 1000, undefined)
    let begun = 0
    await runJobs(many, 1, interruption.signal, async (_job, { aborted }) => {
      if (!aborted) begun++
    })
    expect(begun).toBeGreaterThan(0)
    expect(begun).toBeLessThan(many.length)
  })

  it('starts no more when one cannot continue, reports the rest, and waits for running ones', async () => {
    const ended: string[] = []
    const running = runJobs(jobs, 2, never, async ({ reported }, signal) => {
      if (reported.path === 'b') throw new Error('full')
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      ended.push(reported.path)
    })
    await expect(running).rejects.toThrow('full')
    expect(ended).toEqual(['a'])
  })

  it('starts all of them when it is interrupted, each with an aborted signal', async () => {
    const controller = new AbortController()
    const seen: [string, boolean][] = []
    await runJobs(jobs, 2, controller.signal, async ({ reported }, signal) => {
      if (reported.path === 'b') controller.abort()
      seen.push([reported.path, signal.aborted])
    })
    expect(seen.slice(1)).toEqual(['b', 'c', 'd', 'e'].map((path) => [path, true]))
  })

  it('is interrupted at once if the signal was aborted before', async () => {
    const seen: boolean[] = []
    await runJobs(jobs, 1, AbortSignal.abort(), async (_job, signal) => {
      seen.push(signal.aborted)
    })
    expect(seen).toEqual([true, true, true, true, true])
  })
})

describe('the totals', () => {
  const none: RunSummary = {
    requests: 0,
    answered: 0,
    failed: 0,
    blocked: 0,
    badStatuses: 0,
    testsPassed: 0,
    testsFailed: 0,
    scriptsFailed: 0,
    skipped: 0,
    retries: 0,
    isInterrupted: false,
    durationMs: 5,
  }

  it('add up the counts, and have the time of the whole run', () => {
    let ms = 100
    const totals = new RunTotals(() => ms)
    totals.add({ ...none, requests: 2, answered: 1, failed: 1, retries: 3 })
    totals.add({ ...none, requests: 1, answered: 1, testsPassed: 4 })
    ms = 107
    expect(totals.summary).toEqual({
      ...none,
      requests: 3,
      answered: 2,
      failed: 1,
      retries: 3,
      testsPassed: 4,
      durationMs: 7,
    })
  })

  it.each<[keyof typeof exitCodes, Partial<RunSummary>[]]>([
    ['ok', []],
    ['ok', [{ requests: 1, answered: 1, testsPassed: 1, retries: 1 }]],
    ['failedTest', [{ testsFailed: 1 }]],
    ['failedTest', [{ scriptsFailed: 1 }]],
    ['failedTest', [{ blocked: 1 }]],
    ['failedTest', [{ badStatuses: 1 }]],
    ['failedTest', [{ skipped: 1 }]],
    ['failedTest', [{ testsFailed: 1 }, { testsPassed: 1 }]],
    ['io', [{ failed: 1 }]],
    ['io', [{ testsFailed: 1 }, { failed: 1 }]],
    ['io', [{ failed: 1 }, { testsFailed: 1, skipped: 2 }]],
    ['interrupted', [{ isInterrupted: true }]],
    ['interrupted', [{ isInterrupted: true }, { failed: 1 }]],
    [
      'interrupted',
      [
        { failed: 1, testsFailed: 1 },
        { isInterrupted: true, skipped: 1 },
      ],
    ],
  ])('end with %s for %j', (name, summaries) => {
    const totals = new RunTotals(() => 0)
    for (const summary of summaries) totals.add({ ...none, ...summary })
    expect([totals.exitCode, totals.hasFailures]).toEqual([exitCodes[name], name !== 'ok'])
  })
})
