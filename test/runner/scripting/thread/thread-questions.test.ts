/** Questions of scripts on a separate thread, which blocks until each is answered. */
import { afterEach, expect, it, vi } from 'vitest'
import { runScript } from '../running-scripts.ts'

let waking: NodeJS.Immediate | undefined

afterEach(() => {
  clearImmediate(waking)
  vi.restoreAllMocks()
})

it('a wake-up that arrives after its answer was read does not answer the next question', async () => {
  const { notify } = Atomics
  vi.spyOn(Atomics, 'notify').mockImplementation((...given) => {
    const wake = (): void => {
      notify(...given)
      waking = setImmediate(wake)
    }
    clearImmediate(waking)
    wake()
    return 0
  })
  const script = "for (let i = 0; i < 200; i++) client.global.set('n', i)\nclient.log(client.global.get('n'))"
  const { events, failures } = await runScript(script, { globals: new Map() })
  expect([events, failures]).toEqual([[{ type: 'log', text: '199' }], []])
})
