/**
 * Modules that scripts import, as files.
 *
 * Rules: a path is relative to the file that imports it; `.js` and `.mjs` may be left out. JSON is a module whose default
 * export is its value. Names from packages are not looked for anywhere: a request file runs the same wherever it lies.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, resolve } from 'node:path'

const endings = ['', '.js', '.mjs', '.json']

/** Files by the names that the engine knows them by, which are short and plain. */
export class ModuleFiles {
  /** A path, or why there is none. */
  readonly #found: (string | Error)[] = []

  /**
   * Gives a name, also where there is no such file: `codeOf` throws for it.
   * @param from name of the module that imports it, or of the script
   * @param scriptPath absolute path of the file that the script's own paths are relative to
   */
  resolve(specifier: string, from: string, scriptPath: string): string {
    const found = find(specifier, this.pathOf(from) ?? scriptPath)
    const known = typeof found === 'string' ? this.#found.indexOf(found) : -1
    return `module-${known === -1 ? this.#found.push(found) - 1 : known}`
  }

  /** @throws Error where there is no such file, or it cannot be read */
  codeOf(name: string): string {
    const found = this.#entry(name)
    if (typeof found !== 'string') throw found ?? new Error(`there is no module ${name}`)
    const text = readFileSync(found, 'utf8').replace(/^\ufeff/, '')
    if (extname(found) !== '.json') return text.replace(/\r\n?/g, '\n')
    try {
      JSON.parse(text)
    } catch (error) {
      throw new Error(`cannot import ${found}: ${(error as Error).message}`)
    }
    return `export default ${text}`
  }

  /** Of a name that `resolve` gave for a file. */
  pathOf(name: string): string | undefined {
    const found = this.#entry(name)
    return typeof found === 'string' ? found : undefined
  }

  #entry(name: string): string | Error | undefined {
    return this.#found[Number(namePattern.exec(name)?.[1] ?? Number.NaN)]
  }
}

function find(specifier: string, importer: string): string | Error {
  const quoted = JSON.stringify(specifier)
  if (!isAbsolute(specifier) && !/^\.{1,2}[\\/]/.test(specifier)) {
    return new Error(`cannot import ${quoted}: expected the path of a file, such as "./${specifier}"`)
  }
  const wanted = resolve(dirname(importer), specifier)
  return (
    endings.map((ending) => wanted + ending).find(isFile) ??
    new Error(`cannot import ${quoted}: there is no file ${wanted}, also not with .js or .mjs`)
  )
}

const namePattern = /^module-(\d+)$/

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
