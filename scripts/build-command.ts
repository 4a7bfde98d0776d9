/**
 * Builds `dist/cli`: a CommonJS launcher and one chunk for each lazy import, because this form starts fastest.
 */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'rolldown'
import { BuildError } from './build-error.ts'
import { engineProgram, sharedModules } from './build-shared.ts'
import { assertNoPackageIsImported, bundle, filesIn } from './bundle.ts'
import { withoutNativeModules } from './native-modules.ts'
import { bundleProgram, programNames, programSettings } from './programs.ts'
import { writeNotices } from './third-party-notices.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }

/**
 * The first statement of the launcher: an older Node.js cannot load the chunks. It and the whole launcher are written
 * in what such a version can parse.
 */
const runtimeGuard = `if (typeof process.getBuiltinModule !== 'function') {
  require('fs').writeSync(2, 'httpcli: Node.js ' + process.versions.node + ' (' + process.execPath + ') is not supported\\n' +
    'hint: Install Node.js 20.19, 22.12 or later, or the executable of httpcli, which needs no Node.js.\\n')
  process.exit(1)
}`

/** Stands for the digest of the build until all files exist. */
const BUILD_PLACE = 'HTTPCLI_BUILD_ID'

export async function buildCommand(target: string): Promise<void> {
  // Chunks that the launcher loads contain no import(), which would need a loader of ES modules.
  const output = {
    dir: target,
    format: 'cjs',
    minify: true,
    chunkFileNames: '[name].cjs',
    dynamicImportInCjs: false,
  } as const
  await bundle({
    ...programSettings,
    input: { main: join(root, 'src/cli/programs/launcher.ts') },
    transform: { target: 'es2019', define: { HTTPCLI_BUILD: JSON.stringify(BUILD_PLACE) } },
    output: { ...output, entryFileNames: '[name].cjs', banner: `#!/usr/bin/env node\n${runtimeGuard}` },
  })
  const define = {
    ...withoutNativeModules,
    HTTPCLI_VERSION: JSON.stringify(version),
    HTTPCLI_DISTRIBUTION: JSON.stringify('npm package'),
    HTTPCLI_ENGINE_PROGRAM: JSON.stringify(`../shared/${engineProgram}`),
  }
  const plugins = [sharedModules(() => join(root, 'dist', 'cli'))]
  const settings: BuildOptions = { ...programSettings, transform: { define }, plugins }
  const packages: string[] = []
  for (const name of programNames) packages.push(...(await bundleProgram(name, 'cjs', settings, output)))
  for (const name of ['send', 'run']) includeHelpers(target, name)
  const launcher = join(target, 'main.cjs')
  for (const file of filesIn(target, '.cjs')) {
    const code = asAscii(readFileSync(file, 'utf8'))
    writeFileSync(file, file === launcher ? code : asFunction(code))
  }
  chmodSync(launcher, 0o755)
  assertNoPackageIsImported(filesIn(target, '.cjs'))
  writeNotices(target, root, new Set(packages))
  nameBuild(launcher, [...filesIn(target, '.cjs'), ...filesIn(join(root, 'dist', 'shared'), '')])
}

/** Writes a digest of all chunks into the launcher: compiled code is cached for one build. */
function nameBuild(launcher: string, files: readonly string[]): void {
  const digest = createHash('sha256')
  for (const file of files.toSorted()) digest.update(`${basename(file)}\0`).update(readFileSync(file))
  const code = readFileSync(launcher, 'utf8')
  if (code.split(BUILD_PLACE).length !== 2) throw new BuildError(`${launcher} has no single place for the build`)
  writeFileSync(launcher, code.replace(BUILD_PLACE, digest.digest('hex').slice(0, BUILD_PLACE.length)))
}

/**
 * Includes the helpers of the bundler in a program as well: a separate file would be one more to load at each start.
 */
function includeHelpers(target: string, name: string): void {
  const [program, helpers] = [join(target, `${name}.cjs`), join(target, `${name}.rolldown-runtime.cjs`)]
  if (!existsSync(helpers)) return
  const own = `(exports=>{${readFileSync(helpers, 'utf8')};return exports})({})`
  const code = readFileSync(program, 'utf8').replace(`require("./${basename(helpers)}")`, () => own)
  writeFileSync(program, code)
}

/** The same program without characters above U+007F, which minified code has only in strings and patterns. */
function asAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A CommonJS module as a function expression, which src/cli/programs/launcher.ts calls. */
function asFunction(code: string): string {
  return `(function(exports,require,module,__filename,__dirname){${code}\n})`
}
