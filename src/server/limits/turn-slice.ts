/**
 * Long work in short pieces, so that other clients are answered in between.
 *
 * Rules: all who do long work share a few milliseconds of each turn of the event loop, however many they are. The one who
 * works asks `isTurnOver` in his loop, which is cheap, and awaits `nextTurn` when it is. Those who wait go on in the order
 * in which they came, as many in each turn as its milliseconds last for, and at least one.
 */

/** Shorter than what anybody notices, longer than a turn of the event loop costs. */
const sliceMs = 3

let isOpen = false
let endMs = 0
const waiting: (() => void)[] = []

/** Whether others should have their turn now. */
export function isTurnOver(): boolean {
  openTurn()
  return performance.now() >= endMs
}

/** Whether work that comes now has to wait for others. */
export function mustQueue(): boolean {
  return waiting.length > 0 || isTurnOver()
}

/** Lets everybody else go first. */
export function nextTurn(): Promise<void> {
  openTurn()
  return new Promise((resolve) => {
    waiting.push(resolve)
  })
}

function openTurn(): void {
  if (isOpen) return
  isOpen = true
  endMs = performance.now() + sliceMs
  setImmediate(endTurn)
}

function endTurn(): void {
  isOpen = false
  if (waiting.length === 0) return
  openTurn()
  goOn()
}

function goOn(): void {
  waiting.shift()?.()
  // Behind what the one who goes on does before it waits for something.
  if (waiting.length > 0) queueMicrotask(goOnInTime)
}

function goOnInTime(): void {
  if (isOpen && performance.now() < endMs) goOn()
}
