/**
 * The extension for Visual Studio Code: what its package holds, its server, the colours of its grammar, its snippets,
 * and the import of another extension's settings.
 *
 * Rules: its tools are in a separate package: `npm --prefix editors/vscode ci` installs them. The editor itself is not
 * here.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { environmentsOf, otherSettings } from '../../editors/vscode/src/rest-client-settings.ts'
import { withSettings } from '../../src/language-server/workspace/client-settings.ts'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { projectRoot } from '../helpers/document.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

const extension = join(projectRoot, 'editors/vscode')
const hasTools = existsSync(join(extension, 'node_modules/@vscode/vsce'))
const fileOf = (name: string): string => readFileSync(join(extension, name), 'utf8')
const manifest = JSON.parse(fileOf('package.json')) as {
  readonly version: string
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations?: readonly string[] } }
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, object>> } }
}

describe.skipIf(isStandalone || !hasTools)('the package', () => {
  let listed = ''

  beforeAll(() => {
    expect(spawnSync('npm', ['run', 'check'], { cwd: extension, encoding: 'utf8' })).toMatchObject({ status: 0 })
    const { status, stdout, stderr } = spawnSync('npm', ['run', 'package'], { cwd: extension, encoding: 'utf8' })
    expect(stderr.replace(/^npm warn.*$/gm, '').trim()).toBe('')
    expect(status).toBe(0)
    listed = stdout
  }, 240_000)

  it('holds the bundled client, the server, and the licences', () => {
    for (const name of ['extension.cjs', 'cli/', 'shared/', 'http.tmLanguage.json', 'http.json', 'LICENSE.txt']) {
      expect(listed).toContain(name)
    }
    expect(listed).not.toContain('node_modules')
    expect(fileOf('out/THIRD-PARTY-NOTICES.txt')).toContain('vscode-languageclient')
  })

  it('has a server that starts with the options that the client adds', async () => {
    const server = join(extension, 'server/cli/main.cjs')
    const { path, remove } = directoryWith({})
    const client = await LanguageClient.start({ command: [process.execPath, server], cwd: path })
    const uri = pathToFileURL(join(path, 'a.http')).href
    await client.open(uri, 'GET http://localhost/{{nope}}\n')
    await client.diagnostics(uri, (found) => found.length === 1)
    expect(await client.stop()).toBe(0)
    remove()
  })
})

interface Token {
  readonly startIndex: number
  readonly endIndex: number
  readonly scopes: readonly string[]
}

interface Grammar {
  tokenizeLine(line: string, state: unknown): { readonly tokens: readonly Token[]; readonly ruleStack: unknown }
}

/** As in the editor's grammar of JSON: what is within a text or an object is not looked at by the grammar around it. */
const jsonRanges = [
  { begin: '\\{', end: '\\}', patterns: [{ include: '$self' }] },
  { begin: '"', end: '"', name: 'string.quoted.double.json' },
]

/** The grammar in the engine of the editor. */
async function openGrammar(): Promise<{ readonly grammar: Grammar; readonly start: unknown }> {
  const toolOf = createRequire(join(extension, 'package.json'))
  const { INITIAL, Registry, parseRawGrammar } = toolOf('vscode-textmate')
  const { createOnigScanner, createOnigString, loadWASM } = toolOf('vscode-oniguruma')
  const wasm = readFileSync(join(extension, 'node_modules/vscode-oniguruma/release/onig.wasm'))
  await loadWASM({ data: wasm })
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    // The languages that are embedded are those of the editor.
    loadGrammar: async (scope: string) =>
      scope === 'source.http'
        ? parseRawGrammar(fileOf('syntaxes/http.tmLanguage.json'), 'http.tmLanguage.json')
        : { scopeName: scope, patterns: scope === 'source.json' ? jsonRanges : [] },
  })
  return { grammar: await registry.loadGrammar('source.http'), start: INITIAL }
}

describe.skipIf(isStandalone || !hasTools)('the grammar', () => {
  it('colours each kind of line', async () => {
    const { grammar, start } = await openGrammar()
    const wanted: readonly (readonly [line: string, text: string, scope: string])[] = [
      ['### Users', ' Users', 'entity.name.section.http'],
      ['# a comment', '# a comment', 'comment.line.http'],
      ['# @assert status == 200', '@assert', 'keyword.other.tag.http'],
      ['@host = {{a}}', 'host', 'variable.other.definition.http'],
      ['import lib.http', 'import', 'keyword.control.http'],
      ['GET http://localhost/{{id}} HTTP/1.1', 'GET', 'keyword.control.method.http'],
      ['GET http://localhost/{{id}} HTTP/1.1', 'id', 'variable.other.readwrite.http'],
      ['GET http://localhost/{{id}} HTTP/1.1', 'HTTP/1.1', 'constant.language.version.http'],
      ['https://localhost/{{id}} HTTP/1.1', 'https://localhost/', 'markup.underline.link.http'],
      ['{{host}}/users', 'host', 'variable.other.readwrite.http'],
      ['{{host}}/users', '/users', 'markup.underline.link.http'],
      ['Content-Type: application/json', 'Content-Type', 'entity.name.tag.header.http'],
      ['  Accept: */*', 'Accept', 'entity.name.tag.header.http'],
      ['< ./body.json', './body.json', 'string.unquoted.path.http'],
      ['>> out.json', '>>', 'keyword.operator.http'],
      ['> {% client.log(1) %}', '{%', 'punctuation.section.embedded.begin.http'],
    ]
    for (const [line, text, scope] of wanted) {
      const { tokens } = grammar.tokenizeLine(line, start)
      const found = tokens.find(({ startIndex, endIndex }) => line.slice(startIndex, endIndex) === text)
      expect({ line, scopes: found?.scopes }).toEqual({ line, scopes: expect.arrayContaining([scope]) })
    }
  })

  it('ends a script at its end, and a body at the blank line', async () => {
    const { grammar, start } = await openGrammar()
    const lines = ['> {%', 'const a = "GET /"', '%}', '{ "a": 1,', '  "b": "{{x}}" }', '', 'GET http://localhost/']
    let state = start
    const last = lines.map((line) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state)
      state = ruleStack
      return tokens.at(0)?.scopes ?? []
    })
    expect(last[1]).toContain('meta.embedded.javascript.http')
    expect(last[4]).toContain('meta.embedded.json.http')
    expect(last[6]).toContain('keyword.control.method.http')
  })
})

describe.skipIf(isStandalone || !hasTools)('a variable in a JSON body', () => {
  it('is coloured in strings and as a value', async () => {
    const { grammar, start } = await openGrammar()
    let state = start
    for (const line of ['{', '  "a": "x {{name}}", "b": {{name}},', '  "c": [{{name}}] }']) {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state)
      state = ruleStack
      const names = tokens.filter(({ startIndex, endIndex }) => line.slice(startIndex, endIndex) === 'name')
      expect(names).toHaveLength(line.split('{{').length - 1)
      for (const { scopes } of names) expect(scopes).toContain('variable.other.readwrite.http')
    }
  })
})

describe('the snippets', () => {
  const snippets = Object.values(
    JSON.parse(fileOf('snippets/http.json')) as Record<string, { readonly body: string[] }>,
  )
  /** The text that a snippet inserts where the user changes nothing. */
  const inserted = (body: readonly string[]): string =>
    body
      .join('\n')
      .replace(/\$\{\d+:([^{}]*)\}/g, '$1')
      .replace(/(?<!\\)\$\d+/g, '')
      .replaceAll('\\$', '$')

  it.each(snippets.map(({ body }) => [inserted(body)]))('are request files without errors: %j', async (text) => {
    const whole = text.startsWith('###') ? text : `### a\nGET http://localhost/\n\n${text}`
    const placed = text.startsWith('#') && !text.startsWith('###') ? `### a\n${text}\nGET http://localhost/\n` : whole
    const { path, remove } = directoryWith({ 'a.http': placed, 'a.png': 'x' })
    const { code, stderr } = await runCommand(['check', 'a.http'], { cwd: path })
    expect([code, stderr.toString()]).toEqual([0, expect.not.stringContaining('error')])
    remove()
  })
})

describe('the settings', () => {
  it('are the same as those that the server reads', () => {
    const names = Object.keys(manifest.contributes.configuration.properties).map((name) => name.replace('httpcli.', ''))
    expect(names.toSorted()).toEqual(['environment', 'inlayUrls', 'path'])
    const before = { environment: undefined, shouldShowUrls: false, isTrusted: true, shouldWriteResults: false }
    expect(withSettings(before, { environment: 'dev', inlayUrls: true, trusted: false })).toEqual({
      environment: 'dev',
      shouldShowUrls: true,
      isTrusted: false,
      shouldWriteResults: false,
    })
    expect(withSettings(before, { environment: 5, inlayUrls: 'yes' })).toEqual(before)
    expect(withSettings(before, null)).toEqual(before)
  })

  it('do not let an untrusted folder choose the program', () => {
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain('httpcli.path')
  })

  it('have the version of the command', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
    expect(manifest.version).toBe(version)
  })
})

describe('the import from REST Client', () => {
  it('turns its variables into environments', () => {
    const given = {
      $shared: { version: 'v1', port: 8080 },
      local: { host: 'localhost', url: 'http://{{host}}/{{$shared version}}' },
      empty: {},
      wrong: 'text',
    }
    expect(environmentsOf(given)).toEqual({
      $shared: { version: 'v1', port: '8080' },
      local: { host: 'localhost', url: 'http://{{host}}/{{version}}' },
      empty: {},
    })
    for (const nothing of [undefined, null, [], 'text', { $shared: {} }]) expect(environmentsOf(nothing)).toEqual({})
  })

  it('names the settings that it does not import', () => {
    const changed = new Map([
      ['defaultHeaders', { globalValue: { 'User-Agent': 'x' } }],
      ['followredirect', { globalValue: undefined, workspaceValue: false }],
    ])
    expect(otherSettings((name) => changed.get(name))).toEqual(['defaultHeaders', 'followredirect'])
  })
})
