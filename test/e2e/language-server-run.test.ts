/** Sending from the editor: the commands of the language server against real servers. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CodeLens, type InitializeParams, WorkDoneProgress } from 'vscode-languageserver-protocol'
import type { RunResult } from '../../src/language-server/results/run-result.ts'
import { LanguageClient } from '../helpers/language-client.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { type Answer, type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer
let files: ReturnType<typeof directoryWith>
let client: LanguageClient
/** Sockets of requests that are never answered. */
let held: Socket[]

const directory = (): string => files.path
const uriOf = (name: string): string => pathToFileURL(join(directory(), name)).href
const capabilities: InitializeParams['capabilities'] = {
  workspace: { textDocumentContent: {} },
  window: { workDoneProgress: true, showDocument: { support: true } },
}

const json = (value: unknown): Answer => {
  return (_request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(value))
  }
}

const MIB = 1024 * 1024

beforeEach(async () => {
  held = []
  server = await recordingServer({
    '/json': json({ token: 't0ken-of-the-answer', list: [1] }),
    '/never': (request) => {
      held.push(request.socket)
      client.wake()
    },
    '/cookie': (_request, response) => {
      response.setHeader('Set-Cookie', 'sid=s3cret-session; Path=/')
      response.end('ok')
    },
    '/large': (_request, response) => {
      response.setHeader('Content-Length', 100 * MIB)
      const piece = Buffer.alloc(MIB, 'x')
      const send = (count: number): void => {
        if (count === 0) response.end()
        else response.write(piece, () => send(count - 1))
      }
      send(100)
    },
    '/events': (_request, response) => {
      response.setHeader('Content-Type', 'text/event-stream')
      response.write('data: 1\n\n')
    },
    '/moved': (_request, response) => {
      response.writeHead(302, { Location: '/json' })
      response.end()
    },
    '/device': json({
      ...{ device_code: 'd3vice', user_code: 'ABCD-1234', verification_uri: `http://sign.in.test/`, interval: 1 },
      ...{ expires_in: 60 },
    }),
    '/token': json({ access_token: 'acc3ss-token', token_type: 'Bearer', expires_in: 60 }),
    '/binary': (_request, response) => response.end(Buffer.from([0x89, 0x50, 0, 1, 2])),
  })
  files = directoryWith({ '.git': '' })
  client = await LanguageClient.start({ folders: [pathToFileURL(directory()).href], capabilities })
  follow(client)
})

afterEach(async () => {
  if (client.process.exitCode === null) await client.stop()
  await server.close()
  files.remove()
})

/** What the server asked the client to show. */
let shown: string[]
let messages: string[]
let progress: unknown[]

function follow(followed: LanguageClient): void {
  shown = []
  messages = []
  progress = []
  const { connection } = followed
  connection.onRequest('window/showDocument', ({ uri }: { readonly uri: string }) => {
    shown.push(uri)
    return { success: true }
  })
  connection.onRequest('workspace/textDocumentContent/refresh', () => null)
  connection.onRequest('window/workDoneProgress/create', ({ token }: { readonly token: string }) => {
    connection.onProgress(WorkDoneProgress.type, token, () => {
      progress.push(token)
      followed.wake()
    })
    return null
  })
  const note = ({ message }: { readonly message: string }): void => {
    messages.push(message)
    followed.wake()
  }
  connection.onNotification('window/showMessage', note)
  connection.onRequest('window/showMessageRequest', (asked: { readonly message: string }) => {
    note(asked)
    return null
  })
}

/** Another client in place of the one of every test. */
async function restart(options: Parameters<typeof LanguageClient.start>[0]): Promise<void> {
  await client.stop()
  client = await LanguageClient.start({ folders: [pathToFileURL(directory()).href], ...options })
  follow(client)
}

function execute<Result = RunResult>(command: string, ...given: readonly unknown[]): Promise<Result> {
  return client.connection.sendRequest<Result>('workspace/executeCommand', { command, arguments: given })
}

async function textOf(uri: string | undefined): Promise<string> {
  const { text } = await client.connection.sendRequest<{ readonly text: string }>('workspace/textDocumentContent', {
    uri,
  })
  return text
}

const lines = (): readonly string[] => server.requests.map(({ line }) => line)

/** Opens a text that is not saved. */
async function open(text: string, name = 'api.http'): Promise<string> {
  await client.open(uriOf(name), text)
  return uriOf(name)
}

describe('httpcli.send', () => {
  it('sends the unsaved text of one request, and shows the formatted response', async () => {
    writeFileSync(join(directory(), 'api.http'), `GET ${server.origin}/saved\n`)
    const uri = await open(
      `GET ${server.origin}/other\n\n### one\n# @assert status == 200\nGET ${server.origin}/json\n`,
    )
    const result = await execute('httpcli.send', uri, 3)
    expect(result).toMatchObject({
      outcome: 'passed',
      requests: [{ name: 'one', status: 200, line: 4, tests: [{ hasPassed: true }], errors: [] }],
    })
    expect(result.message).toMatch(/^200 OK, .* ms, .*B, 1 test, 0 failed$/)
    expect(lines()).toEqual(['GET /json HTTP/1.1'])
    const text = await textOf(result.uri)
    expect(text).toMatch(/^### one: GET .*\nGET http.*\/json\n\nHTTP\/1\.1 200 OK\n/)
    expect(text).toContain('\n{\n  "token": "t0ken-of-the-answer",\n  "list": [\n    1\n  ]\n}\n')
    expect(text).toMatch(/\npassed {2}status == 200\n\n.* ms \(.*first byte .*\), .*B\n$/)
    expect(shown).toEqual([result.uri])
  })

  it('reports failed tests and unanswered requests', async () => {
    const uri = await open(`# @assert status == 201\nGET ${server.origin}/json\n\n###\nGET http://127.0.0.1:1/\n`)
    const failed = await execute('httpcli.send', uri, 1)
    expect(failed.outcome).toBe('failed')
    expect(failed.requests[0]?.tests[0]).toMatchObject({ name: 'status == 201', hasPassed: false })
    expect(await textOf(failed.uri)).toContain('FAILED  status == 201')
    const unsent = await execute('httpcli.send', uri, 4)
    expect(unsent).toMatchObject({ outcome: 'error', requests: [{ outcome: 'error' }] })
    expect(await textOf(unsent.uri)).toMatch(/error: .*refused/)
  })

  it('sends nothing if an error is above or in the request, but sends it if one is below', async () => {
    const uri = await open(`GET ${server.origin}/a\n\n###\nGET ${server.origin}/b\nbad line\n`)
    expect((await execute('httpcli.send', uri, 0)).outcome).toBe('passed')
    const refused = await execute('httpcli.send', uri, 3)
    expect(refused).toMatchObject({ outcome: 'refused', requests: [] })
    expect(refused.message).toMatch(/^Nothing was sent: .*api\.http:5:1: /)
    expect(messages).toEqual([refused.message])
    expect(lines()).toEqual(['GET /a HTTP/1.1'])
  })

  it('sends an unsaved document as if it were in the folder', async () => {
    writeFileSync(join(directory(), 'body.txt'), 'from the folder')
    await client.open('untitled:Untitled-1', `POST ${server.origin}/untitled\n\n< body.txt\n`)
    expect((await execute('httpcli.send', 'untitled:Untitled-1', 0)).outcome).toBe('passed')
    expect(server.requests[0]?.body.toString()).toBe('from the folder')
  })

  it('keeps cookies, client.global and responses until the session is cleared', async () => {
    const uri = await open(
      `### login\nGET ${server.origin}/json\n> {% client.global.set('id', 'i1') %}\n\n### cookie\nGET ${server.origin}/cookie\n\n### me\nGET ${server.origin}/me?{{id}}\nX-Token: {{login.response.body.$.token}}\n`,
    )
    for (const line of [1, 5, 8]) expect((await execute('httpcli.send', uri, line)).outcome).toBe('passed')
    expect(server.requests.at(-1)).toMatchObject({
      line: 'GET /me?i1 HTTP/1.1',
      headers: expect.arrayContaining(['X-Token: t0ken-of-the-answer', 'Cookie: sid=s3cret-session']),
    })
    expect(await execute('httpcli.clearSession', uri)).toEqual({ cleared: 1 })
    expect((await execute('httpcli.send', uri, 8)).outcome).toBe('error')
  })

  it('masks secrets in text, data and messages', async () => {
    const env = { dev: { password: 'pa55word-of-dev' } }
    writeFileSync(join(directory(), 'http-client.env.json'), '{"dev":{}}')
    writeFileSync(join(directory(), 'http-client.private.env.json'), JSON.stringify(env))
    const uri = await open(
      `GET ${server.origin}/cookie?p={{password}}\n> {% client.log('it is ' + client.variables.environment.get('password')) %}\n`,
    )
    const result = await execute('httpcli.sendWithEnvironment', uri, 0, { environment: 'dev' })
    expect(lines()[0]).toContain('pa55word-of-dev')
    expect(JSON.stringify(result) + (await textOf(result.uri))).not.toMatch(/pa55word|s3cret/)
    expect(await textOf(result.uri)).toContain('it is ***')
  })

  it('needs an answer to a prompt, from the options or from a client that can ask', async () => {
    const uri = await open(`# @prompt who Your name\nGET ${server.origin}/{{who}}\n`)
    const refused = await execute('httpcli.send', uri, 1)
    expect(refused.requests[0]?.errors[0]).toContain('the value of "who" must be entered')
    await execute('httpcli.send', uri, 1, { variables: { who: 'me' } })
    await restart({ capabilities: { ...capabilities, experimental: { httpcli: { prompt: true } } } })
    client.connection.onRequest('httpcli/prompt', ({ name }: { readonly name: string }) => ({ value: `${name}-typed` }))
    await open(`# @prompt who Your name\nGET ${server.origin}/{{who}}\n`)
    await execute('httpcli.send', uri, 1)
    expect(lines()).toEqual(['GET /me HTTP/1.1', 'GET /who-typed HTTP/1.1'])
  })

  it('shows each hop of a redirect', async () => {
    const uri = await open(`GET ${server.origin}/moved\n`)
    const result = await execute('httpcli.send', uri, 0)
    expect(result.requests[0]).toMatchObject({ url: `${server.origin}/json`, status: 200 })
    expect(await textOf(result.uri)).toMatch(
      /GET \S+\/moved\n\nHTTP\/1\.1 302 Found\n.*?\nGET \S+\/json\n\nHTTP\/1\.1 200 OK\n/s,
    )
  })

  it('shows where to sign in, and keeps the token for the session', async () => {
    const auth = {
      ...{ Type: 'OAuth2', 'Grant Type': 'Device Authorization', 'Client ID': 'me' },
      ...{ 'Device Auth URL': `${server.origin}/device`, 'Token URL': `${server.origin}/token` },
    }
    writeFileSync(
      join(directory(), 'http-client.env.json'),
      JSON.stringify({ dev: { Security: { Auth: { api: auth } } } }),
    )
    await restart({ capabilities, settings: { environment: 'dev' } })
    const uri = await open(`GET ${server.origin}/me\nAuthorization: Bearer {{$auth.token("api")}}\n`)
    for (let count = 0; count < 2; count++) expect((await execute('httpcli.send', uri, 0)).outcome).toBe('passed')
    expect(messages).toEqual([expect.stringContaining('type the code ABCD-1234 there')])
    expect(shown).toContain('http://sign.in.test/')
    expect(lines().filter((line) => line.includes('/token'))).toHaveLength(1)
    expect(server.requests.at(-1)?.headers).toContain('Authorization: Bearer acc3ss-token')
  })

  it('sends nothing from a folder that is not trusted', async () => {
    await restart({ capabilities, settings: { trusted: false } })
    const uri = await open(`< {% request.variables.set('a', 'b') %}\nGET ${server.origin}/\n`)
    for (const command of [
      'httpcli.send',
      'httpcli.runFile',
      'httpcli.runToHere',
      'httpcli.showRaw',
      'httpcli.copyAsCurl',
    ]) {
      const result = await execute(command, uri, 1)
      expect(result, command).toMatchObject({ outcome: 'refused', message: expect.stringContaining('not trusted') })
    }
    // The settings of a folder are a part of what is not trusted.
    const settings = { httpcli: { trusted: true } }
    await client.connection.sendNotification('workspace/didChangeConfiguration', { settings })
    expect(await execute('httpcli.send', uri, 1)).toMatchObject({ outcome: 'refused' })
    expect(lines()).toEqual([])
  })

  it('keeps only the beginning of a large body', async () => {
    const uri = await open(`GET ${server.origin}/large\n`)
    const result = await execute('httpcli.send', uri, 0)
    expect(result).toMatchObject({ outcome: 'passed', requests: [{ sizeBytes: expect.any(Number) }] })
    expect(result.requests[0]?.sizeBytes).toBeGreaterThan(100 * MIB)
    const text = await textOf(result.uri)
    expect(text.length).toBeLessThan(MIB + 2000)
    expect(text).toContain('... cut after 1.0 MB')
    if (process.platform !== 'linux') return
    const [, peak] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${client.process.pid}/status`, 'utf8'))!
    expect(Number(peak)).toBeLessThan(220 * 1024)
  })

  it('shows binary data as a hex dump', async () => {
    const uri = await open(`GET ${server.origin}/binary\n`)
    const text = await textOf((await execute('httpcli.send', uri, 0)).uri)
    expect(text).toContain('00000000  89 50 00 01 02')
    expect(text).toContain('binary body of 5 bytes\n')
  })

  it.each([
    ['a line without a request', [1], /is not part of a request/],
    ['a document that does not exist', ['file:///nowhere/at-all.http', 0], /cannot be read/],
  ] as const)('refuses %s', async (_title, given, expected) => {
    const uri = await open('# only a comment\n\n')
    const result = await execute('httpcli.send', ...(given.length === 1 ? [uri, ...given] : given))
    expect(result).toMatchObject({ outcome: 'refused', message: expect.stringMatching(expected) })
  })

  it.each([
    [[], /needs the URI/],
    [['x', 'y'], /needs a line/],
    [[-1], /the line of the command is wrong/],
    [[[]], /an argument of the command is wrong/],
    [[{ environment: 1 }], /"environment" of the command is wrong/],
    [[{ variables: { a: 1 } }], /"variables" of the command is wrong/],
  ])('responds with an error to %j', async (given, expected) => {
    await client.open('y', 'GET http://localhost/\n')
    await expect(execute('httpcli.send', ...given)).rejects.toThrow(expected)
  })
})

describe('a run that does not end', () => {
  it('is cancelled by httpcli.cancel, and leaves no connection open', async () => {
    const uri = await open(`GET ${server.origin}/never\n`)
    const running = execute('httpcli.send', uri, 0)
    const [socket] = await client.until(
      () => (held.length > 0 ? held : undefined),
      () => 'the request',
    )
    const closed = new Promise((resolve) => socket?.once('close', resolve))
    expect(await execute('httpcli.cancel', uri, 0)).toEqual({ cancelled: 1 })
    expect(await running).toMatchObject({ outcome: 'cancelled', message: expect.stringContaining('Cancelled after') })
    await closed
    expect(await execute('httpcli.cancel')).toEqual({ cancelled: 0 })
  })

  it('is cancelled through its progress', async () => {
    const uri = await open(`GET ${server.origin}/never\n`)
    const running = execute('httpcli.send', uri, 0)
    const token = await client.until(
      () => progress[0],
      () => 'progress',
    )
    await client.connection.sendNotification('window/workDoneProgress/cancel', { token })
    expect((await running).outcome).toBe('cancelled')
  })

  it('shows what has arrived of a stream', async () => {
    const uri = await open(`GET ${server.origin}/events\n`)
    const running = execute('httpcli.send', uri, 0)
    await client.until(
      () => progress[0],
      () => 'progress',
    )
    await execute('httpcli.cancel', uri)
    const { outcome, uri: shownUri } = await running
    expect(outcome).toBe('cancelled')
    expect(await textOf(shownUri)).toMatch(/\n\ndata: 1\n\n\.\.\. cut after 9 B\n/)
  })

  it('is not started twice, but runs in parallel with others', async () => {
    const uri = await open(`GET ${server.origin}/never\n\n###\nGET ${server.origin}/b\n`)
    const running = execute('httpcli.send', uri, 0)
    const second = await execute('httpcli.send', uri, 0)
    expect(second).toMatchObject({ outcome: 'refused', message: expect.stringContaining('is still running') })
    expect((await execute('httpcli.send', uri, 3)).outcome).toBe('passed')
    await client.until(
      () => (messages.length > 0 ? true : undefined),
      () => 'the question',
    )
    await execute('httpcli.cancel')
    expect((await running).outcome).toBe('cancelled')
  })

  it.each(['at once', 'after its progress was shown'])('ends with the server when the client goes %s', async (when) => {
    const uri = await open(`GET ${server.origin}/never\n`)
    void execute('httpcli.send', uri, 0).catch(() => undefined)
    if (when !== 'at once') {
      await client.until(
        () => progress[0],
        () => 'progress',
      )
    }
    const [socket] = await client.until(
      () => (held.length > 0 ? held : undefined),
      () => 'the request',
    )
    const closed = new Promise((resolve) => socket?.once('close', resolve))
    const ended = new Promise((resolve) => client.process.once('close', resolve))
    client.process.stdin.end()
    expect(await ended).toBe(4)
    await closed
    expect(client.errors).toBe('')
  })
})

describe('several requests', () => {
  const text = (): string =>
    `### one\nGET ${server.origin}/one\n\n### two\nGET ${server.origin}/two\n\n### three\nGET ${server.origin}/three\n`

  it('run up to the cursor', async () => {
    const uri = await open(text())
    const { outcome, requests } = await execute('httpcli.runToHere', uri, 4)
    expect([outcome, ...requests.map(({ name }) => name)]).toEqual(['passed', 'one', 'two'])
  })

  it('run as a file, with a summary', async () => {
    const uri = await open(text())
    const { message, requests } = await execute('httpcli.runFile', uri)
    expect(requests.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
    expect(message).toMatch(/^3 requests: 3 answered, 0 failed; /)
  })
})

describe('environments', () => {
  it('are chosen per folder', async () => {
    const other = directoryWith({ '.git': '', 'http-client.env.json': '{"prod":{"host":"prod"}}' })
    try {
      writeFileSync(join(directory(), 'http-client.env.json'), '{"dev":{"host":"dev"},"test":{"host":"test"}}')
      const folders = [directory(), other.path].map((path) => pathToFileURL(path).href)
      await restart({ capabilities, folders })
      const text = `GET ${server.origin}/{{host}}\n`
      const one = await open(text)
      const two = pathToFileURL(join(other.path, 'b.http')).href
      await client.open(two, text)
      expect(await execute('httpcli.environments', one)).toEqual(['dev', 'test'])
      expect(await execute('httpcli.chooseEnvironment', one, { environment: 'test' })).toEqual({ environment: 'test' })
      await execute('httpcli.chooseEnvironment', two, { environment: 'prod' })
      await execute('httpcli.send', one, 0)
      await execute('httpcli.send', two, 0)
      await execute('httpcli.sendWithEnvironment', one, 0, { environment: 'dev' })
      expect(lines()).toEqual(['GET /test HTTP/1.1', 'GET /prod HTTP/1.1', 'GET /dev HTTP/1.1'])
    } finally {
      other.remove()
    }
  })

  it('that are unknown or invalid send nothing', async () => {
    const uri = await open(`GET ${server.origin}/\n`)
    const unknown = await execute('httpcli.sendWithEnvironment', uri, 0, { environment: 'nope' })
    expect(unknown.message).toContain('no environment "nope" found')
    writeFileSync(join(directory(), 'http-client.env.json'), '{"dev":')
    const broken = await execute('httpcli.send', uri, 0)
    expect(broken).toMatchObject({ outcome: 'refused', message: expect.stringContaining('http-client.env.json:1:') })
    expect(lines()).toEqual([])
  })
})

describe('without sending', () => {
  it('a request is shown as it would be sent', async () => {
    const uri = await open(
      `@name = it\nPOST ${server.origin}/{{name}}\nAuthorization: Bearer t0ken-of-mine\n\nbody of {{name}}\n`,
    )
    const { text } = await execute<{ readonly text: string }>('httpcli.showRaw', uri, 1)
    expect(text).toMatch(/^POST \/it HTTP\/1\.1\nHost: /)
    expect(text).toContain('Authorization: Bearer ***\n')
    expect(text).toMatch(/\n\nbody of it\n$/)
    expect(lines()).toEqual([])
  })

  it('a request is copied as a curl command', async () => {
    const uri = await open(`@name = it\nPOST ${server.origin}/{{name}}\nX-Key: {{name}} 1\n\nbody\n`)
    const { text, losses } = await execute<{ readonly text: string; readonly losses: readonly string[] }>(
      'httpcli.copyAsCurl',
      uri,
      1,
    )
    expect(text).toContain(`${server.origin}/it`)
    expect(text).toContain('X-Key: it 1')
    expect(losses).toEqual([])
    const kept = await execute<{ readonly text: string }>('httpcli.copyAsCurl', uri, 1, { keepsVariables: true })
    expect(kept.text).toMatch(/^name='?it'?\n/)
    expect(kept.text).toContain('$name')
    expect(lines()).toEqual([])
  })

  it('a value that only a run can provide is named', async () => {
    const uri = await open(
      `### login\nGET ${server.origin}/json\n\n### me\nGET ${server.origin}/{{login.response.body.$.token}}\n`,
    )
    const refused = await execute('httpcli.copyAsCurl', uri, 4)
    expect(refused).toMatchObject({ outcome: 'refused', message: expect.stringContaining('login') })
    await execute('httpcli.send', uri, 1)
    const copied = await execute<{ readonly text: string }>('httpcli.copyAsCurl', uri, 4)
    expect(copied.text).toContain('/t0ken-of-the-answer')
  })
})

describe('clients', () => {
  it('without documents get a one-line message', async () => {
    await restart({})
    const uri = await open(`GET ${server.origin}/json\n`)
    const { message } = await execute('httpcli.send', uri, 0)
    expect(messages).toEqual([message])
    expect(message).toMatch(/^200 OK, /)
  })

  it('that want files get private ones, which are deleted when the server exits', async () => {
    await restart({ settings: { results: 'file' } })
    const uri = await open(`GET ${server.origin}/json\n`)
    const result = await execute('httpcli.send', uri, 0)
    const path = fileURLToPath(result.uri!)
    expect(readFileSync(path, 'utf8')).toContain('HTTP/1.1 200 OK')
    if (process.platform !== 'win32') expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    expect(readdirSync(directory())).toEqual(['.git'])
    await client.stop()
    expect(existsSync(join(path, '..'))).toBe(false)
  })

  it('that support results get them on request', async () => {
    await restart({ capabilities: { experimental: { httpcli: { results: true } } } })
    const changed: unknown[] = []
    client.connection.onNotification('httpcli/resultChanged', ({ uri }) => void changed.push(uri))
    const uri = await open(`GET ${server.origin}/json\n`)
    const first = await execute('httpcli.send', uri, 0)
    const second = await execute('httpcli.send', uri, 0)
    expect(second.uri).toBe(first.uri)
    const { text } = await client.connection.sendRequest<{ readonly text: string }>('httpcli/result', {
      uri: first.uri,
    })
    expect(text).toContain('HTTP/1.1 200 OK')
    expect(changed).toEqual([first.uri, first.uri])
    expect(messages).toEqual([])
  })
})

describe('code lenses', () => {
  it('offer the commands above each request', async () => {
    writeFileSync(join(directory(), 'http-client.env.json'), '{"dev":{}}')
    const uri = await open('# first\nGET http://localhost/\n\n### two\nGET http://localhost/two\n')
    const lenses = await client.connection.sendRequest<readonly CodeLens[]>('textDocument/codeLens', {
      textDocument: { uri },
    })
    const titles = (line: number): unknown[] =>
      lenses.filter(({ range }) => range.start.line === line).map(({ command }) => command?.title)
    expect(titles(1)).toEqual(['Send', 'Send with environment …', 'Run file', 'Copy as curl', 'Show as raw'])
    expect(titles(4)).toEqual(['Send', 'Send with environment …', 'Run to here', 'Copy as curl', 'Show as raw'])
    expect(lenses[0]?.command?.arguments).toEqual([uri, 1])
  })
})
