/**
 * Builds `dist/message`, a package of its own: the portable message library alone, for those who need no command.
 *
 * Rules: it is made of dist/lib/message. ES modules stay one file each, so that a bundler leaves out what a program does
 * not use; CommonJS is one file. Both have declarations; those for CommonJS leave out the doc comments, which would make
 * a quarter of the package a repetition. Only what can be reached from the entry is in it.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minifySync } from 'rolldown/utils'
import { assertNoPackageIsImported, bundle, filesIn } from './bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const library = join(root, 'dist', 'lib', 'message')

interface Manifest {
  readonly version: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
}

/** Name of the package. */
export const messagePackage = 'httpcli-message'

/** @throws Error where dist/lib is missing */
export async function buildMessage(target: string): Promise<void> {
  for (const file of reachable(join(library, 'index.js'), '.js')) {
    // Names of exports and properties stay; the sources are in the repository.
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
  await bundle({
    input: join(library, 'index.js'),
    platform: 'neutral',
    output: { dir: join(target, 'cjs'), format: 'cjs', minify: true, entryFileNames: '[name].js' },
  })
  // What a folder holds is ES modules or CommonJS by the package.json in it.
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
    exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
    files: ['cjs', 'esm'],
    sideEffects: false,
  }
}

/** The file and all files that it imports, and they. */
function reachable(file: string, ending: '.js' | '.d.ts', into: Set<string> = new Set()): ReadonlySet<string> {
  if (into.has(file)) return into
  into.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport\()["'](\.[^"']+)\.[jt]s["']/g)) {
    reachable(join(dirname(file), `${path}${ending}`), ending, into)
  }
  return into
}

function withoutDocComments(text: string): string {
  return text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\r?\n/gm, '')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
