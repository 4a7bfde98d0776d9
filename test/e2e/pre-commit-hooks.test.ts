/** The hooks for pre-commit: their commands do what they are for, on the files that they choose. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runCommand } from '../helpers/command.ts'
import { projectRoot } from '../helpers/document.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

interface Hook {
  readonly id: string
  readonly entry: string
  readonly language: string
  readonly files: string
}

const hooks = parse(readFileSync(join(projectRoot, '.pre-commit-hooks.yaml'), 'utf8')) as readonly Hook[]
const { bin } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>
}

/** Runs a hook on this text, as pre-commit does: the words of its entry, then the names of files. */
async function runHook(id: string, text: string) {
  const { entry } = hooks.find((hook) => hook.id === id)!
  const [, ...words] = entry.split(' ')
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'api.http'), text)
  const { code, stdout, stderr } = await runCommand([...words, 'api.http'], { cwd })
  return { code, output: `${stdout}${stderr}`, text: readFileSync(join(cwd, 'api.http'), 'utf8') }
}

describe('.pre-commit-hooks.yaml', () => {
  it.each(hooks)('$id is a command of the installed httpcli, for request files', ({ entry, language, files }) => {
    expect(bin).toHaveProperty(entry.split(' ')[0]!)
    expect(language).toBe('system')
    const names = ['api.http', 'tests/users.rest', 'http', 'api.http.bak', 'http-client.env.json']
    expect(names.filter((name) => new RegExp(files).test(name))).toEqual(['api.http', 'tests/users.rest'])
  })

  it('formats a file, which pre-commit treats as a failure, and leaves a formatted one alone', async () => {
    const first = await runHook('httpcli-fmt', '###List\nGET   http://localhost/\n')
    expect(first).toMatchObject({ code: 0, text: '### List\nGET http://localhost/\n' })
    expect(await runHook('httpcli-fmt', first.text)).toMatchObject({ code: 0, text: first.text })
  })

  it('fails for a file with a mistake, and passes for one without', async () => {
    expect(await runHook('httpcli-check', 'GET http://localhost/{{unknown}}\n')).toMatchObject({
      code: 4,
      output: expect.stringContaining('api.http:1:'),
    })
    expect(await runHook('httpcli-check', 'GET http://localhost/\n')).toMatchObject({ code: 0 })
  })
})
