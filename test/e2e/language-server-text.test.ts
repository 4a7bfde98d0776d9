/** Quick fixes, formatting, folds, tokens and hints as an editor asks for them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  CodeAction,
  Diagnostic,
  FoldingRange,
  InlayHint,
  SelectionRange,
  SemanticTokens,
  TextEdit,
} from 'vscode-languageserver-protocol'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { runCommand } from '../helpers/command.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

let directory: ReturnType<typeof directoryWith>
let client: LanguageClient
let count = 0

const uriOf = (name: string): string => pathToFileURL(join(directory.path, name)).href
const applied = (text: string, edits: readonly TextEdit[] = []): string =>
  TextDocument.applyEdits(TextDocument.create('', '', 0, text), [...edits])

beforeAll(async () => {
  directory = directoryWith({
    'http-client.env.json': '{\n  "dev": {\n    "host": "localhost:1"\n  }\n}\n',
    'http-client.private.env.json': '{"dev": {"key": "s3cr3t-value"}}',
  })
  client = await LanguageClient.start({
    folders: [pathToFileURL(directory.path).href],
    settings: { environment: 'dev', inlayUrls: true },
  })
})

afterAll(async () => {
  await client.stop()
  directory.remove()
  expect(client.errors).toBe('')
})

/** The quick fixes of the finding with a code. */
async function fixesFor(text: string, code: string): Promise<{ readonly uri: string; readonly actions: CodeAction[] }> {
  const uri = uriOf(`case-${++count}.http`)
  await client.open(uri, text)
  const found = await client.diagnostics(uri, (all) => all.some((each) => each.code === code))
  const diagnostic = found.find((each) => each.code === code) as Diagnostic
  const actions = await client.connection.sendRequest<CodeAction[]>('textDocument/codeAction', {
    textDocument: { uri },
    range: diagnostic.range,
    context: { diagnostics: [diagnostic], only: ['quickfix'] },
  })
  await client.close(uri)
  return { uri, actions }
}

describe('quick fixes', () => {
  it.each([
    ['unknown-variable', '@user = 1\nGET http://x/{{usr}}\n', '@user = 1\nGET http://x/{{user}}\n'],
    ['unknown-variable', 'GET http://x/{{$random.integr(1, 2)}}\n', 'GET http://x/{{$random.integer(1, 2)}}\n'],
    [
      'unknown-variable',
      '### login\nGET http://x/\n\n###\nGET http://x/{{logn.response.body.$.a}}\n',
      '### login\nGET http://x/\n\n###\nGET http://x/{{login.response.body.$.a}}\n',
    ],
    [
      'unknown-request',
      'run #logn (@a = 1)\n### login\nGET http://x/{{a}}\n',
      'run #login (@a = 1)\n### login\nGET http://x/{{a}}\n',
    ],
    ['unknown-method', 'PSOT http://x/\n', 'POST http://x/\n'],
    ['unknown-header', 'GET http://x/\nAcept: a\n', 'GET http://x/\nAccept: a\n'],
    ['unknown-tag', '# @no-redirct\nGET http://x/\n', '# @no-redirect\nGET http://x/\n'],
    [
      'unknown-member',
      'GET http://x/\n\n> {% client.tset("a", f) %}\n',
      'GET http://x/\n\n> {% client.test("a", f) %}\n',
    ],
    ['invalid-http-file', '# @assert status = 200\nGET http://x/\n', '# @assert status == 200\nGET http://x/\n'],
    ['unused-variable', '@a = 1\r\nGET http://x/\r\n', 'GET http://x/\r\n'],
    ['hidden-variable', '@host = a\nGET http://{{host}}/\n', 'GET http://{{host}}/\n'],
    ['invalid-http-file', '@a = 1\nGET http://x/{{a/b\n', '@a = 1\nGET http://x/{{a}}/b\n'],
    ['invalid-http-file', 'GET http://x/\n\n> {% f()\n', 'GET http://x/\n\n> {% f()\n%}\n'],
    ['extra-braces', 'GET http://x/{{{host}}}\n', 'GET http://x/{{host}}\n'],
    ['extra-braces', 'POST http://x/\n\n    {{{host}}}\nb\n', 'POST http://x/\n\n    {{host}}\nb\n'],
    ['single-brace', 'GET http://x/{host}\n', 'GET http://x/{{host}}\n'],
    ['typographic-quote', 'GET http://x/\nA: \u201ca"\n', 'GET http://x/\nA: "a"\n'],
    ['invisible-character', 'GET http://x/\nA: a\u00a0b\n', 'GET http://x/\nA: a b\n'],
    ['misspelt-version', 'GET http://x/ http/1.1\n', 'GET http://x/ HTTP/1.1\n'],
    ['invalid-http-file', 'GET http://x/ HTTP/1.2\n', 'GET http://x/ HTTP/1.1\n'],
    ['missing-separator', 'GET http://x/\n\n# b\nGET http://x/\n', 'GET http://x/\n\n###\n# b\nGET http://x/\n'],
    ['request-in-body', 'POST http://x/\n\na\n\nGET /b\n', 'POST http://x/\n\na\n\n###\nGET /b\n'],
    ['header-in-body', 'POST http://x/\n\nContent-Type: a/b\n', 'POST http://x/\nContent-Type: a/b\n'],
    ['indented-separator', 'GET http://x/\n\n  ### b\n', 'GET http://x/\n\n### b\n'],
    ['folded-header', 'GET http://x/\nA: b\n  C: d\n', 'GET http://x/\nA: b\nC: d\n'],
    ['repeated-header', 'GET http://x/\nHost: a\nHost: b\n', 'GET http://x/\nHost: a\n'],
    ['script-as-body', 'GET http://x/\n\n< ./a.js\n', 'GET http://x/\n\n> ./a.js\n'],
    ['invalid-http-file', 'POST http://x/\n{"a": 1}\n', 'POST http://x/\n\n{"a": 1}\n'],
    ['invalid-http-file', 'some words here\n', '# some words here\n'],
    [
      'invalid-json',
      'POST http://x/\nContent-Type: application/json\n\n[1, 2, ]\n',
      'POST http://x/\nContent-Type: application/json\n\n[1, 2 ]\n',
    ],
  ] as const)('of %s fix %j', async (code, text, fixed) => {
    const { uri, actions } = await fixesFor(text, code)
    const texts = actions.map(({ edit }) => applied(text, edit?.changes?.[uri]))
    expect(texts, JSON.stringify(actions.map(({ title }) => title))).toContain(fixed)
  })

  it('define a variable above its request or in the environment file', async () => {
    const text = '### one\nGET http://x/\n\n### two\n# @no-log\nGET http://x/{{zulu.path}}\n'
    const { uri, actions } = await fixesFor(text, 'unknown-variable')
    expect(actions.map(({ title }) => title)).toEqual([
      'Define "zulu" above the request',
      'Define "zulu" in the environment "dev" of http-client.env.json',
    ])
    const [above, environment] = actions
    expect(applied(text, above?.edit?.changes?.[uri])).toBe(text.replace('### two\n', '### two\n@zulu = \n'))
    const [[file, edits] = ['', []]] = Object.entries(environment?.edit?.changes ?? {})
    expect(file).toBe(uriOf('http-client.env.json'))
    const before = readFileSync(join(directory.path, 'http-client.env.json'), 'utf8')
    expect(applied(before, edits)).toBe(before.replace('"host"', '"zulu": "",\n    "host"'))
  })

  it('are not offered for outdated findings or for those of another tool', async () => {
    const uri = uriOf('other.http')
    await client.open(uri, 'GET http://x/\n')
    const range = { start: { line: 9, character: 9 }, end: { line: 99, character: 0 } }
    const diagnostics = ['invalid-http-file', 'single-brace', 'unused-variable', 'constructor', 'unknown-variable'].map(
      (code) => ({ range, code, source: 'httpcli', message: 'm\nDid you mean a?' }),
    )
    const ask = (context: object): Promise<CodeAction[]> =>
      client.connection.sendRequest('textDocument/codeAction', { textDocument: { uri }, range, context })
    expect(await ask({ diagnostics })).toEqual([])
    expect(await ask({ diagnostics: [{ ...diagnostics[0], code: 3 }] })).toEqual([])
    expect(await ask({ diagnostics, only: ['refactor'] })).toEqual([])
  })
})

describe('the text of a file', () => {
  const text =
    '###  a\r\nGET   http://{{host}}/?k={{key}}\r\nA:b\r\n\r\n\r\n\r\n{\r\n  "a": [\r\n    1\r\n  ]\r\n}\r\n\r\n\r\n### b\r\nGET  http://y/'

  it('is formatted as by fmt', async () => {
    const uri = uriOf('format.http')
    writeFileSync(join(directory.path, 'format.http'), text)
    await runCommand(['fmt', 'format.http'], { cwd: directory.path })
    await client.open(uri, text)
    const options = { tabSize: 2, insertSpaces: true }
    const edits = await client.connection.sendRequest<TextEdit[]>('textDocument/formatting', {
      textDocument: { uri },
      options,
    })
    expect(applied(text, edits)).toBe(readFileSync(join(directory.path, 'format.http'), 'utf8'))
    expect(edits.every(({ range }) => range.end.line - range.start.line < 3)).toBe(true)
    const inRange = await client.connection.sendRequest<TextEdit[]>('textDocument/rangeFormatting', {
      textDocument: { uri },
      range: { start: { line: 14, character: 0 }, end: { line: 14, character: 3 } },
      options,
    })
    expect(inRange.length).toBeGreaterThan(0)
    expect(inRange.every(({ range }) => range.start.line >= 13)).toBe(true)
  })

  it('has folds, tokens, selection ranges, and hints for its URLs', async () => {
    const uri = 'untitled:Untitled-2'
    await client.open(uri, text)
    const ask = <Result>(method: string, more: object = {}): Promise<Result> =>
      client.connection.sendRequest(`textDocument/${method}`, { textDocument: { uri }, ...more })
    const folds = await ask<FoldingRange[]>('foldingRange')
    expect(folds.map(({ startLine, endLine }) => [startLine, endLine])).toContainEqual([0, 10])
    const whole = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } }
    const { data } = await ask<SemanticTokens>('semanticTokens/full')
    expect((await ask<SemanticTokens>('semanticTokens/range', { range: whole })).data).toEqual(data)
    expect(data.slice(0, 5)).toEqual([0, 0, 3, expect.any(Number), 0])
    const [selection] = await ask<SelectionRange[]>('selectionRange', { positions: [{ line: 1, character: 17 }] })
    expect(selection?.range).toEqual({ start: { line: 1, character: 15 }, end: { line: 1, character: 19 } })
  })

  it('has hints for its URLs without secrets', async () => {
    const uri = uriOf('hints.http')
    await client.open(uri, text)
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } }
    const hints = await client.connection.sendRequest<InlayHint[]>('textDocument/inlayHint', {
      textDocument: { uri },
      range,
    })
    expect(hints.map(({ label, position }) => [label, position.line])).toEqual([['→ http://localhost:1/?k=***', 1]])
  })

  it.each([true, false])('has its hints refreshed if the client supports that: %s', async (refreshSupport) => {
    const capabilities = { workspace: { inlayHint: { refreshSupport } } }
    const asked = await LanguageClient.start({ settings: { inlayUrls: true }, capabilities })
    let count = 0
    asked.connection.onRequest('workspace/inlayHint/refresh', () => {
      count++
      return null
    })
    await asked.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [] })
    // The answers of the server are in order.
    await asked.connection.sendRequest('workspace/symbol', { query: 'a' })
    expect(count).toBe(refreshSupport ? 1 : 0)
    expect(await asked.stop()).toBe(0)
  })
})
