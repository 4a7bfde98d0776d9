/**
 * Shared functions of the build: bundling, and finding imports of packages in built files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'rolldown'
import { BuildError } from './build-error.ts'
import { packageOf } from './third-party-notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The file that a relative import of a source names in node_modules; undefined for other imports. */
export function fileOfPackage(id: string): string | undefined {
  const found = /^(?:\.\.\/)+(node_modules\/.+)$/.exec(id)
  return found === null ? undefined : join(root, found[1]!)
}

/** Bundles, and returns the packages whose code is in the result. */
export async function bundle(options: BuildOptions): Promise<readonly string[]> {
  const { output } = await build({
    ...options,
    logLevel: 'warn',
    onLog(level, log, handler) {
      // The bundler only warns about a missing module, but the command would be broken.
      if (log.code === 'UNRESOLVED_IMPORT') throw new BuildError(log.message)
      handler(level, log)
    },
  })
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).flatMap((id) => packageOf(id) ?? [])
}

export function assertNoPackageIsImported(files: readonly string[]): void {
  for (const file of files) {
    const packages = importedPackages(file)
    if (packages.length > 0) throw new BuildError(`${file} imports ${packages.join(', ')}: it would not be installed`)
  }
}

/**
 * The packages that a file imports, other than this project's modules and Node's. Text that only looks like an import
 * names nothing that is installed, or is an example in a doc comment.
 */
export function importedPackages(file: string): readonly string[] {
  const code = readFileSync(file, 'utf8').replace(/^\s*\*.*$/gm, '')
  const found = code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|require\()(["'`])([^"'`\s]+)\1/g)
  return [...found].map((match) => match[2]!).filter((id) => fileOfPackage(id) !== undefined || isOfPackage(id))
}

function isOfPackage(id: string): boolean {
  if (id.startsWith('.') || isBuiltin(id)) return false
  return existsSync(join(root, 'node_modules', ...id.split('/').slice(0, id.startsWith('@') ? 2 : 1)))
}

export function filesIn(directory: string, ending: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
}

/** The file, the files that it imports, and so on. */
export function reachable(file: string, ending: '.js' | '.d.ts', into: Set<string> = new Set()): ReadonlySet<string> {
  if (into.has(file)) return into
  into.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport\()["'](\.[^"']+)\.[jt]s["']/g)) {
    reachable(join(dirname(file), `${path}${ending}`), ending, into)
  }
  return into
}
