/** Events of scripts on their way: which of them the script waits for. */
import { expect, it } from 'vitest'
import type { ScriptEvent } from '../../../../src/runner/scripting/engine/script-engine.ts'
import { plainFailure } from '../../../../src/runner/scripting/engine/script-engine.ts'
import { SentEvents } from '../../../../src/runner/scripting/thread/sent-events.ts'
import { type FromThread, HANDLED_AT_ONCE } from '../../../../src/runner/scripting/thread/thread-messages.ts'
import { recordingServer, runText } from '../../running.ts'

const log = (text: string): ScriptEvent => ({ type: 'log', script: 0, text })

function recording() {
  const messages: FromThread[] = []
  return { events: new SentEvents((message) => messages.push(message)), messages }
}

it('short events are not awaited', () => {
  const { events, messages } = recording()
  expect(events.send(log('a'))).toBeUndefined()
  expect(events.send({ type: 'test', script: 0, name: 'ok', failure: undefined })).toBeUndefined()
  expect(messages).toMatchObject([{ isAwaited: false }, { isAwaited: false }])
})

it.each<[string, ScriptEvent]>([
  ['a long log', log('x'.repeat(2000))],
  ['a failure', { type: 'failed', script: 0, failure: plainFailure('error', 'no') }],
  ['a failed test', { type: 'test', script: 0, name: 'no', failure: plainFailure('error', 'no') }],
])('%s is awaited until handled', async (_, event) => {
  const { events, messages } = recording()
  void events.send(log('before'))
  const handling = events.send(event)
  expect(messages.at(-1)).toMatchObject({ isAwaited: true })
  let isHandled = false
  void handling?.then(() => {
    isHandled = true
  })
  events.noteHandled(1)
  await Promise.resolve()
  expect(isHandled).toBe(false)
  events.noteHandled(2)
  await handling
  expect(isHandled).toBe(true)
})

it('many events are awaited, later if some have been handled', () => {
  const { events } = recording()
  let unawaited = 0
  while (events.send(log('a')) === undefined) unawaited++
  expect(unawaited).toBeGreaterThan(HANDLED_AT_ONCE)
  events.noteHandled(unawaited + 1)
  expect(events.send(log('a'))).toBeUndefined()
})

it('all events arrive, in order, however slow the listener is', async () => {
  const server = await recordingServer()
  const count = 500
  const script = `> {%\nfor (let i = 0; i < ${count}; i++) client.log(i % 100 === 0 ? 'x'.repeat(2000) : String(i))\n%}\n`
  const texts: string[] = []
  await runText(`###\nGET ${server.origin}/\n\n${script}`.repeat(2), {
    listener: async (event) => {
      if (event.type !== 'script-log') return
      await new Promise((resolve) => setImmediate(resolve))
      texts.push(event.text)
    },
  })
  await server.close()
  const expected = Array.from({ length: count }, (_, i) => (i % 100 === 0 ? 'x'.repeat(2000) : String(i)))
  expect(texts).toEqual([...expected, ...expected])
})
