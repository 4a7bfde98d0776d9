/**
 * The order in which a shell assigns the variables of a file.
 *
 * Rules: `run` evaluates a value where it is used, so a value may contain variables that are defined later, and changes
 * when one of them is defined again. A shell evaluates a value when it is assigned. So a section assigns each name
 * once, with its last value, after the variables in that value; and it assigns earlier variables again if their values
 * depend on names that the section defines.
 */
import type { VariableNode } from '../../http-file/index.ts'

export class Assignments {
  /** The last definition of each name so far. */
  readonly #current: Map<string, VariableNode> = new Map()
  /** The variables whose values contain a name, by that name. */
  readonly #dependents: Map<string, Set<string>> = new Map()

  /** The variables to assign in a section. @param defined the variables of the section, in their order */
  next(defined: readonly VariableNode[]): readonly VariableNode[] {
    for (const variable of defined) {
      this.#current.set(variable.name, variable)
      for (const name of namesIn(variable)) {
        const dependents = this.#dependents.get(name)
        if (dependents === undefined) this.#dependents.set(name, new Set([variable.name]))
        else dependents.add(variable.name)
      }
    }
    const affected = new Set(defined.map(({ name }) => name))
    // The loop also visits names that it adds to the set.
    for (const name of affected) for (const each of this.#dependents.get(name) ?? []) affected.add(each)
    return this.#inOrder(affected)
  }

  #inOrder(names: ReadonlySet<string>): readonly VariableNode[] {
    const entered = new Set<string>()
    const ordered = new Map<string, VariableNode>()
    for (const start of names) {
      const path = [start]
      while (path.length > 0) {
        const name = path.at(-1) as string
        const variable = this.#current.get(name) as VariableNode
        if (entered.has(name)) {
          ordered.set(name, variable)
          path.pop()
          continue
        }
        entered.add(name)
        for (const each of namesIn(variable).toReversed()) {
          if (names.has(each) && !entered.has(each)) path.push(each)
        }
      }
    }
    return [...ordered.values()]
  }
}

function namesIn({ value }: VariableNode): readonly string[] {
  return value.parts.flatMap((part) => (part.type === 'variable' ? [part.expression] : []))
}
