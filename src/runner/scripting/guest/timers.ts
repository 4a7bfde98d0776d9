/**
 * Timers, and other delayed results: answers of the host to earlier calls.
 *
 * Rules: the host waits, this side keeps the callbacks. Due timers run in the order of their due times. An exception in
 * a callback fails the script, or the test that started it, as an unhandled rejection does.
 */
import { ask } from './host.ts'

interface Timer {
  readonly id: number
  readonly dueMs: number
  readonly everyMs: number | undefined
  readonly action: () => void
}

const { TypeError: TypeErrorClass } = globalThis
const { Error: ErrorClass } = globalThis
const { Promise: PromiseClass } = globalThis
const { Number: toNumber } = globalThis
const { now } = Date
const { apply } = Reflect
const { parse } = JSON

/** Sorted by time. It has no prototype, because a script may change Array.prototype. */
let timers: Timer[] = []
let lastTimer = 0
const answers = new Map<
  number,
  { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
>()
const { get: getAnswer, set: setAnswer, delete: deleteAnswer } = answers

export function setTimeout(action: unknown, delayMs?: unknown, ...args: unknown[]): number {
  return start(action, delayMs, args, false)
}

export function setInterval(action: unknown, delayMs?: unknown, ...args: unknown[]): number {
  return start(action, delayMs, args, true)
}

export function clearTimer(id: unknown): void {
  const left: Timer[] = []
  for (let i = 0; i < timers.length; i++) if ((timers[i] as Timer).id !== id) left[left.length] = timers[i] as Timer
  timers = left
}

/** Resolves after the delay. */
export function sleep(delayMs?: unknown): Promise<void> {
  return new PromiseClass((resolve) => {
    setTimeout(resolve, delayMs)
  })
}

function start(action: unknown, delayMs: unknown, args: unknown[], isRepeated: boolean): number {
  if (typeof action !== 'function') throw new TypeErrorClass('a timer needs a function')
  // A variable of an environment may be a text.
  const givenMs = toNumber(delayMs)
  const waitMs = givenMs > 0 ? givenMs : 0
  const id = ++lastTimer
  ask('timer')
  add({
    id,
    dueMs: now() + waitMs,
    everyMs: isRepeated ? waitMs : undefined,
    action: () => apply(action as () => void, undefined, args),
  })
  return id
}

function add(timer: Timer): void {
  const later: Timer[] = []
  let isPlaced = false
  for (let i = 0; i < timers.length; i++) {
    const other = timers[i] as Timer
    if (!isPlaced && other.dueMs > timer.dueMs) {
      later[later.length] = timer
      isPlaced = true
    }
    later[later.length] = other
  }
  if (!isPlaced) later[later.length] = timer
  timers = later
}

/** Milliseconds until the next timer is due; -1 if none is set. */
export function nextTimerMs(): number {
  const first = timers[0]
  if (first === undefined) return -1
  const waitMs = first.dueMs - now()
  return waitMs > 0 ? waitMs : 0
}

/** Runs the first timer that is due. */
export function fireTimer(): void {
  const first = timers[0]
  if (first === undefined || first.dueMs > now()) return
  clearTimer(first.id)
  if (first.everyMs !== undefined) add({ ...first, dueMs: now() + first.everyMs })
  const { action } = first
  action()
}

/** Makes a slow call to the host. */
export function askLater(operation: string, ...args: unknown[]): Promise<unknown> {
  const id = ask('later', operation, args) as number
  return new PromiseClass((resolve, reject) => {
    apply(setAnswer, answers, [id, { resolve, reject }])
  })
}

/** Delivers the answer to an `askLater`: JSON, '' for undefined, or the text of an error. */
export function deliver(id: number, json: string, error: string): void {
  const waiting = apply(getAnswer, answers, [id]) as ReturnType<typeof answers.get>
  if (waiting === undefined) return
  apply(deleteAnswer, answers, [id])
  if (error !== '') waiting.reject(new ErrorClass(error))
  else waiting.resolve(json === '' ? undefined : parse(json))
}

export function forgetTimers(): void {
  timers = []
  answers.clear()
}
