/**
 * The language server in Neovim's own client, with the settings of docs/editors.md.
 *
 * Rules: Neovim 0.7 is enough for what is asked here; without Neovim the test is skipped.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'
import { pageAt } from '../helpers/document.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

const script = fileURLToPath(new URL('../helpers/neovim.lua', import.meta.url))
const hasNeovim = spawnSync('nvim', ['--version']).status === 0

interface Seen {
  readonly problem?: string
  readonly diagnostics: readonly { readonly code: string; readonly line: number; readonly column: number }[]
  readonly completion: readonly string[]
  readonly hover: string
  readonly symbols: readonly string[]
  readonly definition: { readonly line: number; readonly character: number }
  readonly renamed: readonly string[]
  readonly formatted: readonly string[]
  readonly sent: { readonly outcome: string; readonly message: string }
}

it.skipIf(!hasNeovim)('diagnoses, completes, explains, renames, formats and sends', async () => {
  const { origin } = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'))
  const setup = pageAt('docs/editors.md').blocks.find(({ file }) => file === 'init.lua')!.text
  const { path, remove } = directoryWith({
    'init.lua': setup,
    'bin/httpcli': `#!/bin/sh\nexec ${commandLine()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"\n`,
    'a.http': `@host = ${origin}\n\n### Users\nGET {{host}}/users/{{nope}}\n\n### Two\nGET {{host}}/\n`,
    'http-client.env.json': '{ "dev": { "name": "x" } }',
  })
  chmodSync(join(path, 'bin/httpcli'), 0o755)
  // The server that the request is sent to runs in this process, so nothing here may block.
  const { stdout, stderr } = await promisify(execFile)('nvim', ['--headless', '--clean', '-S', script], {
    cwd: path,
    env: commandEnvironment({
      PATH: `${join(path, 'bin')}${delimiter}${process.env.PATH}`,
      HTTPCLI_SETUP: 'init.lua',
      HTTPCLI_FILE: 'a.http',
      HOME: path,
    }),
  })
  remove()
  const seen = JSON.parse(stdout === '' ? JSON.stringify({ problem: stderr }) : stdout) as Seen
  expect(seen.problem).toBeUndefined()
  expect(seen.diagnostics).toContainEqual({ code: 'unknown-variable', line: 3, column: 19 })
  expect(seen.completion).toContain('host')
  expect(seen.hover).toContain(origin)
  expect(seen.symbols).toEqual(expect.arrayContaining(['Users', 'Two']))
  expect(seen.definition).toEqual({ line: 0, character: 1 })
  expect(seen.renamed).toEqual([
    ...[`@server = ${origin}`, '', '### Users', 'GET {{server}}/users/{{nope}}', ''],
    ...['### Two', 'GET {{server}}/'],
  ])
  expect(seen.formatted).toEqual(seen.renamed)
  expect(seen.sent).toMatchObject({ outcome: 'passed', message: expect.stringContaining('200') })
})
