/**
 * Answers a request, from any kind of connection, by the steps in order.
 *
 * Rules: the only I/O here is reading files. A request is planned from its text (`plan`, which may be cached for
 * requests with the same text), and answered from the current state of the disk (`answer`). Unexpected errors are
 * answered by 500 and reported; neither call ever fails.
 */
import { randomBytes } from 'node:crypto'
import { ParserOptions } from '../message/index.ts'
import type { AnsweredRequest } from './access-log.ts'
import type { Forwarder } from './backend/forwarder.ts'
import { BufferPool } from './files/buffer-pool.ts'
import { DiskLatency } from './files/disk-latency.ts'
import { EventLoopTurn } from './files/event-loop-turn.ts'
import { FileStore, type FileStoreSettings } from './files/file-store.ts'
import type { TransferResources } from './files/file-transfer.ts'
import { Lookup, type LookupOutcome } from './files/lookup.ts'
import type { ForwardedExchange } from './http1/forwarded-exchange.ts'
import { HeadCache } from './http1/head-cache.ts'
import { HeadWriter } from './http1/head-writer.ts'
import { HttpClock } from './http1/http-clock.ts'
import type { ReaderSettings } from './http1/request-reader.ts'
import type { ForwardedStream } from './http2/forwarded-stream.ts'
import type { Capacity } from './limits/capacity.ts'
import type { ServerLimits } from './limits/limits.ts'
import { OpenFiles } from './limits/open-files.ts'
import { TimeoutSweep } from './limits/timeouts.ts'
import { withRuledFields } from './rules/path-rules.ts'
import { type Answer, busyAnswer, slashRedirect, textAnswer } from './semantics/answer.ts'
import { answerFile } from './semantics/file-answer.ts'
import type { Detour, FallbackPage, FoundDirectory, Hooks, ServerRequest } from './semantics/hooks.ts'
import { type Plan, type PlannedSite, planRequest, withPath } from './semantics/plan.ts'
import type { Representation } from './semantics/representation.ts'

/** How requests reach backends. */
export interface Forwarding {
  readonly forwarder: Forwarder
  readonly Http1Exchange: typeof ForwardedExchange
  /** Undefined: HTTP/2 needs TLS. */
  readonly Http2Exchange: typeof ForwardedStream | undefined
}

export interface ServiceSettings
  extends Pick<FileStoreSettings, 'mediaTypes' | 'isCompressing' | 'hasContentTags' | 'now' | 'onError'> {
  readonly site: PlannedSite
  readonly steps: Hooks
  /** Undefined: no backend. */
  readonly forwarding: Forwarding | undefined
  readonly limits: ServerLimits
  readonly capacity: Capacity
  readonly onAnswer: ((entry: AnsweredRequest) => void) | undefined
}

/** Shared by all connections of a server. */
export class Service {
  readonly limits: ServerLimits
  readonly clock: HttpClock
  readonly heads: HeadWriter
  readonly turn: EventLoopTurn = new EventLoopTurn()
  readonly sweep: TimeoutSweep
  /** How connections read requests. */
  readonly reading: ReaderSettings
  readonly transfers: TransferResources
  readonly forwarding: Forwarding | undefined
  readonly onAnswer: ((entry: AnsweredRequest) => void) | undefined
  readonly onError: (error: unknown) => void
  readonly #site: PlannedSite
  readonly #steps: Hooks
  readonly #lookup: Lookup
  readonly #gauge = new DiskLatency()
  readonly #exchanges = new Set<Promise<void>>()

  constructor(settings: ServiceSettings) {
    const { site, mediaTypes, steps, limits, now } = settings
    this.limits = limits
    this.forwarding = settings.forwarding
    this.clock = new HttpClock(now)
    this.heads = new HeadWriter(this.clock, steps.fields)
    this.sweep = new TimeoutSweep(limits)
    const openFiles = new OpenFiles(settings.capacity.openFiles)
    this.transfers = { buffers: new BufferPool(limits.transferBytes), openFiles }
    this.reading = {
      memo: new HeadCache(),
      options: ParserOptions.of({ preset: 'server', limits: { headerSection: limits.headerBytes } }),
      discardedBodyBytes: limits.discardedBodyBytes,
      plan: (request) => this.plan(request),
    }
    this.onAnswer = settings.onAnswer
    this.onError = settings.onError
    this.#site = site
    this.#steps = steps
    const store = new FileStore({
      tree: site,
      mediaTypes,
      heads: this.heads,
      turn: this.turn,
      gauge: this.#gauge,
      openFiles,
      now,
      cacheBytes: limits.cacheBytes,
      cacheControl: steps.cacheControl,
      rewrite: steps.rewrite,
      isCompressing: settings.isCompressing,
      hasContentTags: settings.hasContentTags,
      onError: settings.onError,
    })
    this.#lookup = new Lookup(site, mediaTypes, store)
  }

  /** Registers an exchange that may end after the connection of its client: with a backend, or of a long body. */
  trackExchange(exchange: Promise<void>): void {
    this.#exchanges.add(exchange)
    void exchange.finally(() => this.#exchanges.delete(exchange))
  }

  /** Resolves when all exchanges have been reported. Call this when no connection is left. */
  async settled(): Promise<void> {
    await Promise.all(this.#exchanges)
  }

  /** Pure: the same text gives the same plan. */
  plan(request: ServerRequest): Plan {
    return planRequest(request, this.#site)
  }

  /** The caller closes the body of the answer. */
  answer(plan: Plan): Answer | Promise<Answer> {
    try {
      const answer = this.#answerPlan(plan)
      if (answer instanceof Promise) {
        return answer.then((made) => this.#explained(made, plan)).catch((error: unknown) => this.#failed(error))
      }
      if (answer.status < 400) return answer
      const explained = this.#explained(answer, plan)
      return explained instanceof Promise ? explained.catch((error: unknown) => this.#failed(error)) : explained
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** The answer if a backend failed: a short text, or a page for browsers. Never fails. */
  async answerForBackend(answer: Answer, plan: Plan): Promise<Answer> {
    try {
      return await this.#explained(answer, plan)
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** A short error text, or the page that replaces it. */
  #explained(answer: Answer, { request, path }: Plan): Answer | Promise<Answer> {
    if (answer.status < 400 || answer.problem === undefined) return answer
    return this.#steps.errorPage?.(answer, request, path) ?? answer
  }

  /** For a connection beyond the limit: answers only the health check, which costs nothing. Never fails. */
  answerWhenFull({ request }: Plan): Answer {
    try {
      return this.#steps.health?.(request) ?? busyAnswer()
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** The answer to a request that is answered neither by files nor by a backend. */
  answerBeforeFiles(plan: Plan): Answer | undefined {
    try {
      return this.#answerEarly(plan)
    } catch (error) {
      return this.#failed(error)
    }
  }

  #answerEarly(plan: Plan): Answer | undefined {
    if (plan.misdirected !== undefined) return plan.misdirected
    const health = this.#steps.health?.(plan.request)
    if (health !== undefined) return health
    for (const step of this.#steps.before) {
      const answer = step(plan.request, plan.path, plan.backend !== undefined)
      if (answer !== undefined) return answer
    }
    return plan.refusal ?? this.#authenticateForward(plan)
  }

  /** A rules file may require credentials below a forwarded prefix; its other rules are for files. */
  #authenticateForward({ request, path, backend }: Plan): Answer | undefined {
    return backend && this.#steps.rules?.current?.authenticate(request, path ?? backend.path)
  }

  #answerPlan(plan: Plan): Answer | Promise<Answer> {
    const early = this.#answerEarly(plan)
    if (early !== undefined) return early
    if (plan.path === undefined) return this.#answerNameless(plan)
    const first = this.#steps.rules?.current?.before(plan.request, plan.path)
    if (first === undefined) return this.#answerPath(plan)
    return isDetour(first) ? after(this.#take(first, plan), (answer) => answer ?? this.#answerPath(plan)) : first
  }

  /** No file can have this path, but rules apply to it, except redirects: a name may look like another URL. */
  #answerNameless(plan: Plan): Answer | Promise<Answer> {
    const { request, ruledPath, isRoute } = plan
    const nowMs = this.clock.now()
    const rules = this.#steps.rules?.current
    if (rules === undefined || ruledPath === undefined) return this.#answerMissing(plan, nowMs)
    const refusal = rules.authenticate(request, ruledPath)
    if (refusal !== undefined) return refusal
    const next = isRoute
      ? (rules.before(request, ruledPath) ?? rules.missing(request, ruledPath, undefined))
      : undefined
    if (next === undefined || !isDetour(next)) return this.#answerNotFound(undefined, plan, nowMs)
    return after(this.#take(next, plan), (answer) => answer ?? this.#answerNotFound(undefined, plan, nowMs))
  }

  #answerPath(plan: Plan): Answer | Promise<Answer> {
    if (this.#gauge.isSlow && plan.file !== undefined) {
      return this.#gauge.askAhead(plan.file.path).then(() => this.#look(plan))
    }
    return this.#look(plan)
  }

  #look(plan: Plan): Answer | Promise<Answer> {
    const nowMs = this.clock.now()
    return after(this.#lookup.find(plan, nowMs), (found) => this.#answerFound(found, plan, nowMs))
  }

  #answerFound(found: LookupOutcome, plan: Plan, nowMs: number): Answer | Promise<Answer> {
    if (isRepresentation(found)) {
      const refusal = this.#refuseFile(found, plan)
      if (refusal !== undefined) return refusal
      const answer = answerFile(found, plan, nowMs, boundary)
      return this.#steps.rules?.current === undefined ? answer : this.#ruled(answer, plan, found.presentation.names)
    }
    if (found === 'slashless') return slashRedirect(plan.slashLocation)
    if (found === 'forbidden') return textAnswer(403)
    if (found === 'busy') return busyAnswer()
    const directory = found === 'missing' ? undefined : found
    const next = plan.path && this.#steps.rules?.current?.missing(plan.request, plan.path, directory)
    if (next === undefined) return this.#answerNotFound(directory, plan, nowMs)
    if (!isDetour(next)) return next
    return after(this.#take(next, plan), (answer) => answer ?? this.#answerNotFound(directory, plan, nowMs))
  }

  #answerNotFound(directory: FoundDirectory | undefined, plan: Plan, nowMs: number): Answer | Promise<Answer> {
    const listing =
      directory !== undefined && this.#steps.rules?.current?.allowsListing(directory.names) !== false
        ? this.#steps.listing?.(directory, plan.request)
        : undefined
    return after(listing ?? this.#answerMissing(plan, nowMs), (answer) => this.#ruled(answer, plan, undefined))
  }

  /** Answers with the file that a rule leads to; undefined if it does not exist and the request may continue. */
  #take(to: Detour, plan: Plan): Answer | undefined | Promise<Answer | undefined> {
    const { path, status, isOptional, otherwise } = to
    const refusal = this.#steps.rules?.current?.authenticate(plan.request, path)
    if (refusal !== undefined) return refusal
    const nowMs = this.clock.now()
    const detour = withPath(plan, path, this.#site)
    const answerOf = (found: LookupOutcome): Answer | undefined | Promise<Answer | undefined> => {
      if (isRepresentation(found)) {
        const refusal = this.#refuseFile(found, plan)
        if (refusal !== undefined) return refusal
        const answer = status === 200 ? answerFile(found, plan, nowMs, boundary) : pageAnswer(found, status, nowMs)
        return this.#ruled(answer, plan, found.presentation.names)
      }
      if (found === 'forbidden') return textAnswer(403)
      if (found === 'busy') return busyAnswer()
      if (otherwise !== undefined) return this.#take(otherwise, plan)
      return isOptional ? undefined : this.#ruled(textAnswer(status === 200 ? 404 : status), plan, undefined)
    }
    return after(this.#lookup.find(detour, nowMs), (found) => {
      if (found !== 'slashless') return answerOf(found)
      // The URL must stay the same, so a redirect is impossible: the directory is answered without its slash.
      const directory = { names: path.names, isDirectory: true }
      return after(this.#lookup.find(withPath(plan, directory, this.#site), nowMs), answerOf)
    })
  }

  /**
   * A path may lead to a file of another name that needs a password: without the extension, as an index, or as a page.
   */
  #refuseFile(file: Representation, { request }: Plan): Answer | undefined {
    const { names } = file.presentation
    const refusal = this.#steps.rules?.current?.authenticate(request, { names, isDirectory: false })
    if (refusal !== undefined) file.close()
    return refusal
  }

  /** Adds the fields that rules set for the path. */
  #ruled(answer: Answer, { ruledPath }: Plan, file: readonly string[] | undefined): Answer {
    const fields = ruledPath && this.#steps.rules?.current?.fields(ruledPath, file)
    return fields === undefined || fields.length === 0 ? answer : withRuledFields(answer, fields, file !== undefined)
  }

  #answerMissing(plan: Plan, nowMs: number): Answer | Promise<Answer> {
    const fallbackPage = this.#steps.missing?.(plan.request, plan.isRoute)
    if (fallbackPage === undefined) return textAnswer(404)
    return after(this.#lookup.findFallbackPage(fallbackPage, plan, nowMs), (found) => {
      const refusal = isRepresentation(found) ? this.#refuseFile(found, plan) : undefined
      if (refusal === undefined) return answerFallback(found, fallbackPage, plan, nowMs)
      return fallbackPage.status === 200 ? refusal : textAnswer(404)
    })
  }

  /** A disk error for one file affects only this request. */
  #failed(error: unknown): Answer {
    this.onError(error)
    return textAnswer(500)
  }
}

/** Synchronous if possible: most requests are answered without waiting. */
function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

function isDetour(found: Answer | Detour): found is Detour {
  return 'path' in found
}

function isRepresentation(found: LookupOutcome): found is Representation {
  return typeof found === 'object' && 'validators' in found
}

function answerFallback(
  found: LookupOutcome,
  { status, isNegotiated }: FallbackPage,
  plan: Plan,
  nowMs: number,
): Answer {
  if (!isRepresentation(found)) {
    return textAnswer(404, undefined, isNegotiated ? [['Vary', 'Accept']] : [])
  }
  return status === 200 ? answerFile(found, plan, nowMs, boundary) : pageAnswer(found, status, nowMs)
}

/** A file as the page of another status: the validators are those of the page, not of the missing file. */
function pageAnswer(page: Representation, status: number, nowMs: number): Answer {
  const { fields, body } = page.whole(nowMs)
  return { status, fields: fields.filter(([name]) => errorPageFields.has(name)), body }
}

const errorPageFields: ReadonlySet<string> = new Set(['Content-Type', 'Content-Encoding', 'Vary'])

/** RFC 2046 section 5.1.1: it must not occur in the content, so it is unpredictable. */
function boundary(): string {
  return randomBytes(18).toString('hex')
}
