/**
 * `npm run check`: types, lint and format, import rules, unused code and dependencies, the package.
 *
 * Rules: every check runs, even if another has failed, so that one run reports all failures; two run at a time, because
 * each of them uses more than one core for a while. Only the output of failed checks is shown. The exit code is 1 if
 * any check failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSources } from './generate.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const CONCURRENCY = 2

const checks: readonly (readonly [name: string, command: readonly [string, ...string[]]])[] = [
  ['package', ['publint', '--strict']],
  ['lint and format', ['biome', 'check', '--error-on-warnings', '.']],
  ['unused code and dependencies', ['knip']],
  ['types', ['tsc', '-p', 'tsconfig.test.json']],
  ['types of the portable library', ['tsc', '-p', 'tsconfig.message.json']],
  ['types of the scripts of the site', ['tsc', '-p', 'scripts/site/browser']],
  ['import rules', ['vitest', 'run', 'test/architecture.test.ts', '--project', 'unit', '--reporter', 'dot']],
]

interface Outcome {
  readonly name: string
  readonly passed: boolean
}

async function run(name: string, [program, ...words]: readonly [string, ...string[]]): Promise<Outcome> {
  const started = performance.now()
  const child = spawn(program, words, {
    cwd: root,
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined }),
      PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  const passed = code === 0
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${name} (${seconds} s)\n`)
  if (!passed) process.stdout.write(`${Buffer.concat(chunks).toString().trimEnd()}\n\n`)
  return { name, passed }
}

await generateSources()
const waiting = [...checks]
const outcomes: Outcome[] = []
async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) outcomes.push(await run(...next))
}
await Promise.all(Array.from({ length: CONCURRENCY }, work))

const failed = outcomes.filter(({ passed }) => !passed).map(({ name }) => name)
process.stdout.write(failed.length === 0 ? 'All checks passed.\n' : `Failed: ${failed.join(', ')}.\n`)
process.exitCode = failed.length === 0 ? 0 : 1
