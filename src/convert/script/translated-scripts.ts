/**
 * Translates the scripts of one request of another tool.
 *
 * Rules: a part that cannot be translated is reported, and stays in the script as a comment.
 */
import type { Losses } from '../draft/losses.ts'
import type { ScriptDialect } from './dialect.ts'
import { translateScript } from './translation.ts'

export interface TranslatedScripts {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** For `# @assert`. */
  readonly assertions: readonly string[]
}

export class ScriptTranslator {
  readonly #dialect: ScriptDialect
  readonly #losses: Losses
  /** The assertions that replace parts of the scripts translated so far. */
  readonly assertions: string[] = []

  constructor(dialect: ScriptDialect, losses: Losses) {
    this.#dialect = dialect
    this.#losses = losses
  }

  /** The code; empty if nothing of it is left. @param place the place of the script, for losses */
  translated(source: string, place: string): readonly string[] {
    if (source.trim() === '') return []
    const { code, lost, assertions } = translateScript(source, this.#dialect)
    for (const statement of lost) this.#losses.add(place, statement)
    for (const assertion of assertions) this.assertions.push(assertion)
    return code === '' ? [] : [code]
  }
}
