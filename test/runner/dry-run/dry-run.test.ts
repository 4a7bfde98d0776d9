import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RunCookies } from '../../../src/runner/index.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, type RunResult, type RunSettings, recordingServer, runText } from '../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({ '/told': (_request, response) => response.end('{"a": 1}') })
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

async function rehearse(text: string, settings: RunSettings = {}): Promise<RunResult & { readonly shown: string }> {
  const result = await runText(text.replaceAll('$O', server.origin), {
    isDryRun: true,
    processEnvironment: { A: 'x' },
    ...settings,
  })
  const octets = result.events.flatMap((event) => (event.type === 'request-octets' ? [Buffer.from(event.bytes)] : []))
  expect(server.requests).toEqual([])
  return { ...result, shown: Buffer.concat(octets).toString() }
}

const warnings = ({ events }: RunResult): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.error.message] : []))

describe('a run that sends nothing', () => {
  it('reports the bytes that a run would send', async () => {
    const text = '# @name a\nPOST $O/told?x={{$timestamp}}\nContent-Type: text/plain\nX: ä\n\none\n< two.txt\n'
    const settings = {
      files: { 'two.txt': 'two' },
      sources: { now: () => 5000, randomBytes: (count: number) => new Uint8Array(count) },
    }
    const { shown, summary } = await rehearse(text, settings)
    const sent = await runText(text.replaceAll('$O', server.origin), settings)
    const really = sent.events.flatMap((event) => (event.type === 'request-octets' ? [Buffer.from(event.bytes)] : []))
    server.requests.length = 0
    expect(shown).toBe(Buffer.concat(really).toString())
    expect(summary).toMatchObject({ requests: 1, answered: 0, failed: 0 })
  })

  it('shows values that only a response could provide as written, and says so once', async () => {
    const result = await rehearse(`# @capture token = $.t
GET $O/login

> {% client.global.set("user", response.body) %}
###
POST $O/{{user.id}}
Authorization: Bearer {{token}}

{"t": "{{token}}", "u": {{user}}}
###
GET $O/again/{{token}}
`)
    expect(result.shown).toContain(`POST ${server.origin}/{{user.id}} HTTP/1.1\r\nAuthorization: Bearer {{token}}\r\n`)
    expect(result.shown).toContain('{"t": "{{token}}", "u": {{user}}}')
    expect(result.shown).toContain(`GET ${server.origin}/again/{{token}} HTTP/1.1`)
    expect(result.errors).toEqual([])
    expect(warnings(result)).toEqual([
      'test.http:6: the value of {{user.id}}, {{token}}, {{user}} is known only during a run',
    ])
  })

  it('builds a request in which only a field value is missing', async () => {
    const { shown } = await rehearse(`# @capture token = $.t
GET $O/
###
POST $O/{{$env.A}}?ä
Authorization: Bearer {{token}}
Cookie: a={{token}}

{"a": 1}
`)
    const request = shown.slice(shown.indexOf('POST'))
    expect(request).toContain('POST /x?%C3%A4 HTTP/1.1\r\nHost: ')
    expect(request).toContain('Authorization: Bearer {{token}}\r\nCookie: a={{token}}\r\nContent-Length: 8\r\n')
  })

  it.each<[string, string, string]>([
    ['a URL', 'GET http://{{v}}.test:{{$env.A}}/ä', 'GET http://{{v}}.test:x/ä HTTP/1.1\r\n'],
    ['a path into a variable', 'GET http://h/{{$.v.a}}', 'GET http://h/{{$.v.a}} HTTP/1.1\r\n'],
    ['a URL through a variable', '@base = http://{{v}}\nGET {{base}}/a', 'GET http://{{v}}/a HTTP/1.1\r\n'],
    [
      'a URL that a script makes',
      '< {% request.variables.set("w", client.global.get("v") + 1) %}\nGET $O/{{w}}',
      '/{{v}}1 HTTP/1.1\r\n',
    ],
    ['a password', 'GET http://h/\nAuthorization: Basic user {{v}}', 'Authorization: Basic user {{v}}\r\n'],
    [
      'a form',
      'POST http://h/\nContent-Type: application/x-www-form-urlencoded\n\na={{v}}&b=1 2',
      '\r\n\r\na={{v}}&b=1 2',
    ],
    [
      'JSON',
      'POST http://h/\nContent-Type: application/json\n\n{"a": {{v}}, "b": {{$isoTimestamp}}}',
      '\r\n\r\n{"a": {{v}}, "b": "1970-01-01T00:00:00.000Z"}',
    ],
    ['GraphQL', 'GRAPHQL http://h/\n\nquery { a }\n\n{"v": {{v}}}', '\r\n\r\nquery { a }\n\n{"v": {{v}}}'],
    [
      'a boundary',
      'POST http://h/\nContent-Type: multipart/mixed; boundary={{v}}\n\n--{{v}}\n\na\n--{{v}}--',
      '\r\n\r\n--{{v}}\n\na\n--{{v}}--',
    ],
    ['the name of a file', 'POST http://h/\n\n< {{v}}.txt\nend', '\r\n\r\n< {{v}}.txt\nend'],
  ])('shows a request as written if %s is missing', async (_what, text, expected) => {
    const { shown, errors } = await rehearse(`# @capture v = $.v\nGET $O/\n###\n${text}`, {
      sources: { now: () => 0, randomBytes: (count) => new Uint8Array(count) },
    })
    const request = shown.slice(shown.indexOf('\r\n\r\n') + 4)
    expect(errors).toEqual([])
    expect(request).toContain(expected)
    expect(request).toContain('User-Agent: httpcli\r\n')
    expect(request).not.toContain('Content-Length')
  })

  it('shows one request per array element, and none that must not be logged', async () => {
    const text = '# @capture v = $.v\nGET $O/\n###\nGET $O/{{list}}/{{v}}\n###\n# @no-log\nGET $O/secret/{{v}}'
    const { shown, summary } = await rehearse(text, { variables: new Map([['list', ['a', 'b']]]) })
    expect(shown.match(/(?<=GET http:..[^/]*)\/\S+/g)).toEqual(['/a/{{v}}', '/b/{{v}}'])
    expect(summary.requests).toBe(4)
  })

  it.each([
    ['GET $O/\nAuthorization: Bearer {{p}}', 'hunter2'],
    ['GET $O/{{v}}\nAuthorization: Bearer {{p}}', 'hunter2'],
    ['GET $O/\nAuthorization: Bearer {{v}}\nCookie: sid={{p}}', 'hunter2'],
    ['GET $O/\nAuthorization: Basic ada {{p}}', 'hunter2'],
    ['GET $O/{{v}}\nAuthorization: Basic ada {{p}}', 'ada hunter2'],
    ['GET http://ada:{{p}}@h/{{v}}', 'hunter2'],
  ])('reports credentials for masking: %s', async (text, secret) => {
    const secrets: string[] = []
    await rehearse(`# @capture v = $.v\nGET $O/\n###\n${text}`, {
      variables: new Map([['p', 'hunter2']]),
      secrets: { add: (value) => void secrets.push(value) },
    })
    expect(secrets).toContain(secret)
    expect(secrets.filter((each) => each.includes('{{'))).toEqual([])
  })

  it('fails for a missing file, even if other values are missing', async () => {
    const { errors } = await rehearse(
      '# @capture v = $.v\nGET $O/\n###\nPOST $O/{{v}}\n\n< nope.txt\n###\nGET $O/{{v}}/{{w}}',
    )
    expect(errors.map((line) => line.split(' ')[1])).toEqual(['unreadable-file', 'unknown-variable'])
  })

  it('shows a request that cannot be built yet as written', async () => {
    const { shown, errors } = await rehearse(
      '# @capture port = $.p\nGET $O/\n###\nPUT http://h:{{port}}/x\nA: b\n\nbody {{port}}\n',
    )
    expect(shown).toContain('PUT http://h:{{port}}/x HTTP/1.1\r\nA: b\r\nUser-Agent: httpcli\r\n')
    expect(shown).toMatch(/\r\n\r\nbody \{\{port\}\}$/)
    expect(errors).toEqual([])
  })

  it('fails for mistakes that do not depend on a response', async () => {
    const { errors, summary } = await rehearse('GET $O/{{nope}}\n###\nPOST $O/\n\n< nope.txt\n###\nGET http://:1/\n')
    expect(errors.map((line) => line.split(' ')[1])).toEqual(['unknown-variable', 'unreadable-file', 'invalid-request'])
    expect(summary.failed).toBe(3)
  })

  it('runs the scripts before requests, and no handlers', async () => {
    const { shown, results } = await rehearse(`< {%
  request.variables.set("a", 1 + 1)
  client.log("before")
%}
GET $O/{{a}}

> {% client.log("behind"); client.test("t", () => { throw new Error() }) %}
`)
    expect(shown).toContain('GET /2 HTTP/1.1')
    expect(results).toEqual(['log before'])
  })

  it('gives scripts the expression of captured values', async () => {
    const { shown, results } = await rehearse(`# @capture t = $.t
GET $O/
###
< {%
  client.log(typeof client.global.get("t"), client.global.get("u"))
  request.variables.set("h", "<" + client.global.get("t") + ">")
%}
GET $O/x
H: {{h}}
`)
    expect(results).toEqual(['log string undefined'])
    expect(shown).toContain('H: <{{t}}>')
  })

  it('runs no commands, even if they are allowed', async () => {
    const { results } = await rehearse('< {% execSync("echo run") %}\nGET $O/\n', { allowsPrograms: true })
    expect(results).toEqual(['script scripts may not run commands while nothing is sent'])
  })

  it('fetches no token, but checks whether that would be possible', async () => {
    const env = (settings: object): string => JSON.stringify({ dev: { Security: { Auth: { x: settings } } } })
    const right = { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Token URL': '$O/token', 'Client ID': 'c' }
    const text = 'GET $O/\nAuthorization: Bearer {{$auth.token("x")}}\n'
    const run = (settings: object) =>
      rehearse(text, {
        files: { 'http-client.env.json': env(settings).replaceAll('$O', server.origin) },
        environmentName: 'dev',
      })
    expect((await run(right)).shown).toContain('Authorization: Bearer {{$auth.token("x")}}')
    expect((await run({ Type: 'OAuth2' })).errors).toHaveLength(1)
  })

  it('does not check whether requests would be answered, or retry', async () => {
    const { events, summary } = await rehearse('GET http://127.0.0.1:1/\n###\nGET $O/told\n', {
      retry: { count: 3, intervalMs: 60_000 },
      delayMs: 60_000,
    })
    expect(events.some(({ type }) => type === 'request-retried' || type === 'response')).toBe(false)
    expect(summary).toMatchObject({ requests: 2, failed: 0, answered: 0 })
  })

  it('shows the cookies that would be sent', async () => {
    const jar = directoryWith({ jar: '127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t1\n' })
    const { shown } = await rehearse('GET $O/\n', { cookies: RunCookies.read('jar', jar.path, Date.now) })
    jar.remove()
    expect(shown).toContain('Cookie: sid=1')
  })

  it('shows the messages of a WebSocket', async () => {
    const { events, shown } = await rehearse('WEBSOCKET ws://127.0.0.1:1/chat\n\none\n===\ntwo {{$timestamp}}\n', {
      sources: { now: () => 7000, randomBytes: (count) => new Uint8Array(count) },
    })
    expect(shown).toContain('GET /chat HTTP/1.1')
    expect(shown).toContain('Upgrade: websocket\r\n')
    expect(shown).toContain(`Sec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`)
    expect(events.flatMap((event) => (event.type === 'message' ? [event.data] : []))).toEqual(['one', 'two 7'])
  })

  it('reports a request per array element', async () => {
    const { shown } = await rehearse('< {% request.variables.set("n", [1, 2]) %}\nGET $O/{{n}}\n')
    expect(shown.match(/GET \/\d/g)).toEqual(['GET /1', 'GET /2'])
  })

  it('reads handlers without running them, and reports their syntax errors', async () => {
    const text = `GET $O/told

> {% client.log("ran") %}
###
GET $O/told

> {% client.test( %}
###
GET $O/told

> no-such-file.js
###
GET $O/told
`
    const { results, summary, events } = await rehearse(text)
    expect(results).toEqual([`script SyntaxError: unexpected token in expression: '}'`])
    expect(summary).toMatchObject({ requests: 4, failed: 1, scriptsFailed: 1 })
    expect(events.flatMap((event) => (event.type === 'request-finished' ? [event.outcome] : []))).toEqual([
      'passed',
      'failed',
      'error',
      'passed',
    ])
  })

  it('writes no response file', async () => {
    let names: readonly string[] = []
    const { readdirSync } = await import('node:fs')
    await rehearse('GET $O/told\n\n>> out.json\n', {
      inspect: (directory) => {
        names = readdirSync(directory)
      },
    })
    expect(names).not.toContain('out.json')
  })

  it.each(['>> ../{{name}}', '< ../{{name}}', '>> .git/{{name}}'])(
    'does not excuse a forbidden path because a response completes it: %s',
    async (line) => {
      const { errors } = await rehearse(`# @capture name = $.x\nGET $O/\n###\nPOST $O/\n\n${line}`)
      expect(errors).toEqual([expect.stringMatching(/^6:\d+ (?:outside-file-root|protected-file) .*\{\{name\}\}/)])
    },
  )
})
