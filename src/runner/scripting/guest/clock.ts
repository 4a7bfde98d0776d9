/**
 * `Date` that uses the clock of the run, if it is not the platform's.
 *
 * Rules: everything that reads the time asks the runner; dates built from a given time work as usual. Timers keep the
 * real clock: waiting for a second takes a second.
 */
import { ask } from './host.ts'

const { Date: PlatformDate } = globalThis
const { construct, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect

const now = (): number => ask('now') as number

/** ECMA-262 § 21.4.2.1: without `new` it returns a string, without arguments it is the current time. */
function RunDate(...args: unknown[]): unknown {
  if (new.target === undefined) return construct(PlatformDate, [now()]).toString()
  return construct(PlatformDate, args.length === 0 ? [now()] : args, new.target)
}

for (const name of ownKeys(PlatformDate)) {
  const property = getOwnPropertyDescriptor(PlatformDate, name)
  if (property !== undefined) defineProperty(RunDate, name, property)
}
defineProperty(RunDate, 'now', { value: now, writable: true, configurable: true })

/** Replaces `Date`. */
export function useClock(): void {
  defineProperty(PlatformDate.prototype, 'constructor', { value: RunDate, writable: true, configurable: true })
  defineProperty(globalThis, 'Date', { value: RunDate, writable: true, configurable: true })
}
