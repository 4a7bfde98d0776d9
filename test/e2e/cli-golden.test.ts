/**
 * The output of the built command, word by word: test/golden holds the cases.
 *
 * Rules: `name.args` has one word of the command line on each line; `name.in`, where it is, is standard input;
 * `name.out`, `name.err` and `name.code` are what is expected (no file: nothing, and 0). The command runs in
 * test/golden, whose absolute path is written {golden}; the
 * time at the end of a run's sums is {time}. A new case is a new `.args` file; UPDATE_GOLDEN=1 writes what the command
 * answers, for a person to read.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'

const directory = fileURLToPath(new URL('../golden', import.meta.url))
const updates = process.env.UPDATE_GOLDEN === '1'

const cases = readdirSync(directory)
  .filter((name) => name.endsWith('.args'))
  .map((name) => name.slice(0, -'.args'.length))
  .sort()

function content(name: string, otherwise: string): string {
  const file = join(directory, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : otherwise
}

function keep(name: string, text: string, usual: string): void {
  const file = join(directory, name)
  if (text === usual) rmSync(file, { force: true })
  else writeFileSync(file, text)
}

describe('the output of the command matches test/golden', () => {
  it('in existing cases', () => {
    expect(cases.length).toBeGreaterThan(20)
  })

  it('and test/golden holds only cases and their inputs', () => {
    const endings = ['.args', '.in', '.out', '.err', '.code', '.http', '.raw', '.json', '.csv']
    expect(readdirSync(directory).filter((name) => !endings.some((ending) => name.endsWith(ending)))).toEqual([])
  })

  it.each(cases)('%s', async (name) => {
    const words = readFileSync(join(directory, `${name}.args`), 'utf8')
      .split('\n')
      .slice(0, -1)
    const result = await runCommand(words, { cwd: directory, stdin: content(`${name}.in`, '') })
    const text = (written: Buffer) =>
      written
        .toString()
        .replaceAll(directory, '{golden}')
        .replace(/(?<=; )\d[\d.]* (?:ms|s)\n$/, '{time}\n')
    const answer = { out: text(result.stdout), err: text(result.stderr), code: `${result.code}\n` }
    if (updates) {
      keep(`${name}.out`, answer.out, '')
      keep(`${name}.err`, answer.err, '')
      keep(`${name}.code`, answer.code, '0\n')
    }
    expect(answer).toEqual({
      out: content(`${name}.out`, ''),
      err: content(`${name}.err`, ''),
      code: content(`${name}.code`, '0\n'),
    })
    expect(answer.err).not.toMatch(/^\s+at /m)
  })
})
