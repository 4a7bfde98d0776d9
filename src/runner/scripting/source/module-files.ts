/**
 * Resolves and reads the modules that scripts import.
 *
 * Rules: a path is relative to the importing file; `.js` and `.mjs` may be omitted. JSON is a module whose default
 * export is its value. Package names are not resolved, so that a request file runs the same in any directory. Files are
 * read through the reader of the script's own file, so that no import leaves the file root.
 */
import { dirname, extname, isAbsolute, resolve } from 'node:path'
import type { ModuleReader, ScriptSource } from '../engine/script-engine.ts'

const endings = ['', '.js', '.mjs', '.json']

interface FoundModule {
  readonly path: string
  readonly files: ModuleReader
}

/** Files by their short, plain names in the engine. */
export class ModuleFiles {
  /** A file, or the error from reading it. */
  readonly #found: (FoundModule | Error)[] = []

  /**
   * Returns a name even if the file does not exist: then `codeOf` throws.
   * @param from name of the importing module or script
   * @param script the script that imports it, directly or through other modules
   */
  resolve(specifier: string, from: string, { path, files }: Omit<ScriptSource, 'parts'>): string {
    const found = find(specifier, this.pathOf(from) ?? path, files)
    const known = this.#found.findIndex(
      (each) => 'path' in each && 'path' in found && each.path === found.path && each.files === files,
    )
    return `module-${known === -1 ? this.#found.push(found) - 1 : known}`
  }

  /** @throws Error if the file does not exist or cannot be read */
  codeOf(name: string): string {
    const found = this.#entry(name)
    if (found === undefined || found instanceof Error) throw found ?? new Error(`module ${name} not found`)
    const { path, files } = found
    const text = files.readText(path)
    if (extname(path) !== '.json') return text.replace(/\r\n?/g, '\n')
    try {
      JSON.parse(text)
    } catch (error) {
      throw new Error(`cannot import ${path}: ${(error as Error).message}`)
    }
    return `export default ${text}`
  }

  /** The path of a file, by a name that `resolve` returned. */
  pathOf(name: string): string | undefined {
    const found = this.#entry(name)
    return found !== undefined && 'path' in found ? found.path : undefined
  }

  #entry(name: string): FoundModule | Error | undefined {
    return this.#found[Number(namePattern.exec(name)?.[1] ?? Number.NaN)]
  }
}

function find(specifier: string, importer: string, files: ModuleReader): FoundModule | Error {
  const quoted = JSON.stringify(specifier)
  if (!isAbsolute(specifier) && !/^\.{1,2}[\\/]/.test(specifier)) {
    return new Error(`cannot import ${quoted}: expected the path of a file, such as "./${specifier}"`)
  }
  const wanted = resolve(dirname(importer), specifier)
  try {
    const path = endings.map((ending) => wanted + ending).find((each) => files.isFile(each))
    if (path !== undefined) return { path, files }
  } catch (error) {
    return new Error(`cannot import ${quoted}: ${(error as Error).message}`)
  }
  return new Error(`cannot import ${quoted}: no file ${wanted} found, nor with .js or .mjs`)
}

const namePattern = /^module-(\d+)$/
