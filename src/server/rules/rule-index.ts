/**
 * Finds rules by the beginning of a path, in order: a site may have tens of thousands of rules.
 *
 * Rules: a rule for one path is found by that path, a rule whose first segment is plain text by that segment; all
 * others are tried for every path.
 */

/** What is known of the paths that a pattern matches. */
export interface IndexedPattern {
  /** Undefined if the path does not match. */
  match(path: string): unknown
  /** The only path that matches; undefined if there are several. */
  readonly plainPath: string | undefined
  /** The first segment of all matching paths, with its slash; undefined if there are several. */
  readonly firstSegment: string | undefined
}

interface Numbered<Rule> {
  readonly rule: Rule
  readonly order: number
}

export class RuleIndex<Rule extends { readonly pattern: IndexedPattern }> {
  readonly #byPath = new Map<string, Numbered<Rule>[]>()
  readonly #bySegment = new Map<string, Numbered<Rule>[]>()
  readonly #others: Numbered<Rule>[] = []

  constructor(rules: readonly Rule[]) {
    for (const [order, rule] of rules.entries()) {
      const { plainPath, firstSegment } = rule.pattern
      if (plainPath !== undefined) add(this.#byPath, plainPath, { rule, order })
      else if (firstSegment !== undefined) add(this.#bySegment, firstSegment, { rule, order })
      else this.#others.push({ rule, order })
    }
  }

  /** The rules that may match, in order. */
  candidates(path: string): readonly Rule[] {
    const lowerCase = path.toLowerCase()
    const end = lowerCase.indexOf('/', 1)
    const segment = end < 0 ? lowerCase : lowerCase.slice(0, end)
    const found = [...(this.#byPath.get(lowerCase) ?? []), ...(this.#bySegment.get(segment) ?? []), ...this.#others]
    return found.sort((one, other) => one.order - other.order).map(({ rule }) => rule)
  }

  /** The rules that match, in order. */
  matching(path: string): readonly Rule[] {
    return this.candidates(path).filter(({ pattern }) => pattern.match(path) !== undefined)
  }
}

/** Keys ignore case: the pattern itself compares case. */
function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key.toLowerCase())
  if (known === undefined) map.set(key.toLowerCase(), [value])
  else known.push(value)
}
