/**
 * A run that sends nothing: requests are put together and reported as they would go out.
 *
 * Rules: no connection is opened, no name looked up, no token fetched, nothing written. A value that only a run can bring
 * is shown as its expression, with a warning. Bodies are read from their files as they would be sent. Handlers are
 * read, and not run: what is wrong with their text would fail in a run, too.
 */
import { RunError } from '../base/errors.ts'
import type { RequestIdentity, RunListener } from '../base/events.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunResources } from '../context/run-resources.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { RequestRound } from '../run.ts'
import type { ScriptLimits } from '../scripting/engine/script-engine.ts'
import type { ForeseenValues } from '../variables/foreseen-values.ts'
import { ScriptChecker } from './script-checker.ts'
import { type DraftRequest, fieldOf, foreseePrompts, foreseeResponse, unsentRequests } from './unsent-request.ts'

interface DryRunOptions {
  readonly services: RunContext
  readonly resources: RunResources
  readonly foreseen: ForeseenValues
  readonly emit: RunListener
  /** Whether a run would write the first `<>` of each request. */
  readonly savesResponses: boolean
  readonly scriptLimits?: ScriptLimits
}

export class DryRun {
  readonly #services: RunContext
  readonly #foreseen: ForeseenValues
  readonly #emit: RunListener
  readonly #scripts: ScriptChecker
  readonly #savesResponses: boolean

  constructor({ services, resources, foreseen, emit, savesResponses, scriptLimits }: DryRunOptions) {
    this.#savesResponses = savesResponses
    this.#services = services
    this.#foreseen = foreseen
    this.#emit = emit
    this.#scripts = new ScriptChecker(resources, scriptLimits)
  }

  async *rounds(context: RequestContext): AsyncGenerator<RequestRound> {
    for await (const unsent of unsentRequests(context, this.#savesResponses)) {
      yield { iteration: unsent.iteration, perform: (request) => this.#report(unsent, request) }
    }
  }

  /** What a person would type is shown as its expression. */
  expectAnswers(context: RequestContext): void {
    foreseePrompts(context)
  }

  /** Reports a request as it would go out. @throws errors of files that belong to its body; what the listener throws. */
  async #report(unsent: PreparedRequest | DraftRequest, request: RequestIdentity): Promise<void> {
    await this.#warnOfForeseen(request)
    if (unsent.kind === 'draft') return this.#reportDraft(unsent, request)
    const { httpClient, variables } = this.#services
    const message = httpClient.completed(unsent.message, variables.globalHeaders.values())
    const outgoing = await httpClient.outgoing(message, unsent)
    const { method, headers } = outgoing
    const sent = { method, url: (outgoing.url as URL).href, headers, cause: undefined }
    await this.#emit({ type: 'request-sent', request, sent })
    for await (const bytes of outgoing.encode()) {
      if (unsent.isLogged) await this.#emit({ type: 'request-octets', request, bytes })
    }
    for (const { data } of unsent.webSocketMessages) {
      if (data !== undefined) await this.#emit({ type: 'message', request, direction: 'sent', data })
    }
  }

  async #reportDraft(draft: DraftRequest, request: RequestIdentity): Promise<void> {
    if (!draft.isLogged) return
    const { method, target, version, headers, bodyText } = draft
    const { httpClient, variables } = this.#services
    const added = [...httpClient.addedFields(variables.globalHeaders.values())].filter(
      ([name]) => fieldOf(headers, name.toLowerCase()) === undefined,
    )
    const fields = [...headers, ...added].map(([name, value]) => `${name}: ${value}\r\n`)
    const bytes = Buffer.from(`${method} ${target} ${version}\r\n${fields.join('')}\r\n${bodyText}`)
    await this.#emit({ type: 'request-octets', request, bytes })
  }

  /** Reports what is wrong with the text of handlers. */
  async readHandlers(context: RequestContext, request: RequestIdentity): Promise<void> {
    for (const script of context.handlers) {
      for (const error of await this.#scripts.check(script, context)) {
        await this.#emit({ type: 'script-failed', request, error })
      }
    }
  }

  async end(context: RequestContext): Promise<void> {
    this.#foreseen.beginRequest()
    await foreseeResponse(context)
  }

  async #warnOfForeseen(request: RequestIdentity): Promise<void> {
    const expressions = this.#foreseen.takeUnreported()
    if (expressions.length === 0) return
    const shown = expressions.map((expression) => `{{${expression}}}`).join(', ')
    const message = `${request.file}:${request.line}: only a run can bring the value of ${shown}`
    await this.#emit({ type: 'warning', error: new RunError('later-value', message) })
  }
}
