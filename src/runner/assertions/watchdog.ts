/**
 * Ends a call that does not end by itself, although it runs on this very thread.
 *
 * Rules: Node.js can end what runs in `vm` after a time, by its own thread; that also ends a step inside
 * WebAssembly. An ended call cannot be resumed. Costs about as much as a short script.
 * Signals wait until the call is over: Node.js could end it for them too, but takes the process's own handlers away
 * meanwhile, and a signal in that moment would be lost or kill the process.
 */
import { Script } from 'node:vm'

/** The time was over. */
export class TimeOverError extends Error {}

const slot: unique symbol = Symbol.for('httpcli.guarded')
const realm = globalThis as { [slot]?: () => void }
let caller: Script | undefined

/** @throws TimeOverError; what the action throws. */
export function guarded(action: () => void, timeoutMs: number): void {
  caller ??= new Script(`globalThis[Symbol.for('httpcli.guarded')]()`)
  realm[slot] = action
  try {
    caller.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) })
  } catch (error) {
    const isOver = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw isOver ? new TimeOverError(`not done after ${timeoutMs} ms`) : error
  } finally {
    delete realm[slot]
  }
}
