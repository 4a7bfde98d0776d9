/**
 * A recorded session: what a client asks about a file with every kind of request, and each answer as it was recorded.
 *
 * Rules: `npx vitest run test/e2e/language-server-session.test.ts -u` records it again; read the difference before it
 * is committed. Nothing in it depends on the time, the machine or chance.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { projectRoot } from '../helpers/document.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

const recorded = join(projectRoot, 'test/fixtures/language-server')
const documents = Object.fromEntries(
  readdirSync(recorded)
    .filter((name) => !name.endsWith('.txt'))
    .map((name) => [name, readFileSync(join(recorded, name), 'utf8')]),
)
const text = documents['kinds.http'] as string

/** The position in the middle of a word, in a line that contains another. */
function within(line: string, word: string): { readonly line: number; readonly character: number } {
  const lines = text.split('\n')
  const index = lines.findIndex((each) => each.includes(line))
  const start = lines[index]?.indexOf(word) ?? -1
  if (start === -1) throw new Error(`${word} is not in a line with ${line}`)
  return { line: index, character: start + Math.floor(word.length / 2) }
}

/** That are recorded of each list. */
const SUGGESTIONS = 6

const whole = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } }
const options = { tabSize: 2, insertSpaces: true }

const requests: readonly (readonly [method: string, parameters: object])[] = [
  ['completion', { position: within('# @assert', '@assert') }],
  ['completion', { position: within('Accept:', 'Accept') }],
  ['completion', { position: within('user={{user}}', '{{user}}') }],
  ['completion', { position: within('client.global.set', 'global.set') }],
  ['completion', { position: within('run #login', '#login') }],
  ['completion', { position: within('< ./lib.http', './lib') }],
  ['hover', { position: within('user={{user}}', 'user}}') }],
  ['hover', { position: within('password={{password}}', 'password}}') }],
  ['hover', { position: within('Accept:', 'Accept') }],
  ['hover', { position: within('GRAPHQL', 'GRAPHQL') }],
  ['signatureHelp', { position: within('client.test', '"created"') }],
  ['definition', { position: within('{{path}}', 'path') }],
  ['definition', { position: within('run #login', 'login') }],
  ['references', { position: within('@path', 'path'), context: { includeDeclaration: true } }],
  ['documentHighlight', { position: within('@path', 'path') }],
  ['prepareRename', { position: within('@path', 'path') }],
  ['rename', { position: within('@path', 'path'), newName: 'resource' }],
  ['rename', { position: within('run #login', 'login'), newName: 'sign in' }],
  ['documentSymbol', {}],
  ['documentLink', {}],
  ['foldingRange', {}],
  ['selectionRange', { positions: [within('"first": "{{first}}"', 'first}}')] }],
  ['semanticTokens/full', {}],
  ['inlayHint', { range: whole }],
  ['codeLens', {}],
  [
    'codeAction',
    { range: { start: within('GRPC', 'GRPC'), end: within('GRPC', 'GRPC') }, context: { diagnostics: [] } },
  ],
  ['formatting', { options }],
  ['rangeFormatting', { options, range: { start: within('### json', 'json'), end: within('### form', 'form') } }],
]

const commands: readonly (readonly [command: string, ...given: unknown[]])[] = [
  ['httpcli.environments'],
  ['httpcli.copyAsCurl', within('### form', 'form').line],
  ['httpcli.copyAsCurl', within('### graphql', 'graphql').line, { keepsVariables: true }],
  ['httpcli.showRaw', within('### upload', 'upload').line],
  ['httpcli.chooseEnvironment', { environment: 'prod' }],
  ['httpcli.copyAsCurl', within('### upload', 'upload').line],
  ['httpcli.cancel'],
  ['httpcli.clearSession'],
]

it('a session has the recorded responses', async () => {
  const { path, remove } = directoryWith(documents)
  const folder = pathToFileURL(path).href
  const uri = `${folder}/kinds.http`
  const client = await LanguageClient.start({
    folders: [folder],
    settings: { environment: 'dev', inlayUrls: true },
    capabilities: {
      textDocument: {
        completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      },
    },
  })
  const { capabilities } = client.initialized!
  const lines = [`initialize → ${JSON.stringify(capabilities)}`]
  await client.open(uri, text)
  const found = await client.diagnostics(uri, (all) => all.some(({ code }) => code === 'unknown-variable'))
  lines.push(...found.map((each) => `publishDiagnostics → ${JSON.stringify(each)}`))
  const ask = async (method: string, parameters: object, shown: object): Promise<void> => {
    const answer = await client.connection.sendRequest(method, parameters)
    const parts = Array.isArray(answer) ? answer : ((answer as { items?: unknown[] } | null)?.items ?? [answer])
    const listed = method.endsWith('completion') ? parts.slice(0, SUGGESTIONS) : parts
    lines.push('', `${method} ${JSON.stringify(shown)}`, ...listed.map((part) => `→ ${JSON.stringify(part)}`))
    if (listed.length < parts.length) lines.push(`→ ${parts.length} in all`)
  }
  for (const [method, parameters] of requests) {
    await ask(`textDocument/${method}`, { textDocument: { uri }, ...parameters }, parameters)
  }
  await ask('workspace/symbol', { query: 'log' }, { query: 'log' })
  for (const [command, ...given] of commands) {
    await ask('workspace/executeCommand', { command, arguments: [uri, ...given] }, { command, given })
  }
  // In the environment that was chosen by a command.
  const position = within('user={{user}}', 'user}}')
  for (const method of ['hover', 'definition']) {
    await ask(`textDocument/${method}`, { textDocument: { uri }, position }, { position })
  }
  expect(await client.stop()).toBe(0)
  remove()
  const session = `${lines.join('\n')}\n`
    .replaceAll(folder, 'file:///folder')
    .replaceAll(path, '/folder')
    .replaceAll(`httpcli/${client.initialized?.serverInfo?.version}`, 'httpcli/VERSION')
    // Those that the runtime can decode.
    .replaceAll(/(?<=Accept-Encoding: )[a-z, ]+/g, 'CODINGS')
  await expect(session).toMatchFileSnapshot(join(recorded, 'session.txt'))
})
