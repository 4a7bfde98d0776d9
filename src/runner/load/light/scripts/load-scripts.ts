/**
 * Runs scripts of a request file in k6's engine, with the same globals as the sandbox of `run`.
 *
 * Rules: the globals are created once for a virtual user and restored after each script. Timers and lines of a stream
 * are awaited here. k6 does not stop a script that runs too long. `client.exit()` ends the script with an exception.
 */
import type { ErrorDescription, WorldCalls } from '../../../scripting/engine/world-calls.ts'
import { createWorld } from '../../../scripting/guest/core.ts'
import { askRunner } from '../../../scripting/operations/script-asking.ts'
import type { HandlerScene, ScriptScene } from '../../../scripting/operations/script-scene.ts'
import type { LoadScript } from '../../load-plan.ts'
import { pause } from '../../platform/pause.ts'

/** Receives the events of a script. */
export interface ScriptListener {
  log(text: string): void
  test(name: string, failure: string | undefined): void
  failed(message: string): void
}

class Exit extends Error {}

interface PendingAnswer {
  readonly id: number
  readonly answer: Promise<unknown>
}

export class LoadScripts {
  readonly #world: WorldCalls
  #scene: ScriptScene | HandlerScene | undefined
  #listener: ScriptListener | undefined
  #tests: string[] = []
  #ended = 0
  #hasTimers = false
  #lastAnswer = 0
  #pending: PendingAnswer[] = []

  constructor() {
    this.#world = createWorld((operation, json) => this.#answer(operation, JSON.parse(json) as unknown[]))
  }

  /** @returns whether the script and its tests passed */
  async run(code: LoadScript, scene: ScriptScene | HandlerScene, listener: ScriptListener): Promise<boolean> {
    let hasFailed = false
    this.#scene = scene
    this.#tests = []
    this.#ended = 0
    this.#listener = {
      log: listener.log,
      test: (name, failure) => {
        hasFailed ||= failure !== undefined
        listener.test(name, failure)
      },
      failed: (message) => {
        hasFailed = true
        listener.failed(message)
      },
    }
    if (!('response' in scene)) this.#world.hideResponse()
    try {
      await this.#settle(code)
      for (let index = 0; index < this.#tests.length; index++) {
        await this.#settle(
          () => this.#world.startTest(index),
          () => this.#world.endTest(index),
        )
        if (this.#ended <= index) this.#world.finishTest(index)
      }
    } finally {
      this.#pending = []
      this.#world.end()
    }
    return !hasFailed
  }

  /** Waits until nothing is pending. */
  async #settle(action: () => unknown, onExit: () => void = () => undefined): Promise<void> {
    let state: 'waiting' | 'done' = 'waiting'
    const fail = (error: unknown): void => {
      state = 'done'
      if (error instanceof Exit) {
        this.#world.forgetTimers()
        this.#hasTimers = false
        onExit()
      } else this.#listener?.failed(failureText(this.#world.describe(error)))
    }
    try {
      const result = action()
      if (result instanceof Promise) {
        result.then(() => {
          state = 'done'
        }, fail)
        await Promise.resolve()
      } else state = 'done'
    } catch (error) {
      fail(error)
    }
    while (this.#hasTimers || this.#pending.length > 0 || this.#isWaiting(state)) {
      const [next] = this.#pending
      if (next !== undefined) {
        this.#pending = this.#pending.slice(1)
        const piece = await next.answer
        this.#world.deliver(next.id, piece === undefined ? '' : JSON.stringify(piece), '')
        await pause(0)
        continue
      }
      const waitMs = this.#hasTimers ? this.#world.nextTimerMs() : -1
      this.#hasTimers = waitMs !== -1
      if (waitMs === -1) {
        await pause(0)
        if (this.#pending.length > 0 || this.#world.nextTimerMs() !== -1) {
          this.#hasTimers = true
          continue
        }
        if (this.#isWaiting(state)) this.#listener?.failed('its promise is never settled')
        return
      }
      await pause(waitMs)
      try {
        this.#world.fireTimer()
      } catch (error) {
        fail(error)
      }
      await pause(0)
    }
  }

  /** A callback may have changed the state in the meantime. */
  #isWaiting(state: string): boolean {
    return state === 'waiting'
  }

  #answer(operation: string, args: unknown[]): string {
    const own = this.#own(operation, args)
    if (own !== undefined) return own
    try {
      const result = askRunner(this.#scene as ScriptScene, { allowExec: false } as never, operation, args)
      if (result === undefined) return ''
      return typeof result === 'string' ? `t${result}` : `v${JSON.stringify(result)}`
    } catch (error) {
      return `e${error instanceof Error ? error.message : String(error)}`
    }
  }

  /** Handles operations of every script; undefined for others. @throws Exit */
  #own(operation: string, args: unknown[]): string | undefined {
    const [first, second] = args as [string, string | undefined]
    if (operation === 'exit') throw new Exit('client.exit()')
    if (operation === 'log') this.#listener?.log(first)
    else if (operation === 'test-registered') this.#tests.push(first)
    else if (operation === 'test-ended') {
      this.#ended++
      this.#listener?.test(first, second === undefined ? undefined : failureText(second))
    } else if (operation === 'timer') this.#hasTimers = true
    else if (operation === 'later') return `v${this.#later(first)}`
    else return undefined
    return ''
  }

  #later(operation: string): number {
    const id = ++this.#lastAnswer
    const scene = this.#scene as Partial<HandlerScene>
    const answer = operation === 'stream-next' ? scene.response?.stream?.next() : undefined
    this.#pending.push({ id, answer: Promise.resolve(answer) })
    return id
  }
}

function failureText(description: string): string {
  const { message, expected, actual } = JSON.parse(description) as ErrorDescription
  const sides = [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual: ${actual}`]),
  ]
  return [message, ...sides].join('; ')
}
