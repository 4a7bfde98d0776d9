/**
 * stdout and stderr as the sub-commands see them.
 *
 * Rules: a write ends when the stream has taken it, so that a slow reader slows the work down and memory stays flat.
 * When the reader has gone (EPIPE), writes reject with OutputClosedError, which ends the command quietly. Streams are
 * touched at the first write and not before: opening them costs start-up time. Nothing here ends the process: exiting
 * while a pipe still holds data would cut the output.
 */
import type { Writable } from 'node:stream'
import { HttpcliError } from '../message/index.ts'
import type { Output } from './command.ts'
import { allowsColors, type ColorChoice, DEFAULT_COLUMNS } from './terminal.ts'

/** The reader of stdout or stderr has gone, as `| head` does. */
export class OutputClosedError extends HttpcliError {
  constructor(cause: unknown) {
    super('output-closed', 'the reader of the output has gone', { cause })
  }
}

/** What of process.stdout and process.stderr is used. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface OutputSettings {
  /** What errors call it. */
  readonly name: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly colorChoice: () => ColorChoice | undefined
}

/** Wraps the stream that `open` gives; it is called once, when it is needed. */
export function createOutput(open: () => OutputStream, settings: OutputSettings): Output {
  let opened: OutputStream | undefined
  let failure: HttpcliError | undefined
  const stream = (): OutputStream => {
    if (opened !== undefined) return opened
    opened = open()
    // Without a listener an error of the stream would end the process with a stack trace.
    opened.on('error', (error: NodeJS.ErrnoException) => {
      failure ??= failureOf(error, settings.name)
    })
    return opened
  }
  return {
    get isTerminal() {
      return stream().isTTY === true
    },
    get columns() {
      return stream().columns ?? DEFAULT_COLUMNS
    },
    get colors() {
      const choice = settings.colorChoice()
      return allowsColors({
        isTerminal: stream().isTTY === true,
        environment: settings.environment,
        ...(choice === undefined ? {} : { choice }),
      })
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        stream().write(data, (error) => {
          if (error) reject((failure ??= failureOf(error, settings.name)))
          else resolve()
        })
      }),
  }
}

const readerGone: readonly (string | undefined)[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']

function failureOf(error: NodeJS.ErrnoException, name: string): HttpcliError {
  if (readerGone.includes(error.code)) return new OutputClosedError(error)
  const reason = error.code === 'ENOSPC' ? 'no space left on the device' : error.message
  return new HttpcliError('output-failed', `cannot write to ${name}: ${reason}`, { cause: error })
}
