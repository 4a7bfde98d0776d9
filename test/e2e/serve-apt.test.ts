/**
 * A package manager at work: apt-get updates from repositories that the built command serves, and installs from them.
 *
 * Rules: all files of apt and dpkg are in a directory of the test, so nothing of the machine is read or changed and
 * no rights are needed. The log has the paths that apt requested.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const hasTools = ['apt-get', 'dpkg', 'dpkg-deb'].every((tool) => spawnSync(tool, ['--version']).status === 0)

const startLine = /^Serving directory \S+ on (http:\/\/127\.0\.0\.1:\d+)$/

interface Repository {
  /** Below the served directory. */
  readonly directory: string
  /** The text after the address in the list of sources. */
  readonly suite: string
  /** Of the package, as the index names it. */
  readonly filename: string
  readonly indexFile: string
  readonly releaseFile: string
  /** A path that apt asks for, as it writes it. */
  readonly askedFor: string
}

const repositories: readonly (readonly [kind: string, repository: Repository])[] = [
  [
    'flat',
    {
      directory: 'flat',
      suite: './',
      filename: './greeting.deb',
      indexFile: 'Packages',
      releaseFile: 'Release',
      askedFor: '/flat/./greeting.deb',
    },
  ],
  [
    'nested',
    {
      directory: 'debian',
      suite: 'stable main',
      filename: 'pool/main/g/greeting/greeting_1.0_all.deb',
      indexFile: 'dists/stable/main/binary-all/Packages',
      releaseFile: 'dists/stable/Release',
      askedFor: '/debian/pool/main/g/greeting/greeting_1.0_all.deb',
    },
  ],
]

const control =
  'Package: greeting\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@example.com>\nDescription: says something\n'

function write(file: string, content: string | Buffer): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, content)
}

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

/** A package with one file, of which the whole repository is made. */
function makeRepository(base: string, root: string, { directory, filename, indexFile, releaseFile }: Repository): void {
  const source = join(base, 'package')
  write(join(source, 'DEBIAN', 'control'), control)
  write(join(source, 'opt', 'greeting.txt'), 'hello from the repository\n')
  const built = join(base, 'built.deb')
  execFileSync('dpkg-deb', ['--build', source, built])
  const content = readFileSync(built)
  const place = join(root, directory)
  write(join(place, filename), content)
  const index = `${control}Filename: ${filename}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`
  write(join(place, indexFile), index)
  const [, name = 'Packages'] = /^dists\/stable\/(.*)$/.exec(indexFile) ?? []
  const release =
    'Suite: stable\nCodename: stable\nArchitectures: all\nComponents: main\nDate: Sat, 21 Nov 2026 10:00:00 UTC\n' +
    `SHA256:\n ${sha256(index)} ${index.length} ${name}\n`
  write(join(place, releaseFile), release)
}

/** Runs apt-get in a separate root; all that it prints. Throws if it fails. */
function runAptGet(base: string, words: readonly string[]): string {
  const apt = join(base, 'apt')
  const directories = [
    ...['etc/apt.conf.d', 'etc/preferences.d', 'etc/trusted.gpg.d', 'etc/sources.list.d', 'state/lists/partial'],
    ...['cache/archives/partial', 'log', 'admin/updates', 'admin/info', 'admin/triggers', 'target'],
  ]
  for (const directory of directories) mkdirSync(join(apt, directory), { recursive: true })
  for (const file of ['admin/status', 'admin/available']) {
    if (!existsSync(join(apt, file))) write(join(apt, file), '')
  }
  const dpkg = ['--force-not-root', '--force-bad-path', '--no-triggers', `--admindir=${join(apt, 'admin')}`]
  const settings = {
    'Dir::Etc': join(apt, 'etc'),
    'Dir::Etc::main': 'none',
    'Dir::Etc::parts': 'apt.conf.d',
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'admin', 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Log': join(apt, 'log'),
    'APT::Architecture': 'amd64',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    'Debug::NoLocking': 'true',
  }
  const options = [...dpkg, `--instdir=${join(apt, 'target')}`, `--log=${join(apt, 'log', 'dpkg.log')}`]
  // Read before any file of the machine, and has no entries.
  const file = join(apt, 'apt.conf')
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
    ...options.map((option) => `Dpkg::Options:: "${option}";`),
  ]
  write(file, `${lines.join('\n')}\n`)
  const result = spawnSync('apt-get', words, {
    encoding: 'utf8',
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, APT_CONFIG: file, LC_ALL: 'C' },
  })
  if (result.status !== 0) throw new Error(`apt-get ${words.join(' ')}: ${result.stdout}${result.stderr}`)
  return result.stdout + result.stderr
}

describe.skipIf(!hasTools)('apt-get', () => {
  it.each(repositories)('updates and installs from a %s repository', async (_kind, repository) => {
    const base = temporaryDirectory()
    const root = join(base, 'site')
    makeRepository(base, root, repository)
    const running = await startCommand(['serve', root, '-p', '0', '-l'], startLine)
    onTestFinished(() => void running.child.kill('SIGKILL'))
    const source = `deb [trusted=yes] ${running.match[1]}/${repository.directory} ${repository.suite}\n`
    write(join(base, 'apt', 'etc', 'sources.list'), source)
    expect(runAptGet(base, ['update'])).not.toMatch(/^(?:Err|W|E):/m)
    runAptGet(base, ['--yes', 'install', 'greeting'])
    const installed = join(base, 'apt', 'target', 'opt', 'greeting.txt')
    expect(readFileSync(installed, 'utf8')).toBe('hello from the repository\n')
    // A second look finds everything unchanged.
    expect(runAptGet(base, ['update'])).toMatch(/^Hit:\d+ .* Release$/m)
    const log = (await running.stop()).stdout.toString()
    expect(log).toContain(`"GET ${repository.askedFor} HTTP/1.1" 200 `)
  })
})
