/**
 * The imports of a script, as names of its scope.
 *
 * Rules: the runner rewrites the `import` declarations of a script as a call of this function, because a script is the
 * body of a function. The names stay bound to those of the module, so changes by the module are visible to its
 * importers.
 */
import type { ImportedModule, Namespace } from '../engine/world-calls.ts'
import type { MarkedError } from './values.ts'

const { create, defineProperty, freeze, getOwnPropertyNames } = Object
const { SyntaxError: SyntaxErrorClass } = globalThis

/** An object whose properties are the imported names. @throws an error with the place of the declaration */
export async function bindImports(modules: readonly ImportedModule[]): Promise<object> {
  const bindings = create(null) as object
  for (let i = 0; i < modules.length; i++) {
    const [load, specifier, line, column, names] = modules[i] as ImportedModule
    try {
      const namespace = await load()
      for (const local of getOwnPropertyNames(names))
        bind(bindings, local, names[local] as string, namespace, specifier)
    } catch (error) {
      // An error thrown by a running module already has a place in that module.
      if (error instanceof Error && !/\bmodule-\d+:\d/.test(String(error.stack))) {
        const marked = error as MarkedError
        marked.place = { line, column }
      }
      throw error
    }
  }
  return freeze(bindings)
}

function bind(bindings: object, local: string, exported: string, namespace: Namespace, specifier: string): void {
  if (exported === '*') {
    defineProperty(bindings, local, { value: namespace })
  } else if (!(exported in namespace)) {
    throw new SyntaxErrorClass(
      `the module ${JSON.stringify(specifier)} has no export named ${JSON.stringify(exported)}`,
    )
  } else {
    defineProperty(bindings, local, { get: () => namespace[exported] })
  }
}
