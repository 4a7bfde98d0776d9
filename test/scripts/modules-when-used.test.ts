/** Programs of the executable load a module of the runtime only when they use it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePrograms } from '../../scripts/standalone.ts'

/** Prints the modules that the programs load, and stands in for the executable's runtime. */
const OBSERVER = `
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
const { getBuiltinModule } = process
process.getBuiltinModule = (id) => {
  process.stderr.write('loaded ' + id + '\\n')
  return getBuiltinModule(id)
}
syncBuiltinESMExports()
globalThis.HTTPCLI_VERSION = '1.2.3'
globalThis.HTTPCLI_DISTRIBUTION = 'test'
globalThis.Bun = {
  file: (descriptor) => descriptor,
  async write(_file, bytes) {
    process.stdout.write(bytes)
    return bytes.length
  },
}
`

describe('the programs of the executable', () => {
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-programs-'))
  const observer = join(directory, 'observer.mjs')
  beforeAll(async () => {
    await bundlePrograms(directory)
    writeFileSync(observer, OBSERVER)
  }, 300_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const run = (...words: readonly string[]) =>
    promisify(execFile)(process.execPath, ['--import', observer, ...words], { cwd: directory })

  it.each(['program.mjs', 'send.mjs', 'run.mjs'])('%s starts without them', async (program) => {
    const { stdout, stderr } = await run(program, '--version')
    expect(stdout).toMatch(/^httpcli 1\.2\.3 /)
    expect(stderr).toBe('')
  })

  it('send loads one when an option needs it', async () => {
    const { stderr } = await run('send.mjs', 'send', '--offline', '-g', 'observer.mjs', 'POST', 'http://localhost/')
    expect(stderr).toContain('loaded node:fs\n')
  })
})
