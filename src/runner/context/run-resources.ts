/**
 * Expensive objects that runs share: open connections, script engines with their compiled code, cached files, tokens.
 *
 * Rules: they never expose scripts and variables of one run to another. Parallel runs take turns with a few engines,
 * see engine-pool.ts. The caller that creates the resources must close them.
 */
import { resolve } from 'node:path'
import type { SecretSink } from '../../secrets/index.ts'
import { ConnectionPool, type TlsOptions } from '../../wire/index.ts'
import type { Token } from '../auth/token-context.ts'
import { SharedValues } from '../base/shared-values.ts'
import { type FileRoot, type FileRootOptions, findFileRoot } from '../files/file-root.ts'
import type { ReadFile } from '../files/text-file.ts'
import { type LoadedHttpFile, loadAnyHttpFile, openHttpFile } from '../plan/request-file.ts'
import type { ScriptFailure } from '../scripting/engine/script-engine.ts'
import { PlainScripts } from '../scripting/plain/plain-scripts.ts'
import { EnginePool } from '../scripting/thread/engine-pool.ts'
import type { OnEngineLoad } from '../scripting/thread/engine-thread.ts'

export class RunResources {
  readonly pool: ConnectionPool = new ConnectionPool()
  readonly plainScripts: PlainScripts = new PlainScripts()
  readonly engines: EnginePool
  /** Tokens by their rendered settings: one sign-in serves all rows of a table. */
  readonly tokens: SharedValues<Token> = new SharedValues()
  /** Connection pools by their rendered settings: a connection is reused only with the same settings. */
  readonly tls: SharedValues<TlsOptions> = new SharedValues()
  /** The errors found in scripts, by their code: an editor checks the same scripts again and again. */
  readonly scriptFailures: Map<string, readonly ScriptFailure[]> = new Map()
  readonly #seen: Set<string> = new Set()
  readonly #fileRoots: Map<string, FileRoot> = new Map()
  readonly #files: Map<string, LoadedHttpFile> = new Map()
  readonly #secrets: SecretSink | undefined
  readonly #allowsInvalidFiles: boolean
  readonly #textInEditor: (path: string) => string | undefined

  /**
   * @param secrets receives the secrets of the files that are read
   * @param onEngineLoad is called when the script engine begins to load
   * @param allowsInvalidFiles whether request files with errors are returned together with the errors
   * @param textInEditor the text that replaces a file's text, by its absolute path; undefined for all other files
   */
  constructor(
    secrets?: SecretSink,
    onEngineLoad?: OnEngineLoad,
    allowsInvalidFiles = false,
    textInEditor: (path: string) => string | undefined = () => undefined,
  ) {
    this.#secrets = secrets
    this.#textInEditor = textInEditor
    this.#allowsInvalidFiles = allowsInvalidFiles
    this.engines = new EnginePool({ onLoad: onEngineLoad })
  }

  /** Like `loadHttpFile`, but a file is read only once. The caller checks that it may be read. */
  loadFile(path: string, directory: string, shown: string, read?: ReadFile): LoadedHttpFile {
    const key = [path, directory, shown].join('\0')
    const known = this.#files.get(key)
    if (known !== undefined) return known
    const text = this.#textInEditor(resolve(directory, path))
    // The file is read even if the editor has its text, to check that reading it is allowed.
    const saved = loadAnyHttpFile(path, directory, shown, this.#secrets, read)
    const loaded = text === undefined ? saved : openHttpFile(text, saved.path, this.#secrets, shown)
    if (loaded.problem !== undefined && !this.#allowsInvalidFiles) throw loaded.problem
    this.#files.set(key, loaded)
    return loaded
  }

  /** Empties the cache: every file is read again when it is needed. */
  forgetFiles(): void {
    this.#files.clear()
    this.#fileRoots.clear()
  }

  /** Like `findFileRoot`, but cached. */
  fileRoot(requestFile: string, options: FileRootOptions): FileRoot {
    const key = JSON.stringify([requestFile, options.fileRoot, options.workingDirectory])
    const root = this.#fileRoots.get(key) ?? findFileRoot(requestFile, options)
    this.#fileRoots.set(key, root)
    return root
  }

  /** Whether none of the runs has shown this message yet. */
  isFirst(message: string): boolean {
    const isNew = !this.#seen.has(message)
    this.#seen.add(message)
    return isNew
  }

  async close(): Promise<void> {
    this.pool.close()
    this.engines.close()
  }
}
