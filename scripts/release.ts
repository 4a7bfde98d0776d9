/**
 * Creates all files of a release, in dist/release: the npm package, the package of the message library alone, an
 * archive with the stand-alone executable for each target, Debian packages of the executable, software bills of
 * materials, and SHA256SUMS.
 *
 * Rules: the directory replaces an old one when it is complete; an error leaves no partial result. The same sources
 * give the same files wherever the parts allow it: names, order and times in archives are fixed. The other steps of a
 * release are in CONTRIBUTING.md.
 *
 * Run: npm run release [-- [--output <dir>] [<target>…]], all of scripts/standalone-targets.ts without a target
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type ArchiveEntry, tarGzip, zip } from './archive.ts'
import { BuildError, orReport } from './build-error.ts'
import { debianArchitectures, debianPackage } from './debian-package.ts'
import { releaseDate } from './man-page.ts'
import { runtimeNotice } from './runtime-notice.ts'
import {
  type Component,
  javaScriptCoreComponent,
  type LockFile,
  packageComponent,
  scriptEngineComponent,
  softwareBill,
} from './software-bill.ts'
import { compileStandalone, executableName, runtimeSources } from './standalone.ts'
import { type Target, targetNamed, targets } from './standalone-targets.ts'
import { noticedPackages } from './third-party-notices.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly description: string
  readonly repository?: unknown
}

const root = fileURLToPath(new URL('..', import.meta.url))
const inRoot = (...path: readonly string[]): string => join(root, ...path)
const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as Manifest
const title = `${manifest.name}-${manifest.version}`

/** Documents in every archive, by their names there. */
const documents: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'README.md',
      'LICENSE',
      // The files that README.md links to.
      ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
      ...['docs', 'examples/library'].flatMap(filesIn),
    ].map((path) => [path, path]),
  ),
  ...Object.fromEntries(readdirSync(inRoot('man')).map((name) => [`man/man1/${name}`, `man/${name}`])),
}

/** The path at which each shell looks for completions. */
const completions: Readonly<Record<string, string>> = {
  bash: 'completions/httpcli.bash',
  zsh: 'completions/_httpcli',
  fish: 'completions/httpcli.fish',
}

/** The paths and forms that the files of an archive have in a Debian package. */
const debianPaths: readonly (readonly [pattern: RegExp, path: string])[] = [
  [/^httpcli$/, 'usr/bin/httpcli'],
  [/^man\//, 'usr/share/man/'],
  [/^completions\/httpcli\.bash$/, 'usr/share/bash-completion/completions/httpcli'],
  [/^completions\/_httpcli$/, 'usr/share/zsh/vendor-completions/_httpcli'],
  [/^completions\/httpcli\.fish$/, 'usr/share/fish/vendor_completions.d/httpcli.fish'],
  [/^CHANGELOG\.md$/, 'usr/share/doc/httpcli/changelog'],
  [/^LICENSE$/, 'usr/share/doc/httpcli/copyright'],
  [/^(?=docs\/|examples\/|[A-Z]+\.md$|THIRD-PARTY-NOTICES\.txt$|sbom\.cdx\.json$)/, 'usr/share/doc/httpcli/'],
]

await orReport('release', async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { output: { type: 'string' } } })
  const wanted = positionals.length === 0 ? targets : positionals.map(targetNamed)
  const output = resolve(values.output ?? inRoot('dist', 'release'))
  assertReplaceable(output)
  mkdirSync(dirname(output), { recursive: true })
  const work = mkdtempSync(`${output}.`)
  try {
    npm(['run', 'build'])
    makePackage(work)
    for (const target of wanted) await makeArchive(target, work)
    writeChecksums(work)
    chmodSync(work, 0o755)
    rmSync(output, { recursive: true, force: true })
    renameSync(work, output)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  for (const name of readdirSync(output)) process.stdout.write(`${join(output, name)}\n`)
  if (manifest.repository === undefined) {
    process.stderr.write(
      'note: package.json names no repository yet: npm links neither the sources nor the pages of README.md\n',
    )
  }
  if (releaseDate(manifest.version, readFileSync(inRoot('CHANGELOG.md'), 'utf8')) === '') {
    process.stderr.write(`note: the changelog has no date for ${manifest.version} yet\n`)
  }
})

/** A directory is removed only if it is an earlier release. */
function assertReplaceable(directory: string): void {
  if (!existsSync(directory)) return
  const names = readdirSync(directory)
  if (names.length === 0 || names.includes('SHA256SUMS')) return
  throw new BuildError(`${directory} exists and is not a release: remove it, or give another --output`)
}

function makePackage(directory: string): void {
  npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', directory])
  npm(['pack', inRoot('dist', 'message'), '--ignore-scripts', '--silent', '--pack-destination', directory])
  const components = packageComponents(noticesOf('lib') + noticesOf('cli'))
  writeFileSync(join(directory, `${title}.cdx.json`), softwareBill(manifest, components))
}

async function makeArchive(target: Target, directory: string): Promise<void> {
  const executable = executableName(target)
  const folder = `${title}-${target.name}`
  await compileStandalone(target, join(directory, 'executable', executable))
  const content = readFileSync(join(directory, 'executable', executable))
  rmSync(join(directory, 'executable'), { recursive: true })
  const sources = runtimeSources()
  const runtime = [runtimeComponent(target), javaScriptCoreComponent(sources.webkit)]
  const bill = softwareBill(manifest, [...packageComponents(noticesOf('cli')), ...runtime])
  const files: readonly ArchiveEntry[] = [
    { name: executable, content, isExecutable: true },
    {
      name: 'THIRD-PARTY-NOTICES.txt',
      content: Buffer.from(noticesOf('cli') + runtimeNotice(inRoot('standalone'), sources)),
    },
    { name: 'sbom.cdx.json', content: Buffer.from(bill) },
    ...Object.entries(documents).map(([name, path]) => ({ name, content: readFileSync(inRoot(path)) })),
    ...Object.entries(completions).map(([shell, name]) => ({ name, content: completionFor(shell) })),
  ]
  const entries = files
    .map((file) => ({ ...file, name: `${folder}/${file.name}` }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const architecture = debianArchitectures[target.name]
  if (architecture !== undefined) {
    const name = `${manifest.name}_${manifest.version}-1_${architecture}.deb`
    writeFileSync(join(directory, name), debianPackage({ manifest, architecture, files: debianFiles(files) }))
  }
  const isZip = target.platform === 'win32'
  writeFileSync(join(directory, `${folder}.${isZip ? 'zip' : 'tar.gz'}`), isZip ? zip(entries) : tarGzip(entries))
}

/** The files of an archive at the paths that Debian prescribes for them. */
function debianFiles(files: readonly ArchiveEntry[]): readonly ArchiveEntry[] {
  return files.flatMap((file) => {
    const name = debianPaths.find(([pattern]) => pattern.test(file.name))
    return name === undefined ? [] : [{ ...file, name: file.name.replace(...name) }]
  })
}

/** Paths from the root of the repository, with slashes. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(inRoot(directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

function writeChecksums(directory: string): void {
  const lines = readdirSync(directory)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(directory, 'SHA256SUMS'), lines.join(''))
}

function packageComponents(notices: string): readonly Component[] {
  const lock = readLock(inRoot('package-lock.json'))
  const engine = scriptEngineComponent(readFileSync(inRoot('node_modules', 'quickjs-wasi', 'quickjs.wasm')))
  return [...noticedPackages(notices).map((name) => packageComponent(name, lock)), engine]
}

function runtimeComponent({ runtimePackage }: Target): Component {
  return packageComponent(runtimePackage, readLock(inRoot('standalone', 'package-lock.json')), 'platform')
}

function readLock(file: string): LockFile {
  return JSON.parse(readFileSync(file, 'utf8')) as LockFile
}

function noticesOf(part: 'lib' | 'cli'): string {
  return readFileSync(inRoot('dist', part, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
}

function completionFor(shell: string): Buffer {
  const { status, stdout } = spawnSync(process.execPath, [inRoot('dist/cli/main.cjs'), 'completion', shell])
  if (status !== 0) throw new BuildError(`"httpcli completion ${shell}" ended with ${status}`)
  return stdout
}

function npm(words: readonly string[]): void {
  const { status } = spawnSync('npm', words, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new BuildError(`"npm ${words.join(' ')}" ended with ${status}`)
}
