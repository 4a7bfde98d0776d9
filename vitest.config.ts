import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/helpers/longest-first.ts'

/** Makes what git ignores of the sources, before the first test and again when tests are run again. */
const globalSetup = ['test/helpers/generated-sources.ts']

/** In a process that has compiled many expressions V8 optimizes no more of them, and some then overflow the stack. */
const longTexts = 'test/hostile-length/long-texts.test.ts'

/**
 * Three projects: fast tests share one module graph; the test of long texts has a process without others; tests that
 * spawn the built command or real servers have one for each file, so that their processes and sockets never mix. More
 * files run side by side than there are cores, because many tests wait for limits of time; left to itself, the runner
 * would keep one core for itself, which is half of a small machine. The limits are generous, because the machine may be
 * busy.
 */
export default defineConfig({
  test: {
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          globalSetup,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', longTexts, '**/node_modules/**'],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: { name: 'long-texts', globalSetup, include: [longTexts], isolate: true, testTimeout: 180_000 },
      },
      {
        test: {
          name: 'e2e',
          globalSetup,
          include: ['test/e2e/**/*.test.ts'],
          isolate: true,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
