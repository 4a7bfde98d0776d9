/**
 * One virtual user of k6: sends the requests of a file in order, as run.ts does.
 *
 * Rules: `client.global`, tokens and Digest challenges are kept for all iterations of the user; cookies, in-place
 * variables and `request.variables` are reset for each iteration. A test or an assertion is a check of k6, named as in
 * TAP reports. A request that was not sent or answered, or a script that failed, is an error: it is printed and
 * counted, and the iteration continues.
 */
import { type JsonValue, parseTemplate, type Request } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { answeredRequest } from '../assertions/answered-request.ts'
import type { CheckedResponse } from '../assertions/checked-response.ts'
import { checkResponse } from '../assertions/response-checks.ts'
import { retryPolicy } from '../exchange/attempt.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import { labelOf } from '../plan/request-labels.ts'
import { planRun, type RunPlan } from '../plan/run-plan.ts'
import { isLineStream, parseMediaType } from '../request/media-type.ts'
import { type PreparedRequest, requestRounds } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import { sentTemplates } from '../request/request-templates.ts'
import type { ScriptScene } from '../scripting/operations/script-scene.ts'
import { FileScope } from '../variables/file-scope.ts'
import { SharedVariables } from '../variables/shared-variables.ts'
import { Variables } from '../variables/variables.ts'
import type { K6Modules } from './k6.ts'
import { createTokens } from './light/light-tokens.ts'
import { LoadScripts, type ScriptListener } from './light/scripts/load-scripts.ts'
import { linesOf } from './light/scripts/script-response.ts'
import { LoadClient, readyRequest } from './load-client.ts'
import type { LoadPlan, LoadScript } from './load-plan.ts'
import { checkedResponse, handlerScene, sceneOf } from './load-response.ts'
import { converse } from './load-socket.ts'
import { randomBytes } from './platform/crypto.ts'
import { ConfinedFiles } from './platform/files.ts'
import { checkName } from './platform/k6-fields.ts'
import { join } from './platform/paths.ts'
import { pause } from './platform/pause.ts'
import { plannedFile } from './section-tree.ts'

/** Deeper than any request file's relative paths climb. */
const DIRECTORY = '/1/2/3/4/5/6/7/8'

/** A result that is printed and counted only if its attempt is the last one. */
type Result =
  | { readonly type: 'check'; readonly name: string; readonly failure: string | undefined }
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'error'; readonly text: string }

/** A request in progress, and the results to report. */
interface OpenRequest {
  readonly step: RequestContext
  /** `Log in`, or `GET http://localhost/`. */
  readonly name: string
  readonly place: string
  readonly results: Result[]
}

export class VirtualUser {
  readonly #k6: K6Modules
  readonly #plan: LoadPlan
  readonly #client: LoadClient
  readonly #loaded: LoadedHttpFile
  readonly #codeOf: ReadonlyMap<object, LoadScript>
  readonly #shared: SharedVariables
  readonly #row: Map<string, JsonValue> = new Map()
  readonly #scripts: LoadScripts | undefined
  readonly #known: Map<Request, { readonly key: string; readonly prepared: PreparedRequest }> = new Map()
  #run: RunPlan | undefined

  constructor(k6: K6Modules, plan: LoadPlan) {
    this.#k6 = k6
    this.#plan = plan
    this.#client = new LoadClient(k6.http, plan.userAgent)
    const sections = [...plan.sections()]
    const { file, codeOf } = plannedFile(sections)
    this.#codeOf = codeOf
    this.#loaded = {
      source: { path: plan.file, text: JSON.stringify(sections) },
      path: join(DIRECTORY, 'requests.http'),
      file,
    } as LoadedHttpFile
    this.#scripts = codeOf.size === 0 ? undefined : new LoadScripts()
    this.#shared = this.#variables()
  }

  #variables(): SharedVariables {
    const { environment, files = {} } = this.#plan
    const sources = { now: () => Date.now(), randomBytes }
    const values = Object.entries(environment).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    const contents = Object.entries(files).map(([name, content]) => [join(DIRECTORY, name), content] as const)
    const confined = new ConfinedFiles(new Map(contents))
    return new SharedVariables({
      environment: new Map(values),
      commandLine: this.#row,
      tokens: createTokens(this.#plan.security, (text) => this.#render(text)),
      files: confined as never,
      sources,
      processEnvironment: this.#k6.environment(),
    })
  }

  async #render(text: string): Promise<string> {
    const variables = new Variables(this.#shared, new FileScope(this.#loaded.source, this.#loaded.path))
    const template = parseTemplate(text)
    await variables.load([template])
    return variables.render(template)
  }

  /** Sends all requests once. */
  async iterate(): Promise<void> {
    const { rows } = this.#plan
    if (rows !== undefined) {
      const { iterationInTest = 0 } = this.#k6.exec?.scenario ?? {}
      const row = rows[iterationInTest % rows.length] as Readonly<Record<string, JsonValue>>
      this.#row.clear()
      for (const [name, value] of Object.entries(row)) this.#row.set(name, value)
    }
    this.#client.forgetCookies()
    this.#run ??= await planRun(this.#loaded, this.#shared)
    for (const step of this.#run.steps()) {
      if (step instanceof HttpcliError) this.#fail(this.#plan.file, '', step.message)
      else await this.#request(step)
    }
  }

  async #request(step: RequestContext): Promise<void> {
    const { name, method, target, file, line } = labelOf(step)
    const open = { step, name: name === '' ? `${method} ${target}` : name, place: `${file}:${line}`, results: [] }
    try {
      const isReady = await this.#script(step.scriptsBefore, open, sceneOf(step, undefined))
      this.#report(open)
      if (!isReady) return
    } catch (error) {
      this.#report(open)
      this.#fail(open.name, open.place, messageOf(error))
      return
    }
    for (const build of this.#rounds(step)) {
      try {
        await this.#attempts({ ...open, results: [] }, await build())
      } catch (error) {
        this.#fail(open.name, open.place, messageOf(error))
      }
    }
  }

  /**
   * The rounds of a request, each to be built. Reuses the round of the last iteration if its values have not changed.
   */
  *#rounds(step: RequestContext): Generator<() => Promise<PreparedRequest>> {
    const key = valuesKey(step)
    const known = this.#known.get(step.request)
    if (key !== undefined && known?.key === key) {
      yield async () => known.prepared
      return
    }
    for (const { build } of requestRounds(step)) {
      yield async () => {
        const prepared = await build()
        if (key !== undefined && prepared.iterations === 1) this.#known.set(step.request, { key, prepared })
        return prepared
      }
    }
  }

  /** Sends the request until it passes, or all attempts are used. */
  async #attempts(open: OpenRequest, prepared: PreparedRequest): Promise<void> {
    const { count, intervalMs } = retryPolicy(prepared.retry)
    for (let left = count; ; left--) {
      const { results } = open
      results.length = 0
      let status = 0
      try {
        status = await this.#once(open, prepared)
      } catch (error) {
        results.push({ type: 'error', text: messageOf(error) })
      }
      const isBad = this.#plan.failsOnStatus === true && status >= 400
      const hasFailed =
        isBad || results.some((each) => each.type === 'error' || (each.type === 'check' && each.failure !== undefined))
      if (!hasFailed || left <= 0) break
      await pause(intervalMs)
    }
    this.#report(open)
  }

  /** @returns the status */
  async #once(open: OpenRequest, prepared: PreparedRequest): Promise<number> {
    const { step, name } = open
    const { request } = step
    const checks = [...request.assertions, ...request.captures]
    const { answers } = this.#shared
    const isReferenced = answers.isReferenced(request.name)
    const needsBody =
      isReferenced ||
      step.handlers.length > 0 ||
      checks.some(({ subject: { kind } }) => ['body', 'jsonpath', 'xpath', 'size'].includes(kind))
    const loadRequest = { prepared, name, needsBody, globalHeaders: [...this.#shared.globalHeaders.values()] }
    if (prepared.kind === 'websocket') return this.#converse(open, loadRequest)
    const answer = await this.#client.send(loadRequest)
    if (!isReferenced && step.handlers.length + checks.length === 0) return answer.response.status
    const response = checkedResponse(answer)
    if (isReferenced) {
      const sent = { headers: answer.request.headers, text: prepared.bodyText }
      answers.keep(request.name, await answeredRequest(sent, response, answers.isXmlForced))
    }
    const isStream = isLineStream(parseMediaType(response.headers.first('content-type') ?? ''))
    const check = (): Promise<void> => this.#check(open, response)
    const handle = async (): Promise<void> => {
      if (step.handlers.length === 0) return
      const stream = isStream ? linesOf(response.content ?? new Uint8Array(0)) : undefined
      await this.#script(step.handlers, open, handlerScene(step, prepared, answer, response, stream))
    }
    if (isStream) await handle()
    if (checks.length > 0) await check()
    if (!isStream) await handle()
    return response.status
  }

  async #check(open: OpenRequest, response: CheckedResponse): Promise<void> {
    const { request, variables } = open.step
    await checkResponse(request, response, {
      identity: undefined as never,
      variables,
      emit: async (event) => {
        if (event.type === 'test-passed') open.results.push({ type: 'check', name: event.name, failure: undefined })
        if (event.type === 'test-failed') {
          open.results.push({ type: 'check', name: event.name, failure: event.error.message })
        }
      },
    })
  }

  async #converse(open: OpenRequest, loadRequest: Parameters<LoadClient['send']>[0]): Promise<number> {
    const { WebSocket } = this.#k6
    if (WebSocket === undefined) throw new Error('this script imports no WebSocket')
    const { step } = open
    const { prepared } = loadRequest
    const message = this.#client.completed(loadRequest)
    const { fields, address } = readyRequest(message, undefined)
    const headers = prepared.hasCookieJar ? this.#client.withCookies(fields, address) : fields
    const answer = await converse(WebSocket, message, {
      headers,
      name: open.name,
      messages: prepared.webSocketMessages,
      limitMs: prepared.timeouts.firstByteMs,
      onStream:
        step.handlers.length === 0
          ? undefined
          : (stream, response) =>
              this.#script(step.handlers, open, handlerScene(step, prepared, { request: message }, response, stream)),
    })
    if (step.request.assertions.length + step.request.captures.length > 0) await this.#check(open, answer)
    return answer.status
  }

  /** @returns whether they passed */
  async #script(nodes: RequestContext['handlers'], { results }: OpenRequest, scene: ScriptScene): Promise<boolean> {
    const listener: ScriptListener = {
      log: (text) => results.push({ type: 'log', text }),
      test: (name, failure) => results.push({ type: 'check', name, failure }),
      failed: (text) => results.push({ type: 'error', text }),
    }
    let hasPassed = true
    for (const node of nodes) {
      const code = this.#codeOf.get(node)
      if (code === undefined) continue
      await scene.variables.loadFor('')
      await scene.request.load()
      if (!(await (this.#scripts as LoadScripts).run(code, scene, listener))) hasPassed = false
    }
    return hasPassed
  }

  #report({ name, place, results }: OpenRequest): void {
    for (const result of results) {
      if (result.type === 'log') platformConsole.log(`${name}: ${result.text}`)
      else if (result.type === 'error') this.#fail(name, place, result.text)
      else {
        const { failure } = result
        this.#k6.check(null, { [checkName(name, result.name)]: failure === undefined }, { name })
        if (failure !== undefined) platformConsole.warn(`${place}: ${name} > ${result.name}: ${failure}`)
      }
    }
    results.length = 0
  }

  #fail(name: string, place: string, message: string): void {
    this.#k6.errors.add(1, { name })
    platformConsole.error(`${place === '' ? '' : `${place}: `}${name}: ${message}`)
  }
}

/** The values in the request; undefined if it differs each time it is sent, or depends on files. */
function valuesKey({ request, variables }: RequestContext): string | undefined {
  if (request.body.some((part) => part.kind === 'body-file')) return undefined
  const values: JsonValue[] = []
  for (const { parts } of sentTemplates(request)) {
    for (const part of parts) {
      if (part.type === 'text') continue
      if (part.expression.startsWith('$')) return undefined
      try {
        const value = variables.resolveValue(part.expression, part.span)
        if (typeof value === 'object') return undefined
        values.push(value)
      } catch {
        return undefined
      }
    }
  }
  return JSON.stringify(values)
}

/** Captured here: scripts get another console. */
const platformConsole = console

function messageOf(error: unknown): string {
  if (error instanceof HttpcliError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
