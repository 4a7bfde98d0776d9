/** When a run starts the thread of its scripts: not before the first request has gone out, and not in vain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunResources } from '../../../../src/runner/context/run-resources.ts'
import type { RunEvent } from '../../../../src/runner/index.ts'
import { type RecordingServer, recordingServer, runText } from '../../running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer()
})
afterAll(() => server.close())

const forEngine = '> {%\n[1].forEach(() => client.log(String(response.status)))\n%}\n'
const plain = "> {%\nclient.test('ok', () => client.assert(response.status === 200))\n%}\n"

/** What happened, in order, as far as it has to do with the start of the thread. */
async function orderOf(text: string): Promise<readonly string[]> {
  const order: string[] = []
  const resources = new RunResources(undefined, () => {
    order.push('thread starts')
    return () => order.push('thread has started')
  })
  const listener = (event: RunEvent): void => {
    if (event.type === 'request-sent' || event.type === 'script-log' || event.type === 'error') order.push(event.type)
  }
  await runText(text, { resources, listener })
  await resources.close()
  return order
}

describe('the thread of scripts', () => {
  it('starts when the first request has gone out', async () => {
    expect(await orderOf(`GET ${server.origin}/\n\n${forEngine}`)).toEqual([
      'request-sent',
      'thread starts',
      'thread has started',
      'script-log',
    ])
  })

  it('starts once for several requests', async () => {
    const request = `###\nGET ${server.origin}/\n\n${forEngine}\n`
    const order = await orderOf(request.repeat(3))
    expect(order.filter((what) => what === 'thread starts')).toHaveLength(1)
    expect(order.filter((what) => what === 'script-log')).toHaveLength(3)
  })

  it('starts at once for a script before the request', async () => {
    const script = "< {%\n[1].forEach(() => client.log('before'))\n%}\n"
    expect(await orderOf(`${script}GET ${server.origin}/\n`)).toEqual([
      'thread starts',
      'thread has started',
      'script-log',
      'request-sent',
    ])
  })

  it.each([
    ['no script needs it', () => `GET ${server.origin}/\n\n${plain}`, ['request-sent']],
    ['no request can be sent', () => `GET http://127.0.0.1:1/\n\n${forEngine}`, ['error']],
  ])('does not start where %s', async (_, text, order) => {
    expect(await orderOf(text())).toEqual(order)
  })
})
