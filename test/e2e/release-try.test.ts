/** `.ci/try`, which starts every executable of a release on its own system, passes here and fails where it has to. */
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'
import { projectRoot } from '../helpers/document.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { readonly version: string }

interface Tried {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** With TMPDIR in a directory that must be empty afterwards. */
function tryProgram(temporary: string, ...words: readonly string[]): Promise<Tried> {
  return new Promise((resolve) => {
    const env = commandEnvironment({ TMPDIR: temporary })
    execFile('sh', [join(projectRoot, '.ci', 'try'), ...words], { env, cwd: temporary }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** The command, except for what the line of the shell does before it. */
function altered(directory: string, line: string): string {
  const file = join(directory, 'altered')
  const command = commandLine().map((word) => `'${word}'`)
  writeFileSync(file, `#!/bin/sh\n${line}\nexec ${command.join(' ')} "$@"\n`)
  chmodSync(file, 0o755)
  return file
}

describe.skipIf(process.platform === 'win32')('.ci/try', () => {
  it('reports each thing that works', async () => {
    const tried = await tryProgram(temporaryDirectory(), version, ...commandLine())
    expect(tried).toEqual({
      code: 0,
      out: [
        'works: --version',
        'works: send to serve',
        'works: run with a script',
        'works: send to serve over TLS',
        'works: a certificate that is not trusted',
        'works: a request that is wrong',
        '',
      ].join('\n'),
      err: '',
    })
  })

  it.each([
    ['--version', '[ "$1" != --version ] || exit 137'],
    ['serve', '[ "$1" != serve ] || { echo "cannot open shared object file" >&2; exit 127; }'],
    ['run with a script', '[ "$1" != run ] || exit 3'],
    ['a certificate that is not trusted', 'case "$*" in "send -t GET https:"*) exit 0 ;; esac'],
  ])('fails at %s with the output of the program', async (title, line) => {
    const tried = await tryProgram(temporaryDirectory(), version, altered(temporaryDirectory(), line))
    expect(tried.code).toBe(1)
    expect(tried.err).toMatch(new RegExp(`^does not work: ${title}: `))
    if (title === 'serve') expect(tried.err).toContain('cannot open shared object file\n')
  })

  it('fails for an executable of another version', async () => {
    const tried = await tryProgram(temporaryDirectory(), '1.0.0', ...commandLine())
    expect(tried).toMatchObject({ code: 1, out: '' })
    expect(tried.err).toMatch(/^does not work: --version: .*\nhttpcli \d/)
  })

  it('asks for a version and a program', async () => {
    const tried = await tryProgram(temporaryDirectory(), version)
    expect(tried).toEqual({ code: 1, out: '', err: 'usage: .ci/try <version> <program> [<word>…]\n' })
  })
})
