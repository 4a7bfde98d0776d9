/** Memory of a run with reports: it does not grow with the number of requests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
afterAll(() => server.close())

const formats = ['json', 'junit', 'tap', 'html', 'har'] as const
/** The log of a script for each request: most of its record. */
const LOGGED_BYTES = 100 * 1000

/** Less than what is recorded. The executable collects garbage as on a small machine. */
const limits = { NODE_OPTIONS: '--max-old-space-size=35', BUN_JSC_forceRAMSize: '20000000' }

/** The most memory that the command had at any time, as the kernel counts it. */
async function peakMemory(words: readonly string[], directory: string): Promise<number> {
  const [program, ...first] = commandLine()
  const env = commandEnvironment({ TMPDIR: directory, ...limits })
  const child = spawn(program, [...first, ...words], { cwd: directory, env, stdio: 'ignore' })
  const ended = once(child, 'close')
  let peakKib = 0
  const timer = setInterval(() => {
    try {
      const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))
      if (match !== null) peakKib = Number(match[1])
    } catch {
      // It has ended.
    }
  }, 5)
  const [code] = (await ended) as [number | null]
  clearInterval(timer)
  expect(code).toBe(0)
  return peakKib * 1024
}

it.skipIf(process.platform !== 'linux')(
  'with all reports is the same for 100 requests and for 500',
  async () => {
    const directory = temporaryDirectory()
    const script = `> {% for (let i = 0; i < 100; i++) client.log('${'x'.repeat(LOGGED_BYTES / 100)}') %}`
    writeFileSync(join(directory, 'api.http'), `GET ${server.origin}/\n\n${script}\n`)
    const reports = formats.flatMap((format) => ['--report', `${format}=r.${format}`])
    const peaks: number[] = []
    for (const count of [100, 500]) {
      peaks.push(
        await peakMemory(['run', 'api.http', '-p', 'status', '--repeat', String(count), ...reports], directory),
      )
      // Reports that have everything: else there would be nothing to hold.
      const sizesBytes = (['json', 'junit', 'html'] as const).map((name) => statSync(join(directory, `r.${name}`)).size)
      expect(Math.min(...sizesBytes)).toBeGreaterThan(count * LOGGED_BYTES)
    }
    const [small = 0, large = 0] = peaks
    // 40 MB more are recorded.
    expect(large - small).toBeLessThan(30_000_000)
    expect(readdirSync(directory).toSorted()).toEqual([
      'api.http',
      ...formats.map((format) => `r.${format}`).toSorted(),
    ])
  },
  240_000,
)
