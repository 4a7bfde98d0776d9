/**
 * A run that sends nothing: requests are put together and told as they would go out.
 *
 * Rules: no connection is opened, no name looked up, no token fetched, nothing written. What only a response could
 * bring stands as its expression, with a word about it. A request that cannot even be put together without it is told
 * as it is written. Bodies are read from their files as they would be sent. Handlers are read, and not run: what is
 * wrong with their text would fail in a run, too.
 */
import { type Request, templateText } from '../../http-file/index.ts'
import { HeaderList, HttpcliError, type HttpRequest } from '../../message/index.ts'
import { RunError, withMessage } from '../base/errors.ts'
import type { RequestIdentity, RunListener } from '../base/events.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunResources } from '../context/run-resources.ts'
import { forbiddenCodes } from '../files/confined-files.ts'
import type { RunStep } from '../plan/run-plan.ts'
import { openPrompts } from '../request/prompts.ts'
import { type PreparedRequest, prepareRequests } from '../request/request-builder.ts'
import { requestView } from '../request/request-view.ts'
import type { ScriptLimits } from '../scripting/engine/script-engine.ts'
import { namesFromResponse } from '../scripting/script-sources.ts'
import type { PlaceholderValues } from '../variables/placeholder-values.ts'
import { ScriptChecker } from './script-checker.ts'

interface DryRunOptions {
  readonly services: RunContext
  readonly resources: RunResources
  readonly later: PlaceholderValues
  readonly emit: RunListener
  /** Whether a run would write the first `<>` of each request. */
  readonly savesResponses: boolean
  readonly scriptLimits?: ScriptLimits
}

export class DryRun {
  readonly #services: RunContext
  readonly #later: PlaceholderValues
  readonly #emit: RunListener
  readonly #scripts: ScriptChecker
  readonly #savesResponses: boolean

  constructor({ services, resources, later, emit, savesResponses, scriptLimits }: DryRunOptions) {
    this.#savesResponses = savesResponses
    this.#services = services
    this.#later = later
    this.#emit = emit
    this.#scripts = new ScriptChecker(resources, scriptLimits)
  }

  /** As `prepareRequests`; one that lacks a value that is to come is told here and not given. */
  async *requests(step: RunStep, identity: () => RequestIdentity): AsyncGenerator<PreparedRequest> {
    try {
      yield* prepareRequests(step, this.#savesResponses)
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      if (forbiddenCodes.has(error.code)) throw withMessage(error, this.#later.restored(error.message))
      if (error.code === 'unknown-variable' || !this.#later.isInUse) throw error
      await this.#tellOfValues(identity())
      const text = asWritten(step)
      await this.#emit({ type: 'request-octets', request: identity(), bytes: Buffer.from(text) })
    }
  }

  /** What a person would type stands as its expression. */
  expectAnswers(step: RunStep): void {
    this.#later.foreseeForRequest(openPrompts(step).map(({ name }) => name))
  }

  /** Tells a request as it would go out. @throws errors of files that belong to its body; what the listener throws. */
  async tell(prepared: PreparedRequest, request: RequestIdentity): Promise<void> {
    const { httpClient, variables } = this.#services
    const message = httpClient.completed(prepared.message, variables.globalHeaders.values())
    const outgoing = await httpClient.outgoing(message, prepared)
    await this.#tellOfValues(request)
    await this.#emit({ type: 'request-sent', request, sent: this.#sent(outgoing) })
    for await (const bytes of outgoing.encode()) {
      if (prepared.isLogged) await this.#emit({ type: 'request-octets', request, bytes: this.#restored(bytes) })
    }
    for (const { data } of prepared.webSocketMessages) {
      if (data === undefined) continue
      const shown = typeof data === 'string' ? this.#later.restored(data) : data
      await this.#emit({ type: 'message', request, direction: 'sent', data: shown })
    }
  }

  /** Tells what is wrong with the text of handlers. */
  async readHandlers(step: RunStep, request: RequestIdentity): Promise<void> {
    const { handlers } = step.section.request as Request
    for (const script of [...handlers, ...step.loaded.file.common.handlers]) {
      for (const error of await this.#scripts.check(script, step)) {
        await this.#emit({ type: 'script-failed', request, error })
      }
    }
  }

  /** Ends a step: what its response would set has a value for those that follow. */
  async end(step: RunStep): Promise<void> {
    this.#later.beginRequest()
    step.variables.shared.answers.foresee((step.section.request as Request).name)
    this.#later.foresee(await namesFromResponse(step))
  }

  #sent({ method, url, headers }: HttpRequest): {
    readonly method: string
    readonly url: string
    readonly headers: HeaderList
    readonly cause: undefined
  } {
    const fields = [...headers].map(([name, value]) => [name, this.#later.restored(value)] as const)
    const shownUrl = this.#later.restored((url as URL).href)
    return { method, url: shownUrl, headers: HeaderList.of(fields), cause: undefined }
  }

  /** Octets with expressions in place of stand-ins. */
  #restored(bytes: Uint8Array): Uint8Array {
    if (!this.#later.isInUse) return bytes
    const text = Buffer.from(bytes).toString('latin1')
    const restored = this.#later.restored(text)
    return restored === text ? bytes : Buffer.from(restored, 'latin1')
  }

  async #tellOfValues(request: RequestIdentity): Promise<void> {
    const untold = this.#later.takeUntold()
    if (untold.length === 0) return
    const shown = untold.map((expression) => `{{${expression}}}`).join(', ')
    const message = `${request.file}:${request.line}: only a run can bring the value of ${shown}`
    await this.#emit({ type: 'warning', error: new RunError('later-value', message) })
  }
}

/** The request with its variables not replaced. */
function asWritten(step: RunStep): string {
  const { line, headers } = step.section.request as Request
  const { body } = requestView(step)
  const fields = headers.map(({ name, value }) => `${templateText(name)}: ${templateText(value)}\r\n`)
  return `${line.method ?? 'GET'} ${templateText(line.target)} ${line.version ?? 'HTTP/1.1'}\r\n${fields.join('')}\r\n${body.raw}`
}
