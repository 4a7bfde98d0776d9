/**
 * The order in which a shell assigns the variables of a file.
 *
 * Rules: `run` evaluates a value where it is used, so a value may contain variables that are defined later, and changes
 * when one of them is defined again. A shell evaluates a value when it is assigned. So a variable is assigned after the
 * variables in its value, and again before a command uses it if one of them has changed.
 */
import type { VariableNode } from '../../http-file/index.ts'

export class Assignments {
  /** The last definition of each name so far. */
  readonly #current: Map<string, VariableNode> = new Map()
  /** The variables whose values contain a name, by that name. */
  readonly #dependents: Map<string, Set<string>> = new Map()
  /** Names that the script has to assign before they are used. They include all names whose values depend on one. */
  readonly #outdated: Set<string> = new Set()

  define(variables: readonly VariableNode[]): void {
    for (const variable of variables) {
      this.#current.set(variable.name, variable)
      for (const name of namesIn(variable)) {
        const dependents = this.#dependents.get(name)
        if (dependents === undefined) this.#dependents.set(name, new Set([variable.name]))
        else dependents.add(variable.name)
      }
    }
    const changed = variables.map(({ name }) => name)
    for (const name of changed) this.#outdated.add(name)
    for (let name = changed.pop(); name !== undefined; name = changed.pop()) {
      for (const each of this.#dependents.get(name) ?? []) {
        if (this.#outdated.has(each)) continue
        this.#outdated.add(each)
        changed.push(each)
      }
    }
  }

  /** The variables to assign, in this order, before these names are used. */
  outdated(names: readonly string[]): readonly VariableNode[] {
    const entered = new Set<string>()
    const ordered: VariableNode[] = []
    for (const start of names) {
      const path = [start]
      while (path.length > 0) {
        const name = path.at(-1) as string
        const variable = this.#current.get(name)
        if (variable === undefined || entered.has(name)) {
          if (variable !== undefined && this.#outdated.delete(name)) ordered.push(variable)
          path.pop()
          continue
        }
        entered.add(name)
        for (const each of namesIn(variable).toReversed()) {
          if (this.#outdated.has(each) && !entered.has(each)) path.push(each)
        }
      }
    }
    return ordered
  }
}

function namesIn({ value }: VariableNode): readonly string[] {
  return value.parts.flatMap((part) => (part.type === 'variable' ? [part.expression] : []))
}
