/**
 * The command on a Node.js that is too old: it is reported as such, not as a defect.
 *
 * Rules: the versions differ in what they can parse, so the launcher must be parsed by all of them.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'acorn'
import { describe, expect, it } from 'vitest'
import { builtCommand, commandEnvironment } from '../helpers/command.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

/** Runs the command where `process` has what an old version has. */
async function runAsOld(version: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { path, remove } = directoryWith({
    'old.cjs': `delete process.getBuiltinModule
Object.defineProperty(process.versions, 'node', { value: '${version}' })
process.execPath = '/usr/bin/node'`,
  })
  try {
    return await new Promise((resolve) => {
      const words = ['--require', `${path}/old.cjs`, builtCommand, 'send', 'http://127.0.0.1:9/']
      execFile(process.execPath, words, { env: commandEnvironment() }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, stdout, stderr })
      })
    })
  } finally {
    remove()
  }
}

describe('on an old Node.js', () => {
  it.each(['12.22.9', '18.19.1', '20.9.0', '21.7.3'])('%s, what to install is reported', async (version) => {
    const { code, stdout, stderr } = await runAsOld(version)
    expect(stderr).toBe(
      `httpcli: Node.js ${version} (/usr/bin/node) is not supported\n` +
        'hint: Install Node.js 20.19, 22.12 or later, or the executable of httpcli, which needs no Node.js.\n',
    )
    expect([code, stdout]).toEqual([1, ''])
  })

  it('the launcher can be parsed', () => {
    const code = readFileSync(builtCommand, 'utf8')
    expect(() => parse(code, { ecmaVersion: 2019, allowHashBang: true })).not.toThrow()
  })
})
