/** The progress of a transfer on a terminal, with a clock and timers that the test moves. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Output } from '../../../../src/cli/frame/command.ts'
import { Progress, UploadProgress } from '../../../../src/cli/send/response/progress.ts'
import { progressLine, transferLine } from '../../../../src/cli/send/response/progress-line.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class Terminal implements Output {
  readonly isTerminal = true
  readonly colors = false
  columns = 80
  readonly lines: string[] = []

  write(): Promise<void> {
    return Promise.resolve()
  }

  showStatus(line: string): Promise<void> {
    this.lines.push(line)
    return Promise.resolve()
  }
}

const MB = 1_000_000
const clock = (): number => Date.now()

describe('a progress line', () => {
  const state = { doneBytes: 43 * MB, totalBytes: 100 * MB, bytesPerSecond: 12.3 * MB }

  it.each<[columns: number, line: string]>([
    [100, ' 43 % [=================>                      ] 43.0 MB of 100.0 MB, 12.3 MB/s, 0:05 left'],
    [64, ' 43 % [=====>       ] 43.0 MB of 100.0 MB, 12.3 MB/s, 0:05 left'],
    [50, ' 43 % 43.0 MB of 100.0 MB, 12.3 MB/s, 0:05 left'],
    [40, ' 43 % [====>     ] 12.3 MB/s, 0:05 left'],
    [20, ' 43 % 0:05 left'],
    [8, ' 43 %'],
    [3, ' 4'],
  ])('is shorter than %d columns', (columns, line) => {
    expect(progressLine(state, columns)).toBe(line)
  })

  it.each<[title: string, changes: Partial<typeof state> | { totalBytes: undefined }, line: RegExp]>([
    ['of unknown length shows size and rate', { totalBytes: undefined }, /^43\.0 MB, 12\.3 MB\/s$/],
    ['that stalls says so', { bytesPerSecond: 0 }, /0 B\/s, stalled$/],
    ['of hours', { bytesPerSecond: 10_000 }, /10\.0 kB\/s, 1:35:00 left$/],
    [
      'of a complete transfer',
      { doneBytes: 100 * MB },
      /^100 % \[=+\] 100\.0 MB of 100\.0 MB, 12\.3 MB\/s, 0:00 left$/,
    ],
    ['of more than was announced', { doneBytes: 101 * MB }, /^100 % \[=+\] 100\.0 MB of 100\.0 MB/],
  ])('%s', (_title, changes, line) => {
    expect(progressLine({ ...state, ...changes }, 100)).toMatch(line)
  })
})

describe('the progress of a download', () => {
  it('is shown after a second, and cleared at the end', async () => {
    const terminal = new Terminal()
    const progress = new Progress(terminal, { totalBytes: 4 * MB, clock })
    progress.count(MB)
    await vi.advanceTimersByTimeAsync(999)
    expect(terminal.lines).toEqual([])
    progress.count(2 * MB)
    await vi.advanceTimersByTimeAsync(1)
    expect(terminal.lines).toEqual([expect.stringMatching(/^ 75 % .* 3\.0 MB of 4\.0 MB, 3\.0 MB\/s, 0:01 left$/)])
    await progress.end()
    expect(terminal.lines.at(-1)).toBe('')
    await vi.advanceTimersByTimeAsync(5000)
    expect(terminal.lines).toHaveLength(2)
  })

  it('writes nothing if it takes less than a second', async () => {
    const terminal = new Terminal()
    const progress = new Progress(terminal, { totalBytes: undefined, clock })
    progress.count(MB)
    await vi.advanceTimersByTimeAsync(500)
    await progress.end()
    expect(terminal.lines).toEqual([])
    expect(progress.summary).toBe('1.0 MB in 500 ms (2.0 MB/s)')
  })

  it('shows the rate of the last seconds', async () => {
    const terminal = new Terminal()
    const progress = new Progress(terminal, { totalBytes: undefined, clock })
    progress.count(60 * MB)
    await vi.advanceTimersByTimeAsync(4000)
    progress.count(3 * MB)
    await vi.advanceTimersByTimeAsync(200)
    expect(terminal.lines.at(-1)).toBe('63.0 MB, 1.0 MB/s')
    await vi.advanceTimersByTimeAsync(4000)
    expect(terminal.lines.at(-1)).toBe('63.0 MB, 0 B/s')
    await progress.end()
  })

  it('follows the width of the terminal', async () => {
    const terminal = new Terminal()
    const progress = new Progress(terminal, { totalBytes: 4 * MB, clock })
    progress.count(2 * MB)
    await vi.advanceTimersByTimeAsync(1000)
    expect(terminal.lines.at(-1)).toHaveLength(79)
    terminal.columns = 40
    await vi.advanceTimersByTimeAsync(200)
    expect(terminal.lines.at(-1)!.length).toBeLessThan(40)
    await progress.end()
  })

  it('counts existing bytes only towards the total', async () => {
    const terminal = new Terminal()
    const progress = new Progress(terminal, { totalBytes: 10 * MB, startBytes: 8 * MB, clock })
    progress.count(MB)
    await vi.advanceTimersByTimeAsync(1000)
    expect(terminal.lines.at(-1)).toMatch(/^ 90 % .* 9\.0 MB of 10\.0 MB, 1\.0 MB\/s, 0:01 left$/)
    expect(progress.summary).toBe('1.0 MB in 1.00 s (1.0 MB/s)')
    await progress.end()
  })
})

describe('the progress of an upload', () => {
  it('counts the body, not the head, and restarts with each request', async () => {
    const terminal = new Terminal()
    const progress = new UploadProgress(terminal, { totalBytes: 4 * MB, clock })
    expect(progress.summary).toBeUndefined()
    const send = (bodyBytes: number): void => {
      progress.write(Buffer.alloc(100))
      progress.write(Buffer.alloc(bodyBytes))
    }
    send(4 * MB)
    await progress.next()
    send(MB)
    await vi.advanceTimersByTimeAsync(1000)
    expect(terminal.lines.at(-1)).toMatch(/^ 25 % .* 1\.0 MB of 4\.0 MB/)
    expect(progress.summary).toBe('1.0 MB in 1.00 s (1.0 MB/s)')
    await progress.end()
  })
})

it('a path cannot control the terminal', () => {
  expect(transferLine('saved', 'a\x1b[31m\nb', '1 B in 1 ms')).toBe('saved a\\x1B[31m b: 1 B in 1 ms\n')
})
