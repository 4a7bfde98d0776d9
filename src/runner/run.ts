/**
 * Runs the requests of a file, and of the files that it calls, one after another.
 *
 * The steps of one request:
 *   1. plan: plan/request-file.ts and run-plan.ts read the files and put the requests in order;
 *   2. variables: variables/template-needs.ts loads what texts need, variables.ts renders them with the values of file,
 *      run and environment; dynamic/ generates a value at each use;
 *   3. scripts before the request: scripting/request-scripts.ts;
 *   4. message: variables/iterations.ts (one for each element of an array), request/request-builder.ts and
 *      request-body.ts;
 *   5. exchange: exchange/request-exchange.ts and http-client.ts (default fields, cookies, credentials, redirects,
 *      pool), websocket-exchange.ts for WebSocket, grpc-exchange.ts for gRPC;
 *   6. response: exchange/response-receiver.ts shows, keeps and saves it in one pass;
 *   7. captures and assertions: assertions/request-assertions.ts; then the handlers.
 * A dry run goes through dry-run/dry-run.ts, `check` through dry-run/check-run.ts; both use the same plan.
 *
 * Rules: nothing is printed and no exit code is chosen here: everything that happens is an event, and the summary
 * counts the results. A failed request does not end the run, unless requested; an error of the listener does, and so
 * does an abort. Requests that never start because of that are reported as skipped. However the run ends, connections
 * and engines are released.
 */
import { HttpcliError } from '../message/index.ts'
import { systemClock } from '../wire/index.ts'
import { checkAssertionPaths, RequestAssertions } from './assertions/request-assertions.ts'
import type { RequestIdentity, RunSummary } from './base/events.ts'
import { pause } from './base/pause.ts'
import { RunContext } from './context/run-context.ts'
import type { RunOptions } from './context/run-options.ts'
import { RunResources } from './context/run-resources.ts'
import type { DryRun } from './dry-run/dry-run.ts'
import { type Attempt, retryPolicy } from './exchange/attempt.ts'
import { RunEventEmitter } from './exchange/event-emitter.ts'
import { executeRequest, type RequestTools } from './exchange/request-exchange.ts'
import type { FailureMark } from './exchange/run-counts.ts'
import type { LoadedHttpFile } from './plan/request-file.ts'
import { labelOf } from './plan/request-labels.ts'
import type { RunStep } from './plan/run-plan.ts'
import { answerPrompts, openPrompts } from './request/prompts.ts'
import { type PreparedRequest, requestRounds } from './request/request-builder.ts'
import type { RequestContext } from './request/request-context.ts'
import type { ScriptVerdict } from './scripting/operations/script-scene.ts'
import { needsEngine, RequestScripts } from './scripting/request-scripts.ts'

/**
 * Runs a file.
 * @throws InvalidFileError of an imported file, before anything is sent; errors of the listener; defects of the script
 *   engine.
 */
export async function runHttpFile(loaded: LoadedHttpFile, options: RunOptions): Promise<RunSummary> {
  const { resources = new RunResources(options.secrets) } = options
  const run = new Run(loaded, options, resources)
  try {
    return await run.run()
  } finally {
    await run.close()
    if (resources !== options.resources) await resources.close()
  }
}

/** The current iteration of a request. */
interface OpenRound {
  readonly request: RequestIdentity
  readonly startedMs: number
  readonly mark: FailureMark
}

class Run {
  readonly #loaded: LoadedHttpFile
  readonly #options: RunOptions
  readonly #resources: RunResources
  readonly #services: RunContext
  readonly #emitter: RunEventEmitter
  /** Replaces the exchanges in a run that sends nothing. */
  #dryRun: DryRun | undefined
  #number = 0
  #isFirst = true
  #isAborted = false
  /** Whether an engine will be needed and has not been requested yet. */
  #isToWarmUp = false

  constructor(loaded: LoadedHttpFile, options: RunOptions, resources: RunResources) {
    this.#loaded = loaded
    this.#options = options
    this.#resources = resources
    this.#emitter = new RunEventEmitter(options.listener, options.shouldFailOnStatus === true)
    this.#services = new RunContext(loaded, options, resources, (event) => this.#emitter.emit(event))
  }

  async run(): Promise<RunSummary> {
    const startedMs = systemClock()
    const { source } = this.#loaded
    const { environment } = this.#options
    const plan = await this.#services.plan()
    await checkAssertionPaths(plan.files)
    await this.#openDryRun()
    this.#isToWarmUp = needsEngine(plan, this.#services.plainScripts)
    await this.#emitter.emit({
      type: 'run-started',
      path: source.path,
      environment: environment.name,
      requests: plan.requestCount,
    })
    for (const error of this.#unreportedWarnings()) await this.#emitter.emit({ type: 'warning', error })
    if (environment.hidden.length > 0) {
      const text = `the private environment file hides values of the public one: ${environment.hidden.join(', ')}`
      await this.#emitter.emit({ type: 'note', text })
    }
    for (const step of plan.steps()) await this.#runStep(step)
    const durationMs = systemClock() - startedMs
    const summary = { ...this.#emitter.counts.counts, isInterrupted: this.#isInterrupted, durationMs }
    await this.#emitter.emit({ type: 'run-finished', summary })
    return summary
  }

  /** Warnings about untrusted files, each once for all runs that share the resources. */
  #unreportedWarnings(): readonly HttpcliError[] {
    const { warnings = [] } = this.#options.environment
    return [...warnings, ...this.#services.files.root.warnings].filter(({ message }) => {
      return this.#resources.isFirst(message)
    })
  }

  async #openDryRun(): Promise<void> {
    if (this.#options.isDryRun !== true) return
    const { DryRun: Opened } = await import('./dry-run/dry-run.ts')
    this.#dryRun = new Opened(this.#services, this.#resources, this.#options)
  }

  close(): Promise<void> {
    return this.#services.close()
  }

  get #isInterrupted(): boolean {
    return this.#isAborted || this.#options.wire?.signal?.aborted === true
  }

  get #isEnding(): boolean {
    const { isFailFast, isSkipped } = this.#options
    return this.#isInterrupted || isSkipped === true || (isFailFast === true && this.#emitter.counts.hasFailures)
  }

  #runStep(step: RunStep): void | Promise<void> {
    if (!(step instanceof HttpcliError)) return this.#runRequest(step)
    if (!this.#isEnding) return this.#emitter.fail(undefined, [step])
  }

  async #runRequest(step: RequestContext): Promise<void> {
    const delay = this.#delay()
    if (delay !== undefined) await delay
    if (this.#isEnding) return this.#skip(step, 0)
    const scripts = new RequestScripts(step, this.#services)
    const tools = { scripts, checks: new RequestAssertions(step) }
    let round = await this.#begin(step, 0)
    let isOpen = true
    let started = 1
    await this.#guarded(round.request, async () => {
      if (!(await this.#isReady(step, scripts, round.request))) return
      let hasBuilt = false
      for (const { iteration, build } of this.#dryRun?.rounds(step) ??
        requestRounds(step, this.#options.shouldSaveResponses)) {
        if (iteration > 0) {
          await this.#finish(round)
          isOpen = false
          await this.#delay()
          if (this.#isEnding) return
          round = await this.#begin(step, iteration)
          isOpen = true
          started++
        }
        const { request } = round
        await this.#guarded(request, async () => {
          const made = await build()
          hasBuilt = true
          await (this.#dryRun?.report(made, request) ?? this.#runAttempts(made as PreparedRequest, request, tools))
        })
        if (this.#isEnding) return
      }
      if (this.#dryRun !== undefined && hasBuilt) await this.#dryRun.readHandlers(step, round.request)
    })
    if (this.#dryRun !== undefined) await this.#dryRun.end(step)
    const finished = isOpen ? this.#finish(round) : undefined
    if (finished !== undefined) await finished
    const count = this.#isEnding ? step.variables.rounds.count : 0
    for (let iteration = started; iteration < count; iteration++) await this.#skip(step, iteration)
  }

  /** Asks for values, and runs the scripts before the request. @returns whether it can be built */
  async #isReady(step: RequestContext, scripts: RequestScripts, request: RequestIdentity): Promise<boolean> {
    if (scripts.hasFiles) await scripts.checkFiles()
    const prompts = this.#dryRun === undefined ? openPrompts(step) : []
    if (prompts.length > 0) await answerPrompts(prompts, step, this.#options.askValue)
    if (!scripts.hasScriptsBefore) return true
    const verdict = await scripts.runBefore(request)
    if (verdict === 'failed') this.#emitter.counts.addFailure('blocked')
    return this.#canContinue(verdict) && verdict !== 'failed'
  }

  /** Waits for the delay between requests. */
  #delay(): void | Promise<void> {
    const { delayMs = 0, delaysFirst = false, wire } = this.#options
    const shouldWait = delayMs > 0 && this.#dryRun === undefined && (delaysFirst || !this.#isFirst)
    this.#isFirst = false
    if (shouldWait && !this.#isEnding) return pause(delayMs, wire?.signal)
  }

  async #skip(step: RequestContext, iteration: number): Promise<void> {
    const reason = this.#isInterrupted ? 'interrupted' : 'bail'
    await this.#emitter.emit({ type: 'request-skipped', request: this.#identityOf(step, iteration), reason })
  }

  async #begin(step: RequestContext, iteration: number): Promise<OpenRound> {
    const request = this.#identityOf(step, iteration)
    const round = { request, startedMs: systemClock(), mark: this.#emitter.counts.mark() }
    await this.#emitter.emit({ type: 'request-started', request })
    return round
  }

  #finish({ request, startedMs, mark }: OpenRound): void | Promise<void> {
    const durationMs = systemClock() - startedMs
    const counted = this.#emitter.counts.endRequest(mark, this.#isInterrupted)
    // An aborted handler has seen an answer, but has not finished testing it.
    const outcome = this.#isAborted ? 'error' : counted
    return this.#emitter.emit({ type: 'request-finished', request, durationMs, outcome })
  }

  #identityOf(step: RequestContext, iteration: number): RequestIdentity {
    this.#number++
    return { number: this.#number, iteration, ...labelOf(step) }
  }

  /** Sends a request until it passes, or until all attempts are used. */
  async #runAttempts(prepared: PreparedRequest, request: RequestIdentity, tools: RequestTools): Promise<void> {
    const { count, intervalMs } = retryPolicy(prepared.retry, this.#options.retry)
    for (let number = 1; number <= count; number++) {
      const attempt = this.#emitter.beginAttempt()
      await this.#guarded(request, () => this.#runRound(prepared, request, tools), attempt)
      const { failure } = attempt
      await this.#emitter.endAttempt(failure === undefined || this.#isInterrupted)
      if (failure === undefined || this.#isInterrupted) return
      await this.#emitter.emit({ type: 'request-retried', request, attempt: number, of: count + 1, ...failure })
      await pause(intervalMs, this.#options.wire?.signal)
      if (this.#isInterrupted) return
    }
    await this.#runRound(prepared, request, tools)
  }

  /** Errors of the request are reported; errors of the listener, and defects, end the run. */
  async #guarded(request: RequestIdentity, action: () => Promise<void>, attempt?: Attempt): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (this.#emitter.listenerFailure !== undefined) throw this.#emitter.listenerFailure.error
      if (this.#isInterrupted || attempt?.noteError(error) === true) return
      if (!isRequestError(error)) throw error
      await this.#emitter.fail(request, [error])
    }
  }

  async #runRound(prepared: PreparedRequest, request: RequestIdentity, tools: RequestTools): Promise<void> {
    const verdict = await executeRequest({
      prepared,
      request,
      ...tools,
      elapsedMs: systemClock,
      httpClient: this.#services.httpClient,
      grpcTypes: this.#services.grpcTypes,
      globalHeaders: this.#services.variables.globalHeaders.values(),
      files: this.#services.files,
      sampleBytes: this.#options.sampleBytes ?? 0,
      emit: (event, body) => {
        if (event.type === 'request-sent') this.#warmUp()
        return this.#emitter.emit(event, body)
      },
    })
    this.#canContinue(verdict)
  }

  /** Loads an engine while the answer is on its way: in the turn of the event loop after the request is sent. */
  #warmUp(): void {
    if (!this.#isToWarmUp) return
    this.#isToWarmUp = false
    setImmediate(() => {
      if (!this.#isEnding) void this.#services.scriptRunner().then((runner) => runner.warmUp())
    })
  }

  #canContinue(verdict: ScriptVerdict): boolean {
    if (verdict === 'aborted') this.#isAborted = true
    return verdict !== 'aborted'
  }
}

/** Expected errors and errors of the system; anything else is a defect. */
function isRequestError(error: unknown): boolean {
  return error instanceof HttpcliError || typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string'
}
