/**
 * Shows the progress of a download or an upload on one line of a terminal.
 *
 * Rules: only on a terminal, and only if a transfer takes longer than a second. A timer draws the line, so that a
 * stalled transfer is visible. Loaded for terminals.
 */
import type { Output } from '../../frame/command.ts'
import { progressLine, transferSummary } from './progress-line.ts'

const FIRST_SHOWN_MS = 1000
const REFRESH_MS = 200
/** The period over which the rate is measured. */
const RATE_MS = 3000

export interface ProgressSettings {
  /** Undefined if unknown. */
  readonly totalBytes: number | undefined
  /** Bytes that existed before: they count towards the total, but not towards the rate. */
  readonly startBytes?: number
  readonly clock: () => number
}

interface Sample {
  readonly atMs: number
  readonly bytes: number
}

export class Progress {
  readonly #output: Output
  readonly #settings: ProgressSettings
  readonly #startedAtMs: number
  readonly #timer: NodeJS.Timeout
  #samples: readonly Sample[]
  #doneBytes: number
  #isDrawing = false
  #isShown = false

  /** @param output a terminal */
  constructor(output: Output, settings: ProgressSettings) {
    this.#output = output
    this.#settings = settings
    this.#doneBytes = settings.startBytes ?? 0
    this.#startedAtMs = settings.clock()
    this.#samples = [{ atMs: this.#startedAtMs, bytes: this.#doneBytes }]
    this.#timer = setInterval(() => void this.#draw(), REFRESH_MS).unref()
  }

  count(bytes: number): void {
    this.#doneBytes += bytes
  }

  /** Restarts with the first byte. */
  restart(): void {
    this.#doneBytes = this.#settings.startBytes ?? 0
    this.#samples = [{ atMs: this.#settings.clock(), bytes: this.#doneBytes }]
  }

  /** Removes the line. No effect when called again. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#isShown) await this.#output.showStatus?.('')
  }

  /** Whether the transfer took long enough to be shown. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** Size, time and rate of the transfer so far. */
  get summary(): string {
    const bytes = this.#doneBytes - (this.#settings.startBytes ?? 0)
    return transferSummary(bytes, this.#settings.clock() - this.#startedAtMs)
  }

  async #draw(): Promise<void> {
    const now = { atMs: this.#settings.clock(), bytes: this.#doneBytes }
    const oldest = this.#sampled(now)
    if (now.atMs - this.#startedAtMs < FIRST_SHOWN_MS || this.#isDrawing) return
    this.#isShown = true
    this.#isDrawing = true
    const elapsedMs = now.atMs - oldest.atMs
    const bytesPerSecond = elapsedMs > 0 ? ((now.bytes - oldest.bytes) / elapsedMs) * 1000 : 0
    const { totalBytes } = this.#settings
    const line = progressLine({ doneBytes: now.bytes, totalBytes, bytesPerSecond }, this.#output.columns)
    // If the terminal is gone, the next write of the command also fails.
    await this.#output.showStatus?.(line).catch(() => undefined)
    this.#isDrawing = false
  }

  /** Adds a sample and returns the oldest one within the period. */
  #sampled(now: Sample): Sample {
    const recent = this.#samples.filter(({ atMs }) => now.atMs - atMs <= RATE_MS)
    this.#samples = [...(recent.length === 0 ? this.#samples.slice(-1) : recent), now]
    return this.#samples[0] as Sample
  }
}

/** The progress of a request's body, counted where its bytes are sent. */
export class UploadProgress {
  readonly #progress: Progress
  #isHead = true

  constructor(output: Output, settings: ProgressSettings) {
    this.#progress = new Progress(output, settings)
  }

  /** Counts the next bytes sent to the server. The first ones of a request are its head. */
  write(bytes: Uint8Array): void {
    if (!this.#isHead) this.#progress.count(bytes.length)
    this.#isHead = false
  }

  /** Called when the request is sent again. */
  next(): Promise<void> {
    this.#progress.restart()
    this.#isHead = true
    return Promise.resolve()
  }

  /** Size, time and rate of the upload; undefined if it was too short to be shown. */
  get summary(): string | undefined {
    return this.#progress.isShown ? this.#progress.summary : undefined
  }

  end(): Promise<void> {
    return this.#progress.end()
  }
}
