/**
 * Runs the scripts of a run in the engine and reports their effects as events.
 *
 * The steps of one script:
 *   1. read: source/script-texts.ts (and its imports);
 *   2. plain? request-scripts.ts tries plain/ first: a handler of tests and assertions alone needs no engine. It
 *      declines everything else, and everything that fails; the engine then runs the script, with the same meaning;
 *   3. trial: thread/direct-engine.ts runs it on the program's own thread, with a limited amount of work and no effect
 *      before its end;
 *   4. thread: thread/thread-engine.ts passes scripts that take long or wait to engine-thread.ts; thread-job.ts answers
 *      their calls. The code on the thread is thread/thread-program.ts;
 *   5. on both threads: source/script-program.ts joins common blocks and script to one program;
 *      engine/quickjs-engine.ts restores the memory in which every script starts, and engine/script-run.ts runs it in
 *      slices;
 *   6. inside the engine: guest/, the world of scripts. No object of the host goes in: one function takes and returns
 *      text, and operations/script-operations.ts answers.
 *
 * Rules: global variables that a script sets are visible to the next script and to later requests. A script that cannot
 * be read, throws or reaches a limit has failed, and the next one still runs; before a request, nothing more runs after
 * a failure, because the request will not be sent. The engine is loaded with the first script.
 */
import type { ScriptNode } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { RunListener } from '../base/events.ts'
import { platformSources } from '../variables/dynamic/value-sources.ts'
import {
  defaultScriptLimits,
  plainFailure,
  type ScriptEvent,
  type ScriptJob,
  type ScriptLimits,
  type ScriptTrial,
} from './engine/script-engine.ts'
import { trialIn } from './operations/operation-effects.ts'
import { askRunner, askRunnerLater } from './operations/script-asking.ts'
import { loadScriptNeeds } from './operations/script-needs.ts'
import { untimedOperations } from './operations/script-operations.ts'
import type { HandlerScene, ScriptScene, ScriptVerdict } from './operations/script-scene.ts'
import { readScript, type ScriptText, scriptError } from './source/script-texts.ts'
import { DirectEngine } from './thread/direct-engine.ts'
import type { EnginePool } from './thread/engine-pool.ts'
import { engineShortage } from './thread/engine-shortage.ts'
import { ThreadEngine } from './thread/thread-engine.ts'

export interface ScriptRunnerOptions {
  readonly emit: RunListener
  readonly limits?: ScriptLimits | undefined
  /** Whether scripts may run commands on this machine. Default false. */
  readonly allowExec?: boolean | undefined
  /** Whether external effects are forbidden: if so, commands are refused even with `allowExec`. */
  readonly isDryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly engines: EnginePool
}

export interface ScriptRunner {
  /** Starts loading an engine. */
  warmUp(): void
  /** Runs scripts before a request. After `failed` the request must not be sent. @throws errors of the listener. */
  runPreRequest(scripts: readonly ScriptNode[], scene: ScriptScene): Promise<ScriptVerdict>
  /** Runs scripts after a response, then the tests that they registered. @throws errors of the listener. */
  runHandlers(scripts: readonly ScriptNode[], scene: HandlerScene): Promise<ScriptVerdict>
  /** Ends the run: the state of its modules is forgotten. */
  close(): void
}

/** Loads nothing yet. */
export function openScriptRunner(options: ScriptRunnerOptions): ScriptRunner {
  const { limits = defaultScriptLimits, engines, signal } = options
  const run = {}
  const newEngine = (): ThreadEngine => new ThreadEngine(engines.onLoad)
  const direct = engines.direct(() => new DirectEngine())
  const runJob: RunJob = async (job, trial) => {
    const outcome = trial === undefined ? undefined : await direct.run(job, trial)
    return outcome ?? engines.use(run, newEngine, signal, (engine) => engine.run(job))
  }
  return {
    warmUp: () => {
      // The error is thrown again by the first script that runs.
      direct.load(limits.memoryBytes).catch(() => undefined)
    },
    runPreRequest: async (scripts, scene) => {
      for (const script of scripts) {
        const verdict = await runScripts([script], scene, 'pre-request', runJob, { ...options, limits })
        if (verdict !== 'done') return verdict
      }
      return 'done'
    },
    runHandlers: (scripts, scene) => runScripts(scripts, scene, 'handler', runJob, { ...options, limits }),
    close: () => engines.endRun(run),
  }
}

/** Undefined if the run was interrupted before the job had an engine. */
type RunJob = (job: ScriptJob, trial: ScriptTrial | undefined) => Promise<ScriptVerdict | undefined>

async function runScripts(
  nodes: readonly ScriptNode[],
  scene: ScriptScene | HandlerScene,
  phase: ScriptJob['phase'],
  runJob: RunJob,
  {
    emit,
    limits,
    signal,
    allowExec = false,
    isDryRun = false,
  }: ScriptRunnerOptions & { readonly limits: ScriptLimits },
): Promise<ScriptVerdict> {
  const scripts: ScriptText[] = []
  let hasUnreadable = false
  for (const node of nodes) {
    try {
      scripts.push(await readScript(node, scene))
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      hasUnreadable = true
      await emit({ type: 'script-failed', request: scene.identity, error })
    }
  }
  if (scripts.length === 0) return hasUnreadable ? 'failed' : 'done'
  await loadScriptNeeds(scripts, scene)
  const rules = { allowExec, isDryRun, limits }
  const job: ScriptJob = {
    scripts: scripts.map(({ program }) => program),
    phase,
    ask: (operation, args) => askRunner(scene, rules, operation, args),
    askLater: (operation, args, ending) => askRunnerLater(scene, rules, operation, args, ending),
    untimedOperations,
    hasOwnClock: scene.variables.sources.now !== platformSources.now,
    limits,
    signal,
    onEvent: (event) => report(event, scripts[event.script] as ScriptText, scene, emit),
  }
  try {
    const verdict = (await runJob(job, trialIn(scene))) ?? 'aborted'
    return verdict === 'done' && hasUnreadable ? 'failed' : verdict
  } catch (error) {
    const message = engineShortage(error)
    if (message === undefined) throw error
    const failure = plainFailure('error', message)
    for (const script of scripts.keys()) await job.onEvent({ type: 'failed', script, failure })
    return 'failed'
  }
}

function report(event: ScriptEvent, script: ScriptText, scene: ScriptScene, emit: RunListener): void | Promise<void> {
  const request = scene.identity
  switch (event.type) {
    case 'log':
      return emit({ type: 'script-log', request, text: event.text })
    case 'test': {
      const { name, failure } = event
      if (failure === undefined) return emit({ type: 'test-passed', request, kind: 'test', name })
      const { expected, actual } = failure
      return emit({
        type: 'test-failed',
        request,
        kind: 'test',
        name,
        error: scriptError(failure, script, scene, 'test-failed'),
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
      })
    }
    case 'failed':
      return emit({
        type: 'script-failed',
        request,
        error: scriptError(event.failure, script, scene, 'script-failed'),
      })
  }
}
