/** Archives of a release: every tool can open them, and the same files give the same bytes. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ArchiveEntry, tarGzip, zip } from '../../scripts/archive.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const entries: readonly ArchiveEntry[] = [
  { name: 'top/empty', content: Buffer.alloc(0) },
  { name: 'top/program', content: Buffer.from('#!/bin/sh\necho it runs\n'), isExecutable: true },
  { name: 'top/sub/large', content: Buffer.alloc(100_000, 'text ') },
]

const has = (program: string): boolean => spawnSync(program, ['--help']).error === undefined

describe.each([
  { kind: 'a tar archive', make: tarGzip, file: 'a.tar.gz', extract: ['tar', '-xzf'] as const },
  { kind: 'a zip archive', make: zip, file: 'a.zip', extract: ['python3', '-m', 'zipfile', '-e'] as const },
])('$kind', ({ make, file, extract }) => {
  it.skipIf(!has(extract[0]))('returns every file', () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, file), make(entries))
    const [program, ...words] = [...extract, file, ...(file.endsWith('.zip') ? ['.'] : [])]
    const { status, stderr } = spawnSync(program, words, { cwd: directory, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    for (const { name, content } of entries) expect(readFileSync(join(directory, name)).equals(content)).toBe(true)
    expect(readdirSync(join(directory, 'top')).toSorted()).toEqual(['empty', 'program', 'sub'])
  })

  it('is the same whenever it is built', () => {
    expect(make(entries).equals(make(entries))).toBe(true)
  })
})

it('an archive keeps the executable bit', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a.tar.gz'), tarGzip(entries))
  spawnSync('tar', ['-xzf', 'a.tar.gz'], { cwd: directory })
  expect(statSync(join(directory, 'top/program')).mode & 0o777).toBe(0o755)
  expect(statSync(join(directory, 'top/empty')).mode & 0o777).toBe(0o644)
})

it.skipIf(!has('unzip'))('a zip archive passes unzip -t', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a.zip'), zip(entries))
  expect(spawnSync('unzip', ['-t', 'a.zip'], { cwd: directory }).status).toBe(0)
})

it('an archive refuses a name that is too long for a tar header', () => {
  expect(() => tarGzip([{ name: 'x'.repeat(101), content: Buffer.alloc(0) }])).toThrow(/does not fit/)
})
