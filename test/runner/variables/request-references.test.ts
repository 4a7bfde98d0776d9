/**
 * `{{name.response.body.path}}` and its like: what later requests are given of earlier ones, and what is wrong with
 * them.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { checkRun } from '../../../src/runner/dry-run/check-run.ts'
import { loadEnvironment, loadHttpFile } from '../../../src/runner/index.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

const login =
  '# @name login\nPOST {{origin}}/login\nContent-Type: application/json\nX-Made: by hand\n\n{"user": {"name": "ada"}}\n'

let server: RecordingServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function opened(): Promise<RecordingServer> {
  server = await recordingServer({
    '/login': (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.setHeader('X-Session', 's1')
      response.end(
        '{"token": "t1", "ids": [7, 8], "user": {"access-key": "k"}, "big": 12345678901234567890, "on": true}',
      )
    },
    '/xml': (_request, response) => {
      response.setHeader('Content-Type', 'application/xml')
      response.end('<a><b id="1">one</b><b id="2">two</b></a>')
    },
  })
  return server
}

/** The URL that a request to `/{{expression}}` after the log-in went to, or the error. */
async function pathFor(expression: string, before = login): Promise<string> {
  const { origin, requests } = await opened()
  const text = `@origin = ${origin}\n\n${before}\n###\nGET {{origin}}/get?{{${expression}}}\n`
  const { errors } = await runText(text)
  const line = requests.find((request) => request.line.startsWith('GET /get'))?.line
  return errors[0] ?? decodeURIComponent(line?.replace(/^GET \/get\?| HTTP.*$/g, '') ?? 'not sent')
}

describe('a reference to a request', () => {
  it.each<[string, string]>([
    ['login.response.body.$.token', 't1'],
    ['login.response.body.token', 't1'],
    ['login.response.body.asJson.$.token', 't1'],
    ["login.response.body.$['token']", 't1'],
    ['login.response.body.$.user.access-key', 'k'],
    ['login.response.body.$.ids[1]', '8'],
    ['login.response.body.$.ids[*]', '7'],
    ['login.response.body.$.ids', '[7,8]'],
    ['login.response.body.$.user', '{"access-key":"k"}'],
    ['login.response.body.$..access-key', 'k'],
    ['login.response.body.$.big', '12345678901234567890'],
    ['login.response.body.$.on', 'true'],
    ['login.response.headers.x-session', 's1'],
    ['login.request.body.$.user.name', 'ada'],
    ['login.request.body.*', '{"user": {"name": "ada"}}'],
    ['login.request.headers.X-Made', 'by hand'],
  ])('%s', async (expression, wanted) => {
    expect(await pathFor(expression)).toBe(wanted)
  })

  it.each<[string, string]>([
    ['doc.response.body./a/b[2]', 'two'],
    ['doc.response.body.//b/@id', '1'],
    ['doc.response.body.asXml.//b', 'one'],
  ])('%s', async (expression, wanted) => {
    expect(await pathFor(expression, '# @name doc\nGET {{origin}}/xml\n')).toBe(wanted)
  })

  it('refers to the last response, and is allowed in a definition, a header and a JSON body', async () => {
    const { origin, requests } = await opened()
    const text = `@token = {{login.response.body.$.token}}\n### login\nPOST ${origin}/login\n\n###\nPOST ${origin}/me
Authorization: Bearer {{token}}\nContent-Type: application/json\n\n{"id": {{login.response.body.$.ids[0]}}}\n`
    expect((await runText(text)).errors).toEqual([])
    expect(requests[1]?.headers).toContain('Authorization: Bearer t1')
    expect(String(requests[1]?.body)).toBe('{"id": 7}')
  })

  it('sends no separate request for each element of a list', async () => {
    await pathFor('login.response.body.$.ids')
    expect(server?.requests.length).toBe(2)
  })

  it.each<[string, string]>([
    [
      'login.response.body.$.tokn',
      '11:20 unknown-variable the response of "login": nothing at $.tokn: $ has token, ids',
    ],
    [
      'login.response.headers.X-Gone',
      'unknown-variable no header X-Gone in the response of "login": it has Content-Type',
    ],
    ['login.response.headers', 'unknown-variable expected the name of a header in the response of "login"'],
    ['login.response.body.$.[', 'bad-variable-path $.[ is not a JSONPath'],
    ['login.response.body.//a', 'unknown-variable the response of "login" is not XML, and "//a" is an XPath'],
    ['logn.response.body.$.token', 'unknown-variable no request of this run is called "logn"'],
  ])('%s is an error', async (expression, wanted) => {
    expect(await pathFor(expression)).toContain(wanted)
  })

  it('is an error before the request has been answered', async () => {
    const { origin, requests } = await opened()
    const { errors } = await runText(`GET ${origin}/{{login.response.body.$.token}}\n### login\nPOST ${origin}/login\n`)
    expect(errors).toEqual([expect.stringContaining('unknown-variable "login" was not answered before this request')])
    expect(requests.length).toBe(1)
  })

  it('yields to a variable of that name', async () => {
    expect(await pathFor('login.response.body', '# @name other\nGET {{origin}}/x\n')).toContain(
      'no request of this run',
    )
    const { requests, origin } = server as RecordingServer
    await runText(`GET ${origin}/{{login.response.body}}`, { variables: new Map([['login.response.body', 'own']]) })
    expect(requests.at(-1)?.line).toContain('/own')
  })
})

describe('check', () => {
  async function found(text: string): Promise<readonly string[]> {
    const directory = directoryWith({ '.git': '', 'test.http': text })
    try {
      const loaded = loadHttpFile('test.http', directory.path)
      const { errors } = await checkRun(loaded, { environment: loadEnvironment(loaded.path, undefined) })
      return errors.map(({ error }) => `${error.where?.line}:${error.where?.column} ${error.message}`)
    } finally {
      directory.remove()
    }
  }

  it('accepts a reference to a request above, and reports one to a request below', async () => {
    expect(await found('### login\nGET http://h/\n###\nGET http://h/{{login.response.body.$.a}}\n')).toEqual([])
    expect(await found('GET http://h/{{login.response.body.$.a}}\n### login\nGET http://h/\n')).toEqual([
      '1:14 "login" was not answered before this request',
    ])
    expect(await found('### login\nPOST http://h/\n\n{}\n\n@a = {{login.response.body.$.a}}\n')).toEqual([
      '6:6 the request "login" refers to its own response',
    ])
  })
})
