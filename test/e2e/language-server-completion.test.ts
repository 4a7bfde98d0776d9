/** Completion, hover and signature help as a client asks for them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CompletionItem, CompletionList, Hover, SignatureHelp } from 'vscode-languageserver-protocol'
import { LanguageClient } from '../helpers/language-client.ts'

const uri = 'untitled:Untitled-1'
let client: LanguageClient

beforeEach(async () => {
  client = await LanguageClient.start({
    capabilities: {
      textDocument: { completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } } },
    },
  })
})

afterEach(async () => {
  expect(await client.stop()).toBe(0)
  expect(client.errors).toBe('')
})

async function itemAt(line: number, character: number, label: string): Promise<CompletionItem | undefined> {
  const { items } = await client.at<CompletionList>('textDocument/completion', uri, line, character)
  return items.find((item) => item.label === label)
}

describe('the server', () => {
  it('announces completion and hover', () => {
    const { completionProvider, hoverProvider } = client.initialized!.capabilities
    expect(completionProvider?.triggerCharacters).toContain('{')
    expect(hoverProvider).toBe(true)
  })

  it('completes half-typed text as it is typed', async () => {
    await client.open(uri, '@host = http://h\n\nGE')
    const range = { start: { line: 2, character: 0 }, end: { line: 2, character: 2 } }
    expect((await itemAt(2, 2, 'GET'))?.textEdit).toEqual({ range, newText: 'GET ' })
    await client.change(uri, { range, text: 'GET {{ho\n\n> {% client.te' })
    expect((await itemAt(2, 8, 'host'))?.textEdit).toMatchObject({ newText: 'host}}' })
    expect(await itemAt(4, 14, 'test')).toMatchObject({ detail: 'test(name, function)' })
  })

  it('gives snippets to a client that supports them', async () => {
    await client.open(uri, '# @asse\nGET {{$random.in')
    expect(await itemAt(0, 7, 'assert')).toMatchObject({ insertTextFormat: 2, textEdit: { newText: 'assert $0' } })
    const placeholders = '\\$random.integer($' + '{1:1}, $' + '{2:100})\\}\\}'
    expect(await itemAt(1, 15, '$random.integer')).toMatchObject({ textEdit: { newText: placeholders } })
  })

  it('shows the arguments of a call', async () => {
    await client.open(uri, 'GET {{$random.integer(1,')
    const help = await client.at<SignatureHelp>('textDocument/signatureHelp', uri, 0, 24)
    expect(help.signatures[help.activeSignature!]?.label).toBe('$random.integer(from, to)')
    expect(help.activeParameter).toBe(1)
  })

  it('explains what is under the cursor', async () => {
    await client.open(uri, 'GET http://h\nAccept: */*\n')
    const found = await client.at<Hover>('textDocument/hover', uri, 1, 2)
    expect(found).toMatchObject({ contents: { kind: 'markdown' }, range: { end: { line: 1, character: 6 } } })
    expect(await client.at('textDocument/hover', uri, 90, 0)).toBeNull()
    expect(await client.at('textDocument/hover', 'file:///none.http', 0, 0)).toBeNull()
    expect(await client.at('textDocument/completion', 'git:/x.http', 3, 3)).toEqual({ isIncomplete: false, items: [] })
  })
})
