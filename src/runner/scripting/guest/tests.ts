/**
 * `client.test`: the registered tests, and how the host runs them.
 *
 * Rules: the host starts each test, and finishes it when the script waits for nothing more; a test that has not settled
 * by then never will. The result of a test is reported once. A script cannot access the list of its tests.
 */
import { ask } from './host.ts'
import { describe } from './values.ts'

interface Test {
  readonly name: string
  readonly body: () => unknown
  isSettled: boolean
}

const { Promise: PromiseClass } = globalThis
const { Error: ErrorClass } = globalThis
const { TypeError: TypeErrorClass } = globalThis
const { then } = Promise.prototype
const { apply } = Reflect
const { String: text } = globalThis
const tests: Test[] = []

/** `client.test` */
export function register(name: unknown, body: unknown): void {
  if (typeof body !== 'function') throw new TypeErrorClass('client.test needs a name and a function')
  const test = { name: text(name), body: body as () => unknown, isSettled: false }
  tests[tests.length] = test
  ask('test-registered', test.name)
}

export function startTest(index: number): void {
  const test = tests[index] as Test
  // Called without the list as `this`.
  const { body } = test
  try {
    const result = body()
    const onFailure = (error: unknown): void => failed(test, error)
    if (result instanceof PromiseClass) apply(then, result, [() => passed(test), onFailure])
    else passed(test)
  } catch (error) {
    failed(test, error)
  }
}

export function finishTest(index: number): void {
  failed(tests[index] as Test, new ErrorClass('its promise is never settled'))
}

/** The test ended itself by `client.exit`. */
export function endTest(index: number): void {
  passed(tests[index] as Test)
}

function passed(test: Test): void {
  if (test.isSettled) return
  test.isSettled = true
  ask('test-ended', test.name)
}

function failed(test: Test, error: unknown): void {
  if (test.isSettled) return
  test.isSettled = true
  ask('test-ended', test.name, describe(error))
}

/** Call this before the next script in the same world. */
export function forgetTests(): void {
  tests.length = 0
}
