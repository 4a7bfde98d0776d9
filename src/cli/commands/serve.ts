/**
 * `httpcli serve <dir>`: options to a running server, requests to log lines, signals to an orderly end.
 *
 * Rules: everything is checked before the port is opened, so nothing half starts. The start line is printed once
 * connections are accepted. A log reader that is slow or has gone never stops the server. SIGINT and SIGTERM are how a
 * server ends, so its exit code is 0 then.
 */
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { HttpcliError } from '../../message/index.ts'
import {
  formatLogLine,
  type RunningServer,
  readMediaTypes,
  type ServeOptions,
  serveDirectory,
} from '../../server/index.ts'
import type { Command, CommandContext, Output, ParsedArguments } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'

/** Lines that a slow reader of the log may be behind, some 8 MB. */
const maximumPendingLines = 100_000

export const serve: Command = async (context) => {
  const { arguments: given, stdout, stderr, signal } = context
  const options = await readOptions(context)
  const log = new LogWriter(stdout, (text) => notify(stderr, text))
  const server = await start({
    ...options,
    ...(given.has('log-requests') ? { onAnswer: (entry) => log.add(formatLogLine(entry)) } : {}),
    onError: (error) => notify(stderr, `httpcli serve: ${describe(error)}`),
  })
  log.add(`Serving directory ${server.directory} on ${server.url}`)
  for (const url of networkUrls(server)) log.add(`  also on ${url}`)
  await aborted(signal)
  await server.close()
  await log.end()
  return exitCodes.ok
}

async function readOptions({ arguments: given, workingDirectory }: CommandContext): Promise<ServeOptions> {
  const [directory] = given.positionals
  if (directory === undefined) throw new UsageError('there is no directory to serve', { hint: 'httpcli serve <dir>' })
  const port = portOf(given)
  const host = given.value('host')
  const rootPath = given.value('root-path')
  const mediaTypesFile = given.value('media-types')
  return {
    directory: resolve(workingDirectory, directory),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(rootPath === undefined ? {} : { rootPath }),
    ...(mediaTypesFile === undefined
      ? {}
      : { mediaTypes: await readMediaTypes(resolve(workingDirectory, mediaTypesFile)) }),
  }
}

function portOf(given: ParsedArguments): number | undefined {
  const text = given.value('port')
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`--port ${JSON.stringify(text)} is no port`, {
    hint: 'Give a number from 0 to 65535; 0 takes any free port.',
  })
}

/** What of the server's errors is the command line's fault. */
const usageCodes: ReadonlySet<string> = new Set(['directory', 'root-path'])

/** What to do about a port or an address, by errno. */
const listenHints: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Choose another port with -p, or -p 0 for any free one.',
  EACCES: 'Choose a port of 1024 or more with -p.',
  EADDRNOTAVAIL: 'Choose an address of this machine with --host.',
  ENOTFOUND: 'Choose an address of this machine with --host.',
}

async function start(options: ServeOptions): Promise<RunningServer> {
  try {
    return await serveDirectory(options)
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    if (usageCodes.has(error.code)) throw new UsageError(error.message, error.hint ? { hint: error.hint } : {})
    if (error.code !== 'listen') throw error
    const hint =
      listenHints[(error.cause as NodeJS.ErrnoException).code ?? ''] ??
      'Choose another port with -p or another address with --host.'
    throw new HttpcliError(error.code, error.message, { cause: error, hint })
  }
}

/** Where other machines find a server that listens on all interfaces: no browser can use the address 0.0.0.0. */
function networkUrls({ host, url }: RunningServer): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return []
  const addresses = Object.values(networkInterfaces()).flatMap((addressesOfOne) => addressesOfOne ?? [])
  const ours = addresses.filter(({ family }) => family === 'IPv4')
  return ours.map(({ address }) => url.replace(/\/\/(?:\[[^\]]*\]|[^:/]+)/, `//${address}`))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolveAborted) => {
    if (signal.aborted) resolveAborted()
    else signal.addEventListener('abort', () => resolveAborted(), { once: true })
  })
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Where stderr has gone too, there is nobody left to tell. */
function notify(stderr: Output, text: string): void {
  stderr.write(`${text}\n`).catch(() => undefined)
}

/**
 * Writes lines behind the server's back: all that gathered during one write go out with the next. Past the bound lines
 * are counted instead of kept. A log that cannot be written any more ends with one note, unless its reader just left.
 */
class LogWriter {
  readonly #output: Output
  readonly #notify: (text: string) => void
  #pending: string[] = []
  #lostLines = 0
  #writing: Promise<void> | undefined
  #hasFailed = false

  constructor(output: Output, notifyFailure: (text: string) => void) {
    this.#output = output
    this.#notify = notifyFailure
  }

  add(line: string): void {
    if (this.#hasFailed) return
    if (this.#pending.length >= maximumPendingLines) this.#lostLines += 1
    else this.#pending.push(line)
    this.#writing ??= this.#writePending()
  }

  /** Settles when everything is written. */
  async end(): Promise<void> {
    await this.#writing
  }

  async #writePending(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const lines = this.#pending
        this.#pending = []
        if (this.#lostLines > 0) lines.push(`(${this.#lostLines} lines are missing here: the log was read too slowly)`)
        this.#lostLines = 0
        await this.#output.write(`${lines.join('\n')}\n`)
      }
    } catch (error) {
      this.#hasFailed = true
      this.#pending = []
      const readerHasGone = error instanceof HttpcliError && error.code === 'output-closed'
      if (!readerHasGone) this.#notify(`httpcli serve: the log ends here: ${describe(error)}`)
    } finally {
      this.#writing = undefined
    }
  }
}
