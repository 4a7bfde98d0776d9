/** The log of `serve`: batches, slow readers, readers that go, disks that are full. */

import { describe, expect, it, vi } from 'vitest'
import type { Output } from '../../../src/cli/frame/command.ts'
import { LogWriter } from '../../../src/cli/serve/log-writer.ts'
import { OutputClosedError } from '../../../src/cli/streams/output.ts'
import type { AnsweredRequest } from '../../../src/server/index.ts'
import { SomeError } from '../../helpers/some-error.ts'

const entry = (requestLine: string): AnsweredRequest => ({
  remoteAddress: 'a',
  answeredMs: 0,
  requestLine,
  status: 200,
  bodyBytes: 0,
  durationMs: 0,
})

/** An output whose writes end when the test says so. */
function heldOutput() {
  const written: string[] = []
  const held: { resolve: () => void; reject: (error: Error) => void }[] = []
  let arrived: () => void = () => undefined
  const output: Output = {
    isTerminal: false,
    columns: 80,
    colors: false,
    write: (data) => {
      written.push(Buffer.from(data as Uint8Array).toString())
      return new Promise((resolve, reject) => {
        held.push({ resolve, reject })
        arrived()
      })
    },
  }
  const nextWrite = (): Promise<void> => new Promise((resolve) => (arrived = resolve))
  /** From now on every write ends at once. */
  const releaseAll = (): void => {
    arrived = () => held.at(-1)?.resolve()
    for (const { resolve } of held) resolve()
  }
  return { output, written, held, nextWrite, releaseAll }
}

function start(batchBytes?: number) {
  const notes: string[] = []
  const out = heldOutput()
  const format = vi.fn(({ requestLine }: AnsweredRequest) => requestLine ?? '-')
  const log = new LogWriter(out.output, { format }, (text) => notes.push(text), batchBytes)
  return { ...out, log, notes, format }
}

describe('the log', () => {
  it('writes messages of the program at once, after the lines logged before', async () => {
    const { log, written, releaseAll } = start()
    log.say('first')
    expect(written).toEqual(['first\n'])
    log.add(entry('one'))
    log.say('sécond')
    releaseAll()
    await log.end(60_000)
    expect(written.join('')).toBe('first\none\nsécond\n')
  })

  it('splits no line when several processes write', async () => {
    const { log, written, releaseAll } = start(100)
    const lines = Array.from({ length: 50 }, (_, index) => `${index} ${'x'.repeat(index)}`)
    for (const line of [...lines, 'y'.repeat(200)]) log.add(entry(line))
    releaseAll()
    await log.end(60_000)
    expect(written.join('')).toBe(`${lines.join('\n')}\n${'y'.repeat(200)}\n`)
    expect(written.length).toBeGreaterThan(10)
    expect(written.slice(0, -1).every((text) => text.length <= 100 && text.endsWith('\n'))).toBe(true)
  })

  it('writes lines that arrive together in one write', async () => {
    const { log, written, nextWrite, held } = start()
    const arrived = nextWrite()
    for (const line of ['a', 'b', 'c']) log.add(entry(line))
    expect(written).toEqual([])
    await arrived
    expect(written).toEqual(['a\nb\nc\n'])
    held[0]?.resolve()
    await log.end(60_000)
  })

  it('writes everything before it ends', async () => {
    const { log, written, held } = start()
    log.add(entry('last'))
    const ended = log.end(60_000)
    expect(written).toEqual(['last\n'])
    held[0]?.resolve()
    await ended
  })

  it('does not wait forever for a stuck reader', async () => {
    const { log, written } = start()
    log.say('first')
    log.add(entry('last'))
    await log.end(1)
    expect(written).toEqual(['first\n'])
  })

  it('counts the lines that a slow reader misses, reports them, and continues', async () => {
    const { log, written, releaseAll } = start()
    const long = 'x'.repeat(99_999)
    log.say('first')
    for (let count = 0; count < 200; count++) log.add(entry(long))
    expect(written).toEqual(['first\n'])
    releaseAll()
    await log.end(60_000)
    const kept = written.filter((text) => text === `${long}\n`).length
    expect(kept).toBeGreaterThan(70)
    expect(kept).toBeLessThan(90)
    expect(written.slice(1 + kept)).toEqual([`(${200 - kept} log lines were dropped here: the reader was too slow)\n`])
    log.add(entry('again'))
    await log.end(60_000)
    expect(written.at(-1)).toBe('again\n')
  })

  it.each([
    [
      'says once why it ends where it cannot be written',
      new SomeError('output-failed', 'no space left'),
      ['the log ends here: no space left'],
    ],
    ['ends quietly where its reader has gone', new OutputClosedError(undefined), []],
  ])('%s', async (_, error, expected) => {
    const { log, written, held, notes, format } = start()
    log.say('first')
    log.add(entry('one'))
    held[0]?.reject(error)
    await log.end(60_000)
    log.add(entry('two'))
    log.say('three')
    await log.end(60_000)
    expect([written, notes]).toEqual([['first\n'], expected])
    expect(format).toHaveBeenCalledTimes(1)
  })
})
