/**
 * The requests that a run sends, in order: those of the file, and those that `run` directives call.
 *
 * Rules: all files are read before anything is sent, so that an error in one of them prevents the whole run. Calls must
 * not be circular. A called request sees the in-place variables of its file up to its own section. If only some
 * requests are selected, the variables of all sections still apply.
 */
import {
  type DirectiveNode,
  HOST_VARIABLE,
  lacksHost,
  nearestNames,
  type Override,
  type Request,
  type Section,
  withHostVariable,
} from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { errorAt, RunError } from '../base/errors.ts'
import { RequestContext } from '../request/request-context.ts'
import { FileScope } from '../variables/file-scope.ts'
import type { SharedVariables } from '../variables/shared-variables.ts'
import { Variables } from '../variables/variables.ts'
import { type LoadedHttpFile, loadHttpFile } from './request-file.ts'
import type { Candidate, RequestChoice } from './request-filter.ts'
import { type LoadFile, MAX_DEPTH, RequestIndex } from './request-index.ts'
import type { SectionPlace } from './request-labels.ts'

/** A request to send, or why a call cannot run. */
export type RunStep = RequestContext | HttpcliError

export interface RunPlan {
  /** All requests, selected or not. */
  readonly candidates: readonly Candidate[]
  readonly requestCount: number
  /** The file itself first, then the files that it names. */
  readonly files: readonly LoadedHttpFile[]
  /** Iterate once, and run each step before the next is requested. */
  steps(): Iterable<RunStep>
}

/** One pass through a file, or one call of a request. */
interface Call {
  readonly loaded: LoadedHttpFile
  readonly caller: Call | undefined
  /** The calling section. */
  readonly from: Section | undefined
  readonly overrides: readonly Override[]
  /** The called section; undefined for the whole file. */
  readonly section: Section | undefined
}

type PlannedStep =
  | { readonly type: 'definitions'; readonly call: Call; readonly section: Section }
  | { readonly type: 'request'; readonly call: Call; readonly section: Section; readonly request: Request }
  | { readonly type: 'error'; readonly call: Call; readonly section: Section; readonly error: HttpcliError }

/** Files that call each other twice could multiply to an absurd number of requests. */
const MAX_STEPS = 1_000_000

export interface PlanOptions {
  readonly choice?: RequestChoice | undefined
  readonly loadFile?: LoadFile | undefined
}

/** @throws InvalidFileError if a file has errors; HttpcliError `run-too-large`. */
export async function planRun(
  loaded: LoadedHttpFile,
  shared: SharedVariables,
  { choice, loadFile = loadUnshared }: PlanOptions = {},
): Promise<RunPlan> {
  const library = new RequestIndex(shared, loadFile)
  await library.add(loaded)
  const all: PlannedStep[] = []
  planCall({ loaded, caller: undefined, from: undefined, overrides: [], section: undefined }, library, all)
  openAnswers(library.files, shared)
  const steps = choice === undefined ? all : await chosenSteps(all, choice)
  return {
    get candidates() {
      return all.filter(({ type }) => type === 'request').map(candidateOf)
    },
    requestCount: steps.filter(({ type }) => type === 'request').length,
    files: library.files,
    steps: () => walk(steps, shared),
  }
}

/** The answers to keep for later requests. */
function openAnswers(files: readonly LoadedHttpFile[], { answers, options }: SharedVariables): void {
  const requests = files.flatMap(({ file }) => file.sections.flatMap(({ request }) => request ?? []))
  const names = requests.map(({ name }) => name).filter((name) => name !== '')
  const values = JSON.stringify([...options.environment.values(), ...(options.commandLine?.values() ?? [])])
  const hasTemplateFiles = requests.some(({ body }) => body.some((part) => 'substitutes' in part && part.substitutes))
  answers.open(names, [values, ...files.map(({ source }) => source.text)], hasTemplateFiles)
}

const loadUnshared: LoadFile = (path, directory, shown, read) => loadHttpFile(path, directory, shown, undefined, read)

/** The variables of all sections apply. */
async function chosenSteps(all: readonly PlannedStep[], choice: RequestChoice): Promise<readonly PlannedStep[]> {
  const { isChosen } = await import('./request-filter.ts')
  return all.filter((step) => step.type === 'definitions' || isChosen(choice, candidateOf(step)))
}

function candidateOf({ call, section }: PlannedStep): Candidate {
  const callers: SectionPlace[] = []
  for (let at: Call = call; at.caller !== undefined && at.from !== undefined; at = at.caller) {
    callers.push({ loaded: at.caller.loaded, section: at.from })
  }
  return [{ loaded: call.loaded, section }, ...callers]
}

function* walk(steps: readonly PlannedStep[], shared: SharedVariables): Generator<RunStep> {
  const scopes = new Map<Call, FileScope>()
  const scopeOf = (call: Call): FileScope => {
    const known = scopes.get(call)
    if (known !== undefined) return known
    const { loaded, caller, overrides, section } = call
    const scope = new FileScope(loaded.source, loaded.path, caller && scopeOf(caller), overrides)
    if (section !== undefined) defineUpTo(section, loaded, scope)
    scopes.set(call, scope)
    return scope
  }
  for (const step of steps) {
    const { call, section } = step
    const scope = scopeOf(call)
    if (step.type === 'definitions') {
      scope.define(section.variables)
      continue
    }
    if (step.type === 'error') {
      yield step.error
      continue
    }
    shared.answers.begin(step.request.name)
    const variables = new Variables(shared, scope)
    const hasHost = lacksHost(step.request) && variables.names(scope).includes(HOST_VARIABLE)
    const request = hasHost ? withHostVariable(step.request) : step.request
    yield new RequestContext(call.loaded, section, request, variables)
  }
}

function defineUpTo(last: Section, { file }: LoadedHttpFile, scope: FileScope): void {
  for (const section of file.sections) {
    scope.define(section.variables)
    if (section === last) return
  }
}

function planCall(call: Call, library: RequestIndex, steps: PlannedStep[]): void {
  const sections = call.section === undefined ? call.loaded.file.sections : [call.section]
  for (const section of sections) {
    if (section.variables.length > 0) steps.push({ type: 'definitions', call, section })
    for (const directive of section.directives) {
      const error = planDirective(directive, call, section, library, steps)
      if (error !== undefined) steps.push({ type: 'error', call, section, error })
    }
    const { request } = section
    if (request !== undefined) steps.push({ type: 'request', call, section, request })
    if (steps.length > MAX_STEPS) {
      throw new RunError('run-too-large', `the files call each other for more than ${MAX_STEPS} requests`)
    }
  }
}

/** The error, if the directive cannot run. */
function planDirective(
  directive: DirectiveNode,
  caller: Call,
  from: Section,
  library: RequestIndex,
  steps: PlannedStep[],
): HttpcliError | undefined {
  const { target, overrides } = directive
  if (target.type === 'file') {
    const found = library.fileOf(directive)
    if (found instanceof HttpcliError) return found
    if (directive.directive === 'import') return undefined
    return planInner({ loaded: found, caller, from, overrides, section: undefined }, directive, library, steps)
  }
  const found = library.findRequest(target.name, caller.loaded)
  if (found === undefined) return unknownRequest(directive, target.name, caller.loaded, library)
  return planInner({ ...found, caller, from, overrides }, directive, library, steps)
}

function planInner(
  call: Call,
  { span }: DirectiveNode,
  library: RequestIndex,
  steps: PlannedStep[],
): HttpcliError | undefined {
  const caller = call.caller as Call
  // A request may be called while its whole file runs, but not from its own section.
  let isCircular = call.section === call.from
  let depth = 0
  for (let outer: Call | undefined = caller; outer !== undefined && !isCircular; outer = outer.caller) {
    depth++
    isCircular = outer.loaded === call.loaded && outer.section === call.section
  }
  if (isCircular) {
    const message = 'this call is circular: the request that it runs has already called it'
    return errorAt(caller.loaded.source, span, { code: 'circular-run', message })
  }
  if (depth >= MAX_DEPTH) {
    const message = `requests call each other more than ${MAX_DEPTH} deep`
    return errorAt(caller.loaded.source, span, { code: 'run-too-large', message })
  }
  planCall(call, library, steps)
  return undefined
}

function unknownRequest(
  { span }: DirectiveNode,
  name: string,
  loaded: LoadedHttpFile,
  library: RequestIndex,
): HttpcliError {
  const nearest = nearestNames(name, library.names(loaded))
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((each) => `#${each}`).join(' or ')}?`
      : 'Requests are named after "###" or by "# @name"; those of other files must be imported.'
  const message = `no request ${JSON.stringify(name)} found here`
  return errorAt(loaded.source, span, { code: 'unknown-request', message, hint })
}
