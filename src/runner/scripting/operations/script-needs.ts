/**
 * Loads the libraries and tokens that scripts may need before they run, since their calls are answered synchronously.
 *
 * Rules: the needs are found in the text of the scripts and of the modules that they import. Too much may be loaded,
 * never too little, except for tokens: a token is fetched if its id is a string literal.
 */
import { HttpcliError } from '../../../message/index.ts'
import type { ScriptSource } from '../engine/script-engine.ts'
import { ModuleFiles } from '../source/module-files.ts'
import type { ScriptText } from '../source/script-texts.ts'
import type { ScriptScene } from './script-scene.ts'

const specifierPattern = /\b(?:from|import)\s*(?:\(\s*)?(["'])([^"'\\\n]+)\1/g

/** @throws HttpcliError if something that a script names is not available, such as a token. */
export async function loadScriptNeeds(
  scripts: readonly ScriptText[],
  { variables, request }: ScriptScene,
): Promise<void> {
  const code = codeWithModules(scripts.map(({ program }) => program))
  await variables.loadFor(code)
  if (!/\brequest\b/.test(code) || !/\b(?:url|body|headers?)\b/.test(code)) return
  try {
    await request.load()
  } catch (error) {
    // The script may never use it, or may define it first, so the error is reported on use, or when the request is
    // sent.
    if (!(error instanceof HttpcliError)) throw error
  }
}

export function codeWithModules(programs: readonly ScriptSource[]): string {
  const files = new ModuleFiles()
  const names = new Set<string>()
  const codes: string[] = []
  const read = (code: string, from: string, program: ScriptSource): void => {
    codes.push(code)
    for (const [, , specifier = ''] of code.matchAll(specifierPattern)) {
      const name = files.resolve(specifier, from, program)
      if (names.has(name)) continue
      names.add(name)
      const imported = moduleCode(files, name)
      if (imported !== undefined) read(imported, name, program)
    }
  }
  for (const program of programs) {
    for (const part of program.parts) read(part, '', program)
  }
  return codes.join('\n')
}

/** Undefined if the module cannot be read: the engine reports the reason at the import. */
function moduleCode(files: ModuleFiles, name: string): string | undefined {
  try {
    return files.codeOf(name)
  } catch {
    return undefined
  }
}
