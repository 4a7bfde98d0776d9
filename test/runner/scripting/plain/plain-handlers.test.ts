/** Handlers of a run, some of which the engine has to run, without a visible difference. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunResources } from '../../../../src/runner/context/run-resources.ts'
import { type RecordingServer, recordingServer, runText } from '../../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/json': (_request, response) => response.setHeader('Content-Type', 'application/json').end('{"token": "t-1"}'),
  })
})
afterAll(() => server.close())

const plain = "client.log('plain'); client.global.set('token', response.body.token)"
const failing =
  "client.log('once')\n  client.global.set('token', 'x')\n  client.test('status', () => client.assert(response.status === 404))"
const forEngine = "[1].reduce(() => client.log(client.global.get('token')), 0)"

function request(script: string, path = '/json'): string {
  return `### \nGET ${server.origin}${path}\n\n> {%\n  ${script}\n%}\n`
}

it('a value that a plain handler sets is available to later requests and to the engine', async () => {
  const { results, errors } = await runText(
    `${request(plain)}\n${request(forEngine)}\n### \nGET ${server.origin}/{{token}}\n`,
  )
  expect([errors, results]).toEqual([[], ['log plain', 'log t-1']])
  expect(server.requests.at(-1)?.line).toBe('GET /t-1 HTTP/1.1')
})

it('a handler that fails runs once, and reports its place', async () => {
  const { results, events, summary } = await runText(request(failing))
  expect(results).toEqual(['log once', 'failed status: assertion failed\nexpected: 404\nactual:   200'])
  expect(events.find(({ type }) => type === 'test-failed')).toMatchObject({ error: { where: { line: 7 } } })
  expect(summary).toMatchObject({ testsPassed: 0, testsFailed: 1 })
})

it('a run of plain handlers needs no engine', async () => {
  let loaded = 0
  const resources = new RunResources(undefined, () => () => loaded++)
  const { results } = await runText(`${request(plain)}\n${request("client.test('a', () => {})")}`, { resources })
  expect(results).toEqual(['log plain', 'passed a'])
  expect(loaded).toBe(0)
  await runText(request(forEngine), { resources })
  expect(loaded).toBe(1)
  await resources.close()
})

it('a script before the request sets what a plain handler reads', async () => {
  const { results, errors } = await runText(
    `### \n< {%\n  client.global.set('a', 1)\n%}\nGET ${server.origin}/json\n\n> {%\n  client.log(client.global.get('a'))\n%}\n`,
  )
  expect([errors, results]).toEqual([[], ['log 1']])
})

it('a header that a script sets for later requests replaces the default', async () => {
  await runText(`${request("client.global.headers.set('User-Agent', 'mine')")}\n### \nGET ${server.origin}/later\n`)
  const agents = server.requests.at(-1)?.headers.filter((line) => /^user-agent/i.test(line))
  expect(agents).toEqual(['User-Agent: mine'])
})
