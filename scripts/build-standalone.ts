/**
 * Builds `dist/standalone/httpcli`: one executable that contains its runtime and needs no other file. For another
 * system it is built in `dist/standalone/<target>`.
 *
 * Run: npm run build:standalone [-- <target>], where a target is one of scripts/standalone-targets.ts, such as
 * linux-arm64
 */
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orReport } from './build-error.ts'
import { compileStandalone, executableName } from './standalone.ts'
import { ownTarget, targetNamed } from './standalone-targets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

await orReport('build:standalone', async () => {
  const [name] = process.argv.slice(2)
  const target = name === undefined ? ownTarget() : targetNamed(name)
  const file = join(root, 'dist', 'standalone', name ?? '', executableName(target))
  await compileStandalone(target, file)
  process.stdout.write(`built ${relative(root, file)}, ${(statSync(file).size / 1e6).toFixed(1)} MB\n`)
})
