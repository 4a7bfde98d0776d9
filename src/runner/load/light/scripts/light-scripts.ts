/**
 * The entry point of the third part of the light runtime: requests with scripts.
 *
 * Rules: scripts run as in virtual-user.ts, in the same world. Their results are reported immediately.
 */
import { isLineStream, parseMediaType } from '../../../request/media-type.ts'
import type { ScriptScene } from '../../../scripting/operations/script-scene.ts'
import type { K6Modules } from '../../k6.ts'
import type { LoadScript } from '../../load-plan.ts'
import { useCrypto } from '../../platform/crypto.ts'
import { checkName } from '../../platform/k6-fields.ts'
import type { LightContext, LightSteps, SentRequest } from '../light-parts.ts'
import type { LightCaptures, LightChecks, LightRequest } from '../light-request.ts'
import type { LightValues } from '../light-values.ts'
import { useWhole } from '../whole-services.ts'
import { handlerScene, scriptScene } from './light-scene.ts'
import type { LightView, WrittenRequest } from './light-view.ts'
import { LoadScripts, type ScriptListener } from './load-scripts.ts'

export interface RequestScripts {
  /** The request as written, if a script uses it. */
  readonly request?: WrittenRequest
  readonly before?: readonly LoadScript[]
  readonly after?: readonly LoadScript[]
}

/** Captured here: scripts get another console. */
const platformConsole = console

/** Globals of k6 that are replaced for scripts. */
const replacedNames = [
  ...['console', 'TextDecoder', 'TextEncoder', 'URLSearchParams', 'atob', 'btoa', 'crypto'],
  ...['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
]

type Globals = ReadonlyMap<string, PropertyDescriptor | undefined>

function currentGlobals(): Globals {
  return new Map(replacedNames.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]))
}

function restoreGlobals(globals: Globals): void {
  for (const [name, descriptor] of globals) {
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
    else Object.defineProperty(globalThis, name, descriptor)
  }
}

export class LightScripts {
  readonly #k6: K6Modules
  readonly #values: LightValues
  readonly #steps: LightSteps
  readonly #scripts: LoadScripts
  readonly #scene: ScriptScene
  readonly #view: () => LightView
  readonly #platform: Globals = currentGlobals()

  constructor({ k6, part, steps }: LightContext) {
    if (k6.crypto !== undefined) useCrypto(k6.crypto)
    useWhole(() => part('whole'))
    this.#k6 = k6
    this.#values = part('values')
    this.#steps = steps as LightSteps
    this.#scripts = new LoadScripts()
    this.#view = () => part('view')
    this.#scene = scriptScene(this.#values, () => part('dynamic'))
  }

  /** Evaluates a part of the runtime with the globals of k6. */
  outside<Part>(evaluate: () => Part): Part {
    const globals = currentGlobals()
    restoreGlobals(this.#platform)
    try {
      return evaluate()
    } finally {
      restoreGlobals(globals)
    }
  }

  /** Sends a request, once for each element of the arrays in it. */
  async send(
    place: number,
    name: string,
    build: () => LightRequest,
    { request, before = [], after = [] }: RequestScripts,
    checks?: LightChecks,
    captures?: LightCaptures,
  ): Promise<void> {
    const { start, exchange, answerOf, check, fail } = this.#steps
    const values = this.#values
    start(place, name)
    try {
      if (!(await this.#run(before, this.#sceneWith(request), name))) return
    } catch (error) {
      return fail(error)
    }
    for (let round = 0; round === 0 || round < (values.rounds?.count ?? 1); round++) {
      try {
        const response = exchange(round, build)
        const answer = answerOf(response)
        // A stream is handled while it arrives.
        const isStream = isLineStream(parseMediaType(response.headers['Content-Type'] ?? ''))
        const scene = this.#sceneWith(request, this.#steps.sent())
        const handle = (): Promise<boolean> => this.#run(after, handlerScene(scene, answer), name)
        if (isStream && after.length > 0) await handle()
        check(response, checks, captures)
        if (!isStream && after.length > 0) await handle()
      } catch (error) {
        fail(error)
      }
    }
  }

  #sceneWith(written: WrittenRequest | undefined, sent?: SentRequest): ScriptScene {
    return written === undefined ? this.#scene : { ...this.#scene, request: this.#view().view(written, sent) }
  }

  /** @returns whether they passed */
  async #run(scripts: readonly LoadScript[], scene: ScriptScene, name: string): Promise<boolean> {
    const listener: ScriptListener = {
      log: (text) => platformConsole.log(`${name}: ${text}`),
      failed: (text) => this.#steps.fail(new Error(text)),
      test: (test, failure) => {
        const shown = checkName(name, test)
        this.#k6.check(null, { [shown]: failure === undefined }, { name })
        if (failure !== undefined) platformConsole.warn(`${this.#steps.place()}: ${shown}: ${failure}`)
      },
    }
    let hasPassed = true
    for (const script of scripts) {
      if (!(await this.#scripts.run(script, scene, listener))) hasPassed = false
    }
    return hasPassed
  }
}

export function create(context: LightContext): LightScripts {
  return new LightScripts(context)
}
