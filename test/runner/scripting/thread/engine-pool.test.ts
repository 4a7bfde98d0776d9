import { expect, it, vi } from 'vitest'
import type { ScriptEngine } from '../../../../src/runner/scripting/engine/script-engine.ts'
import { EnginePool } from '../../../../src/runner/scripting/thread/engine-pool.ts'

/** An engine that only notes what it is used for. */
class NotingEngine implements ScriptEngine {
  readonly notes: string[] = []
  hasModules = false
  async run(): Promise<'done'> {
    return 'done'
  }
  async check(): Promise<readonly []> {
    return []
  }
  endRun(): void {
    this.hasModules = false
    this.notes.push('endRun')
  }
  close(): void {
    this.notes.push('close')
  }
}

interface StartedJob {
  readonly engine: NotingEngine
  readonly name: string
  end(): Promise<unknown>
}

function poolWith(limit: number, longJobMs = 60_000) {
  const pool = new EnginePool({ limit, longJobMs })
  const engines: NotingEngine[] = []
  const started: StartedJob[] = []
  const create = (): NotingEngine => {
    const engine = new NotingEngine()
    engines.push(engine)
    return engine
  }
  /** Jobs that have an engine are in `started`. */
  const start = (name: string, run: object, signal?: AbortSignal): Promise<unknown> => {
    const result = pool.use(run, create, signal, (engine) => {
      return new Promise((resolve) => {
        const end = (): Promise<unknown> => {
          resolve(name)
          return result
        }
        started.push({ engine: engine as NotingEngine, name, end })
      })
    })
    return result
  }
  const job = async (name: string): Promise<StartedJob> => {
    await vi.waitUntil(() => started.some((each) => each.name === name), { timeout: 30_000, interval: 1 })
    return started.find((each) => each.name === name) as StartedJob
  }
  return { pool, engines, started, create, start, job }
}

it('jobs wait for a free engine and get one in order', async () => {
  const { engines, started, start, job } = poolWith(2)
  for (const name of ['1', '2', '3', '4']) void start(name, {})
  await (await job('2')).end()
  const third = await job('3')
  expect([started.map(({ name }) => name), engines.length]).toEqual([['1', '2', '3'], 2])
  await (await job('1')).end()
  expect((await job('4')).engine).toBe((await job('1')).engine)
  expect(third.engine).toBe((await job('2')).engine)
})

it('an engine forgets a run only when it serves another one', async () => {
  const { start, job } = poolWith(1)
  const [one, other] = [{}, {}]
  for (const [name, run] of [
    ['a', one],
    ['b', one],
    ['c', other],
  ] as const) {
    void start(name, run)
    const { engine, end } = await job(name)
    expect(engine.notes).toEqual(name === 'c' ? ['endRun'] : [])
    await end()
  }
})

it('a run with modules keeps its engine, and others get another one instead', async () => {
  const { pool, engines, start, job } = poolWith(1)
  const run = {}
  void start('a', run)
  const { engine, end } = await job('a')
  void start('other', {})
  engine.hasModules = true
  await end()
  const other = await job('other')
  expect(other.engine).not.toBe(engine)
  void start('b', run)
  expect((await job('b')).engine).toBe(engine)
  await (await job('b')).end()
  expect(engine.notes).toEqual([])
  pool.endRun(run)
  expect([engine.notes, engines.length]).toEqual([['endRun', 'close'], 2])
  await other.end()
  expect(pool.idle).toEqual([other.engine])
})

it('a long job does not keep others waiting', async () => {
  const { pool, engines, start, job } = poolWith(1, 1)
  void start('long', {})
  void start('next', {})
  await (await job('next')).end()
  await (await job('long')).end()
  expect(engines.length).toBe(2)
  expect(pool.idle.length + engines.filter(({ notes }) => notes.includes('close')).length).toBe(2)
})

it('a job that is interrupted while waiting does not get an engine', async () => {
  const { pool, started, start, job } = poolWith(1)
  void start('first', {})
  const first = await job('first')
  const interruption = new AbortController()
  const waiting = start('waiting', {}, interruption.signal)
  interruption.abort()
  expect(await waiting).toBeUndefined()
  expect(await start('late', {}, interruption.signal)).toBeUndefined()
  await first.end()
  expect([pool.idle, started.length]).toEqual([[first.engine], 1])
})

it('an engine whose job failed serves the next one', async () => {
  const { pool, create, start, job } = poolWith(1)
  const failing = pool.use({}, create, undefined, () => Promise.reject(new Error('no memory')))
  void start('next', {})
  await expect(failing).rejects.toThrow('no memory')
  await (await job('next')).end()
  expect(pool.idle).toHaveLength(1)
})
