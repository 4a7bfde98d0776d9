/** Scripts in a run: their order, what they change for the request, and places in the files of the user. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HttpcliError } from '../../../src/message/index.ts'
import type { RunEvent } from '../../../src/runner/index.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': ['a=1; Path=/; HttpOnly', 'b=2'] })
        .end('{"id": 7}'),
    '/events': (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      const write = (count: number): void => {
        response.write(`data: ${count}\n\n`, () => {
          if (!response.destroyed) setImmediate(() => write(count + 1))
        })
      }
      write(1)
    },
  })
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

/** `file:line:column` of the errors of scripts and tests. */
function places(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== 'script-failed' && event.type !== 'test-failed') return []
    const { where } = event.error
    return [`${where?.file}:${where?.line}:${where?.column}`]
  })
}

describe('scripts before a request', () => {
  it('run from top to bottom, before the request is built', async () => {
    const { results } = await runText(
      `< {% request.variables.set('a', 'x'); client.log(1) %}
< two.js
POST ${server.origin}/{{a}}{{b}}
X-Sum: {{sum}}

body {{a}}

> {% client.log(request.url(), request.body(), request.variables.get('b')) %}`,
      {
        files: {
          'two.js': `client.log(2, request.variables.get('a'), request.body.tryGetSubstituted())
request.variables.set('b', 'y'); request.variables.set('sum', crypto.md5().updateWithText('a').digest().toHex())`,
        },
      },
    )
    expect(results).toEqual(['log 1', 'log 2 x body x', `log ${server.origin}/xy body x y`])
    expect(server.requests).toMatchObject([{ line: 'POST /xy HTTP/1.1', body: Buffer.from('body x') }])
    expect(server.requests[0]?.headers).toContain('X-Sum: 0cc175b9c0f1b6a831c399e269772661')
  })

  it('that fail prevent the request and its later scripts', async () => {
    const { results, events, summary } = await runText(
      `< {% null.x %}\n< {% client.log('second') %}\nGET ${server.origin}/a\n\n> {% client.log('handler') %}\n###\nGET ${server.origin}/b`,
    )
    expect(results).toEqual([expect.stringContaining('TypeError')])
    expect(places(events)).toEqual(['test.http:1:6'])
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /b HTTP/1.1'])
    expect(summary).toMatchObject({ scriptsFailed: 1, answered: 1 })
  })

  it('that cannot be read fail the request, at the line that refers to them', async () => {
    const { errors } = await runText(`# a comment\n< none.js\nGET ${server.origin}/a`)
    expect(errors).toEqual([expect.stringContaining('2:1 unreadable-file the script none.js')])
    expect(server.requests).toEqual([])
  })

  it('set variables that last for the request, and global ones that stay', async () => {
    const { errors } = await runText(
      `< {% request.variables.set('own', 1); client.global.set('all', 2) %}\nGET ${server.origin}/{{own}}{{all}}\n###\nGET ${server.origin}/{{all}}\n###\nGET ${server.origin}/{{own}}`,
    )
    expect(server.requests.map(({ line }) => line)).toEqual(['GET /12 HTTP/1.1', 'GET /2 HTTP/1.1'])
    expect(errors).toEqual([expect.stringContaining('"own" is not defined')])
  })

  it('see fake data, which is loaded for them', async () => {
    const { results } = await runText(
      `< {% client.log(typeof $random.name.firstName, $random.integer(5, 6), $uuid.length) %}\nGET ${server.origin}/a`,
    )
    expect(results).toEqual(['log string 5 36'])
  })

  it.each<[string, string, string]>([
    [
      'made-up values in other languages, also of a language that the script finds out',
      "const one = 'de'; client.log(typeof $random.locale.name.firstName(one))",
      '',
    ],
    [
      'a JSONPath into a variable that the script itself sets',
      "client.global.set('users', [{ id: 'x' }]); client.log(typeof request.url.tryGetSubstituted())",
      '{{$.users..id}}',
    ],
  ])('see what is loaded for them: %s', async (_, code, target) => {
    const { results } = await runText(`< {% ${code} %}\nGET ${server.origin}/${target}`)
    expect(results).toEqual(['log string'])
  })

  it('run even if the token of the request is not available, which is reported later', async () => {
    const { results, errors } = await runText(
      `< {% client.log(request.method, typeof request.url.getRaw()) %}\nGET ${server.origin}/\nX: {{$auth.token("none")}}`,
    )
    expect(results).toEqual(['log GET string'])
    expect(errors).toEqual([expect.stringContaining('3:4 ')])
  })

  it('get an error for a token whose id the script computed', async () => {
    const { results } = await runText(`< {% const id = 'svc'; $auth.token(id) %}\nGET ${server.origin}/a`, {
      environmentName: 'dev',
      files: {
        'http-client.env.json': JSON.stringify({
          dev: {
            Security: {
              Auth: {
                svc: {
                  Type: 'OAuth2',
                  'Grant Type': 'Client Credentials',
                  'Token URL': server.origin,
                  'Client ID': 'c',
                },
              },
            },
          },
        }),
      },
    })
    expect(results).toEqual([expect.stringContaining('$auth.token("id")')])
    expect(server.requests).toEqual([])
  })

  it('set headers for later requests', async () => {
    await runText(
      `< {% client.global.headers.set('X-All', 'v') %}\nGET ${server.origin}/a\n###\nGET ${server.origin}/b\nX-All: own\n###\n< {% client.global.headers.clear('X-All') %}\nGET ${server.origin}/c`,
    )
    const sent = server.requests.map(({ headers }) => headers.filter((line) => line.startsWith('X-All')))
    expect(sent).toEqual([['X-All: v'], ['X-All: own'], []])
  })
})

describe('handlers', () => {
  it('run from top to bottom, then their tests', async () => {
    const { results } = await runText(
      `GET ${server.origin}/json\n\n> {% client.test('one', () => client.log('t1')); client.log('h1') %}\n> two.js`,
      { files: { 'two.js': "client.log('h2'); client.test('two', () => client.log('t2'))" } },
    )
    expect(results).toEqual(['log h1', 'log h2', 'log t1', 'passed one', 'log t2', 'passed two'])
  })

  it('see the cookies that the response sets', async () => {
    const { results } = await runText(
      `GET ${server.origin}/json\n\n> {% for (const { name, value, path, httpOnly } of response.cookies()) client.log(name, value, path, httpOnly) %}`,
    )
    expect(results).toEqual(['log a 1 / true', 'log b 2 / false'])
  })

  it('share modules and common blocks, with their places', async () => {
    const common = `={%\n  import { check } from './check'\n  const seven = 7\n%}\n`
    const { results, events } = await runText(
      `${common}### a\nGET ${server.origin}/json\n\n> {%\n  client.test('same', () => check(response.body.id, seven))\n  client.test('other', () => check(response.body.id, 8))\n%}`,
      { files: { 'check.js': 'export function check(a, b) {\n  client.assert(a === b, "differs")\n}\n' } },
    )
    expect(results).toEqual(['passed same', 'failed other: differs'])
    expect(places(events)).toEqual(['check.js:2:3'])
  })

  it.each<[string, string, string]>([
    ['with CRLF', '> {%\r\n  client.log(1)\r\n  client.assert(false)\r\n%}', 'test.http:5:3'],
    ['with characters beyond U+FFFF', "> {% const fox = '🦊🦊'; client.assert(false) %}", 'test.http:3:26'],
    ['in a file', '> own.js', 'own.js:2:1'],
  ])('that fail are reported at their place: %s', async (_, handler, place) => {
    const files = { 'own.js': '// first\nclient.assert(false)\n' }
    const { events } = await runText(`GET ${server.origin}/json\n\n${handler}`, { files })
    expect(places(events)).toEqual([place])
  })

  it('show the line of the failure', async () => {
    const { events } = await runText(`GET ${server.origin}/json\n\n> {%\n  client.assert(response.status === 201)\n%}`)
    const failed = events.find(({ type }) => type === 'script-failed')
    const error = failed?.type === 'script-failed' ? failed.error : undefined
    expect(error).toBeInstanceOf(HttpcliError)
    expect(error?.message).toBe('assertion failed\nexpected: 201\nactual:   200')
    expect(error?.excerpt).toBe('  client.assert(response.status === 201)\n  ^^^^^^^^^^^^^^')
  })

  it('listen to events while they arrive, and end an endless response', async () => {
    const { results, summary } = await runText(
      `GET ${server.origin}/events\n\n> {%
  const seen = []
  response.body.onEachLine((line, unsubscribe) => {
    if (line !== '') seen.push(line)
    if (seen.length === 3) unsubscribe()
  }, () => client.log(seen))
  client.test('three', () => client.assert(seen.length === 3))
%}`,
    )
    expect(results).toEqual(['log ["data: 1","data: 2","data: 3"]', 'passed three'])
    expect(summary).toMatchObject({ answered: 1, failed: 0 })
  })
})
