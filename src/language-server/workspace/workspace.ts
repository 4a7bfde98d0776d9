/**
 * The client's open folders and documents, its settings, and the parsed request files.
 *
 * Rules: the text in the editor replaces the text of the file. Nothing here writes a file or sends a request.
 */
import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { ClientCapabilities } from 'vscode-languageserver-protocol'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import {
  type Environment,
  environmentNames,
  type LoadedHttpFile,
  loadAnyHttpFile,
  loadEnvironment,
  openHttpFile,
} from '../../runner/index.ts'
import type { SecretSink } from '../../secrets/index.ts'
import { pathOfUri, uriOfPath } from '../base/file-uri.ts'
import type { ServerContext } from '../base/server-context.ts'
import { Analysis } from './analysis.ts'
import { type ClientSettings, defaultSettings } from './client-settings.ts'
import { asInEditor } from './folder-files.ts'

type Listener<Given extends readonly unknown[]> = (...args: Given) => void | Promise<void>

type OwnAbility =
  /** Shows `httpcli-response:` documents, whose texts it requests by `httpcli/result`. */
  | 'results'
  /** Answers `httpcli/prompt`. */
  | 'prompt'
  /** Copies the answer of `httpcli.copyAsCurl` to the clipboard. */
  | 'clipboard'
  /** Shows the environment of `httpcli/environmentChanged`. */
  | 'environment'

export interface OpenDocuments {
  get(uri: string): TextDocument | undefined
  all(): TextDocument[]
}

export class Workspace {
  /** Absolute paths of the client's folders. */
  folders: readonly string[] = []
  settings: ClientSettings = defaultSettings
  client: ClientCapabilities = {}
  readonly context: ServerContext
  readonly #documents: OpenDocuments
  /** Environments that were chosen by a command, by folder; undefined for none. They override the setting. */
  readonly #chosen: Map<string, string | undefined> = new Map()
  readonly #analyses: Map<string, Analysis> = new Map()
  readonly #listeners = {
    change: [] as Listener<[uri: string]>[],
    close: [] as Listener<[uri: string]>[],
    contextChange: [] as Listener<[]>[],
    end: [] as Listener<[]>[],
  }

  constructor(documents: OpenDocuments, context: ServerContext) {
    this.#documents = documents
    this.context = context
  }

  get processEnvironment(): ServerContext['environment'] {
    return this.context.environment
  }

  /** Whether the client announces a feature of ours in `capabilities.experimental`. */
  hasAbility(name: OwnAbility): boolean {
    const { experimental } = this.client as { readonly experimental?: { readonly httpcli?: Record<string, unknown> } }
    return experimental?.httpcli?.[name] === true
  }

  /** Called when a document was opened or changed. */
  onChange(listener: Listener<[uri: string]>): void {
    this.#listeners.change.push(listener)
  }

  onClose(listener: Listener<[uri: string]>): void {
    this.#listeners.close.push(listener)
  }

  /** Called when settings, environment files, folders or request files on the disk have changed. */
  onContextChange(listener: Listener<[]>): void {
    this.#listeners.contextChange.push(listener)
  }

  onEnd(listener: Listener<[]>): void {
    this.#listeners.end.push(listener)
  }

  announce(event: 'change' | 'close', uri: string): void {
    for (const listener of this.#listeners[event]) void listener(uri)
  }

  announceContextChange(): void {
    for (const listener of this.#listeners.contextChange) void listener()
  }

  async end(): Promise<void> {
    for (const listener of this.#listeners.end) await listener()
  }

  get openFiles(): readonly Analysis[] {
    return this.#documents.all().flatMap(({ uri }) => this.analysis(uri) ?? [])
  }

  /** An open request file; undefined for a document that is not open or not a request file. */
  analysis(uri: string): Analysis | undefined {
    const document = this.#documents.get(uri)
    if (document === undefined || !isRequestFile(document)) {
      this.#analyses.delete(uri)
      return undefined
    }
    const known = this.#analyses.get(uri)
    if (known?.version === document.version) return known
    const path = pathOfUri(uri) ?? join(this.folders[0] ?? this.context.workingDirectory, 'untitled.http')
    const analysis = new Analysis(uri, document.version, openHttpFile(document.getText(), path))
    this.#analyses.set(uri, analysis)
    return analysis
  }

  /** A request file by its absolute path, open or not; undefined if it cannot be read. */
  analysisOfFile(path: string): Analysis | undefined {
    const open = this.openFiles.find((each) => each.path === path)
    if (open !== undefined) return open
    const uri = uriOfPath(path)
    const loaded = attempt((): LoadedHttpFile => loadAnyHttpFile(path, dirname(path)))
    if (loaded === undefined) return undefined
    const text = asInEditor(loaded.source.text)
    return new Analysis(uri, undefined, text === loaded.source.text ? loaded : openHttpFile(text, path))
  }

  /** The text of a file in the editor; undefined if it is not open. */
  textInEditor(path: string): string | undefined {
    return this.#documents
      .all()
      .find(({ uri }) => pathOfUri(uri) === path)
      ?.getText()
  }

  /** The working directory of a run of a file: its folder in the client. */
  workingDirectoryOf(path: string): string {
    const folders = this.folders.filter((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    const nearest = folders.toSorted((one, other) => other.length - one.length)[0]
    if (nearest !== undefined) return nearest
    const directory = dirname(path)
    return existsSync(directory) ? directory : this.context.workingDirectory
  }

  /**
   * The environment that the user has chosen, loaded for a request file.
   * @throws HttpcliError of an environment file, `unknown-environment`
   */
  environment(path: string, secrets?: SecretSink): Environment {
    return loadEnvironment(path, this.environmentName(path), { secrets })
  }

  /** Undefined for none. @param path the path of a request file; any file by default */
  environmentName(path?: string): string | undefined {
    const folder = path === undefined ? undefined : this.workingDirectoryOf(path)
    const isChosen = folder !== undefined && this.#chosen.has(folder)
    const name = isChosen ? this.#chosen.get(folder) : this.settings.environment
    if (name === undefined || path === undefined) return name
    // A folder may contain several projects: it is not an error if one does not have this environment.
    return environmentNames(path).includes(name) ? name : undefined
  }

  /** @param path the path of a request file, for its folder; all folders by default */
  chooseEnvironment(name: string | undefined, path?: string): void {
    if (path !== undefined) {
      this.#chosen.set(this.workingDirectoryOf(path), name)
      return
    }
    this.#chosen.clear()
    this.settings = { ...this.settings, environment: name }
  }

  environmentNames(path: string): readonly string[] {
    return environmentNames(path)
  }
}

const requestFile = /\.(?:http|rest)$/i
const languages: ReadonlySet<string> = new Set(['http', 'rest'])

function isRequestFile({ uri, languageId }: TextDocument): boolean {
  return languages.has(languageId) || requestFile.test(pathOfUri(uri) ?? '')
}

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
