/**
 * Finds the errors that a run would report before it sends anything, and those that would prevent a request from being
 * sent.
 *
 * Rules: the plan is that of a run, so both find the same requests and the same errors. All errors are reported, not
 * only the first. The code that walks the steps is loaded here, because a run does not need it.
 */
import { HttpcliError } from '../../message/index.ts'
import { checkAssertionPaths } from '../assertions/request-assertions.ts'
import { errorAt, InvalidFileError } from '../base/errors.ts'
import { RunContext } from '../context/run-context.ts'
import type { RunOptions } from '../context/run-options.ts'
import { RunResources } from '../context/run-resources.ts'
import type { FileUse } from '../files/confined-files.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { Finding } from './finding-list.ts'
import type { Advice } from './request-advice.ts'
import type { Touched } from './touch-list.ts'

export interface RunFindings {
  readonly requests: number
  readonly scripts: number
  /** Assertions and captures. */
  readonly checks: number
  /** Each finding once, in the order in which a run would report it. */
  readonly errors: readonly Finding[]
  readonly warnings: readonly HttpcliError[]
  readonly touched: Touched
}

/** The steps checked in one turn of the event loop, so that editors get answers and signals are handled meanwhile. */
const STEPS_IN_TURN = 50

/** @throws InvalidFileError for an imported file, unless the resources keep invalid files. */
export async function checkRun(
  loaded: LoadedHttpFile,
  options: Omit<RunOptions, 'listener' | 'isDryRun'>,
): Promise<RunFindings> {
  const { choice, resources = new RunResources(options.secrets) } = options
  const { FindingList } = await import('./finding-list.ts')
  const { ScriptChecker } = await import('./script-checker.ts')
  const { StepCheck } = await import('./step-check.ts')
  const { TouchList } = await import('./touch-list.ts')
  const { writtenSecrets } = await import('./secret-advice.ts')
  const { hiddenVariables, repeatedNames, unusedVariables } = await import('./variable-advice.ts')
  const found = new FindingList()
  const emit = async (event: { readonly type: string; readonly error?: unknown }): Promise<void> => {
    if (event.type === 'warning' && event.error instanceof HttpcliError) found.warn(event.error)
  }
  const touched = new TouchList()
  const onFileUse = (use: FileUse, path: string): void => touched.addFile(use, path)
  const services = new RunContext(loaded, { ...options, onFileUse, isDryRun: true }, resources, emit)
  const plan = await services.plan()
  for (const file of plan.files) {
    found.add([...(file.problem?.errors ?? []), ...(await wrongPathsOf(file))], 'invalid')
  }
  const texts = plan.files.map(({ source }) => source.text)
  const environmentText = JSON.stringify([...options.environment.variables.values()])
  for (const text of texts) touched.addText(text)
  for (const path of options.environment.files) touched.addFile('read', path)
  touched.addText(environmentText)
  const { warnings = [], repeatedKeys = [] } = options.environment
  for (const warning of [...warnings, ...repeatedKeys, ...services.files.root.warnings]) found.warn(warning)
  const scripts = new ScriptChecker(resources, options.scriptLimits)
  const check = new StepCheck(services, scripts, found, touched)
  let count = 0
  for (const step of plan.steps()) {
    await check.step(step)
    if (++count % STEPS_IN_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const advice = [
    ...(plan.candidates.length === 0 && loaded.problem === undefined ? [noRequest] : []),
    ...loaded.file.sections.flatMap(writtenSecrets),
    ...repeatedNames(loaded.file),
    ...hiddenVariables(loaded, options.environment),
    // The scripts of requests that are not selected were not read.
    ...(choice === undefined ? unusedVariables(loaded, [environmentText, ...texts], check.scriptCode) : []),
  ]
  for (const { span, ...problem } of advice) found.warn(errorAt(loaded.source, span, problem))
  const { requests, checks } = check
  return {
    ...{ requests, scripts: scripts.count, checks, errors: found.errors, warnings: found.warnings },
    touched: touched.list(loaded, services.files.root.directory),
  }
}

const noRequest: Advice = {
  code: 'no-request',
  message: 'the file has no requests',
  hint: 'Write a request line, such as "GET https://example.com/".',
  span: { offset: 0, line: 1, column: 1, length: 0 },
}

async function wrongPathsOf(file: LoadedHttpFile): Promise<readonly HttpcliError[]> {
  try {
    await checkAssertionPaths([file])
    return []
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error
    return error.errors
  }
}
