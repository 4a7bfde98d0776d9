/** The output of jobs that run in parallel. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { Output } from '../../../../src/cli/frame/command.ts'
import { JobTurns } from '../../../../src/cli/run/jobs/job-turns.ts'

interface Written {
  readonly outputs: { readonly stdout: Output; readonly stderr: Output }
  /** The text of both outputs, in order: `1` and `2` before what went to each. */
  text(): string
}

function written(write: (text: string) => Promise<void> = async () => undefined): Written {
  const pieces: string[] = []
  const output = (name: string): Output => ({
    isTerminal: false,
    colors: false,
    columns: 80,
    write: async (data) => {
      const text = typeof data === 'string' ? data : Buffer.from(data).toString()
      await write(text)
      pieces.push(`${name}${text}`)
    },
  })
  return { outputs: { stdout: output('1'), stderr: output('2') }, text: () => pieces.join(' ') }
}

describe('the output of jobs', () => {
  it('is printed in job order, whichever ends first', async () => {
    const { outputs, text } = written()
    const turns = new JobTurns(outputs)
    const [a, b, c] = [turns.begin(), turns.begin(), turns.begin()]
    await c.stdout.write('c1')
    await b.stdout.write('b1')
    await a.stdout.write('a1')
    expect(text()).toBe('1a1')
    c.end()
    await b.stderr.write('b2')
    a.end()
    await b.stdout.write('b3')
    expect(text()).toBe('1a1 1b1 2b2 1b3')
    b.end()
    await turns.close()
    expect(text()).toBe('1a1 1b1 2b2 1b3 1c1')
  })

  it('of the first job is printed as it arrives', async () => {
    const { outputs, text } = written()
    const turns = new JobTurns(outputs)
    const a = turns.begin()
    await a.stdout.write('a1')
    expect(text()).toBe('1a1')
    a.end()
    const b = turns.begin()
    await b.stderr.write('b1')
    expect(text()).toBe('1a1 2b1')
    b.end()
    await turns.close()
  })

  it('is unchanged even if the written buffer is reused', async () => {
    const { outputs, text } = written()
    const turns = new JobTurns(outputs)
    const [a, b] = [turns.begin(), turns.begin()]
    const buffer = Buffer.from('one')
    await b.stdout.write(buffer)
    buffer.write('two')
    a.end()
    b.end()
    await turns.close()
    expect(text()).toBe('1one')
  })

  it('is held in a file if it is large, and the file is removed', async () => {
    const spilled = (): string[] => readdirSync(tmpdir()).filter((name) => /^httpcli-[\da-f-]{36}$/.test(name))
    const before = spilled()
    let length = 0
    const seen = new Set<string>()
    const { outputs } = written(async (text) => {
      length += text.length
      for (const character of [text[0], text.at(-1)]) seen.add(character as string)
    })
    const turns = new JobTurns(outputs)
    const [a, b, c] = [turns.begin(), turns.begin(), turns.begin()]
    for (let megabyte = 0; megabyte < 12; megabyte++) {
      await b.stdout.write(Buffer.alloc(1024 * 1024, 'b'))
      await c.stdout.write(Buffer.alloc(1024 * 1024, 'c'))
    }
    expect(length).toBe(0)
    a.end()
    await b.stdout.write('!')
    expect([length, [...seen]]).toEqual([12 * 1024 * 1024 + 1, ['b', '!']])
    b.end()
    c.end()
    await turns.close()
    expect([length, [...seen]]).toEqual([24 * 1024 * 1024 + 1, ['b', '!', 'c']])
    expect(spilled()).toEqual(before)
  })

  it('blocks nothing when it fails: every write fails, and closing reports why', async () => {
    const gone = new Error('gone')
    const { outputs } = written(async (text) => {
      if (text === 'b1') throw gone
    })
    const turns = new JobTurns(outputs)
    const [a, b, c] = [turns.begin(), turns.begin(), turns.begin()]
    await b.stdout.write('b1')
    a.end()
    await expect(b.stdout.write('b2')).rejects.toBe(gone)
    await expect(c.stdout.write('c1')).rejects.toBe(gone)
    b.end()
    c.end()
    await expect(turns.close()).rejects.toBe(gone)
  })
})
