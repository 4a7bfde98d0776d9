/**
 * Builds `dist/message`, a separate package: the portable message library alone, for programs that need no command.
 *
 * Rules: it is built from dist/lib/message. ES modules stay one file each, so that a bundler can omit unused ones. The
 * CommonJS entry requires them, which every supported Node.js can do, so there is one copy of the code, and one set of
 * classes for programs that load both. Both have declarations; the ones for CommonJS omit the doc comments, which would
 * repeat a quarter of the package. Only modules that the entry reaches are included.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minifySync } from 'rolldown/utils'
import { assertNoPackageIsImported, filesIn, reachable } from './bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const library = join(root, 'dist', 'lib', 'message')

interface Manifest {
  readonly version: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
}

/** Name of the package. */
export const messagePackage = 'httpcli-message'

/** In browsers the fast path, a quarter of the decoder, is left out. package.json has the same for httpcli. */
const forBrowsers = { replaced: 'fast/canonical-head.js', replacement: 'fast/declined-heads.js' }

/** @throws Error if dist/lib is missing */
export function buildMessage(target: string): void {
  for (const file of [...reachable(join(library, 'index.js'), '.js'), join(library, forBrowsers.replacement)]) {
    // Names of exports and properties are kept; the sources are in the repository.
    write(
      join(target, 'esm', relative(library, file)),
      minifySync(file, readFileSync(file, 'utf8'), { module: true }).code,
    )
  }
  for (const file of reachable(join(library, 'index.d.ts'), '.d.ts')) {
    const text = readFileSync(file, 'utf8')
    write(join(target, 'esm', relative(library, file)), text)
    write(join(target, 'cjs', relative(library, file)), withoutDocComments(text))
  }
  write(join(target, 'cjs', 'index.js'), "module.exports = require('../esm/index.js')\n")
  // The package.json of a folder decides whether it contains ES modules or CommonJS.
  write(join(target, 'cjs', 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`)
  write(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  cpSync(join(root, 'scripts', 'message-package', 'README.md'), join(target, 'README.md'))
  assertNoPackageIsImported([...filesIn(target, '.js'), ...filesIn(target, '.d.ts')])
}

function manifest(): object {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const entry = (folder: string): object => ({ types: `./${folder}/index.d.ts`, default: `./${folder}/index.js` })
  return {
    name: messagePackage,
    version,
    description: 'Reads and writes HTTP/1.1 messages: portable, strict where it has to be, without I/O.',
    keywords: ['http', 'http-parser', 'http1', 'parser', 'sans-io'],
    license,
    type: 'module',
    engines,
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    browser: { [`./esm/${forBrowsers.replaced}`]: `./esm/${forBrowsers.replacement}` },
    exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
    files: ['cjs', 'esm'],
    sideEffects: false,
  }
}

function withoutDocComments(text: string): string {
  return text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\r?\n/gm, '')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
