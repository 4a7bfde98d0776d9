/**
 * When a run loads the script engine, and starts a thread for it: not before the first request was sent, and not
 * without a script.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunResources } from '../../../../src/runner/context/run-resources.ts'
import type { RunEvent } from '../../../../src/runner/index.ts'
import { type RecordingServer, recordingServer, runText } from '../../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
afterAll(() => server.close())

const forEngine = '> {%\nif (/2/.test("2")) client.log(String(response.status))\n%}\n'
const forThread = '> {%\nawait sleep(300)\nclient.log(String(response.status))\n%}\n'
const plain = "> {%\nclient.test('ok', () => client.assert(response.status === 200))\n%}\n"

/** What happened, in order, as far as it has to do with the start of the engine. */
async function orderOf(text: string): Promise<readonly string[]> {
  const order: string[] = []
  const resources = new RunResources(undefined, () => {
    order.push('load')
    return () => order.push('loaded')
  })
  const listener = (event: RunEvent): void => {
    if (event.type === 'request-sent' || event.type === 'script-log' || event.type === 'error') order.push(event.type)
  }
  await runText(text, { resources, listener })
  await resources.close()
  return order
}

describe('the script engine', () => {
  it('is loaded when the first request has been sent', async () => {
    const order = ['request-sent', 'load', 'loaded', 'script-log']
    expect(await orderOf(`GET ${server.origin}/\n\n${forEngine}`)).toEqual(order)
  })

  it('is loaded at once for a script before the request', async () => {
    const script = "< {%\n[1].forEach(() => client.log('before'))\n%}\n"
    expect(await orderOf(`${script}GET ${server.origin}/\n`)).toEqual(['load', 'loaded', 'script-log', 'request-sent'])
  })

  it('starts a thread for a script that waits', async () => {
    const order = ['request-sent', 'load', 'loaded', 'load', 'loaded', 'script-log']
    expect(await orderOf(`GET ${server.origin}/\n\n${forThread}`)).toEqual(order)
  })

  it('starts one thread for several requests', async () => {
    const request = `###\nGET ${server.origin}/\n\n${forThread}\n`
    const order = await orderOf(request.repeat(3))
    expect(order.filter((what) => what === 'load')).toHaveLength(2)
    expect(order.filter((what) => what === 'script-log')).toHaveLength(3)
  })

  it.each([
    ['no script needs it', () => `GET ${server.origin}/\n\n${plain}`, ['request-sent']],
    ['no request can be sent', () => `GET http://127.0.0.1:1/\n\n${forEngine}`, ['error']],
  ])('is not loaded if %s', async (_, text, order) => {
    expect(await orderOf(text())).toEqual(order)
  })
})
