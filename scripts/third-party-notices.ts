/**
 * The licences of all packages whose code this project ships, in one file beside it, as the licences require.
 *
 * Rules: the packages are those that the bundler actually included, those whose data became a table of this project,
 * and the package that contains the script engine. `notices/` has texts that the licence file of a package omits.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages in dist/shared and the generated sources (scripts/generate.ts). */
const usedAsData = [
  '@faker-js/faker',
  '@xmldom/xmldom',
  'acorn',
  'entities',
  'jsonpath-rfc9535',
  'mime-db',
  'parse5',
  'quickjs-wasi',
  'tldts',
  'tldts-core',
  'tough-cookie',
  'xpath',
  'yaml',
]

/** The package that a module belongs to; undefined for a module of this project. */
export function packageOf(moduleId: string): string | undefined {
  const [, path] = /^.*[\\/]node_modules[\\/](.+)$/.exec(moduleId) ?? []
  return path
    ?.split(/[\\/]/)
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}

const RULER = `\n${'-'.repeat(72)}\n\n`

/** The names of the packages in such a file, each once. */
export function noticedPackages(notices: string): readonly string[] {
  const names = notices.split(RULER).flatMap((notice) => /^(\S+) \d\S*\n\n/.exec(notice)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}

/** Writes THIRD-PARTY-NOTICES.txt into the directory. Throws if a package has no licence file. */
export function writeNotices(directory: string, root: string, packages: ReadonlySet<string>): void {
  const notices = [...new Set([...packages, ...usedAsData])].sort().map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    if (licence === undefined) throw new Error(`the package ${name} has no licence file`)
    const more = join(root, 'scripts', 'notices', `${name}.txt`)
    const texts = [join(folder, licence), ...(existsSync(more) ? [more] : [])]
    return `${name} ${version}\n\n${texts.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n')}\n`
  })
  const head = 'This software contains code or data of the following packages.\n'
  writeFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt'), [head, ...notices].join(RULER))
}
