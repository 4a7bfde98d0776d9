/**
 * The stdout and stderr that are passed to sub-commands.
 *
 * Rules: a write resolves when the stream has accepted it, so that a slow reader slows down the work and memory does
 * not grow. When the reader is gone (EPIPE), writes reject with OutputClosedError, which ends the command quietly.
 * After a write has resolved, the operating system has the bytes, and the process may end.
 *
 * The first bytes, up to the capacity of an empty pipe, go straight to the descriptor: opening the stream costs a short
 * command 4 % of its start-up time. Later bytes, and bytes that do not fit, go through the stream, in order, so that a
 * slow reader never blocks the event loop for long.
 */
import type { Writable } from 'node:stream'
import { CliError } from '../frame/cli-error.ts'
import type { Output } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { allowsColors, type ColorChoice, DEFAULT_COLUMNS } from './terminal.ts'

/** The reader of stdout or stderr is gone, as `| head` does. */
export class OutputClosedError extends CliError {
  constructor(cause: unknown) {
    super('output-closed', 'the output was closed by its reader', { cause })
  }
}

/** Runs a command that has not finished its work if an output is closed: then it ends with the exit code for that. */
export async function toItsEnd(work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutputClosedError) return exitCodes.io
    throw error
  }
}

/** The members of process.stdout and process.stderr that are used. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** The file descriptor below a stream. */
export interface Descriptor {
  isTerminal(): boolean
  /** Writes as much as the system accepts immediately. @returns the number of bytes @throws errors of the system */
  write(bytes: Uint8Array): number | Promise<number>
}

export type OpenDescriptor = (descriptor: number) => Descriptor

export interface OutputSettings {
  /** Its name in error messages. */
  readonly name: string
  /** Undefined if everything goes through the stream. */
  readonly descriptor?: Descriptor
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly colorChoice: () => ColorChoice | undefined
}

/** Moves back to the first column, and erases the line. */
const WIPED_LINE = '\r\x1b[K'

/** The number of bytes that go straight to the descriptor: the capacity of a pipe. */
const DIRECT_OCTETS = 65_536

/** Wraps the stream that `open` returns; it is called once, on demand. */
export function createOutput(open: () => OutputStream, settings: OutputSettings): Output {
  return new StreamOutput(open, settings)
}

class StreamOutput implements Output {
  readonly #open: () => OutputStream
  readonly #settings: OutputSettings
  #opened: OutputStream | undefined
  /** The first failure. Every later write fails with it. */
  #failure: Promise<CliError> | undefined
  #directLeft: number
  /** Settled when the descriptor has the bytes of the last write; undefined if it has them. */
  #writing: Promise<void> | undefined
  #isTerminal: boolean | undefined
  #hasStatus = false

  constructor(open: () => OutputStream, settings: OutputSettings) {
    this.#open = open
    this.#settings = settings
    this.#directLeft = settings.descriptor === undefined ? 0 : DIRECT_OCTETS
  }

  get isTerminal(): boolean {
    this.#isTerminal ??= this.#settings.descriptor?.isTerminal() ?? this.#stream().isTTY === true
    return this.#isTerminal
  }

  get columns(): number {
    // Only a terminal is queried, because that opens the stream. A terminal of unknown size reports 0.
    return (this.isTerminal && this.#stream().columns) || DEFAULT_COLUMNS
  }

  get colors(): boolean {
    const choice = this.#settings.colorChoice()
    return allowsColors({
      isTerminal: this.isTerminal,
      environment: this.#settings.environment,
      ...(choice === undefined ? {} : { choice }),
    })
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (this.#hasStatus) await this.showStatus('')
    await this.#write(data)
  }

  async showStatus(line: string): Promise<void> {
    this.#hasStatus = line !== ''
    await this.#write(`${WIPED_LINE}${line}`)
  }

  wipeStatusNow(): void {
    if (!this.#hasStatus) return
    this.#hasStatus = false
    const wipe = async (): Promise<unknown> => this.#settings.descriptor?.write(Buffer.from(WIPED_LINE))
    // If it fails, the terminal is gone or full: the process ends anyway.
    wipe().catch(() => undefined)
  }

  async #write(data: string | Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw await this.#failure
    try {
      while (this.#writing !== undefined) await this.#writing
      const rest = await this.#writeDirectly(typeof data === 'string' ? Buffer.from(data) : data)
      if (rest.length > 0) await this.#writeToStream(rest)
    } catch (error) {
      throw await this.#fail(error as NodeJS.ErrnoException)
    }
  }

  /** Returns the bytes that the stream has to write. */
  async #writeDirectly(bytes: Uint8Array): Promise<Uint8Array> {
    const { descriptor } = this.#settings
    if (descriptor === undefined || bytes.length > this.#directLeft) {
      this.#directLeft = 0
      return bytes
    }
    this.#directLeft -= bytes.length
    let rest = bytes
    try {
      while (rest.length > 0) {
        const written = descriptor.write(rest)
        rest = rest.subarray(typeof written === 'number' ? written : await this.#whenWritten(written))
      }
    } catch (error) {
      // The descriptor is non-blocking; the stream will wait.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      this.#directLeft = 0
    }
    return rest
  }

  async #whenWritten(written: Promise<number>): Promise<number> {
    const ended = (): void => {
      this.#writing = undefined
    }
    this.#writing = written.then(ended, ended)
    return written
  }

  #writeToStream(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream().write(bytes, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  #stream(): OutputStream {
    if (this.#opened === undefined) {
      this.#opened = this.#open()
      // Without a listener an error of the stream would end the process with a stack trace.
      this.#opened.on('error', (error: NodeJS.ErrnoException) => void this.#fail(error))
    }
    return this.#opened
  }

  #fail(error: NodeJS.ErrnoException): Promise<CliError> {
    this.#failure ??= failureOf(error, this.#settings.name)
    return this.#failure
  }
}

const readerGone: readonly (string | undefined)[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

async function failureOf(error: NodeJS.ErrnoException, name: string): Promise<CliError> {
  if (readerGone.includes(error.code)) return new OutputClosedError(error)
  const { systemReason } = await import('../../message-node/index.ts')
  return new CliError('output-failed', `cannot write to ${name}: ${systemReason(error)}`, { cause: error })
}
