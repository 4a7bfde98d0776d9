/**
 * How far a download or an upload is, on one line of a terminal.
 *
 * Rules: shown only on a terminal and only for work that takes longer than a second; at most ten times a second; the
 * line is wiped at the end, so that it stands in nobody's way.
 */
import type { Output } from '../../frame/command.ts'

const FIRST_SHOWN_MS = 1000
const REFRESH_MS = 100

export class Progress {
  readonly #output: Output
  readonly #clock: () => number
  readonly #totalBytes: number | undefined
  readonly #startedAt: number
  #nextAt: number
  #isShown = false

  /** @param totalBytes undefined where nobody knows. */
  constructor(output: Output, totalBytes: number | undefined, clock: () => number) {
    this.#output = output
    this.#totalBytes = totalBytes
    this.#clock = clock
    this.#startedAt = clock()
    this.#nextAt = output.isTerminal ? this.#startedAt + FIRST_SHOWN_MS : Number.POSITIVE_INFINITY
  }

  async show(bytes: number): Promise<void> {
    const now = this.#clock()
    if (now < this.#nextAt) return
    this.#nextAt = now + REFRESH_MS
    this.#isShown = true
    const rate = sizeText((bytes / (now - this.#startedAt)) * 1000)
    await this.#output.write(`\r\x1b[K${this.#amount(bytes)}, ${rate}/s`)
  }

  async end(): Promise<void> {
    if (this.#isShown) await this.#output.write('\r\x1b[K')
    this.#isShown = false
  }

  #amount(bytes: number): string {
    if (this.#totalBytes === undefined || this.#totalBytes === 0) return sizeText(bytes)
    // The octets of a head are counted too.
    const percent = Math.min(100, Math.floor((bytes / this.#totalBytes) * 100))
    return `${sizeText(bytes)} of ${sizeText(this.#totalBytes)} (${percent} %)`
  }
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `12.3 MB`, decimal units. */
function sizeText(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
