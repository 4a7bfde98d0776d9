/**
 * The files that share names with a request file, and the occurrences of a name in all of them.
 *
 * Rules: files share names if one imports or runs the other, directly or not, or if both use an environment file that
 * defines the name. The scripts and texts that they name, and their environment files, also belong to the group. The
 * text in the editor replaces the text of the file.
 */
import { HttpcliError } from '../../message/index.ts'
import { InvalidFileError, loadEnvironment } from '../../runner/index.ts'
import { uriOfPath } from '../base/file-uri.ts'
import { LineIndex } from '../base/positions.ts'
import type { Analysis } from './analysis.ts'
import { environmentKeys, namesInEnvironment } from './environment-names.ts'
import { fileLinksOf, importedPaths, type LinkKind } from './file-links.ts'
import { FileTexts, requestFilesIn } from './folder-files.ts'
import { type KnownValues, knownValuesOf } from './known-values.ts'
import {
  definingForms,
  type NameKind,
  type NamePlace,
  type NamesInFile,
  namesInBraces,
  namesInFile,
  namesInScript,
} from './names.ts'
import type { Workspace } from './workspace.ts'

export interface NamedFile extends NamesInFile {
  readonly uri: string
  readonly path: string
  readonly lines: LineIndex
}

export interface NameGroup {
  readonly files: readonly NamedFile[]
  /** Why some occurrences may be missing; undefined if the group is complete. */
  readonly gap: string | undefined
}

/** The name that the user means. */
export interface Name {
  readonly kind: NameKind
  readonly name: string
}

export interface FoundName extends Name {
  readonly file: NamedFile
  readonly form: NamePlace['form']
  readonly offset: number
  readonly length: number
}

export function foundNames(files: readonly NamedFile[]): readonly FoundName[] {
  const defined = new Set(
    files.flatMap(({ places }) => places.flatMap(({ form, name }) => (definingForms.has(form) ? name : []))),
  )
  return files.flatMap((file) =>
    file.places.map(({ kind, form, name, offset, length, whole }) => {
      const isWhole = whole !== undefined && defined.has(whole.name)
      return isWhole
        ? { file, kind, form: 'expression' as const, ...whole, length: whole.name.length }
        : { file, kind, form, name, offset, length }
    }),
  )
}

export function isSameName(one: Name, other: Name): boolean {
  return one.kind === other.kind && one.name === other.name
}

export class SharedNames {
  readonly #workspace: Workspace
  readonly #texts: FileTexts = new FileTexts()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** The file, all files that it names, directly or not, and the environment files. */
  visibleFrom(analysis: Analysis): readonly NamedFile[] {
    return new GroupSearch(this.#workspace, this.#texts, analysis).visible()
  }

  /** All files that share a name with a file. */
  group(analysis: Analysis, name: Name): NameGroup {
    return new GroupSearch(this.#workspace, this.#texts, analysis).group(name)
  }
}

/** The search for one request of the client. Files that were read are cached until the request is answered. */
class GroupSearch {
  readonly #workspace: Workspace
  readonly #texts: FileTexts
  readonly #start: Analysis
  readonly #open: ReadonlyMap<string, Analysis>
  readonly #links: Map<string, readonly string[]> = new Map()
  readonly #environments: Map<string, readonly string[]> = new Map()
  #gap: string | undefined

  constructor(workspace: Workspace, texts: FileTexts, start: Analysis) {
    this.#workspace = workspace
    this.#texts = texts
    this.#start = start
    this.#open = new Map([...workspace.openFiles.map((file) => [file.path, file] as const), [start.path, start]])
  }

  visible(): readonly NamedFile[] {
    const paths = closure([this.#start.path], (path) => this.#linksOf(path))
    return this.#namedFiles(paths, true)
  }

  group(name: Name): NameGroup {
    const { paths, isComplete } = requestFilesIn(this.#workspace.folders)
    if (!isComplete) this.#gap = 'the folders have too many files to search all of them'
    const all = closure([this.#start.path, ...this.#open.keys(), ...paths], (path) => this.#linksOf(path))
    const neighbours = this.#neighbours(all)
    let members = closure([this.#start.path], (path) => neighbours.get(path) ?? [])
    const isVariable = name.kind === 'variable'
    for (let count = 0; isVariable && count < members.size; ) {
      count = members.size
      const shared = this.#environmentFiles(members).filter((path) => this.#defines(path, name.name))
      const others = [...all].filter((path) => !members.has(path) && this.#sees(path, shared, name.name))
      members = closure([...members, ...others], (path) => neighbours.get(path) ?? [])
    }
    return { files: this.#namedFiles(members, isVariable), gap: this.#gap }
  }

  #textOf(path: string): string | undefined {
    return this.#open.get(path)?.text ?? this.#workspace.textInEditor(path) ?? this.#texts.text(path)
  }

  /** The request files that a file imports or runs. */
  #linksOf(path: string): readonly string[] {
    const known = this.#links.get(path)
    if (known !== undefined) return known
    const text = this.#open.get(path)?.text ?? this.#texts.text(path)
    const links = text === undefined ? [] : importedPaths(text, path, (file) => this.#valuesOf(path, file))
    this.#links.set(path, links)
    return links
  }

  #valuesOf(path: string, file: Analysis['file']): KnownValues {
    return knownValuesOf(file, path, this.#workspace)
  }

  /** Links in both directions. */
  #neighbours(paths: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
    const neighbours = new Map<string, string[]>([...paths].map((path) => [path, [...this.#linksOf(path)]]))
    for (const path of paths) {
      for (const linked of this.#linksOf(path)) neighbours.get(linked)?.push(path)
    }
    return neighbours
  }

  #environmentFilesOf(path: string): readonly string[] {
    const directory = path.replace(/[^/\\]*$/, '')
    const known = this.#environments.get(directory)
    if (known !== undefined) return known
    let files: readonly string[] = []
    try {
      files = loadEnvironment(path, undefined).files
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      const [first] = error instanceof InvalidFileError ? error.errors : [error]
      this.#gap ??= first?.where === undefined ? error.message : `${error.message}: ${first.message}`
    }
    this.#environments.set(directory, files)
    return files
  }

  #environmentFiles(paths: Iterable<string>): readonly string[] {
    return [...new Set([...paths].flatMap((path) => this.#environmentFilesOf(path)))]
  }

  #defines(environmentFile: string, name: string): boolean {
    return environmentKeys(this.#textOf(environmentFile) ?? '').some(({ place }) => place.name === name)
  }

  /** Whether a request file uses a name of these environment files. */
  #sees(path: string, environmentFiles: readonly string[], name: string): boolean {
    if (environmentFiles.length === 0 || this.#textOf(path)?.includes(name) !== true) return false
    return this.#environmentFilesOf(path).some((each) => environmentFiles.includes(each))
  }

  #namedFiles(paths: ReadonlySet<string>, hasEnvironments: boolean): readonly NamedFile[] {
    const files = new Map<string, NamedFile>()
    for (const path of paths) {
      const analysis = this.#open.get(path) ?? this.#workspace.analysisOfFile(path)
      if (analysis === undefined) continue
      const { uri, lines, file, text } = analysis
      files.set(path, { uri, path, lines, ...namesInFile(file, text) })
      for (const link of fileLinksOf(file, path, () => this.#valuesOf(path, file))) {
        const named = files.has(link.path) ? undefined : this.#linkedFile(link.path, link.kind)
        if (named !== undefined) files.set(link.path, named)
      }
    }
    for (const path of hasEnvironments ? this.#environmentFiles(paths) : []) {
      const named = this.#otherFile(path, (text) => ({ places: namesInEnvironment(text), hasComputedNames: false }))
      if (named !== undefined) files.set(path, named)
    }
    return [...files.values()]
  }

  #linkedFile(path: string, kind: LinkKind): NamedFile | undefined {
    if (kind === 'script') return this.#otherFile(path, (text) => namesInScript(text, 0))
    if (kind !== 'template') return undefined
    return this.#otherFile(path, (text) => ({ places: namesInBraces(text, 0), hasComputedNames: false }))
  }

  #otherFile(path: string, namesOf: (text: string) => NamesInFile): NamedFile | undefined {
    const text = this.#textOf(path)
    return text === undefined ? undefined : { uri: uriOfPath(path), path, lines: new LineIndex(text), ...namesOf(text) }
  }
}

/** The start, and everything that can be reached from it. */
function closure(start: Iterable<string>, next: (path: string) => readonly string[]): Set<string> {
  const found = new Set(start)
  for (const path of found) {
    for (const each of next(path)) found.add(each)
  }
  return found
}
