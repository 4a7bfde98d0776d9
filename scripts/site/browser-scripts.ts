/** The scripts of the site, bundled for browsers: plain scripts, because pages opened as files may not load modules. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Code by file name. */
export async function browserScripts(): Promise<ReadonlyMap<string, string>> {
  const licence = readFileSync(pathOf('../../node_modules/minisearch/LICENSE.txt'), 'utf8')
  return new Map([
    ['site.js', await bundled('browser/site.ts')],
    ['search.js', `/*! MiniSearch\n${licence.trim()}\n*/\n${await bundled('browser/search.ts')}`],
  ])
}

async function bundled(entry: string): Promise<string> {
  const { output } = await build({
    input: pathOf(entry),
    platform: 'browser',
    write: false,
    logLevel: 'warn',
    output: { format: 'iife', minify: true },
  })
  return output[0].code
}
