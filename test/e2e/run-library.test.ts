/** The built library runs request files from any directory: the script engine finds its program and its thread. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { commandEnvironment } from '../helpers/command.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { recordingServer } from '../runner/running.ts'

const library = new URL('../../dist/lib/runner/index.js', import.meta.url)

const program = `
import { loadEnvironment, loadHttpFile, runHttpFile } from ${JSON.stringify(library.href)}
const loaded = loadHttpFile('a.http', process.cwd())
const listener = (event) => { if (event.type.startsWith('test-')) process.stdout.write(event.type + ' ' + event.name + '\\n') }
const summary = await runHttpFile(loaded, { environment: loadEnvironment(loaded.path, undefined), listener })
process.stdout.write(JSON.stringify(summary) + '\\n')
`

it('the library runs a file with scripts, and its process exits by itself', async () => {
  const server = await recordingServer()
  const directory = directoryWith({
    '.git': '',
    'program.mjs': program,
    'a.http': `GET ${server.origin}/\n\n> {% client.test('one', () => {}); client.test('two', () => client.assert(false)) %}`,
  })
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['program.mjs'], {
    cwd: directory.path,
    env: commandEnvironment(),
  })
  await server.close()
  directory.remove()
  expect(stderr).toBe('')
  expect(stdout.split('\n').slice(0, 2)).toEqual(['test-passed one', 'test-failed two'])
  expect(JSON.parse(stdout.split('\n')[2] as string)).toMatchObject({ answered: 1, testsPassed: 1, testsFailed: 1 })
})
