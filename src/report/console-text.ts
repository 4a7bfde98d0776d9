/**
 * Console output of a run besides the responses: headings, logs, test results.
 *
 * Rules: an event yields text for standard output, each line with its line ending, or an empty string. Plain words, no
 * symbols that depend on the font; colours only on request. Names are one line each. Names, messages and logs come from
 * files and servers: on a terminal their control characters are escaped, in a pipe they are unchanged. Long texts are
 * shortened. A terminal also gets a result line for each request.
 */
import type { RunEvent } from '../runner/index.ts'
import type { Mask } from '../secrets/index.ts'
import { failureLines, failureRecord } from './record/failure-record.ts'
import { escapedControls, oneLine, shortened, shownDuration, shownSize } from './record/printable-text.ts'
import { jobLabel, type ReportedJob } from './record/run-record.ts'

export interface ConsoleStyle {
  readonly isTerminal: boolean
  readonly colors: boolean
  /** The width of the terminal in characters. */
  readonly columns: number
}

const colors = {
  bold: ['\x1b[1m', '\x1b[22m'],
  dim: ['\x1b[2m', '\x1b[22m'],
  green: ['\x1b[32m', '\x1b[39m'],
  yellow: ['\x1b[33m', '\x1b[39m'],
  red: ['\x1b[31m', '\x1b[39m'],
} as const

export type ConsoleColor = keyof typeof colors

/** The text in a colour, if colours are enabled. */
export function painted(color: ConsoleColor, text: string, style: Pick<ConsoleStyle, 'colors'>): string {
  return style.colors ? colors[color][0] + text + colors[color][1] : text
}

/** The text, escaped if it goes to a terminal. */
export function shown(text: string, { isTerminal }: Pick<ConsoleStyle, 'isTerminal'>): string {
  return isTerminal ? escapedControls(text) : text
}

/** The events of one job as text. It keeps the state for the line of a request. */
export class ConsoleText {
  readonly #style: ConsoleStyle
  readonly #mask: Mask
  #method = ''
  #url = ''
  #status: number | undefined
  /** Whether the status is that of gRPC. */
  #isGrpc = false
  /** Not sent, or not answered completely. */
  #isBroken = false

  constructor(style: ConsoleStyle, mask: Mask) {
    this.#style = style
    this.#mask = mask
  }

  /** Empty for events printed elsewhere: responses and errors of requests have separate printers. */
  text(event: RunEvent): string {
    const style = this.#style
    switch (event.type) {
      case 'request-started':
        return this.#heading(event)
      case 'request-sent':
        this.#method = event.sent.method
        this.#url = event.sent.url
        return ''
      case 'response':
        this.#status = event.response.status
        this.#isGrpc = event.request.method === 'GRPC'
        return ''
      case 'response-done':
        return this.#requestLine(event.statistics.totalMs, event.statistics.bytesReceived)
      case 'script-log':
        return `${shown(event.text, style)}\n`
      case 'test-passed':
        return `${painted('green', 'passed', style)}  ${this.#name(event.name)}\n`
      case 'test-failed':
        return `${painted('red', 'FAILED', style)}  ${this.#name(event.name)}\n${this.#errorLines(event.error)}`
      case 'script-failed':
        return `${painted('red', 'FAILED', style)}  a script\n${this.#errorLines(event.error)}`
      case 'request-retried':
        return `${painted('yellow', 'retry', style)}   attempt ${event.attempt} of ${event.of}: ${this.#name(event.reason)}\n`
      case 'request-finished':
        return this.#isBroken ? this.#requestLine(event.durationMs, undefined) : ''
      case 'error':
        this.#isBroken = true
        return ''
      default:
        return ''
    }
  }

  /** The heading above the requests of a job, if a run has several jobs. */
  jobHeading(job: ReportedJob): string {
    return `${job.number === 1 ? '' : '\n'}${painted('bold', `=== ${this.#name(jobLabel(job))} ===`, this.#style)}\n`
  }

  #heading({ request }: Extract<RunEvent, { readonly type: 'request-started' }>): string {
    const { number, name, method, target, iteration } = request
    this.#method = method
    this.#url = target
    this.#status = undefined
    this.#isBroken = false
    const round = iteration === 0 ? '' : ` (round ${iteration + 1})`
    const title = this.#name(`${name === '' ? '' : `${name}: `}${method} ${target}${round}`)
    return `${number === 1 ? '' : '\n'}${painted('bold', `### ${title}`, this.#style)}\n`
  }

  /** `200  GET https://host/path  12 ms  1.2 kB`, for people. The URL is shortened on a narrow terminal. */
  #requestLine(durationMs: number, sizeBytes: number | undefined): string {
    const { isTerminal, columns } = this.#style
    if (!isTerminal) return ''
    const status = this.#status === undefined ? 'no answer' : `${this.#status}${this.#isBroken ? ' truncated' : ''}`
    const figures = [shownDuration(durationMs), ...(sizeBytes === undefined ? [] : [shownSize(sizeBytes)])].join('  ')
    const room = Math.max(MIN_URL_COLUMNS, columns - status.length - figures.length - 5)
    const line = fitted(this.#name(`${this.#method} ${this.#url}`), room)
    return `${painted(this.#isBroken ? 'red' : statusColor(this.#status, this.#isGrpc), status, this.#style)}  ${line}  ${painted('dim', figures, this.#style)}\n`
  }

  #name(text: string): string {
    return shown(oneLine(shortened(this.#mask(text), MAX_NAME_CHARACTERS)), this.#style)
  }

  /** The message, then the place and the line with its caret, all indented below the test's name. */
  #errorLines(error: unknown): string {
    return failureLines(failureRecord(error, (text) => shortened(this.#mask(text))))
      .map((line) => `        ${shown(line, this.#style)}\n`)
      .join('')
  }
}

const MAX_NAME_CHARACTERS = 1000
const MIN_URL_COLUMNS = 16

function statusColor(status: number = 0, isGrpc: boolean): ConsoleColor {
  if (isGrpc) return status === 0 ? 'green' : 'yellow'
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** Shortened in the middle: URLs differ at their beginning and end. */
function fitted(text: string, columns: number): string {
  if (text.length <= columns) return text
  const end = Math.floor((columns - 3) / 2)
  return `${text.slice(0, columns - 3 - end)}...${text.slice(text.length - end)}`
}
