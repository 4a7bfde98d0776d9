/**
 * `httpcli check`: finds errors in request files without sending anything.
 *
 * Rules: the same files, environments, data and filters as `run` with the same arguments. A file without errors gets a
 * line on standard output; errors and warnings go to standard error. The exit code is the most serious one with which a
 * run could end because of them; warnings alone end with 0, unless --fail-on says otherwise.
 */
import { HttpcliError } from '../../message/index.ts'
import { checkRun, type Finding, RunCookies, type RunFindings, RunResources } from '../../runner/index.ts'
import { printFailure, writeFailureText } from '../failures/print-failure.ts'
import type { Command, CommandContext } from '../frame/command.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { type CheckValues, check as specification } from '../options/check.ts'
import { EngineTuning, platformEngine } from '../run/engine-tuning.ts'
import { printErrors, printWarning, warningText } from '../run/files/error-list.ts'
import { findingsText, groupedFindings, JsonFindings, otherLinesText } from '../run/findings.ts'
import { readChoice } from '../run/jobs/job-settings.ts'
import { handleSignals, type Job } from '../run/jobs/jobs.ts'
import { type CommonOptions, prepareRun, variablesOf } from '../run/jobs/run-preparation.ts'
import { maskFor } from '../run/known-secrets.ts'
import { type MaskedOutputs, withMaskedOutputs } from '../run/output/masked-output.ts'
import { readFileSettings } from '../run/settings.ts'
import { toItsEnd } from '../streams/output.ts'

export const check: Command<CheckValues> = (unmasked) => {
  const mask = maskFor(unmasked, undefined)
  return toItsEnd(() => withMaskedOutputs(unmasked, mask, checkFiles))
}

type Outputs = MaskedOutputs<CheckValues>

async function checkFiles({ context, unmasked, mask }: Outputs): Promise<ExitCode> {
  const own = await readFileSettings(context)
  const settings = { ...readChoice(context.arguments), isListOnly: false, repeat: 1 }
  const tuning = new EngineTuning(platformEngine())
  const resources = new RunResources(mask, tuning.onEngineLoad, true)
  const report = new FindingsReport({ context, unmasked, mask })
  const { variables, processEnvironment, isLenient, fileRoot } = own
  const { workingDirectory } = context
  const root = fileRoot === undefined ? {} : { fileRoot }
  const secrets = mask === undefined ? {} : { secrets: mask }
  const common: CommonOptions = {
    ...{ resources, variables, processEnvironment, isLenient, workingDirectory },
    ...root,
    ...secrets,
  }
  try {
    const files = { ...own, secrets: mask, allowsInvalidFiles: true }
    const { jobs, choice, errors } = await prepareRun(context, files, settings, common)
    for (const error of errors) await report.error(error)
    const { cookieJar } = own
    if (cookieJar !== undefined) {
      const cookies = await report.attempt(() => RunCookies.read(cookieJar, workingDirectory, Date.now, mask))
      for (const warning of cookies?.warnings ?? []) await report.warning(warning)
    }
    for (const [path, ofFile] of byFile(jobs)) {
      const findings = await report.attempt(() => findingsOf(ofFile, { ...common, ...(choice && { choice }) }))
      if (findings !== undefined) await report.file(path, findings)
    }
    return report.exitCode
  } finally {
    await resources.close()
    tuning.restore()
  }
}

/** A file has one job for each row of the data. */
function byFile(jobs: readonly Job[]): ReadonlyMap<string, readonly Job[]> {
  const files = new Map<string, Job[]>()
  for (const job of jobs) {
    const { path } = job.file.loaded.source
    const ofFile = files.get(path)
    if (ofFile === undefined) files.set(path, [job])
    else ofFile.push(job)
  }
  return files
}

async function findingsOf(jobs: readonly Job[], common: CommonOptions): Promise<RunFindings> {
  const all: RunFindings[] = []
  for (const { file, row } of jobs) {
    await handleSignals(all.length)
    const options = { ...common, environment: file.environment, variables: variablesOf(common, row) }
    all.push(await checkRun(file.loaded, options))
  }
  const [first] = all
  return {
    ...(first as RunFindings),
    errors: distinct(
      all.flatMap(({ errors }) => errors),
      ({ error }) => error,
    ),
    warnings: distinct(
      all.flatMap(({ warnings }) => warnings),
      (warning) => warning,
    ),
    touched: mergedTouches(all.map(({ touched }) => touched)),
  }
}

function mergedTouches(all: readonly RunFindings['touched'][]): RunFindings['touched'] {
  const merged = (name: keyof RunFindings['touched']): readonly string[] => [
    ...new Set(all.flatMap((each) => each[name])),
  ]
  return {
    filesRead: merged('filesRead'),
    filesWritten: merged('filesWritten'),
    environmentVariables: merged('environmentVariables'),
    hosts: merged('hosts'),
  }
}

function distinct<Item>(items: readonly Item[], errorOf: (item: Item) => HttpcliError): readonly Item[] {
  const byPlace = new Map(items.map((item) => [JSON.stringify([errorOf(item).message, errorOf(item).where]), item]))
  return [...byPlace.values()]
}

/** Reports findings, and keeps track of the most serious exit code. */
class FindingsReport {
  /** The exit code of errors that prevent every request from being sent. */
  #filesCode: ExitCode = exitCodes.ok
  readonly #outcomes: Set<Finding['outcome']> = new Set()
  readonly #context: CommandContext<CheckValues>
  /** Undefined if findings are printed as text. */
  readonly #json: JsonFindings | undefined
  readonly #shouldFailOnWarnings: boolean
  #hasFatalWarnings = false

  constructor({ context, unmasked, mask }: Outputs) {
    this.#context = context
    this.#json = context.arguments.has('json') ? new JsonFindings(unmasked.stdout, mask) : undefined
    this.#shouldFailOnWarnings = context.arguments.value('fail-on') === 'warning'
  }

  /** The exit code with which a run would end. */
  get exitCode(): ExitCode {
    if (this.#outcomes.has('invalid') && this.#filesCode < exitCodes.invalidRequest) return exitCodes.invalidRequest
    if (this.#filesCode !== exitCodes.ok) return this.#filesCode
    if (this.#outcomes.has('error')) return exitCodes.io
    return this.#outcomes.has('failed') || this.#hasFatalWarnings ? exitCodes.failedTest : exitCodes.ok
  }

  /** The result of the action; undefined if it throws, which is reported. */
  async attempt<Result>(action: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await action()
    } catch (error) {
      await this.error(error)
      return undefined
    }
  }

  async file(path: string, findings: RunFindings): Promise<void> {
    const { stdout, stderr } = this.#context
    for (const { outcome } of findings.errors) this.#outcomes.add(outcome)
    this.#hasFatalWarnings ||= this.#shouldFailOnWarnings && findings.warnings.length > 0
    if (this.#json !== undefined) return this.#json.file(path, findings)
    for (const group of groupedFindings(findings.warnings)) {
      await stderr.write(warningText(group.error) + otherLinesText(group))
    }
    for (const group of groupedFindings(findings.errors.map(({ error }) => error))) {
      await printFailure(this.#context, group.error, specification)
      await writeFailureText(stderr, otherLinesText(group))
    }
    await stdout.write(findingsText(path, findings))
  }

  async warning(warning: HttpcliError): Promise<void> {
    this.#hasFatalWarnings ||= this.#shouldFailOnWarnings
    await printWarning(this.#context, warning)
  }

  /** Reports an error outside a request: in files, environments, data, or filters. */
  async error(error: unknown): Promise<void> {
    if (error instanceof HttpcliError) await this.#json?.error(error)
    const exitCode = await printErrors(this.#context, [error], specification)
    if (exitCode > this.#filesCode) this.#filesCode = exitCode
  }
}
