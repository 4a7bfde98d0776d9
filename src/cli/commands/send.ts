/**
 * `httpcli send`: sends one request and prints its response.
 *
 * The steps for one message:
 *   1. arguments: programs/launcher.ts loads the program, frame/argv.ts checks the arguments against options/send.ts,
 *      send/settings.ts turns them into typed settings;
 *   2. request: send/source opens the file, text or standard input, or takes a URL and items, and parses it;
 *      send/outgoing-request.ts applies the options that change it (send/building);
 *   3. exchange: wire (connection, writing, reading, redirects); memory does not grow with a body in either direction;
 *   4. response: send/response/response-printer.ts prints what `-p` selects, streams/output.ts writes it with
 *      back-pressure;
 *   5. errors: failures/failure.ts turns any error into text and an exit code.
 *
 * Rules: options are checked and files opened before anything is sent. stdout has only the requested output; notes go
 * to stderr. The received part of a response is printed before the error that ended it is thrown.
 */
import { HttpcliError, type HttpRequest, type HttpResponse } from '../../message/index.ts'
import {
  type Answer,
  type Exchange,
  exchange,
  exchangeRaw,
  follow,
  WireError,
  type WireOptions,
} from '../../wire/index.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { isUrlWord } from '../frame/request-words.ts'
import type { SendValues } from '../options/send.ts'
import type { Resumption } from '../send/download.ts'
import { exchangeOptions, keepsState } from '../send/exchange-options.ts'
import { type OutgoingRequest, outgoingRequest } from '../send/outgoing-request.ts'
import type { ExchangeTrace } from '../send/response/exchange-trace.ts'
import { leaveFile, leavesFile, shownPath, withOutputFile } from '../send/response/output-file.ts'
import type { UploadProgress } from '../send/response/progress.ts'
import { proxyAnswerNote } from '../send/response/proxy-answer.ts'
import { RequestLog } from '../send/response/request-log.ts'
import { ResponsePrinter } from '../send/response/response-printer.ts'
import type { RedirectSettings, Session, SessionState, SessionSteps } from '../send/session/session.ts'
import { readSettings, type SendSettings } from '../send/settings.ts'
import { reportRepairs } from '../send/source/request-input.ts'
import { openRequestSource, sourcePieces } from '../send/source/request-source.ts'
import { uploading, uploadProgress } from '../send/upload-progress.ts'

export const send: Command<SendValues> = async (context) => {
  const settings = await readSettings(context)
  const { maxTimeMs } = settings
  const timeUp = maxTimeMs === undefined || maxTimeMs === 0 ? undefined : AbortSignal.timeout(maxTimeMs)
  try {
    return await (settings.isRaw ? sendRaw(context, settings, timeUp) : sendRequest(context, settings, timeUp))
  } catch (error) {
    if (context.signal.aborted) return exitCodes.interrupted
    if (maxTimeMs === undefined || timeUp?.aborted !== true || !isAborted(error)) throw error
    throw new CliError('max-time', `not done within ${maxTimeMs / 1000} s`, {
      hint: 'Allow more with --max-time <seconds>',
      cause: error,
    })
  }
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || (error as HttpcliError).code === 'aborted')
}

async function sendRequest(
  context: CommandContext<SendValues>,
  initial: SendSettings,
  timeUp: AbortSignal | undefined,
): Promise<ExitCode> {
  const outgoing = await outgoingRequest(context)
  await reportRepairs(context, outgoing.request.repairs)
  const request = await saved(context, outgoing, initial)
  if (initial.isOffline) return printRequest(context, initial, (await targeted(context, initial, request)).request)
  await warnUnchecked(context, initial, initial.shouldFollow || speaksTls(request.url, initial))
  const state = keepsState(context, outgoing.digest)
    ? (await import('../send/session/session.ts')).openState(context, outgoing.digest)
    : undefined
  let failure: unknown
  for (;;) {
    const target = await targeted(context, initial, request)
    try {
      return await transferOnce(context, target, state, timeUp)
    } catch (error) {
      // A body that can be read only once cannot be sent again, so the earlier failure is the outcome.
      if (failure !== undefined && error instanceof HttpcliError && error.code === 'body-used') throw failure
      if (target.settings.outputFile === undefined || state?.isRetriedAfter(error) !== true) throw error
      failure = error
      await state.useTry(error, timeUp === undefined ? context.signal : AbortSignal.any([context.signal, timeUp]))
    }
  }
}

/** One transfer. The session repeats it only before its body. */
function transferOnce(
  context: CommandContext<SendValues>,
  { settings, request, resumption }: Target,
  state: SessionState | undefined,
  timeUp: AbortSignal | undefined,
): Promise<ExitCode> {
  return withOutputFile(context, settings, async (file) => {
    const log = settings.shouldLogRequest ? new RequestLog(context.stdout) : undefined
    const isRepeatedAfter = file === undefined ? undefined : state?.isRetriedAfter
    const printerSettings = isRepeatedAfter === undefined ? settings : { ...settings, isRepeatedAfter }
    const printer = new ResponsePrinter(context, printerSettings, file)
    const upload = log === undefined ? await uploadProgress(context, request) : undefined
    const hasProxyDigest = context.arguments.has('proxy-digest')
    const mayBeChallenged = state?.digest !== undefined || hasProxyDigest
    const trace = await openTrace(context, settings, log, printer, mayBeChallenged)
    const watch = log ?? upload
    const onChallenge = async (result: Exchange): Promise<void> => {
      await trace?.challenged(result)
      await watch?.next()
    }
    const options: WireOptions = {
      ...exchangeOptions(context, settings, timeUp, watch, state !== undefined),
      ...(hasProxyDigest
        ? { proxyDigest: (await import('../send/session/session.ts')).proxyDigest(), onProxyChallenge: onChallenge }
        : {}),
    }
    const session = await sessionFor(context, state, {
      onChallenge,
      onRepeat: async () => {
        await watch?.next()
        trace?.startOver()
      },
    })
    const redirects = redirectsOf(settings, trace, upload)
    const watched = trace?.watching(options) ?? options
    const result = await reachingHead(printer, log, trace, () =>
      uploading(context, upload, () =>
        session === undefined
          ? transfer(context, request, redirects, watched)
          : session.send(request, watched, redirects).finally(session.end),
      ),
    )
    if (file !== undefined && (await resumption?.begin(result.response, file)) === true) {
      result.close()
      await context.stderr.write(`note: ${shownPath(context, file.path)} is already complete\n`)
      return { code: exitCodes.ok, isFileLeft: false, summary: undefined }
    }
    await printInterim(log, printer, result)
    const proxyNote = proxyAnswerNote(result.request.url, result.response, options)
    if (proxyNote !== undefined) await context.stderr.write(`note: ${proxyNote}\n`)
    const code = exitCodeFor(settings, result.response)
    const isFileLeft = leavesFile(code, result.response)
    if (file !== undefined && isFileLeft) {
      await leaveFile(context, settings, printer, result.response)
      // What is printed cannot be taken back.
      if (state !== undefined) state.tries.left = 0
    }
    await reportingWay(trace, result, () =>
      trace !== undefined && settings.isJsonOutput
        ? printer.printJson(result, trace)
        : printer.print(result, result.response),
    )
    const failure = await endOfRequest(context, result, log)
    if (file !== undefined) resumption?.end(file)
    await noteHabits(context, result)
    return { code, isFileLeft, summary: printer.transferSummary, failure }
  })
}

/** Output in addition to the response: redirects with -l, everything with --verbose and --json. */
async function openTrace(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  log: RequestLog | undefined,
  printer: ResponsePrinter,
  mayBeChallenged = false,
): Promise<ExchangeTrace | undefined> {
  const { isVerbose, isJsonOutput, shouldFollow } = settings
  const hasHops = shouldFollow || mayBeChallenged
  if (!isVerbose && !isJsonOutput && !(hasHops && log !== undefined)) return undefined
  const { ExchangeTrace } = await import('../send/response/exchange-trace.ts')
  return new ExchangeTrace(context, { isVerbose, log, printer })
}

/** Calls `print` and completes the trace, in any case before an error of `print` is thrown. */
async function reportingWay(
  trace: ExchangeTrace | undefined,
  answer: Pick<Answer, 'statistics'>,
  print: () => Promise<void>,
): Promise<void> {
  try {
    await print()
  } finally {
    await trace?.ended(answer)
  }
}

/** Writes the request of --save. */
async function saved(
  context: CommandContext<SendValues>,
  outgoing: OutgoingRequest,
  { shouldFollow }: SendSettings,
): Promise<HttpRequest> {
  if (!context.arguments.has('save')) return outgoing.request
  const { saveRequest } = await import('../send/building/saved-request.ts')
  return saveRequest(context, outgoing, shouldFollow)
}

interface Target {
  readonly settings: SendSettings
  readonly request: HttpRequest
  readonly resumption: Resumption | undefined
}

/** Applies -O and --continue: an earlier try may have left part of the file. */
async function targeted(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  request: HttpRequest,
): Promise<Target> {
  const { arguments: args } = context
  if (!args.has('remote-name') && !args.has('continue')) return { settings, request, resumption: undefined }
  const { remoteFile, Resumption } = await import('../send/download.ts')
  const outputFile = settings.outputFile ?? remoteFile(context, request)
  const resumption = args.has('continue') ? Resumption.of(outputFile) : undefined
  return {
    settings: { ...settings, outputFile, existingBytes: resumption?.sizeBytes ?? 0 },
    request: resumption?.ask(request) ?? request,
    resumption,
  }
}

/** Undefined if no state outlasts one exchange. */
async function sessionFor(
  context: CommandContext<SendValues>,
  state: SessionState | undefined,
  steps: SessionSteps,
): Promise<Session | undefined> {
  if (state === undefined) return undefined
  const { openSession } = await import('../send/session/session.ts')
  return openSession(context, state, steps)
}

async function transfer(
  context: CommandContext<SendValues>,
  request: HttpRequest,
  redirects: RedirectSettings | undefined,
  options: WireOptions,
): Promise<Exchange> {
  if (redirects === undefined) return exchange(request, options)
  const { cookieExchange } = await import('../send/session/redirect-cookies.ts')
  const sendOne = cookieExchange((text) => context.stderr.write(`warning: ${text}\n`))
  return follow(request, { ...options, ...redirects, exchange: sendOne })
}

/** How redirects are followed; undefined if they are not. */
function redirectsOf(
  { shouldFollow, maxRedirects }: SendSettings,
  trace: ExchangeTrace | undefined,
  upload: UploadProgress | undefined,
): RedirectSettings | undefined {
  if (!shouldFollow) return undefined
  return {
    ...(maxRedirects === undefined ? {} : { maxRedirects }),
    onRedirect: async (result, next) => {
      await upload?.next()
      await trace?.redirected(result, next)
    },
  }
}

async function sendRaw(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  timeUp: AbortSignal | undefined,
): Promise<ExitCode> {
  const source = await openRequestSource(context)
  if (settings.isOffline) {
    for await (const bytes of sourcePieces(source)) await context.stdout.write(bytes)
    return exitCodes.ok
  }
  const { rawTarget } = await import('../send/source/raw-target.ts')
  const target = rawTarget(source.first, settings.wire)
  await warnUnchecked(context, settings, target.secure)
  return withOutputFile(context, settings, async (file) => {
    const log = settings.shouldLogRequest ? new RequestLog(context.stdout) : undefined
    const printer = new ResponsePrinter(context, settings, file)
    const trace = await openTrace(context, settings, log, printer)
    const options = exchangeOptions(context, settings, timeUp, log)
    const result = await reachingHead(printer, log, trace, () =>
      exchangeRaw(sourcePieces(source), target, trace?.watching(options) ?? options),
    )
    await printInterim(log, printer, result)
    const { response, unparsed } = result
    const code = exitCodeFor(settings, response)
    const isFileLeft = leavesFile(code, response)
    if (file !== undefined && response !== undefined && isFileLeft) {
      await leaveFile(context, settings, printer, response)
    }
    await reportingWay(trace, result, async () => {
      if (response !== undefined) await printer.print(result, response)
      else if (unparsed !== undefined) await printer.printUnparsed(result, unparsed)
    })
    const failure = await endOfRequest(context, result, log)
    return { code, isFileLeft, summary: printer.transferSummary, failure }
  })
}

/** Whether the server or the proxy uses TLS. */
function speaksTls(url: URL | undefined, { wire }: SendSettings): boolean {
  return url !== undefined && (url.protocol === 'https:' || wire.proxy?.(url)?.protocol === 'https:')
}

/**
 * Warns before sending that certificates are not checked, if TLS is used or a redirect may lead to it. Otherwise, if
 * there is a URL, the user may have meant curl's `-i`.
 */
async function warnUnchecked(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  mayBeSecure: boolean,
): Promise<void> {
  if (settings.wire.tls?.verify !== false) return
  if (mayBeSecure) {
    await context.stderr.write('warning: the certificate of the server is not checked (-i)\n')
  } else if (context.arguments.positionals.some(isUrlWord)) {
    const text = '-i skips certificate checks and has no effect on http; the head is always printed'
    await context.stderr.write(`note: ${text}\n`)
  }
}

async function noteHabits(
  { arguments: args, stderr }: CommandContext<SendValues>,
  { request, response }: Exchange,
): Promise<void> {
  if (response.status < 400) return
  const { habitNotes } = await import('../send/response/habit-notes.ts')
  for (const note of habitNotes(args, request, response)) await stderr.write(`note: ${note}\n`)
}

/** If a head is incomplete, prints the received part before the error is thrown. */
async function reachingHead<T>(
  printer: ResponsePrinter,
  log: RequestLog | undefined,
  trace: ExchangeTrace | undefined,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await log?.end()
    await trace?.flush()
    if (error instanceof WireError && error.received !== undefined) await printer.printReceived(error.received)
    throw error
  }
}

/** With -l: the end of the request, and the interim responses. */
async function printInterim(log: RequestLog | undefined, printer: ResponsePrinter, answer: Answer): Promise<void> {
  if (log === undefined) return
  await log.end()
  await printer.printInterim(answer)
}

/** Waits until the server has the whole request, or accepts no more of it. Returns why it could not be sent. */
async function endOfRequest(
  { stderr }: CommandContext<SendValues>,
  { closed, unsentReason }: Answer,
  log: RequestLog | undefined,
): Promise<HttpcliError | undefined> {
  await closed
  if (log?.isCut === true) await stderr.write('note: the server answered early; not all of the request is shown\n')
  const reason = unsentReason()
  if (reason?.code !== 'request-not-accepted') return reason
  await stderr.write(`warning: ${reason.message}\n`)
  return undefined
}

async function printRequest(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  request: HttpRequest,
): Promise<ExitCode> {
  if (settings.isJsonOutput) {
    const { jsonLine, requestReport } = await import('../send/response/json-report.ts')
    await context.stdout.write(jsonLine({ request: requestReport(request) }))
    return exitCodes.ok
  }
  const log = new RequestLog(context.stdout)
  for await (const bytes of request.encode()) await log.write(bytes)
  return exitCodes.ok
}

function exitCodeFor(settings: SendSettings, response: HttpResponse | undefined): ExitCode {
  return settings.shouldFailOnStatus && response !== undefined && response.status >= 400
    ? exitCodes.failedTest
    : exitCodes.ok
}
