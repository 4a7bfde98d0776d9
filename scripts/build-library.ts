/**
 * Builds `dist/lib`: tsc emits every room except cli, one output file per source file; code from other packages is
 * bundled into `packages`, once.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minifySync } from 'rolldown/utils'
import { BuildError } from './build-error.ts'
import { engineProgram, sharedModules, sharedName } from './build-shared.ts'
import { assertNoPackageIsImported, bundle, fileOfPackage, filesIn, importedPackages, reachable } from './bundle.ts'
import { withoutNativeModules } from './native-modules.ts'
import { packageOf, writeNotices } from './third-party-notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)

/** Rooms whose output of tsc is in dist/shared. */
const sharedTexts = [
  ...['core-code', 'sandbox-code'].map((name) => `runner/scripting/engine/${name}.generated`),
  'convert/k6-writer/load-runtime.generated',
]

/** Emitted modules that import no package but do import modules of dist/shared, or name a file of it. */
const importersOfShared = [
  ...['sandbox-code.js', 'engine-program.js'].map((name) => join('runner', 'scripting', 'engine', name)),
  join('convert', 'k6-writer', 'writer.js'),
]

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

export async function buildLibrary(target: string): Promise<void> {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', target]
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new BuildError('tsc found the errors above')
  const packages = await bundlePackages(target)
  for (const file of filesIn(target, '.js')) shrink(file, dirname(file) === join(target, 'packages'))
  for (const name of sharedTexts) for (const ending of ['js', 'd.ts']) rmSync(join(target, `${name}.${ending}`))
  removeInnerDeclarations(target)
  writeNotices(target, root, new Set(packages))
  assertNoPackageIsImported([...filesIn(target, '.js'), ...filesIn(target, '.d.ts')])
}

/** Bundles the emitted modules that import packages, and returns the names of those packages. */
async function bundlePackages(target: string): Promise<readonly string[]> {
  const files = [
    ...filesIn(target, '.js').filter((file) => importedPackages(file).length > 0),
    ...importersOfShared.map((name) => join(target, name)),
  ]
  const importers = new Set(files)
  const packages = await bundle({
    input: Object.fromEntries(files.map((file) => [relative(target, file).replace(/\.js$/, ''), file])),
    // Imports of this project's modules stay imports.
    external: (id, importer) => {
      if (id.startsWith('node:')) return true
      if (importer === undefined || !importer.startsWith(target) || !id.startsWith('.')) return false
      return (
        fileOfPackage(id) === undefined && sharedName(id) === undefined && !importers.has(join(dirname(importer), id))
      )
    },
    platform: 'node',
    preserveEntrySignatures: 'strict',
    transform: {
      define: {
        ...withoutNativeModules,
        HTTPCLI_ENGINE_PROGRAM: JSON.stringify(`../../../../shared/${engineProgram}`),
      },
    },
    plugins: [sharedModules(dirname), { name: 'files-of-packages', resolveId: (id) => fileOfPackage(id) ?? null }],
    output: {
      dir: target,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'packages/[name].js',
      codeSplitting: {
        groups: [{ debugName: 'packages', name: (id) => packageOf(id)?.replace(/^@/, '').replace('/', '-') ?? null }],
      },
    },
  })
  return packages
}

/**
 * Removes the comments, which the declarations have, and from packages also the white space and the long names inside
 * functions: more than a quarter of the library. Names and lines of this project's modules are kept, because stack
 * traces show them; names of modules, because the search for imports reads them.
 */
function shrink(file: string, isPackage: boolean): void {
  const options = isPackage
    ? { mangle: { toplevel: false } }
    : { mangle: false, compress: false, codegen: { removeWhitespace: false } }
  const { code } = minifySync(file, readFileSync(file, 'utf8'), { module: true, ...options })
  writeFileSync(file, code)
}

/** Removes declarations that no entry of the package leads to, because they cannot be imported. */
function removeInnerDeclarations(target: string): void {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
  const needed = new Set<string>()
  for (const entry of entries) reachable(join(target, relative('dist/lib', entry)), '.d.ts', needed)
  for (const file of filesIn(target, '.d.ts')) if (!needed.has(file)) rmSync(file)
}
