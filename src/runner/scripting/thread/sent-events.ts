/**
 * Sends events of scripts from the thread to the program that started it.
 *
 * Rules: a slow listener slows the script, but a short event is not awaited while few are pending: each wait costs both
 * threads a turn of the event loop. With this, 200 scripts with one test take 0.95 of the CPU time.
 */
import type { ScriptEvent } from '../engine/script-engine.ts'
import { type FromThread, HANDLED_AT_ONCE } from './thread-messages.ts'

/** Must be more than the program handles before it acknowledges: otherwise both would wait. */
const MAX_ON_THE_WAY = 4 * HANDLED_AT_ONCE
const SHORT_CHARACTERS = 1000

interface AwaitedEvent {
  readonly number: number
  readonly resolve: () => void
}

export class SentEvents {
  readonly #send: (message: FromThread) => void
  #sent = 0
  #handled = 0
  readonly #awaited: AwaitedEvent[] = []

  constructor(send: (message: FromThread) => void) {
    this.#send = send
  }

  /** Resolves when the script may continue. */
  send(event: ScriptEvent): Promise<void> | undefined {
    const number = ++this.#sent
    const isAwaited = !isShort(event) || number - this.#handled > MAX_ON_THE_WAY
    this.#send({ type: 'event', event, isAwaited })
    return isAwaited ? new Promise((resolve) => this.#awaited.push({ number, resolve })) : undefined
  }

  /** All events up to this number have been handled. */
  noteHandled(number: number): void {
    this.#handled = number
    while (this.#awaited[0] !== undefined && this.#awaited[0].number <= number) this.#awaited.shift()?.resolve()
  }
}

/** Failures never count as short: many of their fields may be long. */
function isShort(event: ScriptEvent): boolean {
  if (event.type === 'log') return event.text.length <= SHORT_CHARACTERS
  return event.type === 'test' && event.failure === undefined && event.name.length <= SHORT_CHARACTERS
}
