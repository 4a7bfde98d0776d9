/** Errors of a release or an executable take one line, and no files are left. */
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function script(name: string, ...words: readonly string[]): { readonly code: number | null; readonly err: string } {
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
  const { status, stderr } = spawnSync(process.execPath, [tsx, join(root, 'scripts', name), ...words], {
    cwd: root,
    encoding: 'utf8',
  })
  return { code: status, err: stderr }
}

it.each([
  ['release.ts', 'release'],
  ['build-standalone.ts', 'build:standalone'],
])('%s: an unknown target', (name, program) => {
  expect(script(name, 'linux-riscv')).toEqual({
    code: 1,
    err: expect.stringMatching(
      new RegExp(`^${program}: unknown target "linux-riscv", expected one of linux-x64, [^\\n]*\\n$`),
    ),
  })
})

it('release: an output directory that holds something else is left alone', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'thesis.txt'), '')
  expect(script('release.ts', '--output', directory, 'linux-x64')).toEqual({
    code: 1,
    err: `release: ${directory} exists and is not a release: remove it, or give another --output\n`,
  })
  expect(readdirSync(directory)).toEqual(['thesis.txt'])
})

it('release: an output directory that cannot be created', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), '')
  const output = join(directory, 'file', 'release')
  const { code, err } = script('release.ts', '--output', output, 'linux-x64')
  expect(code).toBe(1)
  expect(err).toMatch(/^release: cannot use [^\n]*file[^\n]* \(E[A-Z]+\)\n$/)
  expect(readdirSync(directory)).toEqual(['file'])
})

it('try-runtimes.ts: an unknown runtime', () => {
  expect(script('try-runtimes.ts', 'node@18').err).toBe(
    'try:runtimes: unknown runtime "node@18", expected one of node@20, node@22, node@24, node@26, bun, deno\n',
  )
})
