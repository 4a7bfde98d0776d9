/**
 * `httpcli run`: runs the requests of files and prints responses and test results as they arrive.
 *
 * The steps of a run:
 *   1. preparation: run/jobs/run-preparation.ts finds files (run/files), rows of data and the chosen requests, and
 *      reports all errors before anything is sent; run/shards reads the reports of earlier runs, and selects a shard;
 *   2. jobs: run/jobs/jobs.ts creates one for each file, repetition and row, job-run.ts runs them, job-turns.ts keeps
 *      their output in order;
 *   3. one job: runner/run.ts, whose events go to
 *   4. output: run/output/run-printer.ts or json-printer.ts, through masked-output.ts;
 *   5. reports: report-files.ts, from records that record-store.ts keeps in memory or in a temporary file;
 *   6. end: job-run.ts adds up the counts and decides the exit code.
 *
 * Rules: options are checked, files and data read, and requests selected before anything is sent; if there are errors,
 * nothing is sent. The most serious outcome decides the exit code. Cookies and reports are written, however the run
 * ends.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { HttpcliError } from '../../message/index.ts'
import type { ShardRecord } from '../../report/index.ts'
import {
  checkAssertionPaths,
  mayNeedEngine,
  type Prompt,
  platformSources,
  type RequestLabel,
  RunCookies,
  RunResources,
  type SignIn,
  seededSources,
  traceParents,
  type ValueSources,
} from '../../runner/index.ts'
import type { SecretMask } from '../../secrets/index.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import { versionNumber } from '../help/version.ts'
import type { RunValues } from '../options/run.ts'
import { EngineTuning, platformEngine } from '../run/engine-tuning.ts'
import { ErrorList, printErrors, printWarning } from '../run/files/error-list.ts'
import { executeJobs } from '../run/jobs/job-run.ts'
import { type JobSettings, readJobSettings } from '../run/jobs/job-settings.ts'
import { failedFilesOnly, readShard, takePart, unstartedShard } from '../run/jobs/run-parts.ts'
import { type CommonOptions, type PreparedRun, prepareRun } from '../run/jobs/run-preparation.ts'
import { maskFor } from '../run/known-secrets.ts'
import { readBodyLimits } from '../run/output/body-limits.ts'
import { type MaskedOutputs, withMaskedOutputs } from '../run/output/masked-output.ts'
import { openRunOutput, reportErrors } from '../run/output/run-output.ts'
import { type RunSettings, readRunSettings } from '../run/settings.ts'
import type { ShardSettings } from '../run/shards/shard-settings.ts'
import { readSharedSettings, type SharedSettings } from '../send/settings.ts'
import { toItsEnd } from '../streams/output.ts'

export const run: Command<RunValues> = (unmasked) => {
  const { arguments: words } = unmasked
  const mask = words.has('show-secrets') ? undefined : maskFor(unmasked, words.value('proxy'))
  const work = () => withMaskedOutputs(unmasked, mask, runFiles)
  // A list has no result but its text.
  return words.has('list') || words.has('list-services') ? work() : toItsEnd(work)
}

/** The settings of the command line. */
interface Settings {
  readonly shared: SharedSettings
  readonly own: RunSettings
  readonly jobs: JobSettings
  /** Undefined for the whole run. */
  readonly shard: ShardSettings | undefined
}

type Outputs = MaskedOutputs<RunValues>

interface RunTools extends Outputs {
  readonly tuning: EngineTuning
  readonly shard: ShardRecord | undefined
}

async function runFiles({ context, unmasked, mask }: Outputs): Promise<ExitCode> {
  checkFiles(context)
  const shared = await readSharedSettings(context)
  if (context.arguments.has('list-services')) {
    const { listServices } = await import('../run/service-list.ts')
    return listServices(context, shared.wire)
  }
  const settings = {
    shared,
    own: await readRunSettings(context),
    jobs: readJobSettings(context),
    shard: await readShard(context.arguments),
  }
  const tuning = new EngineTuning(platformEngine())
  const resources = new RunResources(mask, tuning.onEngineLoad)
  try {
    // This comes before large files are read, because reading them makes the process larger.
    tuning.tuneForRequests(sizeOf(context))
    const common = commonOptions(settings, unmasked, resources, mask)
    const files = { ...settings.own, secrets: mask, ...failedFilesOnly(context) }
    const whole = await prepareRun(context, files, settings.jobs, common)
    const errors = new ErrorList()
    for (const error of whole.errors) errors.add(error)
    const isDivisible = errors.all.length === 0
    const part = isDivisible ? await errors.attempt(() => takePart(whole, settings.shard, common, context)) : undefined
    const { prepared, shard } = part ?? { prepared: whole, shard: undefined }
    if (settings.jobs.isListOnly) return await listRequests(prepared, errors, { context, unmasked, mask })
    for (const file of prepared.files) await errors.attempt(() => checkAssertionPaths([file]))
    const cookies = await errors.attempt(() => readCookies(settings.own, context, mask))
    if (errors.all.length > 0) return await endBeforeStart(errors.all, settings, { context, unmasked, mask })
    await noteUnsaved(prepared, settings.own, context)
    for (const warning of cookies?.warnings ?? []) await printWarning(context, warning)
    const options = cookies === undefined ? common : { ...common, cookies }
    return await runPrepared(prepared, settings, options, { context, unmasked, mask, tuning, shard })
  } finally {
    await resources.close()
    tuning.restore()
  }
}

function sizeOf({ arguments: args, workingDirectory }: CommandContext<RunValues>): number {
  const sizes = args.positionals.map(
    (path) => statSync(resolve(workingDirectory, path), { throwIfNoEntry: false })?.size,
  )
  return sizes.reduce((sum: number, size) => sum + (size ?? 0), 0)
}

/** @throws UsageError */
function checkFiles({ arguments: args }: CommandContext<RunValues>): void {
  if (args.positionals.length > 0 || args.has('last-failed')) return
  throw new UsageError('<http-file> is missing', { hint: 'Write httpcli run <http-file>' })
}

/** Ends a run before anything is sent; its reports contain the reason. */
async function endBeforeStart(
  errors: readonly HttpcliError[],
  { shared, own, shard }: Settings,
  { context, unmasked, mask }: Outputs,
): Promise<ExitCode> {
  const problems = await reportErrors(
    {
      ...{ context, settings: shared, isVerbose: own.isVerbose, isDryRun: own.isDryRun, allowsPrograms: false },
      ...{ secrets: mask, plainStdout: unmasked.stdout, now: Date.now, shard: unstartedShard(shard) },
    },
    errors,
  ).catch((error: unknown) => [error])
  return printErrors(context, [...errors, ...problems])
}

/** In other tools `<> file` writes the file, so users may expect the same here. */
async function noteUnsaved(
  { jobs }: PreparedRun,
  { shouldSaveResponses, isDryRun }: RunSettings,
  { arguments: args, stderr }: CommandContext<RunValues>,
): Promise<void> {
  if (shouldSaveResponses || isDryRun || args.has('quiet') || args.has('json')) return
  const hasReference = jobs.some(({ file }) =>
    file.loaded.file.sections.some(({ request }) => (request?.references.length ?? 0) > 0),
  )
  if (!hasReference) return
  await stderr.write('note: files named by "<>" are not written; --save-responses writes the responses there\n')
}

function commonOptions(
  { shared, own, jobs }: Settings,
  unmasked: CommandContext<RunValues>,
  resources: RunResources,
  mask: SecretMask | undefined,
): CommonOptions {
  // With several concurrent requests a question would be ambiguous. Standard input is checked last, because opening it
  // costs more than the other two checks.
  const canAsk = unmasked.stderr.isTerminal && jobs.parallel === 1 && unmasked.stdin.isTTY === true
  return {
    resources,
    wire: shared.wire,
    isDryRun: own.isDryRun,
    variables: own.variables,
    processEnvironment: own.processEnvironment,
    workingDirectory: unmasked.workingDirectory,
    ...(own.fileRoot === undefined ? {} : { fileRoot: own.fileRoot }),
    isLenient: own.isLenient,
    isFailFast: jobs.isFailFast,
    delayMs: jobs.delayMs,
    shouldFailOnStatus: shared.shouldFailOnStatus,
    sampleBytes: Math.max(...Object.values(readBodyLimits(unmasked.arguments))),
    shouldSaveResponses: own.shouldSaveResponses,
    allowsPrograms: own.allowsPrograms,
    userAgent: `httpcli/${versionNumber()}`,
    // Unmasked, because the address must work.
    askUser: (signIn) => showSignIn(unmasked, signIn),
    ...(canAsk ? { askValue: (prompt) => askValue(unmasked, prompt) } : {}),
    ...(jobs.retry === undefined ? {} : { retry: jobs.retry }),
    ...(mask === undefined ? {} : { secrets: mask }),
  }
}

/** Undefined if every job has its own cookies, which are discarded at its end. */
function readCookies(
  own: RunSettings,
  { workingDirectory }: CommandContext<RunValues>,
  mask: SecretMask | undefined,
): RunCookies | undefined {
  const { cookieJar } = own
  return cookieJar === undefined ? undefined : RunCookies.read(cookieJar, workingDirectory, sourcesOf(own, 1).now, mask)
}

async function listRequests(
  { jobs, requestsOf }: PreparedRun,
  { all: errors }: ErrorList,
  { context, unmasked, mask }: Outputs,
): Promise<ExitCode> {
  const { printRequestList, printRequestLines } = await import('../run/request-list.ts')
  const requests = requestsOfJobs(jobs, requestsOf)
  const ownFiles = new Set(jobs.map(({ file }) => file.loaded.source.path))
  if (context.arguments.has('json')) await printRequestLines(requests, unmasked.stdout, mask, ownFiles)
  else await printRequestList(requests, context.stdout)
  return printErrors(context, errors)
}

/** The requests of one pass over each file. */
function requestsOfJobs(jobs: PreparedRun['jobs'], requestsOf: PreparedRun['requestsOf']): readonly RequestLabel[] {
  return [...new Set(jobs.map(({ file }) => file))].flatMap((file) => {
    const requests = requestsOf.get(file) ?? []
    const parts = jobs.filter((job) => job.file === file).map(({ sections }) => sections)
    if (parts.includes(undefined)) return requests
    const lines = new Set(
      parts.flatMap((sections) => [...(sections ?? [])].map(({ request }) => request?.line.span.line)),
    )
    return requests.filter(({ line }) => lines.has(line))
  })
}

async function runPrepared(
  { jobs, choice }: PreparedRun,
  { shared, own, jobs: { parallel } }: Settings,
  common: CommonOptions,
  tools: RunTools,
): Promise<ExitCode> {
  const { context, unmasked, mask, tuning } = tools
  if (context.arguments.has('ignore-tls-cert')) {
    await context.stderr.write('warning: certificates of servers are not checked (-i)\n')
  }
  const hasEngines = jobs.some(({ file }) => mayNeedEngine(file.loaded))
  const sizeBytes = jobs.reduce((sum, { file }) => sum + file.loaded.source.text.length, 0)
  tuning.tuneForRequests(sizeBytes)
  const output = await openRunOutput({
    context,
    settings: own.isDryRun ? { ...shared, shouldLogRequest: true } : shared,
    isVerbose: own.isVerbose,
    isDryRun: own.isDryRun,
    allowsPrograms: hasEngines && own.allowsPrograms,
    jobs: jobs.map(({ reported }) => reported),
    shard: tools.shard,
    secrets: mask,
    plainStdout: unmasked.stdout,
    now: Date.now,
  })
  const width = await widthOf(Math.min(parallel, jobs.length), hasEngines, context)
  const { totals, problems, isCut } = await executeJobs(jobs, {
    common: choice === undefined ? common : { ...common, choice },
    parallel: width,
    output,
    outputs: { stdout: output.isPlain ? unmasked.stdout : context.stdout, stderr: context.stderr },
    interruption: context.signal,
    sourcesOf: ({ number }) => sourcesOf(own, number),
    traceparentsOf: context.arguments.has('trace') ? traceParents(own.reproduction) : undefined,
  })
  if (own.isDryRun) await context.stderr.write('note: this was a dry run: nothing was sent\n')
  else await common.cookies?.save().catch((error: unknown) => problems.push(error))
  const code = await printErrors(context, problems)
  if (totals.exitCode === exitCodes.interrupted) return exitCodes.interrupted
  if (code !== exitCodes.ok) return code
  // If the reader is gone, no message is printed; but requests that did not run have not passed.
  return isCut ? exitCodes.io : totals.exitCode
}

/** The number of concurrent jobs: as requested, if the process may open that many files. */
async function widthOf(
  wanted: number,
  hasEngines: boolean,
  { openFileLimit, stderr }: CommandContext<RunValues>,
): Promise<number> {
  if (wanted === 1 || openFileLimit === undefined) return wanted
  const { fittingJobs, openFileCount } = await import('../run/jobs/parallel-limit.ts')
  const limit = openFileLimit()
  const width = fittingJobs(wanted, limit, openFileCount(), hasEngines)
  if (width < wanted) {
    const why = `this process may open ${limit} files (ulimit -n)`
    await stderr.write(`note: ${width} of ${wanted} jobs run at a time, because ${why}\n`)
  }
  return width
}

/** Each job has its own random bytes. */
function sourcesOf({ reproduction }: RunSettings, jobNumber: number): ValueSources {
  const { seed, nowMs } = reproduction
  return seed === undefined && nowMs === undefined ? platformSources : seededSources(reproduction, jobNumber)
}

async function askValue(unmasked: CommandContext<RunValues>, prompt: Prompt): Promise<string | undefined> {
  const { askOnTerminal } = await import('../run/terminal-prompt.ts')
  return askOnTerminal(unmasked, prompt)
}

async function showSignIn({ stderr }: CommandContext<RunValues>, { url, code }: SignIn): Promise<void> {
  const then = code === undefined ? '' : ` and type the code ${code} there`
  await stderr.write(`sign in to continue: open this address in a browser${then}\n${url}\n`)
}
