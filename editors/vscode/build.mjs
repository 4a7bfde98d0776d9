/**
 * Bundles the extension, and puts the built language server and the licence beside it.
 *
 * Rules: the server is the command of this repository, built before; nothing is fetched.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

if (!existsSync(`${root}dist/cli/main.cjs`)) {
  throw new Error('dist/cli is missing: run "npm run build" at the root of the repository first')
}
for (const name of ['out', 'server']) rmSync(`${here}${name}`, { recursive: true, force: true })
const bundle = await rolldown({ input: `${here}src/extension.ts`, external: ['vscode'], platform: 'node' })
const { output } = await bundle.write({ file: `${here}out/extension.cjs`, format: 'cjs', minify: true })
await bundle.close()
writeFileSync(`${here}out/THIRD-PARTY-NOTICES.txt`, notices(output))
mkdirSync(`${here}server`)
cpSync(`${root}dist/cli`, `${here}server/cli`, { recursive: true })
cpSync(`${root}dist/shared`, `${here}server/shared`, { recursive: true })
cpSync(`${root}LICENSE`, `${here}LICENSE`)

/** The licences of the packages whose code is in the bundle. */
function notices(chunks) {
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds)
  const packages = new Set(modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []))
  return [...packages].toSorted().map(noticeOf).join('\n')
}

function noticeOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'))
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `${name} ${version} (${license})\n\n${readFileSync(`${directory}/${file}`, 'utf8').trim()}\n`
}
