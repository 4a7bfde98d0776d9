/**
 * Long work in short pieces, so that other clients are answered in between.
 *
 * Rules: all who have much to do share a few milliseconds of each turn of the event loop, however many they are. The one
 * who works asks `isTurnOver` in his loop, which is cheap, and awaits `nextTurn` when it is. Those who wait go on as many
 * in each turn as its milliseconds last for.
 *
 * What starts goes before long work, which still goes on every few milliseconds. Of what starts, the latest and the
 * earliest go by turns: who comes after a burst need not wait until all of it is done, and nobody is left over. Long
 * work goes on in its order.
 *
 * The platform accepts one client in each turn. As long as clients keep connecting, turns are short, or hundreds of them
 * would wait for as many long turns.
 */

/** `start`: short work for a client that has received nothing yet. `long`: work of many pieces. */
export type Work = 'start' | 'long'

/** Shorter than what anybody notices, longer than a turn of the event loop costs. */
const sliceMs = 3

/** While clients connect, one piece of work is done after each pause: half of the time is for accepting them. */
const arrivalPauseMs = 1

/** Long work goes on at least this often, whatever starts. */
const longWorkPauseMs = 4

const waiting: Readonly<Record<Work, (() => void)[]>> = { start: [], long: [] }
let isOpen = false
let endMs = 0
/** Whether a client has connected since the turn before ended. */
let hasArrival = false
let isLatestNext = true
let workedMs = 0
let longWorkedMs = 0

/** Whether others should have their turn now. */
export function isTurnOver(): boolean {
  openTurn()
  return performance.now() >= endMs
}

/** Whether work that starts now has to wait for others. */
export function mustQueue(): boolean {
  return waiting.start.length > 0 || isTurnOver()
}

/** Lets others go first. */
export function nextTurn(work: Work): Promise<void> {
  openTurn()
  return new Promise((resolve) => {
    waiting[work].push(resolve)
  })
}

/** To be called for each client that has connected. */
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
  if (isAnyoneWaiting()) {
    openTurn()
    if (!hasArrival || performance.now() - workedMs >= arrivalPauseMs) goOn()
  }
  hasArrival = false
}

function isAnyoneWaiting(): boolean {
  return waiting.start.length > 0 || waiting.long.length > 0
}

function goOn(): void {
  workedMs = performance.now()
  takeNext(workedMs)?.()
  // Behind what the one who goes on does before it waits for something.
  if (isAnyoneWaiting()) queueMicrotask(goOnInTime)
}

function goOnInTime(): void {
  if (isOpen && performance.now() < endMs) goOn()
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
