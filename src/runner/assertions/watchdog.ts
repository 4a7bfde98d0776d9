/**
 * Interrupts a call that does not return, although it runs on the current thread.
 *
 * Rules: Node.js can interrupt code in `vm` after a timeout, from a separate thread; this also interrupts code inside
 * WebAssembly. An interrupted call cannot be resumed. The watchdog costs about as much as a short script. Signals wait
 * until the call is over: Node.js could also interrupt the call for them, but would remove the process's own handlers
 * for that time, and a signal at that moment would be lost or kill the process.
 */
import { Script } from 'node:vm'

export class TimeOverError extends Error {}

const slot: unique symbol = Symbol.for('httpcli.guarded')
const realm = globalThis as { [slot]?: () => void }
let caller: Script | undefined

/** @throws TimeOverError; errors of the action. */
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
