/** The language server as an editor meets it: its start, documents, diagnostics, and its end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Diagnostic, RegistrationParams } from 'vscode-languageserver-protocol'
import { runCommand } from '../helpers/command.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

let files: ReturnType<typeof directoryWith>
const directory = (): string => files.path
let client: LanguageClient

const uriOf = (name: string): string => pathToFileURL(join(directory(), name)).href
interface Finding {
  readonly code: string
  readonly line: number
  readonly column: number
}

const codesOf = (found: readonly Diagnostic[]): unknown[] => found.map(({ code }) => code)

beforeEach(async () => {
  files = directoryWith({})
  client = await LanguageClient.start({ folders: [pathToFileURL(directory()).href] })
})

afterEach(async () => {
  if (client.process.exitCode === null) await client.stop()
  files.remove()
})

describe('the server', () => {
  it('reports its name, and exits with 0 after an orderly shutdown', async () => {
    expect(client.initialized?.serverInfo?.name).toBe('httpcli')
    expect(await client.stop()).toBe(0)
    expect(client.errors).toBe('')
  })

  it('answers requests outside of its lifetime with the errors that the protocol requires', async () => {
    const uri = uriOf('a.http')
    const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
      answer.catch(({ code }: { readonly code: number }) => code)
    const symbols = (of: LanguageClient): Promise<unknown> =>
      codeOf(of.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } }))
    const early = LanguageClient.connect()
    await early.open(uri, 'GET http://localhost/\n')
    expect(await symbols(early)).toBe(-32002)
    await early.initialize()
    expect(await codeOf(early.initialize())).toBe(-32600)
    // The early document was dropped.
    expect(await symbols(early)).toBeNull()
    await early.connection.sendRequest('shutdown')
    expect([await symbols(early), await codeOf(early.initialize())]).toEqual([-32600, -32600])
    const ended = new Promise<number | null>((resolve) => early.process.once('close', resolve))
    await early.connection.sendNotification('exit')
    expect(await ended).toBe(0)
  })

  it('exits with 4 if the client disconnects without a shutdown', async () => {
    const ended = new Promise<number | null>((resolve) => client.process.once('close', resolve))
    client.process.stdin.end()
    expect(await ended).toBe(4)
  })

  it('registers only capabilities that the client supports', async () => {
    const registered: string[] = []
    let watched: unknown
    const workspace = { didChangeWatchedFiles: { dynamicRegistration: true } }
    const asked = await LanguageClient.start({ capabilities: { workspace } })
    asked.connection.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
      registered.push(...registrations.map(({ method }) => method))
      watched = registrations.flatMap(({ registerOptions }) => registerOptions.watchers)
      asked.wake()
      return null
    })
    await asked.until(
      () => (registered.length > 0 ? true : undefined),
      () => 'a registration',
    )
    expect(registered).toEqual(['workspace/didChangeWatchedFiles'])
    expect(watched).toEqual(
      ['**/*.{http,rest}', '**/*.env.json', '**/.env', '**/.env.*'].map((globPattern) => ({ globPattern })),
    )
    expect(await asked.stop()).toBe(0)
  })

  it('reports what check reports, at the same places', async () => {
    const text =
      '@unused = 1\n\nGET http://localhost/{{nope}}\nX: y\n\n### two\nGET http://localhost/\n> {% client.test( %}\n'
    writeFileSync(join(directory(), 'api.http'), text)
    await client.open(uriOf('api.http'), text)
    const { stdout } = await runCommand(['check', '--json', 'api.http'], { cwd: directory() })
    const { errors, warnings } = JSON.parse(stdout.toString()) as Record<'errors' | 'warnings', readonly Finding[]>
    const wanted = [...errors, ...warnings].map(({ code, line, column }) => [code, line, column])
    expect(wanted.length).toBeGreaterThan(2)
    const found = await client.diagnostics(uriOf('api.http'), (all) => all.length === wanted.length)
    const places = found.map(({ code, range }) => [code, range.start.line + 1, range.start.character + 1])
    expect(places.toSorted()).toEqual(wanted.toSorted())
  })

  it('masks the secrets of the text in messages, as check does', async () => {
    const uri = uriOf('masked.http')
    const cookie = 'GET http://localhost/\nCookie: a=f4Kd9xQ2\n\n###\n'
    await client.open(uri, `${cookie}GET /?a=f4Kd9xQ2\n`)
    const [unsent] = await client.diagnostics(uri, (found) => codesOf(found).includes('invalid-request'))
    expect(unsent?.message).toMatch(/^"\/\?\*\*\*" has no host/)
    const version = await client.change(uri, { text: `${cookie}GET http://localhost/\na=f4Kd9xQ2 b: c\n` })
    const found = await client.diagnostics(uri, (all) =>
      all.some(({ message }) => String(message).includes('header name')),
    )
    expect(client.published.get(uri)?.version).toBe(version)
    expect(found.map(({ message }) => message).join('\n')).not.toContain('f4Kd9xQ2')
  })

  it('gives advice for the editor where check names an option', async () => {
    const text =
      'GET http://localhost/{{nope}}/{{$processEnv NOT_SET_HERE}}\n\n###\nPOST http://localhost/\n\n< /etc/hosts\n'
    writeFileSync(join(directory(), 'api.http'), text)
    await client.open(uriOf('api.http'), text)
    const { stdout } = await runCommand(['check', '--json', 'api.http'], { cwd: directory() })
    expect(stdout.toString()).toMatch(/ -e[, ].* --dotenv.* --file-root <dir>/s)
    const found = await client.diagnostics(uriOf('api.http'), (all) => all.length === 3)
    const hints = found.map(({ message }) => String(message).split('\n')[1])
    expect(hints).toEqual([
      'Choose an environment in the editor, or define it above the request: @name = value.',
      'Set it for the process that starts the editor.',
      'Move it below the file root; only httpcli run can reach other files, with --file-root <dir>.',
    ])
  })

  it('has one finding for a file that is not text', async () => {
    const uri = uriOf('image.http')
    await client.open(uri, '\ufffdPNG\r\n\u001a\n\0\0\0\rIHDR {{\0\n\ufffd{ {%\n\0< x\n')
    const found = await client.diagnostics(uri, (all) => all.length > 0)
    expect(found.map(({ message, range: { start } }) => [String(message).split('\n')[0], start.line])).toEqual([
      ['the byte 0x00 is not text', 2],
    ])
  })

  it('reports syntax errors at once, and keeps other findings at their moved positions', async () => {
    const uri = uriOf('typed.http')
    await client.open(uri, 'GET http://localhost/{{nope}}\n')
    await client.diagnostics(uri, (found) => codesOf(found).includes('unknown-variable'))
    const start = { line: 0, character: 0 }
    const version = await client.change(uri, { range: { start, end: start }, text: 'bad line\n###\n' })
    await client.until(
      () => (client.published.get(uri)?.version === version ? true : undefined),
      () => 'the new version',
    )
    const { diagnostics } = client.published.get(uri)!
    expect(codesOf(diagnostics)).toContain('unknown-variable')
    expect(diagnostics.find(({ code }) => code === 'unknown-variable')?.range.start.line).toBe(2)
  })

  it('answers requests while it checks a large file', async () => {
    const uri = uriOf('large.http')
    // The first check also loads its modules.
    await client.open(uriOf('first.http'), 'GET http://localhost/{{unknown}}\n')
    await client.diagnostics(uriOf('first.http'), ({ length }) => length === 1)
    await client.open(uri, 'GET http://localhost/{{unknown}}\n\n###\n'.repeat(2000))
    const symbols = await client.connection.sendRequest<unknown[]>('textDocument/documentSymbol', {
      textDocument: { uri },
    })
    expect(symbols).toHaveLength(2000)
    expect(client.published.get(uri)?.diagnostics).toEqual([])
    await client.diagnostics(uri, ({ length }) => length === 2000)
  })

  it('checks a file again when its environment changes', async () => {
    const uri = uriOf('env.http')
    await client.open(uri, 'GET http://localhost/{{name}}\n')
    await client.diagnostics(uri, (found) => codesOf(found).includes('unknown-variable'))
    writeFileSync(join(directory(), 'http-client.env.json'), '{"dev":{"name":"x"}}')
    await client.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { httpcli: { environment: 'dev' } },
    })
    await client.diagnostics(uri, (found) => found.length === 0)
  })

  it('reads imported files as they are in the editor', async () => {
    writeFileSync(join(directory(), 'lib.http'), '### login\nGET http://localhost/\n')
    const uri = uriOf('main.http')
    await client.open(uri, 'import lib.http\n\nrun #logout\n')
    await client.diagnostics(uri, (found) => found.length > 0)
    await client.open(uriOf('lib.http'), '### logout\nGET http://localhost/\n')
    await client.diagnostics(uri, (found) => found.length === 0)
  })

  it.each([null, undefined])('treats a document that is opened without a text (%s) as empty', async (text) => {
    const uri = uriOf('none.http')
    const textDocument = { uri, languageId: 'http', version: 1, ...(text === undefined ? {} : { text }) }
    await client.connection.sendNotification('textDocument/didOpen', { textDocument })
    const symbols = client.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } })
    expect(await symbols).toEqual([])
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
    await client.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range, text: '### login\n@a = 1\nGET http://localhost/\n' }],
    })
    const named = await client.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } })
    // A list, because this client has not announced that it supports a hierarchy.
    expect(named).toMatchObject([
      { name: 'login', location: { uri } },
      { name: '@a', location: { uri }, containerName: 'login' },
    ])
  })
})
