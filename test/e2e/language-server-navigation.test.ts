/** Definitions, uses, renames, symbols and links as an editor asks for them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type {
  DocumentHighlight,
  DocumentLink,
  DocumentSymbol,
  Location,
  Position,
  SymbolInformation,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { runCommand } from '../helpers/command.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

const main = `import lib/auth.http
@host = http://localhost:1

### me
# @assert status == 200
run #login (@user = {{user}})
GET {{host}}/me?user={{user}}
Authorization: Bearer {{token}}
X-Login: {{login.response.body.$.name}}

> ./check.js

###
# @capture who = $.name
GET {{host}}/again

###
GET {{host}}/{{who}}
`
const auth = `### login
POST {{host}}/login
Content-Type: application/json

{"user": "{{user}}"}

> {% client.global.set("token", response.body.token) %}
`
const files = {
  'main.http': main,
  'lib/auth.http': auth,
  'check.js': 'client.test("token", () => client.assert(client.global.get("token") === "t1"))\n',
  'http-client.env.json': '{\n  "dev": { "user": "ada" },\n  "prod": { "user": "grace" }\n}\n',
  'node_modules/other/main.http': 'GET http://localhost/{{host}}\n',
}

let directory: ReturnType<typeof directoryWith>
let client: LanguageClient

const pathOf = (name: string): string => join(directory.path, name)
const uriOf = (name: string): string => pathToFileURL(pathOf(name)).href
const read = (name: string): string => readFileSync(pathOf(name), 'utf8')

/** The place of a word in a file, `|` before it. */
function placeOf(name: string, marked: string): Position {
  const offset = read(name).indexOf(marked.replace('|', ''))
  expect(offset).toBeGreaterThanOrEqual(0)
  return TextDocument.create('', '', 0, read(name)).positionAt(offset + marked.indexOf('|'))
}

/** `file:line` of each location, counted from 1. */
function shown(locations: readonly Location[] | null): readonly string[] {
  const lines = (locations ?? []).map(
    ({ uri, range }) => `${fileURLToPath(uri).slice(directory.path.length + 1)}:${range.start.line + 1}`,
  )
  return lines.toSorted()
}

function ask<Result>(method: string, name: string, marked: string, more: object = {}): Promise<Result> {
  const { line, character } = placeOf(name, marked)
  return client.at<Result>(method, uriOf(name), line, character, more)
}

async function rename(name: string, marked: string, newName: string): Promise<void> {
  await client.open(uriOf(name), read(name))
  const { changes } = await ask<WorkspaceEdit>('textDocument/rename', name, marked, { newName })
  for (const [uri, edits] of Object.entries(changes ?? {})) {
    const path = fileURLToPath(uri)
    const text = TextDocument.applyEdits(TextDocument.create('', '', 0, readFileSync(path, 'utf8')), edits)
    writeFileSync(path, text)
  }
  await client.close(uriOf(name))
}

beforeEach(async () => {
  directory = directoryWith(files)
  client = await LanguageClient.start({
    folders: [pathToFileURL(directory.path).href],
    capabilities: { textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } },
  })
})

afterEach(async () => {
  await client.stop()
  directory.remove()
  expect(client.errors).toBe('')
})

describe('definitions and uses', () => {
  it('of variables and requests are found in imports, scripts and environment files', async () => {
    await client.open(uriOf('main.http'), main)
    await client.open(uriOf('lib/auth.http'), auth)
    const definition = async (name: string, marked: string): Promise<readonly string[]> =>
      shown(await ask('textDocument/definition', name, marked))
    expect(await definition('main.http', 'GET {{|host')).toEqual(['main.http:2'])
    expect(await definition('main.http', 'Bearer {{|token')).toEqual(['lib/auth.http:7'])
    expect(await definition('main.http', 'run #|login')).toEqual(['lib/auth.http:1'])
    expect(await definition('main.http', '{{|login.resp')).toEqual(['lib/auth.http:1'])
    expect(await definition('main.http', '{{|user')).toEqual(['http-client.env.json:2', 'http-client.env.json:3'])
    expect(await definition('main.http', '/{{|who')).toEqual(['main.http:14'])
    expect(await definition('lib/auth.http', '{{|host')).toEqual(['main.http:2'])
    expect(await definition('main.http', '# @ass|ert')).toEqual([])
    const references = await ask<Location[]>('textDocument/references', 'lib/auth.http', 'set("|token', {
      context: { includeDeclaration: true },
    })
    expect(shown(references)).toEqual(['check.js:1', 'lib/auth.http:7', 'main.http:8'])
    const uses = await ask<Location[]>('textDocument/references', 'lib/auth.http', '### |login', {
      context: { includeDeclaration: false },
    })
    expect(shown(uses)).toEqual(['main.http:6', 'main.http:9'])
    const highlights = await ask<DocumentHighlight[]>('textDocument/documentHighlight', 'main.http', '@|host')
    expect(highlights.map(({ range, kind }) => [range.start.line, kind])).toEqual([
      ...[[1, 3], ...[6, 14, 17].map((line) => [line, 2])],
    ])
  })

  it('are those of the chosen environment and of unsaved texts', async () => {
    await client.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { httpcli: { environment: 'prod' } },
    })
    await client.open(uriOf('main.http'), main.replaceAll('{{user}}', '{{user }}'))
    const line = main.split('\n').findIndex((each) => each.startsWith('GET {{host}}/me'))
    const found = await client.at<Location[]>('textDocument/definition', uriOf('main.http'), line, 24)
    expect(shown(found)).toEqual(['http-client.env.json:3'])
    await client.open('untitled:Untitled-1', '@a\u{1f600} = 1\r@b = 1\rGET http://localhost/{{b}}')
    const untitled = await client.at<Location[]>('textDocument/definition', 'untitled:Untitled-1', 2, 24)
    expect(untitled.map(({ range }) => range.start)).toEqual([{ line: 1, character: 1 }])
  })
})

it('positions in files that are not open do not count a byte order mark, which editors hide', async () => {
  writeFileSync(pathOf('lib/auth.http'), '\ufeff@base = {{city}}\n')
  writeFileSync(pathOf('http-client.env.json'), '\ufeff{"dev": {"city": "ada"}}\n')
  const uri = uriOf('new.http')
  await client.open(uri, 'import lib/auth.http\nGET http://localhost/{{base}}/{{city}}\n')
  const startOf = async (character: number): Promise<readonly string[]> => {
    const found = await client.at<Location[]>('textDocument/references', uri, 1, character, {
      context: { includeDeclaration: true },
    })
    return found.map(({ range: { start } }) => `${start.line}:${start.character}`)
  }
  expect(await startOf(24)).toEqual(['1:23', '0:1'])
  expect(await startOf(32)).toEqual(['1:32', '0:10', '0:10'])
})

it('a name is found in a file whose import is not a path', async () => {
  const uri = 'untitled:Untitled-3'
  await client.open(uri, 'import a\0b/c.http\n\n@host = x\n\n###\nGET http://{{host}}/\n')
  const found = await client.at<Location[]>('textDocument/definition', uri, 5, 14)
  expect(found.map(({ range }) => range.start.line)).toEqual([2])
})

describe('a rename', () => {
  it('does not change what a run sends and finds', async () => {
    const sent: string[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url, headers } = request
        sent.push([method, url, headers.authorization, headers['x-login'], Buffer.concat(chunks)].join(' '))
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name": "ada", "token": "t1"}')
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    writeFileSync(
      pathOf('main.http'),
      main.replace('localhost:1', `127.0.0.1:${(server.address() as AddressInfo).port}`),
    )
    const run = async (): Promise<readonly string[]> => {
      sent.length = 0
      const { code, stdout, stderr } = await runCommand(['run', 'main.http', '-e', 'dev'], { cwd: directory.path })
      expect(code, `${stdout}${stderr}`).toBe(0)
      return [...sent]
    }
    const before = await run()
    expect(before).toContain('GET /me?user=ada Bearer t1 ada ')
    await rename('main.http', 'GET {{|host', 'base-url')
    await rename('lib/auth.http', 'set("|token', 'accessToken')
    await rename('main.http', '(@|user', 'account.name')
    await rename('main.http', '{{|login', 'sign-in')
    await rename('main.http', '@capture |who', 'person')
    const texts = Object.keys(files)
      .filter((name) => !name.startsWith('node_modules'))
      .map(read)
    expect(texts.join('').match(/\bhost\}|"token"\)? ===|\{\{user|#login|### login|\bwho\b/g)).toBeNull()
    expect(read('http-client.env.json')).toContain('"prod": { "account.name": "grace" }')
    expect(read('node_modules/other/main.http')).toContain('{{host}}')
    expect(await run()).toEqual(before)
  }, 60_000)

  it.each([
    ['a dynamic variable', 'GET /\nA: {{$uu|id}}\n', 'id', /only names of variables and requests/],
    ['a host that paths use', '@ho|st = localhost\n\n###\nGET /users\n', 'x', /write \{\{host\}\} before their paths/],
    ['a text without a name', 'G|ET http://localhost/\n\n{}\n', 'x', /called by its method and URL/],
    ['a variable without a definition', 'GET /{{|nope}}\n', 'x', /no definition of "nope" found/],
    ['a name that is taken', '@|a = 1\n@b = 2\nGET /{{a}}\n', 'b', /the name "b" is taken: .*:2:2/],
    ['a name that cannot be written', '@|a = 1\nGET /{{a}}\n', 'b c', /expected letters, digits/],
    ['a path into a name with dots', '@|a = 1\nGET /{{a.b}}\n', 'x.y', /a path into the variable/],
    [
      'a response of a name with blanks',
      '### |a\nGET /\n###\nGET /{{a.response.body}}\n',
      'x y',
      /its response is used/,
    ],
    ['computed names', '@|a = 1\nGET /{{a}}\n\n> {% client.global.get("a" + x) %}\n', 'b', /computes names/],
    ['calls on something unknown', '@|a = 1\nGET /{{a}}\n\n> {% it.get("a") %}\n', 'b', /may or may not be/],
  ] as const)('is refused for %s', async (_title, marked, newName, message) => {
    const uri = uriOf('new.http')
    const text = marked.replace('|', '')
    await client.open(uri, text)
    const { line, character } = TextDocument.create('', '', 0, text).positionAt(marked.indexOf('|'))
    await expect(client.at('textDocument/rename', uri, line, character, { newName })).rejects.toThrow(message)
  })

  it('starts with the range of the name', async () => {
    await client.open(uriOf('main.http'), main)
    const found = await ask('textDocument/prepareRename', 'main.http', '{{to|ken')
    const start = placeOf('main.http', '{{|token')
    const end = { ...start, character: start.character + 5 }
    expect(found).toEqual({ range: { start, end }, placeholder: 'token' })
  })
})

describe('symbols and links', () => {
  it('include the requests with their variables and scripts', async () => {
    await client.open(uriOf('main.http'), main)
    const symbols = await client.connection.sendRequest<DocumentSymbol[]>('textDocument/documentSymbol', {
      textDocument: { uri: uriOf('main.http') },
    })
    const outline = ({ name, detail, children = [] }: DocumentSymbol): unknown[] => [
      ...[name, ...(detail === undefined ? [] : [detail])],
      ...(children.length === 0 ? [] : [children.map(outline)]),
    ]
    expect(symbols.map(outline)).toEqual([
      ['import lib/auth.http'],
      ['@host'],
      ['me', 'GET {{host}}/me?user={{user}}', [['run #login'], ['response handler', './check.js']]],
      ['GET {{host}}/again', [['who', 'capture']]],
      ['GET {{host}}/{{who}}'],
    ])
    for (const { range, selectionRange } of symbols) {
      expect(range.start.line).toBeLessThanOrEqual(selectionRange.start.line)
      expect(range.end.line).toBeGreaterThanOrEqual(selectionRange.end.line)
    }
  })

  it('in the workspace are found by some of their letters', async () => {
    const search = (query: string): Promise<SymbolInformation[]> =>
      client.connection.sendRequest('workspace/symbol', { query })
    expect((await search('lgn')).map(({ name, location }) => [name, ...shown([location])])).toEqual([
      ['login (POST {{host}}/login)', 'lib/auth.http:2'],
    ])
    expect((await search('host')).map(({ name }) => name)).toContain('host')
    expect(await search('nothing of it')).toEqual([])
  })

  it('lead to files that exist', async () => {
    const uri = uriOf('main.http')
    await client.open(uri, `${main}\n< ./missing.json\n\n>> gone.json\n`)
    const links = await client.connection.sendRequest<DocumentLink[]>('textDocument/documentLink', {
      textDocument: { uri },
    })
    expect(links.map(({ target, range }) => [target, range.start.line, range.start.character])).toEqual([
      [uriOf('lib/auth.http'), 0, 7],
      [uriOf('check.js'), 10, 2],
    ])
  })
})
