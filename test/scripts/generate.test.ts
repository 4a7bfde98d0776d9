/** The generated sources in a copy of the project that has what git has, as a fresh clone would. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sandboxCode = 'src/runner/scripting/engine/sandbox-code.generated.ts'
const coreCode = 'src/runner/scripting/engine/core-code.generated.ts'
const threadCode = 'src/runner/scripting/thread/thread-code.generated.ts'
/** The world of scripts is in it, too. */
const loadRuntime = 'src/convert/k6-writer/load-runtime.generated.ts'
const mediaTypes = 'src/server/semantics/media-types.generated.ts'

/** Ten times what a busy machine needs. */
const LIMIT_MS = 600_000

describe('the generated sources of a fresh clone', () => {
  const clone = mkdtempSync(join(tmpdir(), 'httpcli-clone-'))
  afterAll(() => rmSync(clone, { recursive: true, force: true }))

  beforeAll(() => {
    for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      cpSync(join(root, name), join(clone, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.generated.ts'),
      })
    }
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction')
  })

  function run(...words: readonly string[]): string {
    const child = spawnSync(process.execPath, ['--import', 'tsx', ...words], { cwd: clone, encoding: 'utf8' })
    expect(child.status, child.stdout + child.stderr).toBe(0)
    return child.stdout
  }

  const linesOf = (output: string): readonly string[] => output.split('\n').filter((line) => line !== '')
  const textOf = (name: string): string => readFileSync(join(clone, name), 'utf8')

  it(
    'are made by the build, and are the same texts as here',
    () => {
      expect(existsSync(join(clone, sandboxCode))).toBe(false)
      run('scripts/build.ts', 'lib')
      for (const name of [coreCode, sandboxCode, threadCode, mediaTypes]) {
        expect(textOf(name) === readFileSync(join(root, name), 'utf8'), name).toBe(true)
      }
      for (const name of [
        'shared/core-code.cjs',
        'shared/sandbox-code.cjs',
        'lib/server/semantics/media-types.generated.js',
      ]) {
        expect(existsSync(join(clone, 'dist', name)), name).toBe(true)
      }
    },
    LIMIT_MS,
  )

  it(
    'are left alone while nothing changes, and made again from what changed',
    () => {
      run('scripts/generate.ts')
      const before = statSync(join(clone, sandboxCode)).mtimeMs
      expect(run('scripts/generate.ts')).toBe('')
      expect(statSync(join(clone, sandboxCode)).mtimeMs).toBe(before)
      appendFileSync(join(clone, 'src/runner/scripting/guest/core.ts'), '\nglobalThis.name = "appended"\n')
      expect(linesOf(run('scripts/generate.ts'))).toEqual([`wrote ${coreCode}`, `wrote ${loadRuntime}`])
      expect(textOf(coreCode)).toContain('appended')
      rmSync(join(clone, mediaTypes))
      appendFileSync(join(clone, threadCode), '\n')
      expect(linesOf(run('scripts/generate.ts'))).toEqual([`wrote ${mediaTypes}`, `wrote ${threadCode}`])
    },
    LIMIT_MS,
  )
})
