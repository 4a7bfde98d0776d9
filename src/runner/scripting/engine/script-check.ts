/**
 * Checks a script and the modules that it imports without running them.
 *
 * Rules: an error from the engine is reported at its place, a missing module at the import that names it. Each module
 * is read once, however many scripts import it.
 */
import type { ModuleFiles } from '../source/module-files.ts'
import { importDeclarations } from '../source/script-imports.ts'
import { ScriptIndex } from '../source/script-index.ts'
import type { ScriptProgram } from '../source/script-program.ts'
import { failureOf } from './failure-description.ts'
import { type QuickJsMachine, ThrownInside } from './quickjs-machine.ts'
import type { ScriptFailure, ScriptPlace, ScriptSource } from './script-engine.ts'

/** The engine parses nested code recursively, and may run out of stack. */
const tooDeep: ScriptFailure = {
  kind: 'error',
  message: 'the script is nested too deeply to be read',
  place: undefined,
  expected: undefined,
  actual: undefined,
}

export function checkScript(
  source: ScriptSource,
  program: ScriptProgram,
  machine: QuickJsMachine,
  modules: ModuleFiles,
): readonly ScriptFailure[] {
  const failures: ScriptFailure[] = []
  const seen = new Set<string>()
  const check = (code: string, name?: string): void => {
    try {
      machine.check(code, name)
    } catch (error) {
      if (error instanceof RangeError) failures.push(tooDeep)
      else if (error instanceof ThrownInside) failures.push(failureOf(error.description, program, modules))
      else throw error
    }
  }
  const follow = (code: string, from: string, part: number): void => {
    const index = new ScriptIndex(code)
    for (const declaration of importDeclarations(index.tokens)) {
      const name = modules.resolve(declaration.specifier, from, source)
      if (seen.has(name)) continue
      seen.add(name)
      let imported: string
      try {
        imported = modules.codeOf(name)
      } catch (error) {
        failures.push(missing(error, { module: modules.pathOf(from), part, ...index.placeOf(declaration.offset) }))
        continue
      }
      check(imported, name)
      follow(imported, name, 0)
    }
  }
  check(program.text)
  for (const [part, code] of source.parts.entries()) follow(code, '', part)
  return failures
}

function missing(error: unknown, place: ScriptPlace): ScriptFailure {
  return { kind: 'error', message: (error as Error).message, place, expected: undefined, actual: undefined }
}
