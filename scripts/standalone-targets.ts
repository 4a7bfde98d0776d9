/**
 * The systems for which a stand-alone executable can be built, and where the compiler finds the runtime for each.
 *
 * Rules: the runtime for this machine is installed with the compiler. The runtime for another system is fetched with
 * npm in the version of the compiler, and used only if its digest matches the lock file.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildError } from './build-error.ts'

export interface Target {
  /** The name for users and archives. */
  readonly name: string
  /** The compiler's name. */
  readonly compilerName: string
  /** The package that contains its runtime. */
  readonly runtimePackage: string
  readonly platform: NodeJS.Platform
  readonly architecture: NodeJS.Architecture
}

const target = (
  name: string,
  compilerName: string,
  platform: NodeJS.Platform,
  architecture: NodeJS.Architecture,
): Target => ({
  name,
  compilerName,
  runtimePackage: `@oven/${compilerName.replace('arm64', 'aarch64')}`,
  platform,
  architecture,
})

export const targets: readonly Target[] = [
  target('linux-x64', 'bun-linux-x64', 'linux', 'x64'),
  target('linux-arm64', 'bun-linux-arm64', 'linux', 'arm64'),
  target('linux-x64-musl', 'bun-linux-x64-musl', 'linux', 'x64'),
  target('linux-arm64-musl', 'bun-linux-arm64-musl', 'linux', 'arm64'),
  target('darwin-x64', 'bun-darwin-x64', 'darwin', 'x64'),
  target('darwin-arm64', 'bun-darwin-arm64', 'darwin', 'arm64'),
  target('windows-x64', 'bun-windows-x64', 'win32', 'x64'),
  target('windows-arm64', 'bun-windows-arm64', 'win32', 'arm64'),
]

/** @throws BuildError for a name that is not in the table */
export function targetNamed(name: string): Target {
  const found = targets.find((candidate) => candidate.name === name)
  if (found !== undefined) return found
  throw new BuildError(`unknown target "${name}", expected one of ${targets.map((known) => known.name).join(', ')}`)
}

/** The target for the current system. */
export function ownTarget(): Target {
  const { platform, arch } = process
  const found = targets.find((candidate) => candidate.platform === platform && candidate.architecture === arch)
  if (found !== undefined) return found
  throw new BuildError(`the compiler has no runtime for ${platform} on ${arch}`)
}

/**
 * Fetches the runtime of a target into the directory.
 * @returns the path of its executable
 * @throws BuildError if it cannot be fetched, or does not match the lock file
 */
export function fetchRuntime({ name, runtimePackage, platform }: Target, tools: string, directory: string): string {
  const lock = JSON.parse(readFileSync(join(tools, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
  }
  const locked = lock.packages[`node_modules/${runtimePackage}`]
  if (locked === undefined) throw new BuildError(`standalone/package-lock.json does not name ${runtimePackage}`)
  const specification = `${runtimePackage}@${locked.version}`
  const packed = spawnSync('npm', ['pack', specification, '--silent', '--pack-destination', directory], {
    cwd: tools,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (packed.status !== 0) throw new BuildError(`the runtime for ${name} (${specification}) cannot be fetched`)
  const archive = join(directory, packed.stdout.trim())
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (digest !== locked.integrity) throw new BuildError(`${specification} does not match the lock file: ${digest}`)
  const extracted = spawnSync('tar', ['-xzf', archive, '-C', directory], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (extracted.status !== 0) throw new BuildError(`${archive} cannot be extracted with tar`)
  return join(directory, 'package', 'bin', platform === 'win32' ? 'bun.exe' : 'bun')
}
