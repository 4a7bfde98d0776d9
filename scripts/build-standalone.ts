/**
 * Builds `dist/standalone/httpcli`: one executable that carries its runtime and needs no file beside it.
 *
 * Rules: the compiler is in a package of its own (standalone/), fetched when it is missing, because it is large and
 * nothing else needs it. The script engine's program goes into the executable under the name by which it is looked for
 * beside the module that loads it. The new executable takes the place of the old one only when it answers.
 *
 * Run: npm run build:standalone [-- <target>], where a target is one of the compiler's, such as bun-linux-arm64.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
const tools = join(root, 'standalone')
const compiler = join(tools, 'node_modules', 'bun', 'bin', 'bun.exe')
const target = process.argv[2]
const output = join(root, 'dist', 'standalone')
const isForWindows = target?.includes('windows') ?? false
const name = isForWindows ? 'httpcli.exe' : 'httpcli'
/** Where an executable finds what it carries. */
const carried = isForWindows ? 'B:/~BUN/root' : '/$bunfs/root'

function run(program: string, words: readonly string[], directory: string): void {
  const { status, error } = spawnSync(program, words, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${words[0]} ended with ${status}`)
}

if (!existsSync(compiler)) run('npm', ['ci', '--no-audit', '--no-fund'], tools)
mkdirSync(output, { recursive: true })
const work = mkdtempSync(join(output, 'build-'))
try {
  const fresh = join(work, name)
  run(
    compiler,
    [
      'build',
      join(root, 'src', 'cli', 'standalone-program.ts'),
      require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
      '--compile',
      '--minify',
      '--bytecode',
      '--asset-naming=[name].[ext]',
      `--define=HTTPCLI_VERSION=${JSON.stringify(version)}`,
      `--define=HTTPCLI_DISTRIBUTION=${JSON.stringify('stand-alone executable')}`,
      `--define=HTTPCLI_ENGINE_PROGRAM=${JSON.stringify(`${carried}/emscripten-module.wasm`)}`,
      ...(target === undefined ? [] : [`--target=${target}`]),
      `--outfile=${fresh}`,
    ],
    root,
  )
  if (target === undefined) run(fresh, ['--version'], work)
  renameSync(fresh, join(output, name))
  const sizeMb = (statSync(join(output, name)).size / 1e6).toFixed(1)
  process.stdout.write(`built dist/standalone/${name}, ${sizeMb} MB\n`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
