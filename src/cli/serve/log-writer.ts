/**
 * Writes the log of `serve` to standard output asynchronously.
 *
 * Rules: an answered request costs the server one short text. Lines are written in batches: the first immediately, the
 * next no sooner than `batchMs` after it. The lines of a batch are joined at its end: appending each line to one text
 * costs a third more, since the engine's collections move every part of a joined text. A slow reader never stops the
 * server and never fills its memory: beyond the limit lines are dropped, and their number is logged. If the log can no
 * longer be written, it ends with one note, or without one if its reader is gone.
 */
import { HttpcliError } from '../../message/index.ts'
import type { AnsweredRequest, LogFormatter } from '../../server/index.ts'
import type { Output } from '../frame/command.ts'

/** Too short to notice, long enough for hundreds of lines under load. */
const batchMs = 50

/** A longer batch is written early. */
const usualBatchBytes = 65_536

/** The size that a pipe writes atomically (PIPE_BUF on Linux): lines of several processes stay intact. */
export const sharedBatchBytes = 4_096

/** The limit of unwritten bytes for a slow reader. */
const maximumPendingBytes = 8_388_608

export class LogWriter {
  readonly #output: Output
  readonly #formatter: LogFormatter
  readonly #note: (text: string) => void
  readonly #batchBytes: number
  #batch: string[] = []
  #batchLength = 0
  #pending: Buffer[] = []
  /** The bytes of waiting batches and of the current write. */
  #pendingBytes = 0
  #lostLines = 0
  #timer: NodeJS.Timeout | undefined
  #nextBatchMs = 0
  #writing: Promise<void> | undefined
  #hasFailed = false

  /**
   * `note` is called once, with the reason why the log has ended. `batchBytes`: the maximum size of a write, unless one
   * line is longer.
   */
  constructor(
    output: Output,
    formatter: LogFormatter,
    note: (text: string) => void,
    batchBytes: number = usualBatchBytes,
  ) {
    this.#output = output
    this.#formatter = formatter
    this.#note = note
    this.#batchBytes = batchBytes
  }

  /** Writes a line of the program itself immediately, after earlier answers. */
  say(line: string): void {
    this.#endBatch()
    this.#enqueue(Buffer.from(`${line}\n`), 1)
  }

  /** For `onAnswer`. */
  readonly add = (entry: AnsweredRequest): void => {
    if (this.#hasFailed) return
    const line = this.#formatter.format(entry)
    const lineBytes = line.length + 1
    if (this.#batchLength + lineBytes > this.#batchBytes) this.#endBatch()
    this.#batch.push(line)
    this.#batchLength += lineBytes
    this.#timer ??= setTimeout(this.#endBatch, Math.max(0, this.#nextBatchMs - performance.now()))
  }

  /** Settles when everything is written or failed, after `timeoutMs` at the latest: a reader may be stuck. */
  async end(timeoutMs: number): Promise<void> {
    this.#endBatch()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([this.#writing, timeout])
    clearTimeout(timer)
  }

  readonly #endBatch = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#batch.length === 0) return
    this.#nextBatchMs = performance.now() + batchMs
    // Formatters write ASCII only.
    this.#enqueue(Buffer.from(`${this.#batch.join('\n')}\n`, 'latin1'), this.#batch.length)
    this.#batch = []
    this.#batchLength = 0
  }

  #enqueue(lines: Buffer, count: number): void {
    if (this.#hasFailed) return
    if (this.#pendingBytes + lines.length > maximumPendingBytes) {
      this.#lostLines += count
      return
    }
    this.#pending.push(lines)
    this.#pendingBytes += lines.length
    this.#writing ??= this.#writePending()
  }

  async #writePending(): Promise<void> {
    try {
      for (let lines = this.#pending.shift(); lines !== undefined; lines = this.#pending.shift()) {
        await this.#output.write(lines)
        this.#pendingBytes -= lines.length
        if (this.#lostLines > 0 && this.#pending.length === 0) this.#noteLoss()
      }
    } catch (error) {
      this.#hasFailed = true
      this.#pending = []
      const isReaderGone = error instanceof HttpcliError && error.code === 'output-closed'
      if (!isReaderGone) this.#note(`the log ends here: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      this.#writing = undefined
    }
  }

  /** Writes a note instead of the dropped lines. All lines before them have been written, and none after them. */
  #noteLoss(): void {
    const line = Buffer.from(`(${this.#lostLines} log lines were dropped here: the reader was too slow)\n`)
    this.#lostLines = 0
    this.#pending.push(line)
    this.#pendingBytes += line.length
  }
}
