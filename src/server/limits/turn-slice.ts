/**
 * Splits long work into slices, so that other clients are answered in between.
 *
 * Rules: all long tasks share a few milliseconds of each turn of the event loop. A task checks `isTurnOver` in its
 * loop, which is cheap, and awaits `nextTurn` when it is true. In each turn, as many tasks continue as fit in these few
 * milliseconds.
 *
 * Starting work precedes long work, which still continues every few milliseconds. The latest and the earliest starting
 * work alternate: a client that arrives after a burst need not wait for the whole burst, and no client starves. Long
 * work continues in order.
 *
 * The platform accepts one client in each turn. As long as clients keep connecting, turns are short; otherwise hundreds
 * of clients would wait for hundreds of long turns.
 */

/** `start`: short work for a client that has received nothing yet. `long`: work of many pieces. */
export type Work = 'start' | 'long'

/** Too short to notice, but longer than the overhead of an event-loop turn. */
const sliceMs = 3

/** While clients connect, one task runs after each pause: half of the time is for accepting connections. */
const arrivalPauseMs = 1

/** Long work continues at least this often, even if more work starts. */
const longWorkPauseMs = 4

const waiting: Readonly<Record<Work, (() => void)[]>> = { start: [], long: [] }
let isOpen = false
let endMs = 0
/** Whether a client has connected since the end of the previous turn. */
let hasArrival = false
let isLatestNext = true
let workedMs = 0
let longWorkedMs = 0

/** Whether the task should yield to others now. */
export function isTurnOver(): boolean {
  openTurn()
  return performance.now() >= endMs
}

/** Whether work that starts now has to wait for other work. */
export function mustQueue(): boolean {
  return waiting.start.length > 0 || isTurnOver()
}

/** Yields to other work. */
export function nextTurn(work: Work): Promise<void> {
  openTurn()
  return new Promise((resolve) => {
    waiting[work].push(resolve)
  })
}

/** Call this for each client that has connected. */
export function countArrival(): void {
  openTurn()
  hasArrival = true
  endMs = 0
}

function openTurn(): void {
  if (isOpen) return
  isOpen = true
  endMs = hasArrival ? 0 : performance.now() + sliceMs
  setImmediate(endTurn)
}

function endTurn(): void {
  isOpen = false
  if (hasWaiters()) {
    openTurn()
    if (!hasArrival || performance.now() - workedMs >= arrivalPauseMs) resumeNow()
  }
  hasArrival = false
}

function hasWaiters(): boolean {
  return waiting.start.length > 0 || waiting.long.length > 0
}

function resumeNow(): void {
  workedMs = performance.now()
  takeNext(workedMs)?.()
  // After the synchronous part of the resumed task.
  if (hasWaiters()) queueMicrotask(resumeBeforeLimit)
}

function resumeBeforeLimit(): void {
  if (isOpen && performance.now() < endMs) resumeNow()
}

function takeNext(nowMs: number): (() => void) | undefined {
  const { start, long } = waiting
  if (start.length === 0 || (long.length > 0 && nowMs - longWorkedMs >= longWorkPauseMs)) {
    longWorkedMs = nowMs
    return long.shift()
  }
  isLatestNext = !isLatestNext
  return isLatestNext ? start.pop() : start.shift()
}
