/**
 * A dry run: builds the requests and reports them as they would be sent, without sending anything.
 *
 * Rules: no connection is opened, no name is looked up, no token is fetched, no file is written. A value that only a
 * run can know is shown as its expression, with a warning. Bodies are read from their files as they would be sent.
 * Handlers are parsed, but not run: a syntax error in one would also make a run fail.
 */
import { collectWrittenSecrets, readableField, type SecretSink } from '../../secrets/index.ts'
import { RunError } from '../base/errors.ts'
import type { RequestIdentity } from '../base/events.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunOptions } from '../context/run-options.ts'
import type { RunResources } from '../context/run-resources.ts'
import type { Round } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import { ScriptChecker } from './script-checker.ts'
import {
  type DraftRequest,
  fieldOf,
  foreseenOf,
  foreseePrompts,
  foreseeResponse,
  type UnsentRequest,
  unsentRequests,
} from './unsent-request.ts'

export class DryRun {
  readonly #services: RunContext
  readonly #scripts: ScriptChecker
  readonly #shouldSaveResponses: boolean
  readonly #secrets: SecretSink | undefined

  /** @param services the services of a dry run */
  constructor(
    services: RunContext,
    resources: RunResources,
    { shouldSaveResponses = false, scriptLimits, secrets }: Omit<RunOptions, 'listener'>,
  ) {
    this.#services = services
    this.#scripts = new ScriptChecker(resources, scriptLimits)
    this.#shouldSaveResponses = shouldSaveResponses
    this.#secrets = secrets
  }

  /** The iterations of a request; values that the user would be asked for are shown as their expressions. */
  rounds(context: RequestContext): Iterable<Round<UnsentRequest>> {
    foreseePrompts(context)
    return unsentRequests(context, this.#shouldSaveResponses)
  }

  /** Reports a request as it would be sent. @throws errors of files in its body; errors of the listener. */
  async report(unsent: UnsentRequest, request: RequestIdentity): Promise<void> {
    await this.#warnOfForeseen(request)
    if (unsent.kind === 'draft') return this.#reportDraft(unsent, request)
    const { httpClient, variables } = this.#services
    const message = httpClient.completed(unsent, variables.globalHeaders.values())
    const outgoing = await httpClient.outgoing(message, unsent)
    const { method, headers } = outgoing
    this.#collectSecrets([...headers].map(([name, value]) => `${name}: ${readableField(value)}`).join('\n'))
    const sent = { method, url: (outgoing.url as URL).href, headers, cause: undefined }
    await this.#services.emit({ type: 'request-sent', request, sent })
    for await (const bytes of outgoing.encode()) {
      if (unsent.isLogged) await this.#services.emit({ type: 'request-octets', request, bytes })
    }
    const grpcMessages = unsent.message.body === undefined ? (unsent.grpc?.messages ?? []) : []
    const messages = [...unsent.webSocketMessages, ...grpcMessages.map(({ json }) => ({ data: json }))]
    for (const { data } of messages) {
      if (data !== undefined) await this.#services.emit({ type: 'message', request, direction: 'sent', data })
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
    const head = `${method} ${target} ${version}\r\n${fields.join('')}`
    this.#collectSecrets(head)
    await this.#services.emit({ type: 'request-octets', request, bytes: Buffer.from(`${head}\r\n${bodyText}`) })
  }

  /** @param head as text; the expression of a placeholder is not secret */
  #collectSecrets(head: string): void {
    if (this.#secrets !== undefined) collectWrittenSecrets(head, this.#secrets)
  }

  /** Reports syntax errors in handlers. */
  async readHandlers(context: RequestContext, request: RequestIdentity): Promise<void> {
    for (const script of context.handlers) {
      for (const error of await this.#scripts.check(script, context)) {
        await this.#services.emit({ type: 'script-failed', request, error })
      }
    }
  }

  async end(context: RequestContext): Promise<void> {
    foreseenOf(context).beginRequest()
    await foreseeResponse(context)
  }

  async #warnOfForeseen(request: RequestIdentity): Promise<void> {
    const expressions = this.#services.variables.options.foreseen?.takeUnreported() ?? []
    if (expressions.length === 0) return
    const shown = expressions.map((expression) => `{{${expression}}}`).join(', ')
    const message = `${request.file}:${request.line}: the value of ${shown} is known only during a run`
    await this.#services.emit({ type: 'warning', error: new RunError('later-value', message) })
  }
}
