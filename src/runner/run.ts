/**
 * The requests of a file, one after the other.
 *
 * Rules: nothing is printed and nothing decided about exit codes: everything that happens is an event, and the summary
 * counts. A request that fails does not end the run; what the listener throws does, and so does an abort. In-place
 * variables count from their line on. The script engine is started when the file has scripts, while the first request
 * is under way.
 */
import { type Request, type Section, templateText } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { type Exchange, exchange, type FollowOptions, follow, type WireOptions } from '../wire/index.ts'
import { platformSources, type ValueSources } from './dynamic-variables.ts'
import type { Environment } from './environment-files.ts'
import type { RequestIdentity, RunEvent, RunListener, RunResponse, RunSummary } from './events.ts'
import type { LoadedHttpFile } from './loaded-file.ts'
import { RecordedBody } from './recorded-body.ts'
import { prepareRequest } from './request-builder.ts'
import { runHandlers, scriptResponse } from './response-handlers.ts'
import { defaultScriptLimits, type ScriptEngine, type ScriptLimits } from './script-engine.ts'
import { unsupportedParts } from './unsupported.ts'
import { Variables } from './variables.ts'

export interface RunOptions {
  readonly environment: Environment
  readonly listener: RunListener
  /** For every exchange; tags of a request override its time-outs. Its signal ends the run. */
  readonly wire?: WireOptions
  readonly scriptLimits?: ScriptLimits
  /** Default: scripts run in a thread that can be ended. */
  readonly openEngine?: () => Promise<ScriptEngine>
  /** Clock and random octets. Default: those of the platform. */
  readonly sources?: ValueSources
}

/** Octets of a response body that are kept for scripts. A script's memory limit is met before that. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** Runs a file. @throws what the listener throws; defects of the script engine. */
export async function runHttpFile(loaded: LoadedHttpFile, options: RunOptions): Promise<RunSummary> {
  const run = new Run(loaded, options)
  try {
    return await run.run()
  } finally {
    await run.close()
  }
}

class Run {
  readonly #loaded: LoadedHttpFile
  readonly #options: RunOptions
  readonly #variables: Variables
  readonly #counts = { requests: 0, answered: 0, failed: 0, testsPassed: 0, testsFailed: 0, scriptsFailed: 0 }
  #engine: Promise<ScriptEngine> | undefined
  #listenerFailure: { readonly error: unknown } | undefined

  constructor(loaded: LoadedHttpFile, options: RunOptions) {
    this.#loaded = loaded
    this.#options = options
    const sources = options.sources ?? platformSources
    this.#variables = new Variables(loaded.source, options.environment.variables, sources)
  }

  async run(): Promise<RunSummary> {
    const { source, file } = this.#loaded
    const { environment } = this.#options
    const requests = file.sections.filter((section) => section.request !== undefined)
    if (requests.some((section) => hasHandlers(section))) void this.#startEngine()
    await this.#emit({
      type: 'run-started',
      path: source.path,
      environment: environment.name,
      requests: requests.length,
    })
    for (const error of environment.unsupported) await this.#emit({ type: 'warning', error })
    for (const section of file.sections) {
      if (this.#isInterrupted) break
      await this.#runSection(section)
    }
    const summary = { ...this.#counts, isInterrupted: this.#isInterrupted }
    await this.#emit({ type: 'run-finished', summary })
    return summary
  }

  async close(): Promise<void> {
    // Whoever waited for the engine has seen its error.
    await this.#engine?.then((engine) => engine.close()).catch(() => undefined)
  }

  get #isInterrupted(): boolean {
    return this.#options.wire?.signal?.aborted === true
  }

  async #runSection(section: Section): Promise<void> {
    for (const variable of section.variables) this.#variables.define(variable)
    const unsupported = unsupportedParts(section, this.#loaded.source)
    const request = this.#identity(section)
    if (request !== undefined) await this.#emit({ type: 'request-started', request })
    if (unsupported.length > 0) await this.#fail(request, unsupported)
    else if (request !== undefined) await this.#runRequest(section, request)
    if (request !== undefined) await this.#emit({ type: 'request-finished', request })
  }

  #identity({ request }: Section): RequestIdentity | undefined {
    if (request === undefined) return undefined
    const { method = 'GET', span, target } = request.line
    this.#counts.requests++
    return { number: this.#counts.requests, name: request.name, method, target: templateText(target), line: span.line }
  }

  /** What goes wrong with the request is told; what goes wrong with the listener, or with this program, ends the run. */
  async #runRequest(section: Section, request: RequestIdentity): Promise<void> {
    try {
      const node = section.request as Request
      const result = await this.#send(node, request)
      try {
        await this.#receive(node, request, result)
      } finally {
        result.close()
        await result.closed
      }
    } catch (error) {
      if (this.#listenerFailure !== undefined) throw this.#listenerFailure.error
      if (this.#isInterrupted) return
      if (!isRequestError(error)) throw error
      await this.#fail(request, [error])
    }
  }

  async #send(node: Request, request: RequestIdentity): Promise<Exchange> {
    const prepared = await prepareRequest(node, this.#loaded, this.#variables)
    const { wire } = this.#options
    const options: FollowOptions = {
      ...wire,
      timeouts: { ...wire?.timeouts, ...prepared.timeouts },
      onRequestBytes: (bytes) => this.#emit({ type: 'request-octets', request, bytes }),
      onRedirect: ({ response }, next) =>
        this.#emit({ type: 'redirected', request, status: response.status, url: String(next.url) }),
    }
    return (prepared.followsRedirects ? follow : exchange)(prepared.message, options)
  }

  async #receive(node: Request, request: RequestIdentity, result: Exchange): Promise<void> {
    const { response, informational, remote, statistics } = result
    const { version, status, reason, headers, body } = response
    const isForScripts = node.handlers.length > 0
    const recorded = body && new RecordedBody(response, body, isForScripts ? MAX_KEPT_BYTES : 0)
    const seen: RunResponse = { version, status, reason, headers, body: recorded?.view }
    let isGivenUp = false
    const close = (): void => {
      // Scripts want the body all the same.
      isGivenUp = !isForScripts
      if (isGivenUp) result.close()
    }
    const answer = { informational, remote, statistics, close }
    await this.#emit({ type: 'response', request, response: seen, answer }, recorded)
    if (!isGivenUp) await recorded?.drain()
    if (recorded?.error !== undefined) throw recorded.error
    result.close()
    this.#counts.answered++
    await this.#emit({ type: 'response-done', request, statistics: await statistics })
    if (isForScripts) await this.#handle(node, request, seen, recorded)
  }

  async #handle(
    node: Request,
    request: RequestIdentity,
    response: RunResponse,
    recorded: RecordedBody | undefined,
  ): Promise<void> {
    const content = recorded === undefined ? new Uint8Array(0) : await recorded.content()
    if (content === undefined) {
      const message = `the response body has more than ${MAX_KEPT_BYTES / 1024 / 1024} MiB, too much for a script`
      for (const { span } of node.handlers) {
        const where = { file: this.#loaded.source.path, line: span.line, column: span.column }
        await this.#emit({
          type: 'script-failed',
          request,
          error: new HttpcliError('script-failed', message, { where }),
        })
      }
      return
    }
    const { scriptLimits = defaultScriptLimits, wire } = this.#options
    await runHandlers(node.handlers, request, scriptResponse(response, content), {
      ...this.#loaded,
      variables: this.#variables,
      engine: () => this.#startEngine(),
      limits: scriptLimits,
      signal: wire?.signal,
      emit: (event) => this.#emit(event),
    })
  }

  #startEngine(): Promise<ScriptEngine> {
    if (this.#engine === undefined) {
      this.#engine = (this.#options.openEngine ?? openDefaultEngine)()
      // Its error is thrown where the engine is first needed.
      this.#engine.catch(() => undefined)
    }
    return this.#engine
  }

  async #fail(request: RequestIdentity | undefined, errors: readonly unknown[]): Promise<void> {
    this.#counts.failed++
    for (const error of errors) await this.#emit({ type: 'error', request, error })
  }

  /** @param body whose error the listener may pass on: it is none of its own. */
  async #emit(event: RunEvent, body?: RecordedBody): Promise<void> {
    const counter = counters[event.type]
    if (counter !== undefined) this.#counts[counter]++
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
const counters: Partial<Record<RunEvent['type'], 'testsPassed' | 'testsFailed' | 'scriptsFailed'>> = {
  'test-passed': 'testsPassed',
  'test-failed': 'testsFailed',
  'script-failed': 'scriptsFailed',
}

function hasHandlers({ request }: Section): boolean {
  return request !== undefined && request.handlers.length > 0
}

/** Errors on purpose and errors of the system; anything else is a defect. */
function isRequestError(error: unknown): boolean {
  return error instanceof HttpcliError || typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string'
}

async function openDefaultEngine(): Promise<ScriptEngine> {
  const { openThreadedEngine } = await import('./threaded-engine.ts')
  return openThreadedEngine()
}
