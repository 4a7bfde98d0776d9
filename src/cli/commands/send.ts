/**
 * `httpcli send`: one request out, its response printed.
 *
 * The way of one message:
 *   1. words: programs/launcher.ts loads the program, frame/argv.ts checks the words against options/send.ts,
 *      send/settings.ts makes typed settings of them;
 *   2. request: send/request-source.ts opens the file, text or standard input, send/request-input.ts parses it;
 *   3. exchange: wire (connection, writing, reading, redirects); memory does not grow with a body in either direction;
 *   4. response: send/response-printer.ts prints what `-p` asks for, streams/output.ts writes it with back-pressure;
 *   5. errors: failures/failure.ts turns whatever was thrown into text and an exit code.
 *
 * Rules: options are checked and files opened before anything is sent. stdout carries what was asked for, notes go to
 * stderr. What arrived of a response is printed before the error that ended it is thrown.
 */
import { HttpcliError, type HttpRequest, type HttpResponse } from '../../message/index.ts'
import type { FileOutput } from '../../message-node/index.ts'
import {
  type Answer,
  type Exchange,
  exchange,
  exchangeRaw,
  follow,
  systemClock,
  WireError,
  type WireOptions,
} from '../../wire/index.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { readRequest, tellRepairs } from '../send/request-input.ts'
import { RequestLog } from '../send/request-log.ts'
import { openRequestSource, sourcePieces } from '../send/request-source.ts'
import { ResponsePrinter } from '../send/response-printer.ts'
import { readSettings, type SendSettings } from '../send/settings.ts'

export const send: Command = async (context) => {
  const settings = readSettings(context)
  try {
    return await (settings.isRaw ? sendRaw(context, settings) : sendRequest(context, settings))
  } catch (error) {
    if (context.signal.aborted) return exitCodes.interrupted
    throw error
  }
}

async function sendRequest(context: CommandContext, settings: SendSettings): Promise<ExitCode> {
  const request = await readRequest(context, await openRequestSource(context))
  await tellRepairs(context, request.repairs)
  if (settings.isOffline) return printRequest(context, settings, request)
  await tellUnchecked(context, settings, settings.follows || speaksTls(request.url, settings))
  return withOutputFile(settings, async (file) => {
    const log = settings.logsRequest ? new RequestLog(context.stdout) : undefined
    const printer = new ResponsePrinter(context, settings, file)
    const upload = log === undefined ? await uploadProgress(context, request) : undefined
    const options = exchangeOptions(context, settings, log ?? upload)
    const result = await reachingHead(printer, log, () => transfer(request, settings, options, log)).finally(() =>
      upload?.end(),
    )
    await printInterim(log, printer, result)
    if (settings.printsJson) await printer.printJson(result, result.request, result.response)
    else await printer.print(result, result.response)
    await result.closed
    await tellCutLog(context, log)
    return exitCodeFor(settings, result.response)
  })
}

function transfer(
  request: HttpRequest,
  settings: SendSettings,
  options: WireOptions,
  log: RequestLog | undefined,
): Promise<Exchange> {
  if (!settings.follows) return exchange(request, options)
  return follow(request, { ...options, ...(log === undefined ? {} : { onRedirect: () => log.next() }) })
}

async function sendRaw(context: CommandContext, settings: SendSettings): Promise<ExitCode> {
  const source = await openRequestSource(context)
  if (settings.isOffline) {
    for await (const bytes of sourcePieces(source)) await context.stdout.write(bytes)
    return exitCodes.ok
  }
  const { rawTarget } = await import('../send/raw-target.ts')
  const target = rawTarget(source.first, settings.wire)
  await tellUnchecked(context, settings, target.secure)
  return withOutputFile(settings, async (file) => {
    const log = settings.logsRequest ? new RequestLog(context.stdout) : undefined
    const printer = new ResponsePrinter(context, settings, file)
    const options = exchangeOptions(context, settings, log)
    const result = await reachingHead(printer, log, () => exchangeRaw(sourcePieces(source), target, options))
    await printInterim(log, printer, result)
    if (result.response !== undefined) await printer.print(result, result.response)
    else if (result.unparsed !== undefined) await printer.printUnparsed(result, result.unparsed)
    await result.closed
    await tellCutLog(context, log)
    return exitCodeFor(settings, result.response)
  })
}

/** With the server or with the proxy on the way to it. */
function speaksTls(url: URL | undefined, { wire }: SendSettings): boolean {
  return url !== undefined && (url.protocol === 'https:' || wire.proxy?.(url)?.protocol === 'https:')
}

/** A redirect may lead to TLS: that it is not checked is told beforehand. */
async function tellUnchecked(context: CommandContext, settings: SendSettings, mayBeSecure: boolean): Promise<void> {
  if (settings.wire.tls?.verify !== false || !mayBeSecure) return
  await context.stderr.write('warning: the certificate of the server is not checked (-i)\n')
}

/** An interruption needs care only where a file would be left half written; otherwise the process just ends. */
function exchangeOptions(
  context: CommandContext,
  settings: SendSettings,
  log: Pick<RequestLog, 'write'> | undefined,
): WireOptions {
  return {
    ...settings.wire,
    ...(settings.outputFile === undefined ? {} : { signal: context.signal }),
    ...(log === undefined ? {} : { onRequestBytes: (bytes: Uint8Array) => log.write(bytes) }),
  }
}

/** On a terminal, for a body that takes its time: most have gone before it would be shown. */
async function uploadProgress(
  { stderr }: CommandContext,
  { body }: HttpRequest,
): Promise<{ write(bytes: Uint8Array): Promise<void>; end(): Promise<void> } | undefined> {
  if (body === undefined || !stderr.isTerminal) return undefined
  const { Progress } = await import('../send/progress.ts')
  const progress = new Progress(stderr, body.framing.type === 'length' ? body.framing.length : undefined, systemClock)
  let sentBytes = 0
  return {
    write: (bytes) => progress.show((sentBytes += bytes.length)),
    end: () => progress.end(),
  }
}

/** What had arrived of a head that never became complete is printed before its error. */
async function reachingHead<T>(
  printer: ResponsePrinter,
  log: RequestLog | undefined,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await log?.end()
    if (error instanceof WireError && error.received !== undefined) await printer.printReceived(error.received)
    throw error
  }
}

/** With -l: the end of the request, and the interim responses. */
async function printInterim(log: RequestLog | undefined, printer: ResponsePrinter, answer: Answer): Promise<void> {
  if (log === undefined) return
  await log.end()
  for (const head of answer.informational) await printer.printHead(head)
}

async function tellCutLog(context: CommandContext, log: RequestLog | undefined): Promise<void> {
  if (log?.isCut !== true) return
  await context.stderr.write('note: the server answered early; not all of the request is shown\n')
}

async function printRequest(context: CommandContext, settings: SendSettings, request: HttpRequest): Promise<ExitCode> {
  if (settings.printsJson) {
    const { jsonLine, requestReport } = await import('../send/json-report.ts')
    await context.stdout.write(jsonLine({ request: requestReport(request) }))
    return exitCodes.ok
  }
  const log = new RequestLog(context.stdout)
  for await (const bytes of request.encode()) await log.write(bytes)
  return exitCodes.ok
}

/** Runs the work with the file of -o, which is complete afterwards or not there. */
async function withOutputFile(
  settings: SendSettings,
  work: (file: FileOutput | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (settings.outputFile === undefined) return work(undefined)
  const { FileOutput } = await import('../../message-node/index.ts')
  const file = await FileOutput.open(settings.outputFile)
  try {
    const code = await work(file)
    await file.complete()
    return code
  } catch (error) {
    // A file that cannot be written has nothing worth keeping.
    const isKept = settings.keepsPartial && !(error instanceof HttpcliError && error.code === 'output-failed')
    if (isKept && file.writtenBytes > 0) await file.complete()
    else await file.discard()
    throw error
  }
}

function exitCodeFor(settings: SendSettings, response: HttpResponse | undefined): ExitCode {
  return settings.failsOnStatus && response !== undefined && response.status >= 400
    ? exitCodes.failedTest
    : exitCodes.ok
}
