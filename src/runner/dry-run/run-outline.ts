/**
 * What a run would send, without sending it.
 *
 * Rules: the plan is that of the run itself, so that both find the same requests and the same errors.
 */

import { RunContext } from '../context/run-context.ts'
import type { RunOptions } from '../context/run-options.ts'
import { RunResources } from '../context/run-resources.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { Candidate } from '../plan/request-filter.ts'
import { labelOf, type RequestLabel } from '../plan/request-labels.ts'
import { planRun } from '../plan/run-plan.ts'

export interface RunOutline {
  /** All requests, chosen or not. */
  readonly candidates: readonly Candidate[]
  /** Those that would be sent, in order. A request that is called twice is there twice. */
  readonly requests: readonly RequestLabel[]
  /** The file itself first, then those that it names. */
  readonly files: readonly LoadedHttpFile[]
  /** Calls that cannot be carried out. */
  readonly errors: readonly unknown[]
}

/** @throws as `runHttpFile`, before anything is sent. */
export async function outlineRun(loaded: LoadedHttpFile, options: Omit<RunOptions, 'listener'>): Promise<RunOutline> {
  const { choice, resources = new RunResources(options.secrets) } = options
  const { variables } = new RunContext(loaded, { ...options, listener: () => undefined }, resources, () => undefined)
  const plan = await planRun(loaded, variables, {
    choice,
    loadFile: (...given) => resources.loadFile(...given),
  })
  const steps = [...plan.steps()]
  return {
    candidates: plan.candidates,
    requests: steps.filter(({ errors }) => errors.length === 0).map(labelOf),
    files: plan.files,
    errors: steps.flatMap(({ errors }) => errors),
  }
}
