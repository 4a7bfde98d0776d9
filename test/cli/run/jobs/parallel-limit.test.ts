import { describe, expect, it } from 'vitest'
import { fittingJobs } from '../../../../src/cli/run/jobs/parallel-limit.ts'

describe('the number of jobs that run at a time', () => {
  it.each<
    [title: string, wanted: number, limit: number | undefined, openFiles: number, jobs: number, hasEngines: boolean]
  >([
    ['is what is wanted where no limit is known', 1000, undefined, 20, 1000, false],
    ['is what is wanted where there is room', 300, 1024, 20, 300, false],
    ['leaves 48 files to the rest of the command', 300, 256, 20, 62, false],
    ['takes half of what is left of a small limit', 300, 64, 20, 7, false],
    ['leaves more to jobs with scripts', 300, 256, 20, 26, true],
    ['is one at least', 300, 22, 20, 1, false],
    ['is one where nothing is left', 300, 10, 20, 1, false],
  ])('%s', (_title, wanted, limit, openFiles, jobs, hasEngines) => {
    expect(fittingJobs(wanted, limit, openFiles, hasEngines)).toBe(jobs)
  })
})
