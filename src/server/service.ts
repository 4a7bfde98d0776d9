/**
 * From a request to its answer, whatever connection it came on: the steps in their order.
 *
 * Rules: nothing is read or written here but files. A request is planned from its text (`plan`, which may be kept for
 * requests of the same text), and answered by the disk as it is now (`answer`). What breaks is answered by 500 and told;
 * neither call ever fails.
 */
import { randomBytes } from 'node:crypto'
import { ParserOptions } from '../message/index.ts'
import type { AnsweredRequest } from './access-log.ts'
import { BufferPool } from './files/buffer-pool.ts'
import { DiskLatency } from './files/disk-latency.ts'
import { EventLoopTurn } from './files/event-loop-turn.ts'
import { FileStore } from './files/file-store.ts'
import type { TransferResources } from './files/file-transfer.ts'
import { Lookup, type LookupOutcome } from './files/lookup.ts'
import { HeadCache } from './http1/head-cache.ts'
import { HeadWriter } from './http1/head-writer.ts'
import { HttpClock } from './http1/http-clock.ts'
import type { ReaderSettings } from './http1/request-reader.ts'
import type { Capacity } from './limits/capacity.ts'
import type { ServerLimits } from './limits/limits.ts'
import { OpenFiles } from './limits/open-files.ts'
import { TimeoutSweep } from './limits/timeouts.ts'
import { type Answer, busyAnswer, slashRedirect, textAnswer } from './semantics/answer.ts'
import { answerFile } from './semantics/file-answer.ts'
import type { Hooks, ServerRequest, Substitute } from './semantics/hooks.ts'
import type { MediaTypes } from './semantics/media-types.ts'
import { type Plan, type PlannedSite, planRequest } from './semantics/plan.ts'
import type { Representation } from './semantics/representation.ts'

export interface ServiceSettings {
  readonly site: PlannedSite
  readonly mediaTypes: MediaTypes
  readonly steps: Hooks
  readonly limits: ServerLimits
  readonly capacity: Capacity
  /** Whether content is packed while somebody waits. */
  readonly compresses: boolean
  /** Whether entity tags are made of the content alone. */
  readonly tagsContent: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onAnswer: ((entry: AnsweredRequest) => void) | undefined
  /** Told what is a defect of this program or of the machine, not of a client. */
  readonly onError: (error: unknown) => void
}

/** What all connections of a server share. */
export class Service {
  readonly limits: ServerLimits
  readonly clock: HttpClock
  readonly heads: HeadWriter
  readonly turn: EventLoopTurn = new EventLoopTurn()
  readonly sweep: TimeoutSweep
  /** How connections read requests. */
  readonly reading: ReaderSettings
  readonly transfers: TransferResources
  readonly onAnswer: ((entry: AnsweredRequest) => void) | undefined
  readonly onError: (error: unknown) => void
  readonly #site: PlannedSite
  readonly #steps: Hooks
  readonly #lookup: Lookup
  readonly #gauge = new DiskLatency()

  constructor(settings: ServiceSettings) {
    const { site, mediaTypes, steps, limits, now } = settings
    this.limits = limits
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
      compresses: settings.compresses,
      tagsContent: settings.tagsContent,
      onError: settings.onError,
    })
    this.#lookup = new Lookup(site, mediaTypes, store)
  }

  /** Pure: the same text gives the same plan. */
  plan(request: ServerRequest): Plan {
    return planRequest(request, this.#site)
  }

  /** Whoever gets an answer closes its body. */
  answer(plan: Plan): Answer | Promise<Answer> {
    try {
      const answer = this.#answerPlan(plan)
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#failed(error)) : answer
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** For a connection past the limit: nothing but the health check, which costs nothing. Never fails. */
  answerWhenFull({ request }: Plan): Answer {
    try {
      return this.#steps.health?.(request) ?? busyAnswer()
    } catch (error) {
      return this.#failed(error)
    }
  }

  #answerPlan(plan: Plan): Answer | Promise<Answer> {
    if (plan.misdirected !== undefined) return plan.misdirected
    const health = this.#steps.health?.(plan.request)
    if (health !== undefined) return health
    for (const step of this.#steps.before) {
      const answer = step(plan.request, plan.path)
      if (answer !== undefined) return answer
    }
    if (plan.refusal !== undefined) return plan.refusal
    if (plan.path === undefined) return this.#answerMissing(plan, this.clock.now())
    if (this.#gauge.isSlow && plan.file !== undefined) {
      return this.#gauge.askAhead(plan.file.path).then(() => this.#look(plan))
    }
    return this.#look(plan)
  }

  #look(plan: Plan): Answer | Promise<Answer> {
    const nowMs = this.clock.now()
    const found = this.#lookup.find(plan, nowMs)
    return found instanceof Promise
      ? found.then((outcome) => this.#answerFound(outcome, plan, nowMs))
      : this.#answerFound(found, plan, nowMs)
  }

  #answerFound(found: LookupOutcome, plan: Plan, nowMs: number): Answer | Promise<Answer> {
    if (typeof found === 'object') {
      if (isRepresentation(found)) return answerFile(found, plan, nowMs, boundary)
      return this.#steps.listing?.(found, plan.request) ?? this.#answerMissing(plan, nowMs)
    }
    if (found === 'slashless') return slashRedirect(plan.slashLocation)
    if (found === 'missing') return this.#answerMissing(plan, nowMs)
    return found === 'busy' ? busyAnswer() : textAnswer(403)
  }

  #answerMissing(plan: Plan, nowMs: number): Answer | Promise<Answer> {
    const substitute = this.#steps.missing?.(plan.request, plan.isRoute)
    if (substitute === undefined) return textAnswer(404)
    const found = this.#lookup.findSubstitute(substitute, plan, nowMs)
    return found instanceof Promise
      ? found.then((outcome) => answerSubstitute(outcome, substitute, plan, nowMs))
      : answerSubstitute(found, substitute, plan, nowMs)
  }

  /** A disk that fails for one file is this request's trouble only. */
  #failed(error: unknown): Answer {
    this.onError(error)
    return textAnswer(500)
  }
}

function isRepresentation(found: Exclude<LookupOutcome, string>): found is Representation {
  return 'validators' in found
}

function answerSubstitute(
  found: LookupOutcome,
  { status, isNegotiated }: Substitute,
  plan: Plan,
  nowMs: number,
): Answer {
  if (typeof found === 'string' || !isRepresentation(found)) {
    return textAnswer(404, undefined, isNegotiated ? [['Vary', 'Accept']] : [])
  }
  if (status === 200) return answerFile(found, plan, nowMs, boundary)
  // The validators are those of a page, not of what is missing.
  const { fields, body } = found.whole(nowMs)
  return { status, fields: fields.filter(([name]) => errorPageFields.has(name)), body }
}

const errorPageFields: ReadonlySet<string> = new Set(['Content-Type', 'Content-Encoding', 'Vary'])

/** RFC 2046 section 5.1.1: it must not stand in the content, so it is one that nobody could have written there. */
function boundary(): string {
  return randomBytes(18).toString('hex')
}
