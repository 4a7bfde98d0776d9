/**
 * Compiles the stand-alone executable: the command, its runtime and the program of the script engine in one file.
 *
 * Rules: the compiler is in a separate package (standalone/), which is fetched if it is missing, because it is large
 * and nothing else needs it. The script engine's program is stored in the executable under the name that the module
 * that loads it expects. The executable reads no runtime settings from the directory where it runs. The file is written
 * atomically; if it is for this machine, it must first start successfully. The same sources give the same bytes in any
 * directory.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { BuildError } from './build-error.ts'
import { bundle } from './bundle.ts'
import { generateSources } from './generate.ts'
import { signedAdHoc } from './mach-o-signature.ts'
import { modulesWhenUsed } from './modules-when-used.ts'
import { withoutNativeModules } from './native-modules.ts'
import { preparedEngineProgram } from './prepare-world.ts'
import { bundleProgram, programNames, programSettings, replaced } from './programs.ts'
import { coveredWithSections, withoutRuntimeVariables } from './runtime-executable.ts'
import type { RuntimeSources } from './runtime-notice.ts'
import { fetchRuntime, ownTarget, type Target } from './standalone-targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const tools = join(root, 'standalone')
const compiler = join(tools, 'node_modules', 'bun', 'bin', 'bun.exe')

/** The script engine's program, by the name that it has in the executable. */
const ENGINE_PROGRAM = 'quickjs.wasm'

/** The sources that the runtime was built from. The compiler must be present: compileStandalone fetches it. */
export function runtimeSources(): RuntimeSources {
  const expression = '[Bun.version, Bun.revision, process.versions.webkit, process.versions.tinycc].join(" ")'
  const { stdout } = spawnSync(compiler, ['--print', expression], { encoding: 'utf8' })
  const found = /^(?<version>\S+) (?<bun>[0-9a-f]{40}) (?<webkit>[0-9a-f]{40}) (?<tinycc>[0-9a-f]{40})\n$/.exec(stdout)
  if (found === null) throw new BuildError('the runtime does not print which sources it was built from')
  return { ...(found.groups as unknown as RuntimeSources) }
}

/** The entry file for the compiler. */
const ENTRY = 'program.mjs'

/** Bundles the programs of the executable, and the entry point that loads them, into the directory. */
export async function bundlePrograms(work: string): Promise<void> {
  const runtime = replaced({
    'wire/connection/node-socket.ts': 'wire/connection/runtime-socket.ts',
    'cli/programs/node-descriptor.ts': 'cli/programs/runtime-descriptor.ts',
  })
  const output = { dir: work, format: 'esm' } as const
  for (const name of programNames) {
    const plugins = [runtime, modulesWhenUsed(name)]
    await bundleProgram(name, 'mjs', { ...programSettings, plugins }, output)
  }
  await bundle({
    ...programSettings,
    input: join(root, 'src', 'cli', 'programs', 'standalone-program.ts'),
    plugins: [bundledPrograms, modulesWhenUsed('send')],
    output: { ...output, entryFileNames: ENTRY },
  })
}

/** Redirects imports of programs to their bundles. */
const bundledPrograms: Plugin = {
  name: 'bundled-programs',
  resolveId(id) {
    const name = /^\.\/(\w+)-program\.ts$/.exec(id)?.[1]
    return name === undefined ? null : { id: `./${name}.mjs`, external: true }
  },
}

/** `httpcli`, or `httpcli.exe` on systems that need the extension. */
export function executableName({ platform }: Target): string {
  return platform === 'win32' ? 'httpcli.exe' : 'httpcli'
}

/**
 * Compiles for the target into `file`; its directory is created.
 * @throws BuildError if the compiler or the runtime of the target is missing, or the program does not compile
 */
export async function compileStandalone(target: Target, file: string): Promise<void> {
  if (!existsSync(compiler)) {
    run(
      'npm',
      ['ci', '--no-audit', '--no-fund'],
      tools,
      'the compiler cannot be fetched: "npm ci" in standalone/ failed',
    )
  }
  await generateSources()
  mkdirSync(dirname(file), { recursive: true })
  const work = mkdtempSync(join(dirname(file), 'build-'))
  try {
    const fresh = join(work, executableName(target))
    writeFileSync(join(work, ENGINE_PROGRAM), await preparedEngineProgram())
    await bundlePrograms(work)
    // Run inside the directory, because its name changes, and would otherwise change the names of chunks.
    run(compiler, words(target, work, fresh), work, `the executable for ${target.name} does not compile`)
    writeFileSync(fresh, finished(target, readFileSync(fresh)))
    if (isOwn(target)) run(fresh, ['--version'], work, 'the new executable does not start')
    renameSync(fresh, file)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Corrects faults of the executable that the compiler produces. */
function finished({ platform }: Target, compiled: Buffer): Buffer {
  const executable = withoutRuntimeVariables(compiled)
  if (platform === 'linux') return coveredWithSections(executable)
  // The compiler leaves the signature of the runtime, which no longer matches: macOS would kill the program.
  return platform === 'darwin' ? signedAdHoc(executable, 'httpcli') : executable
}

function words(target: Target, work: string, outfile: string): readonly string[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  /** The path at which an executable finds its embedded files. */
  const carried = target.platform === 'win32' ? 'B:/~BUN/root' : '/$bunfs/root'
  return [
    'build',
    `./${ENTRY}`,
    `./${ENGINE_PROGRAM}`,
    '--compile',
    '--minify',
    '--bytecode',
    // Chunks stay separate: with all of them in one file, each start would take twice as long.
    '--format=esm',
    '--splitting',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--asset-naming=[name].[ext]',
    // The path of the build does not matter, and would make the executable differ from machine to machine.
    `--define=import.meta.url=${JSON.stringify(`file://${carried}/program.js`)}`,
    ...Object.entries(withoutNativeModules).map(([expression, value]) => `--define=${expression}=${value}`),
    `--define=HTTPCLI_VERSION=${JSON.stringify(version)}`,
    `--define=HTTPCLI_DISTRIBUTION=${JSON.stringify('stand-alone executable')}`,
    `--define=HTTPCLI_ENGINE_PROGRAM=${JSON.stringify(`${carried}/${ENGINE_PROGRAM}`)}`,
    ...(isOwn(target)
      ? []
      : [`--target=${target.compilerName}`, `--compile-executable-path=${fetchRuntime(target, tools, work)}`]),
    `--outfile=${outfile}`,
  ]
}

function isOwn(target: Target): boolean {
  return target === ownTarget()
}

function run(program: string, args: readonly string[], directory: string, failure: string): void {
  const { status, error } = spawnSync(program, args, {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: program === 'npm' && process.platform === 'win32',
  })
  if (error !== undefined) throw new BuildError(`${failure} (${error.message})`)
  if (status !== 0) throw new BuildError(failure)
}
