/**
 * Builds the package: `dist/lib`, the library as ES modules with types, and `dist/cli`, the command.
 *
 * Rules: (1) tsc emits every room but cli, one file for one file. (2) Emitted modules that import other packages are
 * bundled in place, so that the package installs no dependency; relative imports stay as they are. (3) The command is a
 * CommonJS launcher and one chunk for each lazy import, with the code that the engine compiled for them, because that is
 * what starts fastest. (4) Nothing that is built
 * imports a package: the build fails if it does. A part is built beside the old one and then takes its place, so that
 * a failed build leaves the old one.
 *
 * Run: npm run build [-- lib|cli]
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type OutputOptions, type Plugin } from 'rolldown'
import { readEngineProgram } from '../src/runner/scripting/engine/engine-program.ts'
import { BuildError, orReport } from './build-error.ts'
import { recordCompiledCode } from './compiled-code.ts'
import { generateSources } from './generate.ts'
import { withoutNativeModules } from './native-modules.ts'
import { preparedEngineProgram } from './prepare-world.ts'
import { packageOf, writeNotices } from './third-party-notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }

/** The script engine's program: read at run time from beside the module that loads it. */
const engineProgram = 'quickjs.wasm'

const parts: Readonly<Record<string, (target: string) => Promise<void>>> = { lib: buildLibrary, cli: buildCommand }

await orReport('build', async () => {
  const wanted = process.argv.slice(2)
  await generateSources()
  for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) await buildPart(name)
})

async function buildPart(name: string): Promise<void> {
  const part = parts[name]
  if (part === undefined) throw new BuildError(`there is no part "${name}", only ${Object.keys(parts).join(', ')}`)
  const started = performance.now()
  const target = join(root, 'dist', name)
  const fresh = join(root, 'dist', `${name}.${process.pid}`)
  try {
    await part(fresh)
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  process.stdout.write(`built dist/${name} in ${Math.round(performance.now() - started)} ms\n`)
}

async function buildLibrary(target: string): Promise<void> {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', target]
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new BuildError('tsc found the errors above')
  const packages = new Set<string>()
  for (const file of filesIn(target, '.js')) {
    if (importedPackages(file).length === 0) continue
    for (const name of await bundleInPlace(file)) packages.add(name)
  }
  // Without a world: who embeds the library starts an engine once, and the package stays smaller.
  placeEngineProgram(target, readEngineProgram())
  writeNotices(target, root, packages)
  assertNoPackageIsImported([...filesIn(target, '.js'), ...filesIn(target, '.d.ts')])
}

/** Puts the packages that a module imports into the module; what it imports of ours stays an import. */
async function bundleInPlace(file: string): Promise<readonly string[]> {
  const name = basename(file, '.js')
  return bundle({
    input: { [name]: file },
    external: (id, importer) =>
      id.startsWith('node:') || (importer === file && id.startsWith('.') && fileOfPackage(id) === undefined),
    platform: 'node',
    transform: { define: withoutNativeModules },
    plugins: [{ name: 'files-of-packages', resolveId: (id) => fileOfPackage(id) ?? null }],
    output: {
      dir: dirname(file),
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}.[name].js`,
    },
  })
}

/** The file that a relative import of a source names in node_modules; undefined for other imports. */
function fileOfPackage(id: string): string | undefined {
  const found = /^(?:\.\.\/)+(node_modules\/.+)$/.exec(id)
  return found === null ? undefined : join(root, found[1]!)
}

async function buildCommand(target: string): Promise<void> {
  const common: BuildOptions = {
    external: (id) => id.startsWith('node:'),
    platform: 'node',
    // Importing this room registers the decoders of the platform.
    treeshake: { moduleSideEffects: [{ test: /src[\\/]message-node[\\/]index\.ts$/, sideEffects: true }] },
  }
  // Chunks that the launcher loads have no import(): it would need a loader of ES modules.
  const output = {
    dir: target,
    format: 'cjs',
    minify: true,
    chunkFileNames: '[name].cjs',
    dynamicImportInCjs: false,
  } as const
  await bundle({
    ...common,
    input: { main: join(root, 'src/cli/programs/launcher.ts') },
    output: { ...output, entryFileNames: '[name].cjs', banner: '#!/usr/bin/env node' },
  })
  const define = {
    ...withoutNativeModules,
    HTTPCLI_VERSION: JSON.stringify(version),
    HTTPCLI_DISTRIBUTION: JSON.stringify('npm package'),
  }
  const settings: BuildOptions = { ...common, transform: { define } }
  const packages = [
    ...(await bundleProgram('command', settings, output)),
    ...(await bundleProgram('send', settings, output, [withoutFastPath()])),
    ...(await bundleProgram('run', settings, output)),
  ]
  const launcher = join(target, 'main.cjs')
  for (const file of filesIn(target, '.cjs')) {
    const code = asAscii(readFileSync(file, 'utf8'))
    writeFileSync(file, file === launcher ? code : asFunction(code))
  }
  chmodSync(launcher, 0o755)
  placeEngineProgram(target, await preparedEngineProgram())
  assertNoPackageIsImported(filesIn(target, '.cjs'))
  writeNotices(target, root, new Set(packages))
  await recordCompiledCode(launcher)
}

/** A program that the launcher starts: everything that it loads at once is in one chunk. */
async function bundleProgram(
  name: string,
  settings: BuildOptions,
  output: OutputOptions,
  plugins: readonly Plugin[] = [],
): Promise<readonly string[]> {
  const program = join(root, `src/cli/programs/${name}-program.ts`)
  const needed = new Set<string>()
  return bundle({
    ...settings,
    input: { [name]: program },
    preserveEntrySignatures: 'allow-extension',
    plugins: [...plugins, collectStaticImports(program, needed)],
    output: {
      ...output,
      entryFileNames: '[name].cjs',
      chunkFileNames: `${name}.[name].cjs`,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: 'all', test: (id) => needed.has(id) }],
      },
    },
  })
}

/**
 * Leaves the fast path of the message library out of a program that reads one response: loading it takes longer than it
 * saves. What is here in its place declines every head, so that the reference path reads it.
 */
function withoutFastPath(): Plugin {
  const flags = ['CHUNKED', 'CONTENT_LENGTH', 'CLOSE', 'KEEP_ALIVE', 'HTTP_1_0', 'INCOMPLETE']
  const code = `export const DECLINED = -1, ${flags.map((flag) => `${flag} = 0`).join(', ')}
    export const found = { marks: [], markCount: 0, length: 0, flags: 0, contentLength: 0 }
    export class HeadRules {}
    export const scanHead = () => DECLINED`
  const path = join(root, 'src/message/fast/fast-head.ts')
  return { name: 'without-fast-path', load: (id) => (id === path ? code : null) }
}

/** The same program without characters above U+007F: minified code has them in strings and patterns only. */
function asAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A CommonJS module as the expression of the function that src/cli/programs/launcher.ts calls. */
function asFunction(code: string): string {
  return `(function(exports,require,module,__filename,__dirname){${code}\n})`
}

/** Fills the set with all modules that a module loads at once, itself among them. */
function collectStaticImports(from: string, into: Set<string>): Plugin {
  return {
    name: 'static-imports',
    buildEnd() {
      const visit = (id: string): void => {
        if (into.has(id)) return
        into.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported)
      }
      visit(from)
    },
  }
}

/** Bundles, and tells whose code is in the result. */
async function bundle(options: BuildOptions): Promise<readonly string[]> {
  const { output } = await build({
    ...options,
    logLevel: 'warn',
    onLog(level, log, handler) {
      // A missing module is a warning to the bundler and a broken command to the user.
      if (log.code === 'UNRESOLVED_IMPORT') throw new BuildError(log.message)
      handler(level, log)
    },
  })
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).flatMap((id) => packageOf(id) ?? [])
}

function placeEngineProgram(directory: string, program: Uint8Array): void {
  for (const file of [...filesIn(directory, '.js'), ...filesIn(directory, '.cjs')]) {
    const destination = join(dirname(file), engineProgram)
    if (!existsSync(destination) && readFileSync(file, 'utf8').includes(engineProgram)) {
      writeFileSync(destination, program)
    }
  }
}

function assertNoPackageIsImported(files: readonly string[]): void {
  for (const file of files) {
    const packages = importedPackages(file)
    if (packages.length > 0) throw new BuildError(`${file} imports ${packages.join(', ')}: it would not be installed`)
  }
}

/**
 * What a file imports that is neither ours nor Node's. Words that only look like imports name nothing installed, or are
 * examples in doc comments.
 */
function importedPackages(file: string): readonly string[] {
  const code = readFileSync(file, 'utf8').replace(/^\s*\*.*$/gm, '')
  const found = code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\()(["'`])([^"'`\s]+)\1/g)
  return [...found].map((match) => match[2]!).filter((id) => fileOfPackage(id) !== undefined || isOfPackage(id))
}

function isOfPackage(id: string): boolean {
  if (id.startsWith('.') || isBuiltin(id)) return false
  return existsSync(join(root, 'node_modules', ...id.split('/').slice(0, id.startsWith('@') ? 2 : 1)))
}

function filesIn(directory: string, ending: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
}
