/**
 * Runs the end-to-end tests on the stand-alone executable: those whose tests start the command.
 *
 * Rules: dist/standalone/httpcli is what is tested; the tests find it by HTTPCLI_COMMAND. Files that only use the library
 * would do the same again, and are left out.
 *
 * Run: npm run build:standalone && npm run test:standalone [-- <words for vitest>…]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError, orReport } from './build-error.ts'
import { executableName } from './standalone.ts'
import { ownTarget } from './standalone-targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

await orReport('test:standalone', async () => {
  const executable = join(root, 'dist', 'standalone', executableName(ownTarget()))
  if (!existsSync(executable)) throw new BuildError(`${executable} is missing: run "npm run build:standalone" first`)
  const folder = join(root, 'test', 'e2e')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => /\b(?:runCommand|startCommand|commandLine)\b/.test(readFileSync(join(folder, name), 'utf8')))
    .map((name) => join('test', 'e2e', name))
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const words = [vitest, 'run', '--project', 'e2e', ...files, ...process.argv.slice(2)]
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, HTTPCLI_COMMAND: executable },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  process.exitCode = code ?? 1
})
