/**
 * One request that is sent once for each element of the arrays that it uses.
 *
 * Rules: several arrays advance together; the longest determines the number of iterations, a shorter one starts over.
 * The arrays are found while the first iteration is built. The values of the expressions are kept in the order of the
 * request, for scripts.
 */
import type { JsonValue } from '../../http-file/index.ts'

export class Iterations {
  #index = 0
  #longest = 1
  #values: JsonValue[] = []
  #isRunning = false
  /** Whether the iteration is over and only its response is checked. */
  #isOver = false
  #beganAtMs = 0

  /** Whether a request is being built: otherwise an array is its text. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  get values(): readonly JsonValue[] {
    return this.#values
  }

  /** When the iteration began, in milliseconds since 1970: all times in a request are the same. */
  get beganAtMs(): number {
    return this.#beganAtMs
  }

  /** Begins an iteration, counted from 0. */
  begin(index: number, nowMs: number): void {
    this.#isRunning = true
    this.#isOver = false
    this.#index = index
    this.#values = []
    this.#beganAtMs = nowMs
  }

  /** Returns to the last iteration, for checks of its response: no value is recorded, and no iteration is added. */
  revisit(): void {
    this.#isRunning = true
    this.#isOver = true
  }

  end(): void {
    this.#isRunning = false
  }

  /** The number of iterations, as far as it is known. */
  get count(): number {
    return this.#longest
  }

  /** The array's element in this iteration. */
  elementOf(array: readonly JsonValue[]): JsonValue {
    if (!this.#isRunning) return array
    if (this.#index === 0 && !this.#isOver) this.#longest = Math.max(this.#longest, array.length)
    return array[this.#index % array.length] as JsonValue
  }

  /** Records the value of an expression. */
  note(value: JsonValue): void {
    if (this.#isRunning && !this.#isOver) this.#values.push(value)
  }
}
