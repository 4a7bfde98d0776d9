/** The examples do what they say, and the demo runs. */
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine, type RunningCommand, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = join(root, 'examples')
const execute = promisify(execFile)

/** Runs a TypeScript file as the documents say. */
function runScript(file: string): Promise<{ stdout: string; stderr: string }> {
  return execute(process.execPath, ['--import', 'tsx', file], { cwd: root, env: commandEnvironment() })
}

let server: RunningCommand
let base: string

beforeAll(async () => {
  server = await startCommand(['serve', join(examples, 'site'), '-p', '0'], / on (http:\/\/127\.0\.0\.1:\d+)/)
  base = server.match[1]!
})

afterAll(async () => {
  await server.stop()
})

describe('the examples', () => {
  it('are all known here', () => {
    // The API is that of the documents: documents.test.ts.
    expect(readdirSync(examples).sort()).toEqual([
      'api.mjs',
      'demo.http',
      'http-client.env.json',
      'library',
      'send.sh',
      'site',
    ])
  })

  it('for send work in a shell', async () => {
    const directory = temporaryDirectory()
    const command = join(directory, 'httpcli')
    writeFileSync(
      command,
      `#!/bin/sh\nexec ${commandLine()
        .map((word) => `'${word}'`)
        .join(' ')} "$@"\n`,
    )
    chmodSync(command, 0o755)
    const env = commandEnvironment({ PATH: `${directory}:${process.env.PATH}` })
    const { stdout } = await execute('sh', [join(examples, 'send.sh'), base], { env })
    expect(stdout.split(/\r?\n/)).toEqual([
      'HTTP/1.1 200 OK',
      '{ "name": "A small site", "pages": 3 }',
      'POST /users HTTP/1.1',
      `Host: ${base.slice('http://'.length)}`,
      'Content-Type: application/json',
      'Content-Length: 14',
      '',
      '{"name":"Joe"}HTTP/1.1 404 Not Found',
      'exit code 5',
      '',
    ])
  })

  it('for run pass their tests', async () => {
    const directory = temporaryDirectory()
    const requests = join(directory, 'demo.http')
    copyFileSync(join(examples, 'demo.http'), requests)
    writeFileSync(join(directory, 'http-client.env.json'), JSON.stringify({ test: { host: base, 'product-id': 2 } }))
    const { code, stdout, stderr } = await runCommand(['run', requests, '-e', 'test', '-p', 'status', '--quiet'])
    expect({ code, stderr: stderr.toString() }).toEqual({ code: 0, stderr: '' })
    expect(stdout.toString().match(/^HTTP\/1\.1 .*$/gm)).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 404 Not Found',
    ])
  })
})

describe('npm run demo', () => {
  it('shows every step and ends with exit code 0', async () => {
    const { stdout, stderr } = await runScript('scripts/demo.ts')
    expect(stdout).toContain('hint: Write Name: value.\n')
    expect(stdout).toContain('"GET /products.json HTTP/1.1" 200 121\n')
    expect(stdout).toMatch(/\nDone: every step ended as it should\.\n$/)
    expect(stderr).toBe('')
  })
})
