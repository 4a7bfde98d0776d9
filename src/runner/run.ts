/**
 * The requests of a file and of those that it calls, one after the other.
 *
 * Rules: nothing is printed and nothing decided about exit codes: everything that happens is an event, and the summary
 * counts. A request that fails does not end the run, unless that is asked for; what the listener throws does, and so does
 * an abort. However the run ends, the cookies are written and the connections closed. Scripts, tokens, cookies,
 * certificates and WebSockets are loaded when they are needed.
 */
import { parseTemplate, type Request, templateText } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { ConnectionPool, type TlsOptions, type WireOptions } from '../wire/index.ts'
import { type AskUser, LazyTokens } from './auth-tokens.ts'
import { RunCookies } from './cookie-jar.ts'
import { platformSources, type ValueSources } from './dynamic-variables.ts'
import type { Environment } from './environment-files.ts'
import type { RequestIdentity, RunEvent, RunListener, RunSummary } from './events.ts'
import { FileScope } from './file-scope.ts'
import { planRun, type RunPlan, type RunStep } from './import-plan.ts'
import type { LoadedHttpFile } from './loaded-file.ts'
import { whenReady } from './pending.ts'
import type { RecordedBody } from './recorded-body.ts'
import { type PreparedRequest, prepareRequests } from './request-builder.ts'
import { Requester, type RequestWatcher } from './requester.ts'
import { receiveResponse } from './response-receiver.ts'
import { RoundScripts } from './round-scripts.ts'
import type { ScriptLimits } from './script/script-engine.ts'
import type { ScriptRunner } from './script/script-runner.ts'
import type { ScriptVerdict } from './script/script-scene.ts'
import { SharedVariables, Variables } from './variables.ts'

export interface RunOptions {
  readonly environment: Environment
  readonly listener: RunListener
  /** For every exchange; tags of a request override its time-outs. Its signal ends the run. */
  readonly wire?: WireOptions
  readonly scriptLimits?: ScriptLimits
  /** Whether scripts may start other programs. Default false. */
  readonly allowsPrograms?: boolean
  /** Clock and random octets. Default: those of the platform. */
  readonly sources?: ValueSources
  /** `-V name=value`: they win over everything. */
  readonly variables?: ReadonlyMap<string, string>
  /** Environment variables of the process, for `{{$env.NAME}}`. */
  readonly processEnvironment?: Readonly<Record<string, string | undefined>>
  /** An unknown variable is an empty text, no error. */
  readonly isLenient?: boolean
  /** Default: cookies that end with the run. */
  readonly cookies?: RunCookies
  /** The value of User-Agent where a request has none. Default `httpcli`. */
  readonly userAgent?: string
  /** Whether the first failure ends the run. */
  readonly bails?: boolean
  /** Whether a status of 400 or more is a failure. */
  readonly failsOnStatus?: boolean
  /** Whether responses are written to the files that `<>` names. */
  readonly savesResponses?: boolean
  /** Shows a person where to sign in. Without it, no token can be had that needs a person. */
  readonly askUser?: AskUser
}

/**
 * Runs a file.
 * @throws InvalidFileError of an imported file, before anything is sent; what the listener throws; defects of the script
 * engine.
 */
export async function runHttpFile(loaded: LoadedHttpFile, options: RunOptions): Promise<RunSummary> {
  const run = new Run(loaded, options)
  try {
    return await run.run()
  } finally {
    await run.close()
  }
}

type Counts = { -readonly [Name in keyof Omit<RunSummary, 'isInterrupted'>]: RunSummary[Name] }

class Run {
  readonly #loaded: LoadedHttpFile
  readonly #options: RunOptions
  readonly #shared: SharedVariables
  readonly #pool = new ConnectionPool()
  readonly #cookies: RunCookies
  readonly #requester: Requester
  readonly #counts: Counts = {
    requests: 0,
    answered: 0,
    failed: 0,
    blocked: 0,
    badStatuses: 0,
    testsPassed: 0,
    testsFailed: 0,
    scriptsFailed: 0,
  }
  #scripts: Promise<ScriptRunner> | undefined
  #tls: Promise<TlsOptions> | undefined
  #listenerFailure: { readonly error: unknown } | undefined
  #isAborted = false
  #isSaved = false

  constructor(loaded: LoadedHttpFile, options: RunOptions) {
    const { variables, processEnvironment, isLenient, sources = platformSources, wire, environment } = options
    this.#loaded = loaded
    this.#options = options
    this.#cookies = options.cookies ?? RunCookies.read(undefined, '', sources.now)
    this.#requester = new Requester({
      wire: { ...wire, pool: this.#pool },
      cookies: this.#cookies,
      userAgent: options.userAgent ?? 'httpcli',
      tls: () => this.#tlsOptions(),
      makeKey: () => sources.randomBytes(16),
    })
    const tokens = new LazyTokens({
      settings: environment.security,
      wireOptions: (url) => this.#requester.wireOptions(url),
      render: (text) => this.#render(text),
      sources,
      askUser: options.askUser,
      signal: wire?.signal,
    })
    this.#shared = new SharedVariables({
      environment: environment.variables,
      sources,
      tokens,
      ...(variables === undefined ? {} : { commandLine: variables }),
      ...(processEnvironment === undefined ? {} : { processEnvironment }),
      ...(isLenient === undefined ? {} : { isLenient }),
    })
  }

  async run(): Promise<RunSummary> {
    const { source } = this.#loaded
    const { environment } = this.#options
    const plan = await planRun(this.#loaded, this.#shared)
    if (hasScripts(plan)) void this.#scriptRunner().then((runner) => runner.warmUp())
    await this.#emit({
      type: 'run-started',
      path: source.path,
      environment: environment.name,
      requests: plan.requestCount,
    })
    if (environment.hidden.length > 0) {
      const text = `the private environment file hides values of the public one: ${environment.hidden.join(', ')}`
      await this.#emit({ type: 'note', text })
    }
    for (const step of plan.steps()) {
      if (this.#isEnding) break
      await this.#runStep(step)
    }
    await this.#saveCookies()
    const summary = { ...this.#counts, isInterrupted: this.#isInterrupted }
    await this.#emit({ type: 'run-finished', summary })
    return summary
  }

  async close(): Promise<void> {
    this.#pool.close()
    // Whoever waited for the scripts has seen their error.
    await this.#scripts?.then((runner) => runner.close()).catch(() => undefined)
    if (!this.#isSaved) await this.#cookies.save()
  }

  get #isInterrupted(): boolean {
    return this.#isAborted || this.#options.wire?.signal?.aborted === true
  }

  get #isEnding(): boolean {
    const { failed, blocked, badStatuses, testsFailed, scriptsFailed } = this.#counts
    const hasTrouble = failed + blocked + badStatuses + testsFailed + scriptsFailed > 0
    return this.#isInterrupted || (this.#options.bails === true && hasTrouble)
  }

  async #runStep(step: RunStep): Promise<void> {
    if (step.errors.length > 0) return this.#fail(undefined, step.errors)
    const scripts = new RoundScripts(step, () => this.#scriptRunner())
    let request = await this.#begin(step, 0)
    await this.#guarded(request, async () => {
      await scripts.checkFiles()
      const verdict = await scripts.runBefore(request)
      if (verdict === 'failed') this.#counts.blocked++
      if (!this.#mayGoOn(verdict) || verdict === 'failed') return
      for await (const prepared of prepareRequests(step)) {
        if (prepared.iteration > 0) {
          await this.#emit({ type: 'request-finished', request })
          if (this.#isEnding) return
          request = await this.#begin(step, prepared.iteration)
        }
        await this.#guarded(request, () => this.#runRound(prepared, request, scripts))
      }
    })
    await this.#emit({ type: 'request-finished', request })
  }

  async #begin({ section, loaded }: RunStep, iteration: number): Promise<RequestIdentity> {
    const { line, name } = section.request as Request
    this.#counts.requests++
    const request: RequestIdentity = {
      number: this.#counts.requests,
      name,
      method: line.method ?? 'GET',
      target: templateText(line.target),
      file: loaded.source.path,
      line: line.span.line,
      iteration,
    }
    await this.#emit({ type: 'request-started', request })
    return request
  }

  /** What goes wrong with the request is told; what goes wrong with the listener, or with this program, ends the run. */
  async #guarded(request: RequestIdentity, action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (this.#listenerFailure !== undefined) throw this.#listenerFailure.error
      if (this.#isInterrupted) return
      if (!isRequestError(error)) throw error
      await this.#fail(request, [error])
    }
  }

  async #runRound(prepared: PreparedRequest, request: RequestIdentity, scripts: RoundScripts): Promise<void> {
    if (prepared.usesOsCredentials) await this.#warnOfCredentials()
    const message = this.#requester.completed(prepared.message, this.#shared.globalHeaders.values())
    const reception = {
      request,
      prepared,
      scripts,
      savesResponse: this.#options.savesResponses === true,
      emit: (event: RunEvent, body?: RecordedBody) => this.#emit(event, body),
    }
    if (prepared.kind === 'websocket') {
      const { converseOverWebSocket } = await import('./websocket-round.ts')
      this.#mayGoOn(await converseOverWebSocket(message, this.#requester, this.#watcher(prepared, request), reception))
      return
    }
    const result = await this.#requester.send(message, prepared, this.#watcher(prepared, request))
    try {
      this.#mayGoOn(await receiveResponse(result, reception))
    } finally {
      result.close()
      await result.closed
    }
  }

  #watcher({ isLogged }: PreparedRequest, request: RequestIdentity): RequestWatcher {
    return {
      onSent: (sent) => this.#emit({ type: 'request-sent', request, sent }),
      onOctets: async (bytes) => {
        if (isLogged) await this.#emit({ type: 'request-octets', request, bytes })
      },
      onRedirect: (status, { url }) => this.#emit({ type: 'redirected', request, status, url: String(url) }),
    }
  }

  #mayGoOn(verdict: ScriptVerdict): boolean {
    if (verdict === 'aborted') this.#isAborted = true
    return verdict !== 'aborted'
  }

  #scriptRunner(): Promise<ScriptRunner> {
    if (this.#scripts === undefined) {
      const { scriptLimits, allowsPrograms, wire } = this.#options
      this.#scripts = import('./script/script-runner.ts').then(({ openScriptRunner }) =>
        openScriptRunner({
          emit: (event) => this.#emit(event),
          ...(scriptLimits === undefined ? {} : { limits: scriptLimits }),
          ...(allowsPrograms === undefined ? {} : { allowExec: allowsPrograms }),
          ...(wire?.signal === undefined ? {} : { signal: wire.signal }),
        }),
      )
      // Its error is thrown where it is first needed.
      this.#scripts.catch(() => undefined)
    }
    return this.#scripts
  }

  /** The settings of the environment below those that the caller gives. */
  async #tlsOptions(): Promise<TlsOptions | undefined> {
    const { environment, wire } = this.#options
    const settings = environment.ssl
    if (settings === undefined) return wire?.tls
    this.#tls ??= import('./ssl-configuration.ts').then(async ({ readSslConfiguration }) => {
      const tls = await readSslConfiguration(settings, (text) => this.#render(text))
      const { verify, ...given } = wire?.tls ?? {}
      if (tls.verify === false) {
        const message = 'certificates of servers are not checked (verifyHostCertificate of SSLConfiguration)'
        await this.#emit({ type: 'warning', error: new HttpcliError('unverified', message) })
      }
      return { ...tls, ...given, ...(verify === false ? { verify } : {}) }
    })
    return this.#tls
  }

  /** A text of the environment's settings, with its variables replaced. */
  #render(text: string): Promise<string> {
    const { source, path } = this.#loaded
    const variables = new Variables(this.#shared, new FileScope(source, path))
    return whenReady(() => variables.render(parseTemplate(text)))
  }

  async #warnOfCredentials(): Promise<void> {
    const message = '@use-os-credentials has no effect: there is no NTLM or Negotiate here'
    await this.#emit({
      type: 'warning',
      error: new HttpcliError('not-supported', message, {
        hint: 'Write an Authorization header: Basic, Digest or Bearer.',
      }),
    })
  }

  async #saveCookies(): Promise<void> {
    this.#isSaved = true
    try {
      await this.#cookies.save()
    } catch (error) {
      await this.#fail(undefined, [error])
    }
  }

  async #fail(request: RequestIdentity | undefined, errors: readonly unknown[]): Promise<void> {
    this.#counts.failed++
    for (const error of errors) await this.#emit({ type: 'error', request, error })
  }

  /** @param body whose error the listener may pass on: it is none of its own. */
  async #emit(event: RunEvent, body?: RecordedBody): Promise<void> {
    const counter = counters[event.type]
    if (counter !== undefined) this.#counts[counter]++
    if (event.type === 'response' && event.response.status >= 400 && this.#options.failsOnStatus === true) {
      this.#counts.badStatuses++
    }
    try {
      await this.#options.listener(event)
    } catch (error) {
      if (body?.error !== undefined && error === body.error) return
      this.#listenerFailure = { error }
      throw error
    }
  }
}

/** What an event adds to in the summary. */
const counters: Partial<Record<RunEvent['type'], 'answered' | 'testsPassed' | 'testsFailed' | 'scriptsFailed'>> = {
  'response-done': 'answered',
  'test-passed': 'testsPassed',
  'test-failed': 'testsFailed',
  'script-failed': 'scriptsFailed',
}

function hasScripts({ files }: RunPlan): boolean {
  return files.some(({ file }) => {
    const { common, sections } = file
    const own = sections.flatMap(({ request }) => (request === undefined ? [] : [request]))
    return [common, ...own].some(({ preRequestScripts, handlers }) => preRequestScripts.length + handlers.length > 0)
  })
}

/** Errors on purpose and errors of the system; anything else is a defect. */
function isRequestError(error: unknown): boolean {
  return error instanceof HttpcliError || typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string'
}
