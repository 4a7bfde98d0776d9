/** A Debian package is installed, used and removed by dpkg. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { debianPackage } from '../../scripts/debian-package.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const files = [
  { name: 'usr/share/man/man1/tool.1', content: Buffer.from('.TH TOOL 1\n') },
  { name: 'usr/bin/tool', content: Buffer.from('#!/bin/sh\necho it runs\n'), isExecutable: true },
  { name: 'usr/share/doc/tool/changelog', content: Buffer.from('an odd number of bytes') },
]
const manifest = { name: 'tool', version: '1.2.3', description: 'Does one thing; and another.' }
const build = (): Buffer => debianPackage({ manifest, architecture: architecture(), files })

function architecture(): string {
  const { stdout } = spawnSync('dpkg', ['--print-architecture'], { encoding: 'utf8' })
  return (stdout ?? '').trim() || 'amd64'
}

it('is the same whenever it is built', () => {
  expect(build().equals(build())).toBe(true)
})

// dpkg installs as root only.
const canInstall = spawnSync('dpkg', ['--version']).status === 0 && process.getuid?.() === 0

it.skipIf(!canInstall)('is installed, used and removed', () => {
  const directory = temporaryDirectory()
  const [root, file] = [join(directory, 'root'), join(directory, 'tool.deb')]
  for (const name of ['info', 'updates', 'triggers']) mkdirSync(join(root, 'var/lib/dpkg', name), { recursive: true })
  writeFileSync(join(root, 'var/lib/dpkg/status'), '')
  writeFileSync(file, build())
  const dpkg = (...words: readonly string[]) =>
    spawnSync('dpkg', [`--root=${root}`, '--force-depends', ...words], { encoding: 'utf8' })

  expect(dpkg('--install', file).status).toBe(0)
  expect(dpkg('--status', 'tool').stdout).toMatch(/^Version: 1\.2\.3-1$/m)
  // Every file is the one that its digest is of.
  expect(dpkg('--verify', 'tool')).toMatchObject({ status: 0, stdout: '' })
  expect(execFileSync(join(root, 'usr/bin/tool'), { encoding: 'utf8' })).toBe('it runs\n')
  expect(gunzipSync(readFileSync(join(root, 'usr/share/man/man1/tool.1.gz'))).toString()).toBe('.TH TOOL 1\n')
  expect(statSync(join(root, 'usr/share/man')).mode & 0o777).toBe(0o755)

  expect(dpkg('--purge', 'tool').status).toBe(0)
  expect(existsSync(join(root, 'usr/bin/tool'))).toBe(false)
})
