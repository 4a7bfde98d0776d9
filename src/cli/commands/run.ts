/**
 * `httpcli run`: the requests of a file, their responses and test results printed as they come.
 *
 * Rules: options are checked and files read before anything is sent. The gravest of what happened is the exit code;
 * nothing that was skipped ends with 0.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  InvalidFileError,
  type LoadedHttpFile,
  loadEnvironment,
  loadHttpFile,
  RunCookies,
  type RunOptions,
  type RunSummary,
  runHttpFile,
  type SignIn,
  UnknownEnvironmentError,
} from '../../runner/index.ts'
import type { Command, CommandContext } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { printFailure, RunPrinter } from '../run/run-printer.ts'
import { readRunSettings } from '../run/settings.ts'
import { readSettings } from '../send/settings.ts'
import { UsageError } from '../usage-error.ts'
import { versionNumber } from '../version.ts'

export const run: Command = async (context) => {
  const shared = readSettings(context)
  const own = await readRunSettings(context)
  try {
    const path = context.arguments.positionals[0] ?? ''
    const sizeBytes = statSync(resolve(context.workingDirectory, path), { throwIfNoEntry: false })?.size ?? 0
    const forSize = sizeBytes > LARGE_FILE_BYTES ? forManyRequests : forSeveralRequests
    if (sizeBytes > SMALL_FILE_BYTES) await tuneEngine(forSize)
    const loaded = loadHttpFile(path, context.workingDirectory)
    const { publicFile, privateFile, privateValues } = own
    const environment = loadEnvironment(loaded.path, own.environmentName, { publicFile, privateFile, privateValues })
    const cookies = RunCookies.read(own.cookieJar, context.workingDirectory, Date.now)
    if (context.arguments.has('ignore-tls-cert')) {
      await context.stderr.write('warning: certificates of servers are not checked (-i)\n')
    }
    const hasScripts = mayRunScripts(loaded)
    if (hasScripts) await tuneEngine([...forSize, ...forScripts])
    const printer = new RunPrinter(context, shared, { isVerbose: own.isVerbose, hasScripts })
    const settings: RunOptions = {
      environment,
      cookies,
      wire: { ...shared.wire, signal: context.signal },
      listener: (event) => printer.print(event),
      variables: own.variables,
      processEnvironment: own.processEnvironment,
      isLenient: own.isLenient,
      bails: own.bails,
      failsOnStatus: shared.failsOnStatus,
      savesResponses: own.savesResponses,
      allowsPrograms: own.allowsPrograms,
      userAgent: `httpcli/${versionNumber()}`,
      askUser: (signIn) => showSignIn(context, signIn),
    }
    return exitCodeFor(await runHttpFile(loaded, settings).finally(() => printer.flush()))
  } catch (error) {
    if (error instanceof UnknownEnvironmentError) throw unknownEnvironment(error)
    if (!(error instanceof InvalidFileError)) throw error
    for (const each of error.errors) await printFailure(context, each)
    return exitCodes.invalidRequest
  }
}

/** Whether there are scripts, or other files that may have some. */
function mayRunScripts({ file }: LoadedHttpFile): boolean {
  const { common, sections } = file
  const requests = sections.flatMap(({ request }) => (request === undefined ? [] : [request]))
  return (
    sections.some(({ directives }) => directives.length > 0) ||
    [common, ...requests].some(({ preRequestScripts, handlers }) => preRequestScripts.length + handlers.length > 0)
  )
}

/** The script engine is compiled once and runs for a moment: compiling it well takes longer than it could ever save. */
const forScripts = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/**
 * A function is optimized when it has run six times as often as by default: most of a run is over before optimizing has
 * paid, and what it assumed too early is made anew again and again. 200 requests take 0.83 of the processor time with
 * this, 1000 requests 0.57.
 */
const forSeveralRequests = ['--interrupt-budget=400000']
/** Some dozen requests. */
const SMALL_FILE_BYTES = 2000

/** What is made for a request is thrown away behind it: more room for it only makes the process larger. */
const forManyRequests = ['--optimize-for-size', '--semi-space-growth-factor=1']
/** Some thousand requests. */
const LARGE_FILE_BYTES = 100_000

async function tuneEngine(switches: readonly string[]): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  try {
    for (const each of switches) setFlagsFromString(each)
  } catch {
    // A runtime without these switches is only slower or larger.
  }
}

function exitCodeFor(summary: RunSummary): ExitCode {
  if (summary.isInterrupted) return exitCodes.interrupted
  if (summary.failed > 0) return exitCodes.io
  const { testsFailed, scriptsFailed, blocked, badStatuses } = summary
  return testsFailed + scriptsFailed + blocked + badStatuses > 0 ? exitCodes.failedTest : exitCodes.ok
}

function unknownEnvironment({ message, hint, known }: UnknownEnvironmentError): UsageError {
  const name = /"(.*?)"/.exec(message)?.[1] ?? ''
  return new UsageError(message, { ...(hint === undefined ? {} : { hint }), unknown: { name, known } })
}

async function showSignIn({ stderr }: CommandContext, { url, code }: SignIn): Promise<void> {
  const then = code === undefined ? '' : ` and type the code ${code} there`
  await stderr.write(`sign in to go on: open this address in a browser${then}\n${url}\n`)
}
