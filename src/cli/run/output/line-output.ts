/**
 * Buffers the standard output of a run, so that many short pieces are written together.
 *
 * Rules: output within FLUSH_MS is written together, because writes are most of the cost of printing a short response;
 * the user sees no difference. At most MAX_HELD_BYTES are held: beyond that the printer waits for the reader. `flush`
 * is called before anything is written to standard error, so that the two stay in order. The class tracks whether the
 * current line has ended, since bodies need not end in a newline.
 */
import type { Output } from '../../frame/command.ts'

const LF = 0x0a
const FLUSH_MS = 10
const MAX_HELD_BYTES = 16 * 1024

/** The result of a write that is only held. */
const HELD: Promise<void> = Promise.resolve()

export class LineOutput implements Output {
  readonly isTerminal: boolean
  readonly colors: boolean
  readonly #output: Output
  #held: Uint8Array[] = []
  #heldBytes = 0
  #isInLine = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  constructor(output: Output) {
    this.#output = output
    // Cached, because the property asks the system each time.
    this.isTerminal = output.isTerminal
    this.colors = output.colors
  }

  get columns(): number {
    return this.#output.columns
  }

  write(data: string | Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (data.length === 0) return HELD
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.#isInLine = bytes.at(-1) !== LF
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > MAX_HELD_BYTES) return this.flush()
    this.#timer ??= setTimeout(() => this.#flushLater(), FLUSH_MS)
    return HELD
  }

  /** Writes text at the start of a line. */
  writeLine(text: string): Promise<void> {
    return this.write(this.#isInLine ? `\n${text}` : text)
  }

  /** Ends the current line if it has text. */
  startLine(): Promise<void> {
    return this.#isInLine ? this.write('\n') : HELD
  }

  /** Writes the held text. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#held.length > 0) {
      const bytes = this.#held.length === 1 ? (this.#held[0] as Uint8Array) : Buffer.concat(this.#held)
      this.#held = []
      this.#heldBytes = 0
      this.#writing = this.#writing.then(() => this.#output.write(bytes))
    }
    await this.#writing
  }

  /** Not awaited: the next write reports the error. */
  #flushLater(): void {
    this.flush().catch((error: unknown) => {
      this.#failure ??= { error }
    })
  }
}
