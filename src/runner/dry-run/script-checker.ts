/**
 * Checks the syntax of scripts with the engine, without running them.
 *
 * Rules: a script that several requests use, such as a common one, is checked once. The engine is one of those that
 * runs share, and is loaded with the first script.
 */
import type { ScriptNode } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import type { RunResources } from '../context/run-resources.ts'
import type { RequestContext } from '../request/request-context.ts'
import {
  defaultScriptLimits,
  plainFailure,
  type ScriptEngine,
  type ScriptFailure,
  type ScriptLimits,
  type ScriptSource,
} from '../scripting/engine/script-engine.ts'
import { readScript, scriptError } from '../scripting/source/script-texts.ts'
import { engineShortage } from '../scripting/thread/engine-shortage.ts'
import { scriptVariables } from '../variables/variable-scopes.ts'

/** The maximum number of scripts whose errors are kept. */
const MAX_KEPT = 2_000

export class ScriptChecker {
  readonly #resources: RunResources
  readonly #limits: ScriptLimits
  readonly #seen: Set<string> = new Set()
  #hasEngine = true

  constructor(resources: RunResources, limits: ScriptLimits = defaultScriptLimits) {
    this.#resources = resources
    this.#limits = limits
  }

  get count(): number {
    return this.#seen.size
  }

  /**
   * The errors in a script that has not been checked yet; none for a repeated script.
   * @throws HttpcliError if it cannot be read
   */
  async check(node: ScriptNode, { loaded, variables }: RequestContext): Promise<readonly HttpcliError[]> {
    const { source, path, file } = loaded
    const scene = { source, path, common: file.common.code, variables: scriptVariables(variables) }
    const script = await readScript(node, scene)
    const key = JSON.stringify([path, node.span.offset, script.program.path])
    if (this.#seen.has(key)) return []
    this.#seen.add(key)
    const failures = await this.#knownFailuresIn(script.program)
    return failures.map((failure) => scriptError(failure, script, scene, 'script-failed'))
  }

  /** Modules may change, so scripts with an import are checked again. */
  async #knownFailuresIn(program: ScriptSource): Promise<readonly ScriptFailure[]> {
    if (program.parts.some((part) => part.includes('import'))) return this.#failuresIn(program)
    const { scriptFailures } = this.#resources
    const key = JSON.stringify([program.path, program.parts])
    const known = scriptFailures.get(key)
    if (known !== undefined) return known
    const failures = await this.#failuresIn(program)
    if (scriptFailures.size >= MAX_KEPT) scriptFailures.clear()
    if (this.#hasEngine) scriptFailures.set(key, failures)
    return failures
  }

  async #failuresIn(program: ScriptSource): Promise<readonly ScriptFailure[]> {
    try {
      const { ThreadEngine } = await import('../scripting/thread/thread-engine.ts')
      const { engines } = this.#resources
      const newEngine = (): ScriptEngine => new ThreadEngine(engines.onLoad)
      const failures = await engines.use(this, newEngine, undefined, async (engine) => {
        try {
          return await engine.check(program, this.#limits)
        } finally {
          // Modules that were only parsed have no state to keep.
          engine.endRun()
        }
      })
      return failures ?? []
    } catch (error) {
      const message = engineShortage(error)
      if (message === undefined) throw error
      this.#hasEngine = false
      return [plainFailure('error', message)]
    }
  }
}
