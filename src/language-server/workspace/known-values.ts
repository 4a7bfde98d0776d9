/**
 * The values of variables that are known without a run: of the environment, and `@name = value` of the file.
 *
 * Rules: the environment wins, as in a run. What scripts, captures, prompts and responses bring is unknown, and so is
 * every text that contains it.
 */
import { type HttpFile, parseTemplate, type Template, type VariableValue } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { Environment } from '../../runner/index.ts'

/** Variables in variables: as deep as anyone writes them, and a bound for circles. */
const MAX_DEPTH = 10
const MAX_LENGTH = 10_000

export class KnownValues {
  readonly #given: ReadonlyMap<string, VariableValue>
  readonly #defined: ReadonlyMap<string, Template>

  /**
   * @param environment undefined if its files cannot be read
   * @param sectionCount the number of sections whose variables are visible
   */
  constructor(
    environment: Pick<Environment, 'variables'> | undefined,
    { sections }: Pick<HttpFile, 'sections'>,
    sectionCount: number = sections.length,
  ) {
    this.#given = environment?.variables ?? new Map()
    const visible = sections.slice(0, sectionCount).flatMap(({ variables }) => variables)
    this.#defined = new Map(visible.map(({ name, value }) => [name, value]))
  }

  /** Undefined if a value is not known, or is not a text. */
  text(template: Template, depth: number = 0): string | undefined {
    let text = ''
    for (const part of template.parts) {
      const piece = part.type === 'text' ? part.text : this.#value(part.expression, depth)
      if (piece === undefined) return undefined
      text += piece
      if (text.length > MAX_LENGTH) return undefined
    }
    return text
  }

  #value(name: string, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return undefined
    const value = this.#given.get(name)
    if (typeof value === 'string') return value.includes('{{') ? this.text(parseTemplate(value), depth + 1) : value
    if (value !== undefined) return typeof value === 'object' ? undefined : String(value)
    const defined = this.#defined.get(name)
    return defined && this.text(defined, depth + 1)
  }
}

/** The values that a file sees in the chosen environment; without it, if its files cannot be read. */
export function knownValuesOf(
  file: HttpFile,
  path: string,
  workspace: { environment(path: string): Environment },
): KnownValues {
  try {
    return new KnownValues(workspace.environment(path), file)
  } catch (error) {
    if (error instanceof HttpcliError) return new KnownValues(undefined, file)
    throw error
  }
}
