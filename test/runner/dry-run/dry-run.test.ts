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
  const result = await runText(text.replaceAll('$O', server.origin), { isDryRun: true, ...settings })
  const octets = result.events.flatMap((event) => (event.type === 'request-octets' ? [Buffer.from(event.bytes)] : []))
  expect(server.requests).toEqual([])
  return { ...result, shown: Buffer.concat(octets).toString() }
}

const warnings = ({ events }: RunResult): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.error.message] : []))

describe('a run that sends nothing', () => {
  it('tells the octets that a run would send', async () => {
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

  it('shows what only a response could bring as it is written, and says so once', async () => {
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
    expect(result.shown).toContain('POST /{{user.id}} HTTP/1.1')
    expect(result.shown).toContain('Authorization: Bearer {{token}}')
    expect(result.shown).toContain('{"t": "{{token}}", "u": {{user}}}')
    expect(result.shown).toContain('GET /again/{{token}} HTTP/1.1')
    expect(result.errors).toEqual([])
    expect(warnings(result)).toEqual([
      'test.http:6: only a run can bring the value of {{user.id}}, {{token}}, {{user}}',
    ])
  })

  it('shows a request as it is written that cannot be put together yet', async () => {
    const { shown, errors } = await rehearse(
      '# @capture port = $.p\nGET $O/\n###\nPUT http://h:{{port}}/x\nA: b\n\nbody {{port}}\n',
    )
    expect(shown).toContain('PUT http://h:{{port}}/x HTTP/1.1\r\nA: b\r\n\r\nbody {{port}}')
    expect(errors).toEqual([])
  })

  it('fails for what is wrong without any response', async () => {
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

  it('gives scripts a stand-in for what is captured', async () => {
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

  it('runs no commands, whatever is allowed', async () => {
    const { results } = await rehearse('< {% execSync("echo run") %}\nGET $O/\n', { allowsPrograms: true })
    expect(results).toEqual(['script scripts may not run commands while nothing is sent'])
  })

  it('fetches no token, but looks whether it could', async () => {
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

  it('does not ask whether requests would be answered, or try again', async () => {
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

  it('tells a request for each element of an array', async () => {
    const { shown } = await rehearse('< {% request.variables.set("n", [1, 2]) %}\nGET $O/{{n}}\n')
    expect(shown.match(/GET \/\d/g)).toEqual(['GET /1', 'GET /2'])
  })

  it('reads handlers without running them, and says what is wrong with their text', async () => {
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

  it('writes no file for a response', async () => {
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
