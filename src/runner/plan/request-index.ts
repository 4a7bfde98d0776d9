/**
 * The request files of a run, and their requests by name.
 *
 * Rules: each file is read once, however often it is named. A missing file is an error at the line that names it; a
 * file with errors prevents the run from starting. A name is looked up in the file itself, then in its imports, depth
 * first; imports may be circular.
 */
import { realpathSync } from 'node:fs'
import type { DirectiveNode } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { placed, RunError } from '../base/errors.ts'
import { shownPath } from '../files/path-text.ts'
import type { ReadFile } from '../files/text-file.ts'
import { FileScope } from '../variables/file-scope.ts'
import type { SharedVariables } from '../variables/shared-variables.ts'
import { Variables } from '../variables/variables.ts'
import type { LoadedHttpFile } from './request-file.ts'
import { namesOf, type SectionPlace } from './request-labels.ts'

/** As `loadHttpFile`. */
export type LoadFile = (path: string, directory: string, shown: string, read: ReadFile) => LoadedHttpFile

/** The maximum depth of nested files and calls: far more than anyone writes, and far from the limit of the stack. */
export const MAX_DEPTH = 100

/** All request files of a run, read once each. */
export class RequestIndex {
  readonly #shared: SharedVariables
  readonly #loadFile: LoadFile
  readonly #files = new Map<string, LoadedHttpFile>()
  readonly #targets = new Map<DirectiveNode, LoadedHttpFile | HttpcliError>()

  constructor(shared: SharedVariables, loadFile: LoadFile) {
    this.#shared = shared
    this.#loadFile = loadFile
  }

  get files(): readonly LoadedHttpFile[] {
    return [...this.#files.values()]
  }

  /** Adds a file and the files that it names. */
  async add(loaded: LoadedHttpFile, depth: number = 1): Promise<void> {
    this.#files.set(realPathOf(loaded.path), loaded)
    const scope = new FileScope(loaded.source, loaded.path)
    for (const section of loaded.file.sections) scope.define(section.variables)
    for (const directive of loaded.file.sections.flatMap(({ directives }) => directives)) {
      if (directive.target.type !== 'file') continue
      this.#targets.set(directive, await this.#load(directive, loaded, new Variables(this.#shared, scope), depth))
    }
  }

  /** The file that a directive names. */
  fileOf(directive: DirectiveNode): LoadedHttpFile | HttpcliError {
    return this.#targets.get(directive) as LoadedHttpFile | HttpcliError
  }

  findRequest(name: string, loaded: LoadedHttpFile): SectionPlace | undefined {
    for (const file of this.#reachable(loaded)) {
      const section = file.file.sections.find((each) => each.request !== undefined && namesOf(each).includes(name))
      if (section !== undefined) return { loaded: file, section }
    }
    return undefined
  }

  names(loaded: LoadedHttpFile): readonly string[] {
    return [...this.#reachable(loaded)].flatMap(({ file }) =>
      file.sections.flatMap((section) => (section.request === undefined ? [] : namesOf(section))),
    )
  }

  /** A file and its imports, depth first, each once. */
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
    depth: number,
  ): Promise<LoadedHttpFile | HttpcliError> {
    if (target.type !== 'file') throw new Error('only files are loaded')
    try {
      if (depth >= MAX_DEPTH)
        throw new RunError('run-too-large', `files refer to each other more than ${MAX_DEPTH} deep`)
      await variables.load([target.path])
      const absolute = variables.pathOf(target.path)
      const shown = source.path === path ? absolute : shownPath(source.path, variables.pathText(target.path))
      // Also checks a file that is known from another run, which may have had another root.
      variables.files.checkReadable(absolute)
      const known = this.#files.get(realPathOf(absolute))
      if (known !== undefined) return known
      const loaded = this.#loadFile(absolute, variables.scope.directory, shown, (path) => variables.files.read(path))
      await this.add(loaded, depth + 1)
      return loaded
    } catch (error) {
      if (!(error instanceof HttpcliError) || !isOfDirective(error)) throw error
      if (error.where !== undefined) return error
      return placed(error, { source, span }) as HttpcliError
    }
  }
}

/** Errors inside the named file prevent the run from starting; a missing file does not. */
function isOfDirective({ code }: HttpcliError): boolean {
  return code !== 'invalid-http-file'
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The error is reported when the file is read.
    return path
  }
}
