import { describe, expect, it } from 'vitest'
import { defaultScriptLimits, type ScriptEvent } from '../../../../src/runner/scripting/engine/script-engine.ts'
import { PreparedScripts } from '../../../../src/runner/scripting/source/prepared-scripts.ts'
import { ThreadEngine } from '../../../../src/runner/scripting/thread/thread-engine.ts'
import { noFiles } from '../../../helpers/file-root.ts'

describe('scripts with the same text', () => {
  it('are prepared once, and marked once to stay compiled when repeated', () => {
    const scripts = new PreparedScripts()
    const [first, second, third] = [1, 2, 3].map(() => scripts.take(['client.log(1)']))
    expect([first?.shouldKeep, second?.shouldKeep, third?.shouldKeep]).toEqual([false, true, false])
    expect(second?.program).toBe(first?.program)
    expect(third?.program).toBe(first?.program)
  })

  it.each([
    ['differ in their common blocks', ['a', 'b'], ['a2', 'b']],
    ['look alike as one text', ['["a","b"]'], ['a', 'b']],
  ])('are not confused if they %s', (_, one, other) => {
    const scripts = new PreparedScripts()
    const first = scripts.take(one)
    const second = scripts.take(other)
    expect(second.program.text).not.toBe(first.program.text)
    expect(second.shouldKeep).toBe(false)
  })

  it('are not cached if they are long', () => {
    const scripts = new PreparedScripts()
    const long = `client.log(1)${' '.repeat(10_000)}`
    expect([scripts.take([long]), scripts.take([long])].map((each) => each.shouldKeep)).toEqual([false, false])
  })
})

describe('an engine that gets one script many times', () => {
  async function logsOf(code: string, times: number): Promise<readonly string[]> {
    const engine = new ThreadEngine()
    const reported: string[] = []
    const onEvent = (event: ScriptEvent): void => {
      reported.push(event.type === 'log' ? event.text : event.type === 'failed' ? event.failure.message : event.type)
    }
    for (let count = 0; count < times; count++) {
      await engine.run({
        scripts: [{ parts: [code], path: 'requests.http', files: noFiles }],
        phase: 'pre-request',
        ask: () => undefined,
        askLater: async () => undefined,
        untimedOperations: new Set(),
        hasOwnClock: false,
        limits: defaultScriptLimits,
        signal: undefined,
        onEvent,
      })
    }
    engine.close()
    return reported
  }

  it('starts it in the same fresh world each time', async () => {
    const code = 'globalThis.count = (globalThis.count ?? 0) + 1; Object.prototype.x ??= 1; client.log(count)'
    expect(await logsOf(code, 4)).toEqual(['1', '1', '1', '1'])
  })

  it('reports each time that it cannot be compiled', async () => {
    const reported = await logsOf('client.log(', 3)
    expect(reported).toHaveLength(3)
    expect(new Set(reported).size).toBe(1)
    expect(reported[0]).toMatch(/SyntaxError|unexpected|expect/i)
  })
})
