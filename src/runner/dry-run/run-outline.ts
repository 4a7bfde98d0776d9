/**
 * The outline of a run: the requests that it would send.
 *
 * Rules: the plan is that of a run, so both find the same requests and the same errors.
 */
import { HttpcliError } from '../../message/index.ts'
import { RunContext } from '../context/run-context.ts'
import type { RunOptions } from '../context/run-options.ts'
import { RunResources } from '../context/run-resources.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import { labelOf, type RequestLabel } from '../plan/request-labels.ts'
import type { RunPlan } from '../plan/run-plan.ts'

export interface RunOutline extends Pick<RunPlan, 'candidates' | 'files'> {
  /** The requests that would be sent, in order. A request that is called twice is listed twice. */
  readonly requests: readonly RequestLabel[]
  /** Calls that cannot be resolved. */
  readonly errors: readonly unknown[]
}

/** @throws as `runHttpFile`, before anything is sent. */
export async function outlineRun(loaded: LoadedHttpFile, options: Omit<RunOptions, 'listener'>): Promise<RunOutline> {
  const { resources = new RunResources(options.secrets) } = options
  const plan = await new RunContext(loaded, options, resources, () => undefined).plan()
  const steps = [...plan.steps()]
  return {
    candidates: plan.candidates,
    requests: steps.flatMap((step) => (step instanceof HttpcliError ? [] : [labelOf(step)])),
    files: plan.files,
    errors: steps.filter((step) => step instanceof HttpcliError),
  }
}
