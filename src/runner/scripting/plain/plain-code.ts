/**
 * Parses the tokens and names of a plain script.
 *
 * Rules: a name must be declared before it is used, and has one meaning in a scope and in those inside it. So a
 * declaration has one value whenever its code runs, and every use comes after it.
 */
import type { PlainToken } from './plain-tokens.ts'
import { type Data, Declined, type PlainValue } from './plain-values.ts'
import { type PlainWorld, plainNames } from './plain-world.ts'

export type Value = PlainValue<PlainWorld>
/** @returns whether the function that contains the statement has returned */
export type Step = (world: PlainWorld) => boolean
export type Expression = (world: PlainWorld) => Value

/** The maximum depth of nested brackets; the parser is recursive. */
const MAX_DEPTH = 50

/**
 * ECMA-262 section 12.7.2, and words with a meaning at the start of a statement or an expression; then the names that
 * the engine's program defines around every script.
 */
const reservedWords: ReadonlySet<string> = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if import in instanceof new null return super switch this throw true try typeof var void while with yield ' +
    'let static async of eval arguments implements interface package private protected public ' +
    '$httpcliCompare $httpcliImports'
  ).split(' '),
)

const literals: Readonly<Record<string, Data>> = { true: true, false: false, null: null }

export interface PlainScope {
  /** Whether `var` may be declared in it: a function, or the whole script. */
  readonly isFunction: boolean
  /** The index at which the value of each name is stored. */
  readonly places: Map<string, number>
  /** Names that were used in this scope, or in a scope inside it that does not declare them. */
  readonly used: Set<string>
}

export class PlainCode {
  protected readonly tokens: readonly PlainToken[]
  protected readonly scopes: PlainScope[]
  protected at = 0
  protected depth = 0
  readonly #placeCount: { value: number }

  /** @param around the code that contains this code, whose names it sees */
  constructor(tokens: readonly PlainToken[], around?: PlainCode) {
    this.tokens = tokens
    this.scopes = [...(around?.scopes ?? [])]
    this.depth = around?.depth ?? 0
    this.#placeCount = around === undefined ? { value: 0 } : around.#placeCount
  }

  // Tokens.

  protected isAt(kind: PlainToken['kind'], text: string, ahead: number = 0): boolean {
    const token = this.tokens[this.at + ahead]
    return token?.kind === kind && token.text === text
  }

  protected takes(kind: PlainToken['kind'], text: string): boolean {
    const isAt = this.isAt(kind, text)
    if (isAt) this.at++
    return isAt
  }

  protected expect(sign: string): void {
    if (!this.takes('sign', sign)) throw new Declined(`no ${sign}`)
  }

  protected memberName(): string {
    const token = this.tokens[this.at++]
    if (token?.kind !== 'name') throw new Declined('no name')
    return token.text
  }

  // Names.

  protected scoped<Read>(isFunction: boolean, read: () => Read): Read {
    this.scopes.push({ isFunction, places: new Map(), used: new Set() })
    const result = this.nested(read)
    const { used, places } = this.scopes.pop() as PlainScope
    for (const name of used) if (!places.has(name)) this.scopes.at(-1)?.used.add(name)
    return result
  }

  protected nested<Read>(read: () => Read): Read {
    if (++this.depth > MAX_DEPTH) throw new Declined('depth')
    const result = read()
    this.depth--
    return result
  }

  /** @returns the index at which the value is to be stored */
  protected declare(name: string): number {
    const { places, used } = this.scopes.at(-1) as PlainScope
    if (used.has(name) || Object.hasOwn(plainNames, name)) throw new Declined('a name with several meanings')
    used.add(name)
    const place = this.#placeCount.value++
    places.set(name, place)
    return place
  }

  /** The name of a declaration, or a parameter. */
  protected name(): string {
    const name = this.memberName()
    if (reservedWords.has(name)) throw new Declined('a word of the language')
    return name
  }

  protected value(name: string): Expression {
    if (Object.hasOwn(literals, name)) return constant(literals[name])
    if (reservedWords.has(name)) throw new Declined('a word of the language')
    this.scopes.at(-1)?.used.add(name)
    const place = this.scopes.findLast(({ places }) => places.has(name))?.places.get(name)
    if (place !== undefined) return (world) => world.locals[place]
    if (!Object.hasOwn(plainNames, name)) throw new Declined('an unknown name')
    return constant(plainNames[name])
  }
}

export function constant(value: Value): Expression {
  return () => value
}
