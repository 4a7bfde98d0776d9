/**
 * Runs the end-to-end tests on the stand-alone executable.
 *
 * Rules: tests dist/standalone/httpcli, which the tests find by HTTPCLI_COMMAND. Every test file runs except those in
 * the table, which would only repeat the same work.
 *
 * Run: npm run build:standalone && npm run test:standalone [-- <words for vitest>…]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError, orReport } from './build-error.ts'
import { executableName } from './standalone.ts'
import { ownTarget } from './standalone-targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Tests that do not use the executable, or see the same bytes in a browser. */
const leftOut: Readonly<Record<string, string>> = {
  'cli-package.test.ts': 'tests the npm package',
  'message-package.test.ts': 'tests the npm packages',
  'package.test.ts': 'tests the npm package',
  'library-docs.test.ts': 'uses the library alone',
  'library-examples.test.ts': 'uses the library alone',
  'run-library.test.ts': 'uses the library alone',
  'send-terminal.test.ts': 'uses the modules of the command directly',
  'documents-site.test.ts': 'looks at pages that documents.test.ts and serve.test.ts have checked',
  'run-report-page.test.ts': 'looks at a page that run-reports.test.ts has checked',
}

await orReport('test:standalone', async () => {
  const executable = join(root, 'dist', 'standalone', executableName(ownTarget()))
  if (!existsSync(executable)) throw new BuildError(`${executable} is missing: run "npm run build:standalone" first`)
  const files = readdirSync(join(root, 'test', 'e2e'))
    .filter((name) => name.endsWith('.test.ts') && !Object.hasOwn(leftOut, name))
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
