/**
 * The events of scripts on their way from the thread to the program that started it.
 *
 * Rules: a slow listener slows the script, but a short event is not waited for while few are on their way: each wait
 * costs both threads a turn. 200 scripts with one test take 0.95 of the processor time with this.
 */
import type { ScriptEvent } from '../engine/script-engine.ts'
import { type FromThread, HANDLED_AT_ONCE } from './thread-messages.ts'

/** More than the program handles before it says so: otherwise both would wait. */
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

  /** Resolves when the script may go on. */
  send(event: ScriptEvent): Promise<void> | undefined {
    const number = ++this.#sent
    const isAwaited = !isShort(event) || number - this.#handled > MAX_ON_THE_WAY
    this.#send({ type: 'event', event, isAwaited })
    return isAwaited ? new Promise((resolve) => this.#awaited.push({ number, resolve })) : undefined
  }

  /** All up to this number are handled. */
  noteHandled(number: number): void {
    this.#handled = number
    while (this.#awaited[0] !== undefined && this.#awaited[0].number <= number) this.#awaited.shift()?.resolve()
  }
}

/** Failures are never short: many of their fields may be long. */
function isShort(event: ScriptEvent): boolean {
  if (event.type === 'log') return event.text.length <= SHORT_CHARACTERS
  return event.type === 'test' && event.failure === undefined && event.name.length <= SHORT_CHARACTERS
}
