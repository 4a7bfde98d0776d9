/** The lines and tokens of a script, found once for all of its errors: a script may have thousands of them. */
import { nesting, type ScriptToken, scriptTokens } from './script-tokens.ts'

export interface LineAndColumn {
  readonly line: number
  readonly column: number
}

export class ScriptIndex {
  readonly code: string
  /** The offset of each line. */
  readonly #starts: readonly number[]
  #tokens: readonly ScriptToken[] | undefined
  #brackets: readonly number[] | undefined

  constructor(code: string) {
    this.code = code
    this.#starts = [0, ...Array.from(code.matchAll(/\r\n?|\n/g), ({ 0: lineEnd, index }) => index + lineEnd.length)]
  }

  get tokens(): readonly ScriptToken[] {
    this.#tokens ??= scriptTokens(this.code)
    return this.#tokens
  }

  /** For each token, the index of the bracket that encloses it; -1 if none does. */
  get brackets(): readonly number[] {
    this.#brackets ??= bracketsOf(this.tokens)
    return this.#brackets
  }

  get lineCount(): number {
    return this.#starts.length
  }

  /** @param column in bytes of UTF-8 */
  offsetOf({ line, column }: LineAndColumn): number {
    const start = this.#starts[line - 1] ?? this.code.length
    const text = this.code.slice(start, this.#starts[line])
    return start + Buffer.from(text).toString('utf8', 0, column - 1).length
  }

  /** The number of a line, from 1, and the offset at which it begins. */
  lineOf(offset: number): { readonly line: number; readonly start: number } {
    const line = firstIndex(this.#starts.length, (at) => (this.#starts[at] as number) > offset)
    return { line, start: this.#starts[line - 1] as number }
  }

  /** The column is in code points, as in the engine. */
  placeOf(offset: number): LineAndColumn {
    const { line, start } = this.lineOf(offset)
    return { line, column: [...this.code.slice(start, offset)].length + 1 }
  }

  /** The index of the token at this offset, or of the next one. */
  tokenAt(offset: number): number {
    const { tokens } = this
    return firstIndex(tokens.length, (at) => {
      const token = tokens[at] as ScriptToken
      return token.offset + token.text.length > offset
    })
  }
}

/** The first index for which a condition holds that also holds for all later ones; the length if there is none. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function bracketsOf(tokens: readonly ScriptToken[]): readonly number[] {
  const open: number[] = []
  return tokens.map((token, index) => {
    const depth = nesting(token)
    if (depth < 0) open.pop()
    const bracket = open.at(-1) ?? -1
    if (depth > 0) open.push(index)
    return bracket
  })
}
