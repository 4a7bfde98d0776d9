/**
 * Mistakes in request files, and what `check` says of each, word by word: what was found, where, and what to do.
 *
 * Rules: test/mistakes has one mistake in each `name.http`, checked with the environment `test`, and `name.txt` with
 * what the command prints and its exit code. UPDATE_GOLDEN=1 writes the answers of the command, for a person to read.
 * An error that stops a run from sending a request stops a dry run too, with the same exit code. The rows are checked
 * in this process; a sample of them has the same answers from the built command.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { runInside } from '../helpers/command-inside.ts'

const directory = fileURLToPath(new URL('../mistakes', import.meta.url))
/** The nearest directory with a .git: the file root of the mistakes. */
const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.http'))
  .map((name) => name.slice(0, -'.http'.length))
  .sort()

async function answerTo(
  words: readonly string[],
  run: typeof runInside = runInside,
): Promise<{ readonly text: string; readonly code: number | null }> {
  const { stdout, stderr, code } = await run(words, { cwd: directory })
  return { text: `${stderr}${stdout}`.replaceAll(directory, '{mistakes}').replaceAll(project, '{project}'), code }
}

describe('a mistake', () => {
  it('is one of more than forty', () => {
    expect(names.length).toBeGreaterThan(40)
  })

  it.each(names)('%s is found by check', async (name) => {
    const { text, code } = await answerTo(['check', '-e', 'test', `${name}.http`])
    const answer = `${text}exit code ${code}\n`
    const file = join(directory, `${name}.txt`)
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, answer)
    expect(answer).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '')
    expect(answer).toMatch(/^(?:httpcli check|warning): .+:\d+:\d+: /)
    expect(answer).not.toContain('internal error')
    const isFatal = await answerTo(['check', '-e', 'test', `${name}.http`, '--fail-on', 'warning'])
    expect(isFatal.code).toBe(code === 0 ? 5 : code)
  })

  it.each(names)('%s ends a run with the exit code of check', async (name) => {
    const check = await answerTo(['check', '-e', 'test', `${name}.http`])
    const run = await answerTo(['run', '-e', 'test', `${name}.http`, '--dry-run'])
    // A dry run executes what check only reads.
    expect(run.code).toBe(name === 'script-uses-response' ? 5 : check.code)
  })

  /** One of each exit code, and every tenth. */
  const sampled = [...new Map(names.map((name) => [exitCodeOf(name), name])).values()]
  it.skipIf(isStandalone).each([...new Set([...sampled, ...names.filter((_, at) => at % 10 === 0)])])(
    '%s gives the same output with the built command',
    async (name) => {
      for (const [command = '', ...options] of [['check'], ['check', '--fail-on', 'warning'], ['run', '--dry-run']]) {
        const words = [command, '-e', 'test', `${name}.http`, ...options]
        const [inside, outside] = [await answerTo(words), await answerTo(words, runCommand)]
        expect({ ...outside, text: withoutTime(outside.text) }).toEqual({ ...inside, text: withoutTime(inside.text) })
      }
    },
  )
})

function withoutTime(text: string): string {
  return text.replace(/[\d.]+ m?s$/m, '{time}')
}

/** The last line of the expected answer. */
function exitCodeOf(name: string): string | undefined {
  return readFileSync(join(directory, `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n')
    .at(-1)
}
