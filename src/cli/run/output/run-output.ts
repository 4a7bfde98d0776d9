/**
 * All output of a run: the output of its jobs, the totals, and the reports.
 *
 * Rules: wrong settings and unwritable files are errors before anything is sent. With `--json` standard output contains
 * only JSON Lines; with `--report <format>=-` only the report, and the usual output goes to standard error. However the
 * run ends, the reports are written with the results so far.
 */
import { resolve } from 'node:path'
import type { HttpcliError } from '../../../message/index.ts'
import {
  FailureList,
  type JsonEvents,
  loadJsonEvents,
  loadReports,
  type MaskBytes,
  type OctetPieces,
  paintedSummary,
  type ReportedJob,
  type RunRecord,
  type RunRecorder,
  type ShardRecord,
} from '../../../report/index.ts'
import { InvalidFileError, RunCounts, type RunEvent, type RunSummary } from '../../../runner/index.ts'
import type { Mask, SecretMask } from '../../../secrets/index.ts'
import type { CommandContext, Output } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import { versionNumber } from '../../help/version.ts'
import type { RunValues } from '../../options/run.ts'
import type { SharedSettings } from '../../send/settings.ts'
import { readBodyLimits } from './body-limits.ts'
import { type JobContext, type JobOutputs, jobContext } from './job-context.ts'
import type { ReportTarget } from './report-files.ts'
import { isExact, type PrinterOptions, RunPrinter } from './run-printer.ts'

export interface RunOutputOptions extends Pick<PrinterOptions, 'isVerbose' | 'isDryRun' | 'allowsPrograms'> {
  /** The context with masked outputs. */
  readonly context: CommandContext<RunValues>
  readonly settings: SharedSettings
  readonly jobs: readonly ReportedJob[]
  /** The part of the run; undefined for the whole run. */
  readonly shard?: ShardRecord | undefined
  /** Undefined if nothing is masked. */
  readonly secrets?: SecretMask | undefined
  /** Unmasked stdout, for text that is already masked. */
  readonly plainStdout: Output
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface JobOutput {
  listen(event: RunEvent): void | Promise<void>
  /** Flushes all output. Called last, however the job ended. */
  flush(): Promise<void>
}

export interface RunOutputEnd {
  /** The summary of all jobs. */
  readonly summary: RunSummary
  /** The error that ended the run early. */
  readonly failure?: unknown
}

/** @throws UsageError; HttpcliError `report-unwritable`. */
export async function openRunOutput(options: RunOutputOptions): Promise<RunOutput> {
  const reports = await openReports(options)
  const lines = options.context.arguments.has('json') ? await openLines(options) : undefined
  refuseSharedStdout(options.context, reports)
  await lines?.begin()
  await reports?.begin()
  return new RunOutput(options, reports, lines)
}

/** @throws UsageError if two options use standard output exclusively */
function refuseSharedStdout({ arguments: args }: CommandContext<RunValues>, reports: Reports | undefined): void {
  const hasJson = args.has('json')
  const hasReport = reports?.targets.some(({ path }) => path === undefined) === true
  const hasGithub = args.values('report').includes('github')
  if (hasJson && hasReport) {
    throw new UsageError('--json and a report to - both write to standard output', { hint: 'Give the report a file' })
  }
  if (hasGithub && (hasJson || hasReport)) {
    const other = hasJson ? '--json' : 'a report to -'
    throw new UsageError(`--report github and ${other} both write to standard output`, {
      hint: hasJson ? 'Omit one of them' : 'Give the report a file',
    })
  }
}

/**
 * Writes the reports of a run that could not start: an error in a file becomes a failed test case.
 * @returns errors of the reports. @throws as `openRunOutput`
 */
export async function reportErrors(
  options: Omit<RunOutputOptions, 'jobs'>,
  errors: readonly HttpcliError[],
): Promise<readonly unknown[]> {
  if (options.context.arguments.values('report').length === 0) return []
  const files = new Map<string, HttpcliError[]>()
  for (const error of errors.flatMap((each) => (each instanceof InvalidFileError ? each.errors : [each]))) {
    const file = error.where?.file ?? wordsOf(options.context)
    files.set(file, [...(files.get(file) ?? []), error])
  }
  const jobs = [...files.keys()].map((path, index) => ({ number: index + 1, path, environment: undefined }))
  const reports = (await openReports({ ...options, jobs })) as Reports
  const summary = { ...new RunCounts().counts, isInterrupted: false, durationMs: 0 }
  for (const job of jobs) {
    const listen = reports.recorder.begin(job)
    for (const error of files.get(job.path) ?? []) listen({ type: 'error', request: undefined, error })
    listen({ type: 'run-finished', summary })
  }
  return reports.write({ summary })
}

/** The arguments that name the files of the run. */
function wordsOf({ arguments: args }: CommandContext<RunValues>): string {
  return args.positionals.length > 0 ? args.positionals.join(' ') : (args.value('last-failed') ?? '')
}

interface Reports {
  readonly targets: readonly ReportTarget[]
  readonly recorder: RunRecorder
  /** Called before any output of a job. */
  begin(): Promise<void>
  /** Never throws. @returns errors of the reports */
  write(end: RunOutputEnd): Promise<readonly unknown[]>
}

async function openReports({
  context,
  settings,
  isDryRun,
  jobs,
  shard,
  secrets,
  plainStdout,
  now,
}: RunOutputOptions): Promise<Reports | undefined> {
  const texts = context.arguments.values('report')
  if (texts.length === 0) return undefined
  const [
    { RunRecorder, reportFormats },
    { checkTarget, GITHUB, reportTargets, writeReports },
    { SpillingRecordStore },
    { hostname },
  ] = await Promise.all([loadReports(), import('./report-files.ts'), import('./record-store.ts'), import('node:os')])
  const taken = takenFiles(context, jobs)
  const targets = reportTargets(texts, reportFormats, context.workingDirectory, taken)
  for (const target of targets) await checkTarget(target)
  const hasGithub = texts.includes(GITHUB)
  if (hasGithub) (await import('./github-output.ts')).checkGithubSummary(context)
  const mask = maskOf({ secrets })
  const store = new SpillingRecordStore()
  const maskBytes = bytesMaskOf({ secrets })
  const recorder = new RunRecorder({
    ...{ generator: generatorName(), hostname: hostname(), now, mask, maskBytes, store, shard },
    bodyLimits: readBodyLimits(context.arguments),
  })
  const output = isExact(settings, isDryRun) ? context.stderr : context.stdout
  let resumeCommands = async (): Promise<void> => undefined
  const begin = async (): Promise<void> => {
    if (hasGithub) resumeCommands = await (await import('./github-output.ts')).stopCommands(output, context)
  }
  const write = async ({ summary, failure }: RunOutputEnd): Promise<readonly unknown[]> => {
    try {
      // If the reader is gone, the annotations fail too, and are reported.
      await resumeCommands().catch(() => undefined)
      const record = recorder.record({ isInterrupted: summary.isInterrupted, failure })
      const problems = await writeReports(targets, reportFormats, record, plainStdout)
      return [...problems, ...(hasGithub ? await githubProblems(record, output, context) : [])]
    } catch (error) {
      return [error]
    } finally {
      store.close()
    }
  }
  return { targets, recorder, begin, write }
}

/** The other files that the run reads or writes, by absolute path. */
function takenFiles(
  { arguments: args, workingDirectory }: CommandContext<RunValues>,
  jobs: readonly ReportedJob[],
): ReadonlyMap<string, string> {
  const files: readonly (readonly [kind: string, path: string | undefined])[] = [
    ...jobs.map(({ path }) => ['request file', path] as const),
    ['cookie jar', args.value('cookiejar')],
    // Other shards use the same file of times.
    ['report of earlier times', args.value('shard-times')],
  ]
  return new Map(
    files.flatMap(([kind, path]) =>
      path === undefined ? [] : [[resolve(workingDirectory, path), `${kind} ${path}`] as const],
    ),
  )
}

async function githubProblems(
  record: RunRecord,
  output: Output,
  context: CommandContext<RunValues>,
): Promise<readonly unknown[]> {
  const { writeGithubReport } = await import('./github-output.ts')
  try {
    await writeGithubReport(record, output, context)
    return []
  } catch (error) {
    return [error]
  }
}

interface Lines {
  readonly events: JsonEvents
  begin(): Promise<void>
  readonly openPieces: () => OctetPieces
  readonly printer: typeof import('./json-printer.ts').JsonPrinter
}

async function openLines({ jobs, secrets, plainStdout, now }: RunOutputOptions): Promise<Lines> {
  const [{ JsonEvents, OctetPieces }, { JsonPrinter }] = await Promise.all([
    loadJsonEvents(),
    import('./json-printer.ts'),
  ])
  const mask = maskOf({ secrets })
  const events = new JsonEvents({ now, mask })
  return {
    events,
    begin: () => plainStdout.write(events.runStarted(generatorName(), jobs.length)),
    openPieces: () => new OctetPieces(),
    printer: JsonPrinter,
  }
}

function maskOf({ secrets }: Pick<RunOutputOptions, 'secrets'>): Mask {
  return secrets === undefined ? (text) => text : (text) => secrets.mask(text)
}

function bytesMaskOf({ secrets }: Pick<RunOutputOptions, 'secrets'>): MaskBytes {
  if (secrets === undefined) return (bytes) => bytes
  return (bytes, isWhole) => {
    const stream = secrets.openStream()
    return isWhole ? stream.end(bytes) : stream.write(bytes)
  }
}

function generatorName(): string {
  return `httpcli ${versionNumber()}`
}

export class RunOutput {
  readonly #options: RunOutputOptions
  readonly #reports: Reports | undefined
  readonly #lines: Lines | undefined
  readonly #failures: FailureList
  readonly #isStdoutTaken: boolean
  #hasNotedMask = false

  constructor(options: RunOutputOptions, reports: Reports | undefined, lines: Lines | undefined) {
    this.#options = options
    this.#reports = reports
    this.#lines = lines
    this.#failures = new FailureList(maskOf(options))
    this.#isStdoutTaken = reports?.targets.some(({ path }) => path === undefined) === true
  }

  /** Whether jobs need an unmasked standard output, because their printers do the masking. */
  get isPlain(): boolean {
    return this.#lines !== undefined || this.#hasBareBodies
  }

  /** Bodies for programs are printed unmasked. */
  get #hasBareBodies(): boolean {
    const { settings, isDryRun } = this.#options
    return settings.mode === 'body' && isExact(settings, isDryRun)
  }

  get #isQuiet(): boolean {
    return this.#options.context.arguments.has('quiet')
  }

  /** @param outputs the outputs of the job, which may hold its text until its turn. */
  job(job: ReportedJob, outputs: JobOutputs): JobOutput {
    const context = jobContext(this.#options.context, {
      stdout: this.#isStdoutTaken ? outputs.stderr : outputs.stdout,
      stderr: outputs.stderr,
    })
    const printer = this.#printer(job, context)
    const failed = this.#failures.begin(job)
    const record = this.#reports?.recorder.begin(job)
    return {
      listen: (event) => {
        failed(event)
        record?.(event)
        return printer.listen(event)
      },
      flush: () => printer.flush(),
    }
  }

  /** Prints the totals and writes the reports. Called when all jobs have ended. Never throws. @returns errors */
  async end(end: RunOutputEnd): Promise<readonly unknown[]> {
    const problems: unknown[] = []
    await this.#printEnd(end).catch((error: unknown) => problems.push(error))
    return [...problems, ...((await this.#reports?.write(end)) ?? [])]
  }

  #printer(job: ReportedJob, context: JobContext): JobOutput {
    const { settings, isVerbose, isDryRun, allowsPrograms, jobs, secrets } = this.#options
    const mask = maskOf(this.#options)
    if (this.#lines !== undefined) {
      const { printer, events, openPieces } = this.#lines
      return new printer(context, settings, { job, events, openPieces, secrets })
    }
    return new RunPrinter(context, settings, {
      isVerbose,
      isDryRun,
      allowsPrograms,
      isQuiet: this.#isQuiet,
      bodySecrets: this.#hasBareBodies ? undefined : secrets,
      logSecrets: this.#hasBareBodies && !this.#isStdoutTaken ? secrets : undefined,
      onMaskedBody: () => this.#noteMaskedBody(context),
      mask,
      job: jobs.length > 1 ? job : undefined,
    })
  }

  async #noteMaskedBody({ stdout, stderr }: JobContext): Promise<void> {
    if (this.#hasNotedMask) return
    this.#hasNotedMask = true
    await stdout.startLine()
    await stderr.write(
      'note: secrets in bodies are printed as ***; -p body prints bodies as received, --show-secrets shows all\n',
    )
  }

  async #printEnd({ summary, failure }: RunOutputEnd): Promise<void> {
    const { context, plainStdout, jobs } = this.#options
    if (this.#lines !== undefined) return plainStdout.write(this.#lines.events.runFinished(summary, failure))
    if (this.#isQuiet) return
    const { settings, isDryRun } = this.#options
    const output = this.#isStdoutTaken || isExact(settings, isDryRun) ? context.stderr : context.stdout
    const list = summary.requests + summary.skipped > 1 ? this.#failures.text(output) : ''
    const files = new Set(jobs.map(({ path }) => path)).size
    await output.write(`\n${list}${paintedSummary(summary, files, output)}\n`)
  }
}
