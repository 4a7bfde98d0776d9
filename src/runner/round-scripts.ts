/**
 * The scripts around one request: those before it, and its handlers.
 *
 * Rules: scripts of the file's common block come before those of the request; its handlers come behind them. What runs
 * scripts is loaded when there is one to run.
 */
import { existsSync } from 'node:fs'
import type { ScriptNode } from '../http-file/index.ts'
import type { Exchange } from '../wire/index.ts'
import { responseCookies } from './cookie-jar.ts'
import { errorAt } from './errors.ts'
import type { RequestIdentity, RunResponse } from './events.ts'
import type { RunStep } from './import-plan.ts'
import { whenReady } from './pending.ts'
import type { PreparedRequest } from './request-builder.ts'
import { requestView } from './request-view.ts'
import type { ScriptRunner } from './script/script-runner.ts'
import type { ScriptScene, ScriptStream, ScriptVerdict } from './script/script-scene.ts'
import { scriptVariables } from './variable-scopes.ts'

/** What a response brings for its handlers. */
export interface HandlerInput {
  readonly response: RunResponse
  /** The content, codings undone; undefined where it was too much to be kept. */
  readonly content: Uint8Array | undefined
  /** Lines or messages, where they are handed on while they come. */
  readonly stream: ScriptStream | undefined
}

export class RoundScripts {
  readonly #step: RunStep
  readonly #runner: () => Promise<ScriptRunner>
  readonly #before: readonly ScriptNode[]
  readonly #handlers: readonly ScriptNode[]

  constructor(step: RunStep, runner: () => Promise<ScriptRunner>) {
    const { common } = step.loaded.file
    const request = step.section.request
    this.#step = step
    this.#runner = runner
    this.#before = [...common.preRequestScripts, ...(request?.preRequestScripts ?? [])]
    this.#handlers = [...(request?.handlers ?? []), ...common.handlers]
  }

  get hasHandlers(): boolean {
    return this.#handlers.length > 0
  }

  /**
   * A request whose scripts are not there is not sent. A path with a variable that has no value yet is looked at when it
   * has one.
   * @throws HttpcliError `unreadable-file` with the place.
   */
  async checkFiles(): Promise<void> {
    const { variables, loaded } = this.#step
    for (const { source, span } of [...this.#before, ...this.#handlers]) {
      if (source.type !== 'file') continue
      const name = await whenReady(() => variables.tryRender(source.path))
      if (name.includes('{{')) continue
      const path = await whenReady(() => variables.pathOf(source.path))
      if (existsSync(path)) continue
      const message = `the script ${name} does not exist`
      throw errorAt(loaded.source, span, { code: 'unreadable-file', message })
    }
  }

  async runBefore(identity: RequestIdentity): Promise<ScriptVerdict> {
    if (this.#before.length === 0) return 'done'
    return (await this.#runner()).runPreRequest(this.#before, this.#scene(identity, undefined))
  }

  async runHandlers(
    identity: RequestIdentity,
    prepared: PreparedRequest,
    { request }: Exchange,
    { response, content, stream }: HandlerInput,
  ): Promise<ScriptVerdict> {
    const cookies = await responseCookies(request.url as URL, response.headers)
    return (await this.#runner()).runHandlers(this.#handlers, {
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

  #scene(identity: RequestIdentity, prepared: PreparedRequest | undefined): ScriptScene {
    const { loaded, variables } = this.#step
    return {
      identity,
      source: loaded.source,
      path: loaded.path,
      common: loaded.file.common.code,
      variables: scriptVariables(variables),
      request: requestView(this.#step, prepared),
    }
  }
}
