/**
 * Placeholders for values that only a run can know, such as values from responses and tokens, when requests are built
 * without sending any.
 *
 * Rules: a name is foreseen if an earlier step would set it. Until then its value is its expression, with the braces.
 * If a script computes the names that it sets, every unknown name may be among them: that is a guess.
 */
import type { NamesSet } from '../scripting/source/script-names.ts'

/** A foreseen value in a text. */
export const foreseenPattern: RegExp = /\{\{[^{}]*\}\}/g

export class ForeseenValues {
  readonly #names: Set<string> = new Set()
  readonly #requestNames: Set<string> = new Set()
  readonly #missing: Set<string> = new Set()
  readonly #used: Set<string> = new Set()
  readonly #reported: Set<string> = new Set()
  #mayBeAny = false

  /** Marks these names as set from now on. */
  foresee({ names, hasComputed }: NamesSet): void {
    for (const name of names) this.#names.add(name)
    this.#mayBeAny ||= hasComputed
  }

  /** Marks these names as set for the current request only. */
  foreseeForRequest(names: Iterable<string>): void {
    for (const name of names) this.#requestNames.add(name)
  }

  /** Marks a name as reported: the rest of the current request is built as if it had a value. */
  assume(name: string): void {
    this.#missing.add(name)
  }

  beginRequest(): void {
    this.#requestNames.clear()
    this.#missing.clear()
    this.#used.clear()
  }

  get names(): readonly string[] {
    return [...this.#names, ...this.#requestNames]
  }

  /** Whether a run would, or might, have a value for a name that has none here. */
  has(name: string): boolean {
    return this.#isForeseen(name) || this.isGuess(name)
  }

  /** Whether captures or scripts of earlier requests set the name, which overrides a variable of the file. */
  hasGlobal(name: string): boolean {
    return this.#names.has(name)
  }

  /** Whether a name has a value only if a script that computes names happens to set it. */
  isGuess(name: string): boolean {
    return this.#mayBeAny && !name.startsWith('$') && !this.#isForeseen(name)
  }

  /** The placeholder for a value. */
  use(expression: string): string {
    this.#used.add(expression)
    return `{{${expression}}}`
  }

  /** The expressions used since the request began that have not been reported yet. */
  takeUnreported(): readonly string[] {
    const unreported = [...this.#used].filter((expression) => !this.#reported.has(expression))
    for (const expression of unreported) this.#reported.add(expression)
    return unreported
  }

  #isForeseen(name: string): boolean {
    return this.#names.has(name) || this.#requestNames.has(name) || this.#missing.has(name)
  }
}
