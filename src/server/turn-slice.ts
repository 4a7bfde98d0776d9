/**
 * Long work in short pieces, so that other clients are answered in between.
 *
 * Rules: all who do long work share a few milliseconds of each turn of the event loop, however many they are. The one who
 * works asks `isTurnOver` in his loop, which is cheap, and awaits `nextTurn` when it is. Of those who wait one goes on in
 * each turn, in the order in which they came.
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
  const next = waiting.shift()
  if (next === undefined) return
  openTurn()
  next()
}
