/**
 * Values known only during a run, where requests are put together and none is sent: what responses bring, tokens.
 *
 * Rules: a name is foreseen when something before it would set it. Until then its expression is its value, braces and
 * all. Where a script computes the names that it sets, every unknown name may be one of them: that is a guess.
 */
import type { NamesSet } from '../scripting/source/script-names.ts'

/** A foreseen value in a text. */
export const foreseenPattern: RegExp = /\{\{[^{}]*\}\}/g

export class ForeseenValues {
  readonly #names: Set<string> = new Set()
  readonly #requestNames: Set<string> = new Set()
  /** Expressions that were used. */
  readonly #used: Set<string> = new Set()
  readonly #reported: Set<string> = new Set()
  #mayBeAny = false

  /** From now on these names have values. */
  foresee({ names, hasComputed }: NamesSet): void {
    for (const name of names) this.#names.add(name)
    this.#mayBeAny ||= hasComputed
  }

  /** The same, except for the current request. */
  foreseeForRequest(names: Iterable<string>): void {
    for (const name of names) this.#requestNames.add(name)
  }

  /** Another request begins. */
  beginRequest(): void {
    this.#requestNames.clear()
    this.#used.clear()
  }

  get names(): readonly string[] {
    return [...this.#names, ...this.#requestNames]
  }

  /** Whether a run would, or may, have a value for a name without one now. */
  has(name: string): boolean {
    return this.#isForeseen(name) || this.isGuess(name)
  }

  /** Whether captures or scripts of earlier requests set the name: that wins over a variable of the file. */
  hasGlobal(name: string): boolean {
    return this.#names.has(name)
  }

  /** Whether a name has a value only if a script that computes names sets just this one. */
  isGuess(name: string): boolean {
    return this.#mayBeAny && !name.startsWith('$') && !this.#isForeseen(name)
  }

  /** The placeholder for a value. */
  use(expression: string): string {
    this.#used.add(expression)
    return `{{${expression}}}`
  }

  /** The expressions that were used since the request began and that were not reported yet. */
  takeUnreported(): readonly string[] {
    const unreported = [...this.#used].filter((expression) => !this.#reported.has(expression))
    for (const expression of unreported) this.#reported.add(expression)
    return unreported
  }

  #isForeseen(name: string): boolean {
    return this.#names.has(name) || this.#requestNames.has(name)
  }
}
