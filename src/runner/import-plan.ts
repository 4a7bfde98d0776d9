/**
 * What a run sends, in order: the requests of the file, and those that `run` calls.
 *
 * Rules: all files are read before anything is sent, so that an error in one of them keeps the whole run from
 * beginning; a file that is missing is an error of the line that names it. A name is looked for in the file itself, then
 * in what it imports, depth first; imports may go round in circles, calls may not. A request that is called sees the
 * in-place variables of its own file up to its section.
 */
import { realpathSync } from 'node:fs'
import { type DirectiveNode, type Override, type Section, templateText } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'
import { errorAt } from './errors.ts'
import { FileScope } from './file-scope.ts'
import { type LoadedHttpFile, loadHttpFile } from './loaded-file.ts'
import { nearestNames } from './nearest-name.ts'
import { whenReady } from './pending.ts'
import { type SharedVariables, Variables } from './variables.ts'

/** A request to send, or errors in place of one. */
export interface RunStep {
  /** The file that the section stands in. */
  readonly loaded: LoadedHttpFile
  readonly section: Section
  readonly variables: Variables
  /** Why calls of this section cannot be carried out. The section has a request of its own in no step with errors. */
  readonly errors: readonly HttpcliError[]
}

export interface RunPlan {
  readonly requestCount: number
  /** The file itself first. */
  readonly files: readonly LoadedHttpFile[]
  /** Steps with a request or errors. To be walked once, each step carried out before the next is asked for. */
  steps(): Iterable<RunStep>
}

/** One walk through a file, or the call of one request. */
interface Call {
  readonly loaded: LoadedHttpFile
  readonly caller: Call | undefined
  readonly overrides: readonly Override[]
  /** The section that is called; undefined for the whole file. */
  readonly section: Section | undefined
}

type PlannedStep =
  | { readonly type: 'definitions'; readonly call: Call; readonly section: Section }
  | { readonly type: 'request'; readonly call: Call; readonly section: Section }
  | { readonly type: 'errors'; readonly call: Call; readonly section: Section; readonly error: HttpcliError }

/** Files that call others twice, which do so in turn, come to more requests than anybody wants. */
const MAX_STEPS = 1_000_000

/** @throws InvalidFileError where a file has errors; HttpcliError `run-too-large`. */
export async function planRun(loaded: LoadedHttpFile, shared: SharedVariables): Promise<RunPlan> {
  const library = new Library(shared)
  await library.add(loaded)
  const steps: PlannedStep[] = []
  planCall({ loaded, caller: undefined, overrides: [], section: undefined }, library, steps)
  return {
    requestCount: steps.filter(({ type }) => type === 'request').length,
    files: library.files,
    steps: () => walk(steps, shared),
  }
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
    const errors = step.type === 'errors' ? [step.error] : []
    yield { loaded: call.loaded, section, variables: new Variables(shared, scope), errors }
  }
}

function defineUpTo(last: Section, { file }: LoadedHttpFile, scope: FileScope): void {
  for (const section of file.sections) {
    scope.define(section.variables)
    if (section === last) return
  }
}

function planCall(call: Call, library: Library, steps: PlannedStep[]): void {
  const sections = call.section === undefined ? call.loaded.file.sections : [call.section]
  for (const section of sections) {
    if (section.variables.length > 0) steps.push({ type: 'definitions', call, section })
    for (const directive of section.directives) {
      const error = planDirective(directive, call, section, library, steps)
      if (error !== undefined) steps.push({ type: 'errors', call, section, error })
    }
    if (section.request !== undefined) steps.push({ type: 'request', call, section })
    if (steps.length > MAX_STEPS) {
      throw new HttpcliError('run-too-large', `the files call each other for more than ${MAX_STEPS} requests`)
    }
  }
}

/** The error, where the directive cannot be carried out. */
function planDirective(
  directive: DirectiveNode,
  caller: Call,
  from: Section,
  library: Library,
  steps: PlannedStep[],
): HttpcliError | undefined {
  const { target, overrides } = directive
  if (target.type === 'file') {
    const found = library.fileOf(directive)
    if (found instanceof HttpcliError) return found
    if (directive.directive === 'import') return undefined
    return planInner({ loaded: found, caller, overrides, section: undefined }, from, directive, library, steps)
  }
  const found = library.findRequest(target.name, caller.loaded)
  if (found === undefined) return unknownRequest(directive, target.name, caller.loaded, library)
  return planInner({ ...found, caller, overrides }, from, directive, library, steps)
}

function planInner(
  call: Call,
  from: Section,
  { span }: DirectiveNode,
  library: Library,
  steps: PlannedStep[],
): HttpcliError | undefined {
  const caller = call.caller as Call
  // A request may be called while its whole file runs, but not from its own section.
  let isCircular = call.section === from
  for (let outer: Call | undefined = caller; outer !== undefined && !isCircular; outer = outer.caller) {
    isCircular = outer.loaded === call.loaded && outer.section === call.section
  }
  if (isCircular) {
    const message = 'this call leads back to itself: what it runs has called it'
    return errorAt(caller.loaded.source, span, { code: 'circular-run', message })
  }
  planCall(call, library, steps)
  return undefined
}

function unknownRequest({ span }: DirectiveNode, name: string, loaded: LoadedHttpFile, library: Library): HttpcliError {
  const nearest = nearestNames(name, library.names(loaded))
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((each) => `#${each}`).join(' or ')}?`
      : 'Requests are named behind "###" or by "# @name"; those of other files must be imported.'
  const message = `there is no request ${JSON.stringify(name)} here`
  return errorAt(loaded.source, span, { code: 'unknown-request', message, hint })
}

/** All request files of a run, read once each. */
class Library {
  readonly #shared: SharedVariables
  readonly #files = new Map<string, LoadedHttpFile>()
  readonly #targets = new Map<DirectiveNode, LoadedHttpFile | HttpcliError>()

  constructor(shared: SharedVariables) {
    this.#shared = shared
  }

  get files(): readonly LoadedHttpFile[] {
    return [...this.#files.values()]
  }

  /** Adds a file and what it names. */
  async add(loaded: LoadedHttpFile): Promise<void> {
    this.#files.set(realPathOf(loaded.path), loaded)
    const scope = new FileScope(loaded.source, loaded.path)
    for (const section of loaded.file.sections) scope.define(section.variables)
    for (const directive of loaded.file.sections.flatMap(({ directives }) => directives)) {
      if (directive.target.type !== 'file') continue
      this.#targets.set(directive, await this.#load(directive, loaded, new Variables(this.#shared, scope)))
    }
  }

  /** The file that a directive names. */
  fileOf(directive: DirectiveNode): LoadedHttpFile | HttpcliError {
    return this.#targets.get(directive) as LoadedHttpFile | HttpcliError
  }

  findRequest(name: string, loaded: LoadedHttpFile): { loaded: LoadedHttpFile; section: Section } | undefined {
    for (const file of this.#reachable(loaded)) {
      const section = file.file.sections.find((each) => namesOf(each).includes(name))
      if (section !== undefined) return { loaded: file, section }
    }
    return undefined
  }

  names(loaded: LoadedHttpFile): readonly string[] {
    return [...this.#reachable(loaded)].flatMap(({ file }) => file.sections.flatMap(namesOf))
  }

  /** A file and those that it imports, depth first, each once. */
  *#reachable(
    loaded: LoadedHttpFile,
    seen: Set<LoadedHttpFile> = new Set<LoadedHttpFile>(),
  ): Generator<LoadedHttpFile> {
    if (seen.has(loaded)) return
    seen.add(loaded)
    yield loaded
    for (const directive of loaded.file.sections.flatMap(({ directives }) => directives)) {
      const imported = directive.directive === 'import' ? this.#targets.get(directive) : undefined
      if (imported !== undefined && !(imported instanceof HttpcliError)) yield* this.#reachable(imported, seen)
    }
  }

  async #load(
    { target, span }: DirectiveNode,
    { source, path }: LoadedHttpFile,
    variables: Variables,
  ): Promise<LoadedHttpFile | HttpcliError> {
    if (target.type !== 'file') throw new Error('only files are loaded')
    try {
      const absolute = await whenReady(() => variables.pathOf(target.path))
      const shown = source.path === path ? absolute : shownPath(source.path, templateText(target.path), absolute)
      const known = this.#files.get(realPathOf(absolute))
      if (known !== undefined) return known
      const loaded = loadHttpFile(absolute, variables.scope.directory, shown)
      await this.add(loaded)
      return loaded
    } catch (error) {
      if (!(error instanceof HttpcliError) || !isOfDirective(error)) throw error
      if (error.where !== undefined) return error
      return errorAt(source, span, { code: error.code, message: error.message, cause: error })
    }
  }
}

/** Errors inside the file that is named keep the run from beginning; that it cannot be had does not. */
function isOfDirective({ code }: HttpcliError): boolean {
  return code !== 'invalid-http-file'
}

/** The path as the user would write it: beside the file that names it. */
function shownPath(from: string, written: string, absolute: string): string {
  if (/^\/|\{\{/.test(written)) return absolute
  const directory = from.replace(/[^/\\]*$/, '')
  return `${directory}${written.replace(/^\.[/\\]/, '')}`
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Reading it says what is wrong.
    return path
  }
}

/** By what names a request can be called: its own, that behind the separator, or without any its method and URL. */
function namesOf({ request, separator }: Section): readonly string[] {
  if (request === undefined) return []
  const names = [request.name, separator?.name ?? ''].filter((name) => name !== '')
  const { method = 'GET', target } = request.line
  return names.length === 0 ? [`${method} ${templateText(target)}`] : names
}
