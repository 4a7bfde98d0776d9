/**
 * One request, sent once for each element of the arrays that it uses.
 *
 * Rules: several arrays advance together; the longest decides how many rounds there are, a shorter one starts over.
 * Which arrays there are is found while the first round is put together. The values of the expressions are kept in the
 * order of the request, for scripts.
 */
import type { JsonValue } from '../../http-file/index.ts'

export class Iterations {
  #index = 0
  #longest = 1
  #values: JsonValue[] = []
  #isRunning = false
  /** Whether the round is over and only looked at again. */
  #isOver = false
  #beganAtMs = 0

  /** Whether a request is being put together: outside of it an array is its text. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** The values of the last round. */
  get values(): readonly JsonValue[] {
    return this.#values
  }

  /** When the round began, in milliseconds since 1970: one request has one time, wherever it is used. */
  get beganAtMs(): number {
    return this.#beganAtMs
  }

  /** Begins a round, counted from 0. */
  begin(index: number, nowMs: number): void {
    this.#isRunning = true
    this.#isOver = false
    this.#index = index
    this.#values = []
    this.#beganAtMs = nowMs
  }

  /** The last iteration again, for checks of its response: nothing is kept, and it makes no further iterations. */
  revisit(): void {
    this.#isRunning = true
    this.#isOver = true
  }

  /** Ends the round. */
  end(): void {
    this.#isRunning = false
  }

  /** How many rounds the request has, as far as is known. */
  get count(): number {
    return this.#longest
  }

  /** The array's element in this iteration. */
  elementOf(array: readonly JsonValue[]): JsonValue {
    if (!this.#isRunning) return array
    if (this.#index === 0 && !this.#isOver) this.#longest = Math.max(this.#longest, array.length)
    return array[this.#index % array.length] as JsonValue
  }

  /** Keeps the value of an expression. */
  note(value: JsonValue): void {
    if (this.#isRunning && !this.#isOver) this.#values.push(value)
  }
}
