/**
 * Receives a response: shows it, keeps it for scripts, saves it to files, while it arrives.
 *
 * Rules: all destinations get the bytes in one pass, at the speed of the slowest. A text stream (events, JSON Lines) is
 * passed to the handlers line by line as it arrives; it ends when the server ends it, when a handler needs no more, or
 * after the time of `@timeout`, and none of these is an error. Captures and assertions run before the handlers, but
 * after them for a stream.
 */
import {
  canDecode,
  contentCodings,
  type Framing,
  HeaderList,
  type HttpResponse,
  octetsOf,
} from '../../message/index.ts'
import type { Exchange } from '../../wire/index.ts'
import type { Arrival, RequestAssertions } from '../assertions/request-assertions.ts'
import type { RequestIdentity, RunListener, RunResponse } from '../base/events.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import { isLineStream, parseMediaType } from '../request/media-type.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { ScriptVerdict } from '../scripting/operations/script-scene.ts'
import type { RequestScripts } from '../scripting/request-scripts.ts'
import { type OpenSample, openSample } from './body-sample.ts'
import { type BodyTap, decodingTap, type FileTap, fileTap } from './body-tap.ts'
import { RecordedBody, type RecordedSource } from './recorded-body.ts'
import { lineTap, StreamQueue } from './stream-queue.ts'

/**
 * The maximum size of a response body kept for scripts and assertions. A script reaches its memory limit before that.
 */
export const MAX_KEPT_BYTES: number = 16 * 1024 * 1024

/** A body up to this size is always read to its end, so that the connection can be reused. */
const MAX_UNSEEN_BYTES = 64 * 1024

export interface Reception {
  readonly request: RequestIdentity
  readonly prepared: PreparedRequest
  readonly scripts: RequestScripts
  readonly checks: RequestAssertions
  /** Called when the head of the response has arrived. */
  readonly arrival: () => Arrival
  /** Responses are written through these. */
  readonly files: ConfinedFiles
  /** The number of bytes of each body to keep for reports; 0: none. */
  readonly sampleBytes: number
  /** @param body If the listener rethrows this body's error, that is not a listener failure. */
  emit(event: Parameters<RunListener>[0], body?: RecordedBody): void | Promise<void>
}

/** The parts of an exchange that receiving needs. */
export type ReceivedExchange = Omit<Exchange, 'response'> & {
  readonly response: Pick<HttpResponse, 'status' | 'reason' | 'headers' | 'repairs'> & {
    readonly body: RecordedSource | undefined
  }
}

/**
 * Receives a response and runs its handlers.
 * @throws errors of the body; errors of the file system.
 */
export async function receiveResponse(result: ReceivedExchange, reception: Reception): Promise<ScriptVerdict> {
  const { response, protocol } = result
  const { prepared } = reception
  const { status, reason, headers } = response
  const head = { version: protocol, status, reason, headers }
  const hasFiles = prepared.responseFiles.length > 0 || prepared.savedResponse !== undefined
  const files = hasFiles ? await openResponseFiles(prepared, head, reception.files) : []
  const type = parseMediaType(headers.first('content-type') ?? '')
  const isStream = isLineStream(type)
  const hasHandlers = reception.scripts.hasHandlers
  const { checks } = reception
  const isKept = (hasHandlers && !isStream) || checks.needsContent
  const queue = isStream && hasHandlers ? new StreamQueue(() => stop()) : undefined
  const sample =
    response.body === undefined || reception.sampleBytes === 0
      ? undefined
      : await openSample(response.headers, reception.sampleBytes)
  const recorded =
    response.body &&
    new RecordedBody(response, response.body, {
      limitBytes: isKept ? MAX_KEPT_BYTES : 0,
      taps: [
        ...files.map(({ tap }) => tap),
        ...(queue === undefined ? [] : [lineTap(queue, type.charset ?? '')]),
        ...(sample === undefined ? [] : [sample.tap]),
      ],
      isEndedBySilence: isStream && prepared.timeouts.firstByteMs !== undefined,
    })
  const stop = (): void => {
    recorded?.stop()
    result.close()
  }
  const limitMs = isStream ? (prepared.timeouts.firstByteMs ?? 0) : 0
  const timer = limitMs > 0 ? setTimeout(stop, limitMs) : undefined
  try {
    const received: RunResponse = { ...head, repairs: response.repairs, body: recorded?.view }
    const isWanted = hasHandlers || files.length > 0 || checks.needsBody
    // An event stream may take any length of time to fill a sample: what has arrived is enough.
    const wanted = { isWanted, sample: sample?.sample, shouldWaitForSample: sample !== undefined && !isStream }
    const check = checks.begin(result, reception)
    const reading = readBody(result, received, recorded, wanted, files, reception)
    if (queue === undefined || !hasHandlers) {
      await reading
      if (check !== undefined) await check(received, recorded)
      if (!hasHandlers) return 'done'
    }
    const handling = handle(result, received, recorded, queue, reception)
    // If the body fails, end the lines, so that the handlers also finish.
    const [read, handled] = await Promise.allSettled([reading, handling])
    if (read.status === 'rejected') throw read.reason
    if (handled.status === 'rejected') throw handled.reason
    if (queue !== undefined && handled.value !== 'aborted') await check?.(received, recorded)
    return handled.value
  } finally {
    clearTimeout(timer)
    if (recorded?.isEnded === false) await recorded.release()
  }
}

async function handle(
  result: ReceivedExchange,
  response: RunResponse,
  recorded: RecordedBody | undefined,
  queue: StreamQueue | undefined,
  { scripts, request, prepared }: Reception,
): Promise<ScriptVerdict> {
  if (queue === undefined) {
    const content = recorded === undefined ? new Uint8Array(0) : await recorded.content()
    return scripts.runHandlers(request, prepared, result, { response, content, stream: undefined })
  }
  const stream = { kind: 'lines', next: () => queue.next(), close: () => queue.close() } as const
  try {
    return await scripts.runHandlers(request, prepared, result, { response, content: undefined, stream })
  } finally {
    queue.release()
  }
}

/** The reasons for reading a body other than showing it. */
interface WantedBody {
  readonly isWanted: boolean
  readonly sample: OpenSample['sample'] | undefined
  readonly shouldWaitForSample: boolean
}

async function readBody(
  result: ReceivedExchange,
  response: RunResponse,
  recorded: RecordedBody | undefined,
  { isWanted, sample, shouldWaitForSample }: WantedBody,
  files: readonly OpenResponseFile[],
  { request, emit }: Reception,
): Promise<void> {
  const { informational, receivedHeads, remote, excessBytes, statistics } = result
  // A server that must send its response first reads the rest of the request only while its response is read.
  const isEnough = (): boolean => result.isRequestSent() && (!shouldWaitForSample || sample?.isFull === true)
  let isGivenUp = false
  let isClosed = false
  const close = (): void => {
    // A listener also closes the body after an error; in that case the error counts.
    isGivenUp = !isWanted && !isShort(response.body?.framing) && recorded?.error === undefined
    isClosed = isGivenUp && isEnough()
    if (isClosed) result.close()
  }
  const answer = { informational, receivedHeads, remote, excessBytes, statistics, close, sample }
  await emit({ type: 'response', request, response, answer }, recorded)
  if (!isClosed) {
    await recorded?.drain(isGivenUp ? isEnough : undefined)
    if (isGivenUp) result.close()
    if (recorded?.error !== undefined) throw recorded.error
  }
  if (recorded === undefined) for (const { tap } of files) await tap.end()
  result.close()
  const trailers = (await response.body?.trailers) ?? HeaderList.EMPTY
  const { repairs } = response
  const end = { statistics: await statistics, repairs, trailers, excessBytes: excessBytes() }
  const done = emit({ type: 'response-done', request, ...end })
  if (done !== undefined) await done
  for (const { file } of files) await emit({ type: 'response-saved', request, path: file.path })
}

function isShort(framing: Framing | undefined): boolean {
  return framing?.type === 'length' && framing.length <= MAX_UNSEEN_BYTES
}

interface OpenResponseFile {
  readonly file: FileTap
  /** Receives the body as it arrives. */
  readonly tap: BodyTap
}

/**
 * Opens the files that a response is saved to: `>> file`, `>>! file`, and `<> file` if requested.
 *
 * Rules: a file is written atomically. `>>` never replaces a file: it adds -1, -2, … before the extension. The body is
 * saved with its content codings decoded, since the file does not record them; a whole response begins with its head.
 * @throws as `ConfinedOutput.open`
 */
async function openResponseFiles(
  prepared: PreparedRequest,
  response: Omit<RunResponse, 'body' | 'repairs'>,
  confined: ConfinedFiles,
): Promise<readonly OpenResponseFile[]> {
  const { responseFiles, savedResponse } = prepared
  const written = contentCodings(response.headers)
  const codings = written.every(canDecode) ? written : []
  const files: OpenResponseFile[] = []
  try {
    for (const { path, shouldOverwrite } of responseFiles) {
      const file = await fileTap(path, shouldOverwrite, confined)
      files.push({ file, tap: decodingTap(codings, file) })
    }
    if (savedResponse !== undefined) {
      const file = await fileTap(savedResponse, true, confined, [headOctets(response)])
      files.push({ file, tap: decodingTap(codings, file) })
    }
  } catch (error) {
    for (const { tap } of files) await tap.fail()
    throw error
  }
  return files
}

function headOctets({ version, status, reason, headers }: Omit<RunResponse, 'body' | 'repairs'>): Uint8Array {
  return octetsOf(`${version} ${status}${reason === '' ? '' : ` ${reason}`}\r\n${headers}\r\n`)
}
