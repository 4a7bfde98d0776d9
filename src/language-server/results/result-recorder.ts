/**
 * Records the events of a run as readable text and as data for programs.
 *
 * Rules: each request has its request line, the status line, the header fields, the body, then tests, logs, errors and
 * times. Secrets are masked in both forms. Memory is bounded: only the runner's sample of each body is kept, and at
 * most MAX_NOTES_CHARACTERS of logs and messages per request. For a repeated request, only the last attempt is shown.
 */
import {
  ConsoleText,
  counted,
  failureLines,
  failureRecord,
  headerPairs,
  shownDuration,
  shownSize,
} from '../../report/index.ts'
import type { RequestIdentity, RunEvent, RunResponseHead } from '../../runner/index.ts'
import { maskedData, type SecretMask } from '../../secrets/index.ts'
import { editorHint } from '../diagnostics/editor-hints.ts'
import { bodyText } from './body-text.ts'
import type { RequestResult, TestResult } from './run-result.ts'

const MAX_NOTES_CHARACTERS = 256 * 1024

type ResponseEvent = Extract<RunEvent, { readonly type: 'response' }>
type DoneEvent = Extract<RunEvent, { readonly type: 'response-done' }>

/** A request in progress. */
interface OpenRequest {
  readonly request: RequestIdentity
  readonly heading: string
  /** Messages before the response: redirects, challenges. */
  hops: string
  url?: string
  response?: ResponseEvent
  done?: DoneEvent
  /** Tests, logs, messages, errors. */
  notes: string
  readonly tests: TestResult[]
  readonly errors: string[]
}

export class ResultRecorder {
  readonly requests: RequestResult[] = []
  readonly #mask: SecretMask
  readonly #layoutJson: (text: string) => string
  readonly #wording: ConsoleText
  readonly #texts: string[] = []
  #open: OpenRequest | undefined

  constructor(mask: SecretMask, layoutJson: (text: string) => string) {
    this.#mask = mask
    this.#layoutJson = layoutJson
    this.#wording = new ConsoleText({ isTerminal: false, colors: false, columns: 0 }, (text) => mask.mask(text))
  }

  /** The finished requests. */
  get text(): string {
    return this.#texts.join('\n')
  }

  listen(event: RunEvent): void {
    if (event.type === 'warning') this.#note(`warning: ${event.error.message}\n`)
    else if (event.type === 'request-started') this.#begin(event)
    else if (event.type === 'request-skipped') this.#skip(event.request)
    else if (event.type === 'error' && event.request === undefined) this.addFailure(event.error)
    else if (event.type === 'request-finished') this.#finish(event)
    else if (this.#open !== undefined) this.#note(this.#take(event, this.#open))
  }

  /** Records an event of a request. @returns its text for the notes; empty if there is none */
  #take(event: RunEvent, open: OpenRequest): string {
    switch (event.type) {
      case 'request-sent':
      case 'request-unsent':
        open.url = event.sent.url
        open.hops += `${event.sent.method} ${event.sent.url}\n`
        return ''
      case 'hop-finished':
        open.hops += `\n${headText(event.response)}\n`
        return ''
      case 'response':
        open.response = event
        return ''
      case 'response-done':
        open.done = event
        return ''
      case 'message':
        return `${event.direction === 'sent' ? '>' : '<'} ${messageText(event.data)}\n`
      case 'response-saved':
        return `saved in ${event.path}\n`
      case 'request-retried':
        // The next attempt begins; the tests of this one are not reported.
        open.hops = ''
        delete open.response
        delete open.done
        break
      case 'test-passed':
        open.tests.push({ name: event.name, hasPassed: true })
        break
      case 'test-failed':
        open.tests.push({ name: event.name, hasPassed: false, message: event.error.message })
        break
      case 'script-failed':
        open.errors.push(errorLine(event.error))
        break
      case 'error':
        open.errors.push(errorLine(event.error))
        return errorText(event.error)
    }
    return this.#wording.text(event)
  }

  /** Adds an error that does not belong to a request, such as an error in an imported file. */
  addFailure(error: unknown): void {
    this.#texts.push(this.#mask.mask(errorText(error)))
  }

  #begin(event: Extract<RunEvent, { readonly type: 'request-started' }>): void {
    const heading = this.#wording.text(event).trimStart()
    this.#open = { request: event.request, heading, hops: '', notes: '', tests: [], errors: [] }
  }

  #note(text: string): void {
    if (text === '') return
    if (this.#open === undefined) this.#texts.push(this.#mask.mask(text))
    else if (this.#open.notes.length < MAX_NOTES_CHARACTERS) this.#open.notes += text.slice(0, MAX_NOTES_CHARACTERS)
  }

  #skip(request: RequestIdentity): void {
    const skipped = { ...placeOf(request), durationMs: 0, outcome: 'skipped', tests: [], errors: [] } as const
    this.requests.push(maskedData(skipped, (text) => this.#mask.mask(text), skipped.file))
  }

  #finish({ durationMs, outcome }: Extract<RunEvent, { readonly type: 'request-finished' }>): void {
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    const { heading, hops, response, done, notes, url, tests, errors, request } = open
    const answer = response === undefined ? '' : `\n${headText(response.response)}\n${this.#bodyOf(response)}`
    const parts = [`${heading}${hops}${answer}`, notes, timesText(durationMs, done)]
    this.#texts.push(this.#mask.mask(parts.filter((part) => part !== '').join('\n')))
    const result: RequestResult = {
      ...placeOf(request),
      ...(url === undefined ? {} : { url }),
      ...(response === undefined ? {} : dataOf(response)),
      ...(done === undefined ? {} : { sizeBytes: done.statistics.bytesReceived }),
      ...{ durationMs, outcome, tests, errors },
    }
    this.requests.push(maskedData(result, (text) => this.#mask.mask(text), result.file))
  }

  #bodyOf({ response, answer }: ResponseEvent): string {
    const { sample } = answer
    if (sample === undefined) return ''
    const { bytes, sizeBytes } = sample
    return bodyText({ bytes, sizeBytes, contentType: response.headers.first('content-type') ?? '' }, this.#layoutJson)
  }
}

function placeOf({
  name,
  method,
  target,
  file,
  line,
}: RequestIdentity): Omit<RequestResult, 'durationMs' | 'outcome' | 'tests' | 'errors'> {
  return { name, method, target, file, line: line - 1 }
}

function dataOf({ response }: ResponseEvent): Pick<RequestResult, 'status' | 'reason' | 'headers'> {
  const { status, reason, headers } = response
  return { status, reason, headers: headerPairs(headers) }
}

function headText({ version, status, reason, headers }: RunResponseHead): string {
  const fields = headerPairs(headers).map(([name, value]) => `${name}: ${value}\n`)
  return `${`${version} ${status} ${reason}`.trimEnd()}\n${fields.join('')}`
}

function messageText(data: string | Uint8Array): string {
  return typeof data === 'string'
    ? data
    : `${counted(data.length, 'byte')}: ${Buffer.from(data.subarray(0, 64)).toString('hex')}`
}

function timesText(durationMs: number, done: DoneEvent | undefined): string {
  if (done === undefined) return `${shownDuration(durationMs)}, no complete answer\n`
  const { connectMs, dnsMs, tlsMs, firstByteMs, totalMs, bytesReceived } = done.statistics
  const steps = [
    ...(dnsMs === 0 ? [] : [`name ${shownDuration(dnsMs)}`]),
    ...(connectMs === 0 ? [] : [`connection ${shownDuration(connectMs)}`]),
    ...(tlsMs === 0 ? [] : [`TLS ${shownDuration(tlsMs)}`]),
    `first byte ${shownDuration(firstByteMs)}`,
  ]
  return `${shownDuration(totalMs)} (${steps.join(', ')}), ${shownSize(bytesReceived)}\n`
}

function linesOf(error: unknown): readonly string[] {
  const { errors } = (error ?? {}) as { readonly errors?: readonly unknown[] }
  return (errors ?? [error]).flatMap((each) => {
    const { hint, ...failure } = failureRecord(each, (text) => text)
    return failureLines(hint === undefined ? failure : { ...failure, hint: editorHint(hint) })
  })
}

function errorText(error: unknown): string {
  return `error: ${linesOf(error).join('\n       ')}\n`
}

/** The message with its position, for a list; for a file with several errors, the first one. */
export function errorLine(error: unknown): string {
  const { errors: [first = error] = [] } = (error ?? {}) as { readonly errors?: readonly unknown[] }
  const { message, file, line, column } = failureRecord(first, (text) => text)
  return file === undefined ? message : `${file}:${line}:${column}: ${message}`
}
