/**
 * `httpcli serve <dir>`: starts a server from options, logs requests, and ends it on a signal.
 *
 * Rules: everything is checked before the port is opened, so that nothing is left half-started. The start line is
 * printed once connections are accepted. A log reader that is slow or gone never stops the server. SIGINT and SIGTERM
 * are the normal way to end a server, so the exit code is 0 in that case.
 */
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { HttpcliError, RestatedError } from '../../message/index.ts'
import {
  createFeatures,
  createLogFormatter,
  defaultLimits,
  type Features,
  type RunningServer,
  serveDirectory,
  startWorkers,
  type TlsIdentity,
  type WorkerSide,
  workerSide,
} from '../../server/index.ts'
import type { Command, CommandContext, Output } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import type { ServeValues } from '../options/serve.ts'
import { openerFor, openInBrowser } from '../serve/browser.ts'
import { limitYoungGeneration } from '../serve/engine-memory.ts'
import { LogWriter, sharedBatchBytes } from '../serve/log-writer.ts'
import { readSettings, type ServeSettings } from '../serve/settings.ts'
import { listensEverywhere, startLines, withHost } from '../serve/start-block.ts'
import { identityNotes } from '../serve/tls-options.ts'

export const serve: Command<ServeValues> = async (context) => {
  const youngGeneration = limitYoungGeneration()
  try {
    const settings = await readSettings(context)
    if (settings.server.tls !== undefined) youngGeneration.growForHttp2()
    if (settings.workers === 1) return await serveHere(settings, context)
    const worker = workerSide()
    return await (worker === undefined ? serveByWorkers(settings, context) : serveAsWorker(settings, context, worker))
  } finally {
    youngGeneration.restore()
  }
}

async function serveHere(settings: ServeSettings, context: CommandContext<ServeValues>): Promise<ExitCode> {
  const note = noteWriter(context)
  const log = logWriter(settings, context)
  let identity: TlsIdentity | undefined
  const noteCertificate = noteIdentity(note, context.stdout.isTerminal)
  const onIdentity = (shown: TlsIdentity): void => {
    identity = shown
    noteCertificate(shown)
  }
  const { features, server } = await explained(settings, () =>
    start(settings, log, { note, onWarning: note, onIdentity }),
  )
  announce(server, identity, settings, context, log)
  await aborted(context.signal)
  features.close()
  await server.close()
  await log.end(endTimeoutMs(settings))
  return exitCodes.ok
}

/** Runs in the first of several processes: it prints the address, and keeps the workers running. */
async function serveByWorkers(settings: ServeSettings, context: CommandContext<ServeValues>): Promise<ExitCode> {
  const log = logWriter(settings, context)
  const server = await explained(settings, () => startWorkers(settings.workers, settings.server, noteWriter(context)))
  announce(server, undefined, settings, context, log)
  const failure = await Promise.race([aborted(context.signal), server.failed])
  await server.close()
  await log.end(endTimeoutMs(settings))
  if (failure !== undefined) throw failure
  return exitCodes.ok
}

/** Runs in a worker. The first process reports errors that prevent a start. */
async function serveAsWorker(
  settings: ServeSettings,
  context: CommandContext<ServeValues>,
  worker: WorkerSide,
): Promise<ExitCode> {
  const note = noteWriter(context)
  const log = logWriter(settings, context)
  try {
    const onIdentity = worker.isFirst ? noteIdentity(note, false) : () => undefined
    // Each worker reads changed rules itself; only one worker reports it.
    const onWarning = worker.isFirst ? note : () => undefined
    const place = worker.port === undefined ? {} : { port: worker.port }
    const placed = { ...settings, server: { ...settings.server, ...place } }
    const { features, server } = await start(placed, log, { note, onWarning, onIdentity })
    worker.reportReady(server)
    await aborted(AbortSignal.any([context.signal, worker.stopped]))
    features.close()
    await server.close()
    await log.end(endTimeoutMs(settings))
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    await worker.reportFailure(error)
  }
  worker.leave()
  return exitCodes.ok
}

/** The log may take as much time as the responses. */
function endTimeoutMs({ server }: ServeSettings): number {
  return server.limits?.closeGraceMs ?? defaultLimits.closeGraceMs
}

function noteWriter({ stderr }: CommandContext<ServeValues>): (text: string) => void {
  return (text) => notify(stderr, `httpcli serve: ${text}`)
}

function logWriter({ logFormat, workers }: ServeSettings, context: CommandContext<ServeValues>): LogWriter {
  const formatter = createLogFormatter(logFormat ?? 'text')
  return new LogWriter(context.stdout, formatter, noteWriter(context), workers > 1 ? sharedBatchBytes : undefined)
}

function announce(
  server: RunningServer,
  identity: TlsIdentity | undefined,
  settings: ServeSettings,
  context: CommandContext<ServeValues>,
  log: LogWriter,
): void {
  const addresses = Object.values(networkInterfaces()).flatMap((addressesOfOne) => addressesOfOne ?? [])
  const { isTerminal } = context.stdout
  log.say(startLines({ server, settings, identity, isTerminal, addresses }).join('\n'))
  noteMissingPage(settings, noteWriter(context))
  if (settings.shouldOpenBrowser) void showPage(server, context, noteWriter(context))
}

/** Hints for a port or an address in use or not allowed, by errno. */
const listenHints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Choose another port with -p, or -p 0 for any free one.',
  EACCES: 'Choose a port of 1024 or more with -p.',
  EADDRNOTAVAIL: 'Choose an address of this machine with --host.',
  ENOTFOUND: 'Choose an address of this machine with --host.',
}

const socketHint = 'Choose another path, or stop the server that listens there.'

interface Running {
  readonly features: Features
  readonly server: RunningServer
}

interface Listeners {
  readonly note: (text: string) => void
  readonly onWarning: (text: string) => void
  readonly onIdentity: (identity: TlsIdentity) => void
}

async function start(
  settings: ServeSettings,
  log: LogWriter,
  { note, onWarning, onIdentity }: Listeners,
): Promise<Running> {
  const features = createFeatures({ ...settings.features, onWarning })
  const server = await serveDirectory({
    ...settings.server,
    steps: features.steps,
    ...(settings.logFormat === undefined ? {} : { onAnswer: log.add }),
    onIdentity,
    onError: (error) => note(error instanceof Error ? error.message : String(error)),
  })
  features.start()
  return { features, server }
}

/** Adds hints about options to errors that prevent a server from starting. */
async function explained<Started>({ server }: ServeSettings, starting: () => Promise<Started>): Promise<Started> {
  const isForSocket = server.socket !== undefined
  try {
    return await starting()
  } catch (error) {
    if (!(error instanceof HttpcliError) || error.code !== 'listen') throw error
    const forAddress =
      listenHints[(error.cause as NodeJS.ErrnoException | undefined)?.code ?? ''] ??
      'Choose another port with -p or another address with --host.'
    throw new RestatedError(error, error.message, { cause: error, hint: isForSocket ? socketHint : forAddress })
  }
}

/** `isShown`: whether the first fingerprint is already shown elsewhere. */
function noteIdentity(note: (text: string) => void, isShown: boolean): (identity: TlsIdentity) => void {
  let isFirst = true
  return (identity) => {
    for (const text of identityNotes(identity, isFirst, isShown)) note(text)
    isFirst = false
  }
}

async function showPage(
  server: RunningServer,
  { environment }: CommandContext<ServeValues>,
  note: (text: string) => void,
): Promise<void> {
  const url = listensEverywhere(server) ? withHost(server.url, 'localhost') : server.url
  const failure = await openInBrowser(url.endsWith('/') ? url : `${url}/`, openerFor(environment))
  if (failure !== undefined) note(failure)
}

/** This is not an error: a build may be about to create the page. */
function noteMissingPage({ features }: ServeSettings, note: (text: string) => void): void {
  const { directory, applicationPage } = features
  if (applicationPage === undefined || existsSync(join(directory, ...applicationPage))) return
  note(`${applicationPage.join('/')} does not exist yet: pages get 404 until it does`)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolveAborted) => {
    if (signal.aborted) resolveAborted()
    else signal.addEventListener('abort', () => resolveAborted(), { once: true })
  })
}

/** If stderr is gone as well, the note is lost. */
function notify(stderr: Output, text: string): void {
  stderr.write(`${text}\n`).catch(() => undefined)
}
