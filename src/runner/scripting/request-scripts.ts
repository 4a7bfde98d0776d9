/**
 * The scripts of one request: those before it, and its handlers.
 *
 * Rules: scripts common to the whole file run before the request's own; common handlers run after its own. A single
 * plain handler is run without the engine, which is loaded when a script needs it.
 */
import type { ScriptNode } from '../../http-file/index.ts'
import type { Exchange } from '../../wire/index.ts'
import { type Place, placed } from '../base/errors.ts'
import type { RequestIdentity, RunListener, RunResponse } from '../base/events.ts'
import { responseCookies } from '../cookies/response-cookies.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { RunPlan } from '../plan/run-plan.ts'
import { parseMediaType } from '../request/media-type.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import { requestView } from '../request/request-view.ts'
import { scriptVariables } from '../variables/variable-scopes.ts'
import type { ScriptScene, ScriptStream, ScriptVerdict } from './operations/script-scene.ts'
import { PlainScripts } from './plain/plain-scripts.ts'
import type { ScriptRunner } from './script-runner.ts'
import { missingScript } from './source/missing-script.ts'

export interface HandlerInput {
  readonly response: RunResponse
  /** The decoded content; undefined if it was too large to keep. */
  readonly content: Uint8Array | undefined
  /** Lines or messages, if they are passed on while they arrive. */
  readonly stream: ScriptStream | undefined
}

export interface ScriptServices {
  readonly plainScripts: PlainScripts
  readonly emit: RunListener
  scriptRunner(): Promise<ScriptRunner>
}

export class RequestScripts {
  readonly #context: RequestContext
  readonly #services: ScriptServices

  constructor(context: RequestContext, services: ScriptServices) {
    this.#context = context
    this.#services = services
  }

  get hasHandlers(): boolean {
    return this.#context.handlers.length > 0
  }

  /** Whether scripts are in files. */
  get hasFiles(): boolean {
    const { scriptsBefore, handlers } = this.#context
    return [...scriptsBefore, ...handlers].some(({ source }) => source.type === 'file')
  }

  get hasScriptsBefore(): boolean {
    return this.#context.scriptsBefore.length > 0
  }

  /**
   * Finds missing files: a request whose scripts are missing is not sent. A path with a variable that has no value yet
   * is checked when it has one.
   * @throws HttpcliError `unreadable-file`, `outside-file-root` with the place.
   */
  async checkFiles(): Promise<void> {
    const { variables, scriptsBefore, handlers } = this.#context
    for (const { source, span, phase } of [...scriptsBefore, ...handlers]) {
      if (source.type !== 'file') continue
      await variables.load([source.path], true)
      const name = variables.pathText(source.path, true)
      if (name.includes('{{')) continue
      const path = variables.pathOf(source.path)
      if (existsBelowRoot(path, variables.files, this.#context.at(span))) continue
      throw this.#context.error(span, missingScript(phase, name))
    }
  }

  async runBefore(identity: RequestIdentity): Promise<ScriptVerdict> {
    const { scriptsBefore } = this.#context
    return (await this.#services.scriptRunner()).runPreRequest(scriptsBefore, this.#scene(identity, undefined))
  }

  async runHandlers(
    identity: RequestIdentity,
    prepared: PreparedRequest,
    { request }: Pick<Exchange, 'request'>,
    input: HandlerInput,
  ): Promise<ScriptVerdict> {
    if (await this.#hasRunPlainly(identity, input)) return 'done'
    const { response, content, stream } = input
    const cookies = await responseCookies(
      request.url as URL,
      response.headers,
      this.#context.variables.shared.options.sources.now(),
    )
    return (await this.#services.scriptRunner()).runHandlers(this.#context.handlers, {
      ...this.#scene(identity, prepared),
      response: {
        status: response.status,
        headers: [...response.headers],
        body: () => content,
        cookies,
        ...(stream === undefined ? {} : { stream }),
      },
    })
  }

  async #hasRunPlainly(request: RequestIdentity, { response, content, stream }: HandlerInput): Promise<boolean> {
    const { loaded, variables, handlers } = this.#context
    const script = plainHandler(handlers, loaded.file.common.code)
    if (script === undefined || content === undefined || stream !== undefined) return false
    const { status, headers } = response
    const { name: mimeType, charset = '' } = parseMediaType(headers.first('content-type') ?? '')
    const answer = { status, headers, contentType: { mimeType, charset }, content }
    const events = this.#services.plainScripts.run(script, answer, variables.globals)
    if (events === undefined) return false
    for (const event of events) {
      await this.#services.emit(
        event.type === 'log'
          ? { type: 'script-log', request, text: event.text }
          : { type: 'test-passed', request, kind: 'test', name: event.name },
      )
    }
    return true
  }

  #scene(identity: RequestIdentity, prepared: PreparedRequest | undefined): ScriptScene {
    const { loaded, variables } = this.#context
    return {
      identity,
      source: loaded.source,
      path: loaded.path,
      common: loaded.file.common.code,
      variables: scriptVariables(variables),
      request: requestView(this.#context, prepared),
    }
  }
}

/** The handler that may be plain: the only one, in a file without common code. */
function plainHandler(handlers: readonly ScriptNode[], common: readonly ScriptNode[]): ScriptNode | undefined {
  return handlers.length === 1 && common.length === 0 ? handlers[0] : undefined
}

/** Whether a run will need the engine, judging by the texts of its scripts. */
export function needsEngine({ files }: Pick<RunPlan, 'files'>, plainScripts: PlainScripts): boolean {
  return files.some(({ file: { common, sections } }) =>
    sections.some(({ request }) => {
      if (request === undefined) return false
      const before = [...common.preRequestScripts, ...request.preRequestScripts]
      const handlers = [...request.handlers, ...common.handlers]
      if (before.length + handlers.length === 0) return false
      const plain = before.length === 0 ? plainHandler(handlers, common.code) : undefined
      return plain === undefined || !plainScripts.isPlain(plain)
    }),
  )
}

/** The same for a file alone; code that is common to its scripts may need the engine. */
export function mayNeedEngine(loaded: LoadedHttpFile): boolean {
  const hasDirectives = loaded.file.sections.some(({ directives }) => directives.length > 0)
  return hasDirectives || needsEngine({ files: [loaded] }, new PlainScripts())
}

/** @throws HttpcliError `outside-file-root` with the place */
function existsBelowRoot(path: string, files: ConfinedFiles, place: Place): boolean {
  try {
    return files.isFile(path)
  } catch (error) {
    throw placed(error, place)
  }
}
