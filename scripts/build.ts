/**
 * Builds the package: `dist/lib`, the library as ES modules with types; `dist/cli`, the command; and `dist/shared`, the
 * modules that both load. Also builds `dist/message`, a package of the portable library alone.
 *
 * Rules: built files import no package, so that the package has no dependencies; otherwise the build fails. Nothing
 * large is in the package twice. Each part is built beside the old one and then replaces it, so that a failed build
 * leaves the old part in place.
 *
 * Run: npm run build [-- lib|message|cli]
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildCommand } from './build-command.ts'
import { BuildError, orReport } from './build-error.ts'
import { buildLibrary } from './build-library.ts'
import { buildMessage } from './build-message.ts'
import { buildShared } from './build-shared.ts'
import { generateSources } from './generate.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const parts: Readonly<Record<string, (target: string) => Promise<void> | void>> = {
  lib: buildLibrary,
  message: buildMessage,
  cli: buildCommand,
}

await orReport('build', async () => {
  const names = process.argv.slice(2)
  const wanted = (names.length > 0 ? names : Object.keys(parts)).map((name) => [name, partNamed(name)] as const)
  await generateSources()
  await buildPart('shared', buildShared)
  for (const [name, part] of wanted) await buildPart(name, part)
})

function partNamed(name: string): (target: string) => Promise<void> | void {
  const part = parts[name]
  if (part === undefined)
    throw new BuildError(`unknown part "${name}", expected one of ${Object.keys(parts).join(', ')}`)
  return part
}

async function buildPart(name: string, part: (target: string) => Promise<void> | void): Promise<void> {
  const started = performance.now()
  const target = join(root, 'dist', name)
  const fresh = join(root, 'dist', `${name}.${process.pid}`)
  try {
    await part(fresh)
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  process.stdout.write(`built dist/${name} in ${Math.round(performance.now() - started)} ms\n`)
}
