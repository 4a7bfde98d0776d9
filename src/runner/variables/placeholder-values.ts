/**
 * Values that only a run can bring, for who puts requests together without sending any: what responses bring, tokens.
 *
 * Rules: a name is foreseen when something before it would set it. Until then a stand-in takes the place of its value,
 * made of letters and digits that may stand anywhere in a request; what is shown has the expression again. Where a script
 * computes the names that it sets, every unknown name may be one of them: that is a guess.
 */
import type { NamesSet } from '../scripting/source/script-names.ts'

/** What a stand-in looks like in a text. */
export const standInPattern: RegExp = /laterhttpcli(\d+)x/g

export class PlaceholderValues {
  readonly #names: Set<string> = new Set()
  readonly #requestNames: Set<string> = new Set()
  readonly #expressions: string[] = []
  readonly #inUse: Set<string> = new Set()
  readonly #told: Set<string> = new Set()
  #mayBeAny = false

  /** From now on these names have values. */
  foresee({ names, hasComputed }: NamesSet): void {
    for (const name of names) this.#names.add(name)
    this.#mayBeAny ||= hasComputed
  }

  /** The same, but for the request that has begun. */
  foreseeForRequest(names: Iterable<string>): void {
    for (const name of names) this.#requestNames.add(name)
  }

  /** Another request begins: none of these values is used yet. */
  beginRequest(): void {
    this.#requestNames.clear()
    this.#inUse.clear()
  }

  get names(): readonly string[] {
    return [...this.#names, ...this.#requestNames]
  }

  /** The stand-in for a value; undefined where nothing will bring it. @param name the variable that it begins with */
  standIn(expression: string, name: string): string | undefined {
    return this.#isForeseen(name) || this.isGuess(name) ? this.standInFor(expression) : undefined
  }

  /** The stand-in for a variable that captures or scripts of earlier requests set: it wins over one of the file. */
  standInForGlobal(name: string): string | undefined {
    return this.#names.has(name) ? this.standInFor(name) : undefined
  }

  /** The stand-in for a value that is sure to come. */
  standInFor(expression: string): string {
    const known = this.#expressions.indexOf(expression)
    this.#inUse.add(expression)
    return `laterhttpcli${known === -1 ? this.#expressions.push(expression) - 1 : known}x`
  }

  /** Whether a name has a value only if a script that computes names sets just this one. */
  isGuess(name: string): boolean {
    return this.#mayBeAny && !name.startsWith('$') && !this.#isForeseen(name)
  }

  /** Whether a value was used since the request began. */
  get isInUse(): boolean {
    return this.#inUse.size > 0
  }

  /** The expressions in use that nobody was told of yet. */
  takeUntold(): readonly string[] {
    const untold = [...this.#inUse].filter((expression) => !this.#told.has(expression))
    for (const expression of untold) this.#told.add(expression)
    return untold
  }

  /** A text with expressions in place of their stand-ins. */
  restored(text: string): string {
    return text.replace(standInPattern, (standIn, index) => {
      const expression = this.#expressions[Number(index)]
      return expression === undefined ? standIn : `{{${expression}}}`
    })
  }

  #isForeseen(name: string): boolean {
    return this.#names.has(name) || this.#requestNames.has(name)
  }
}
