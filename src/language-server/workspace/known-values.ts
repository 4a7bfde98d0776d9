/**
 * The values of variables that are known without a run: from the environment, and from `@name = value` in the file.
 *
 * Rules: the environment takes precedence, as in a run. Values from scripts, captures, prompts and responses are
 * unknown, and so is every text that contains one.
 */
import { type HttpFile, parseTemplate, type Template, type VariableValue } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { Environment } from '../../runner/index.ts'

/** The maximum depth of variables in variables: enough for real files, and a limit for cycles. */
const MAX_DEPTH = 10
const MAX_LENGTH = 10_000

interface Definition {
  readonly sectionIndex: number
  readonly value: Template
}

export class KnownValues {
  readonly #fromEnvironment: ReadonlyMap<string, VariableValue>
  readonly #defined: ReadonlyMap<string, readonly Definition[]>

  /** @param environment undefined if its files cannot be read */
  constructor(environment: Pick<Environment, 'variables'> | undefined, { sections }: Pick<HttpFile, 'sections'>) {
    this.#fromEnvironment = environment?.variables ?? new Map()
    const defined = new Map<string, Definition[]>()
    for (const [sectionIndex, { variables }] of sections.entries()) {
      for (const { name, value } of variables) {
        const definitions = defined.get(name) ?? []
        definitions.push({ sectionIndex, value })
        defined.set(name, definitions)
      }
    }
    this.#defined = defined
  }

  /**
   * Undefined if a value is unknown, or is not a text.
   * @param sectionIndex the section that uses the values: variables of later sections are not defined yet
   */
  text(template: Template, sectionIndex: number): string | undefined {
    return this.#text(template, sectionIndex, 0)
  }

  #text(template: Template, sectionIndex: number, depth: number): string | undefined {
    let text = ''
    for (const part of template.parts) {
      const piece = part.type === 'text' ? part.text : this.#value(part.expression, sectionIndex, depth)
      if (piece === undefined) return undefined
      text += piece
      if (text.length > MAX_LENGTH) return undefined
    }
    return text
  }

  #value(name: string, sectionIndex: number, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return undefined
    const value = this.#fromEnvironment.get(name)
    if (value === undefined) {
      const defined = this.#defined.get(name)?.findLast((each) => each.sectionIndex <= sectionIndex)
      return defined && this.#text(defined.value, sectionIndex, depth + 1)
    }
    if (typeof value === 'object') return undefined
    const text = String(value)
    return text.includes('{{') ? this.#text(parseTemplate(text), sectionIndex, depth + 1) : text
  }
}

/** The values that a file sees in the chosen environment, or without it if its files cannot be read. */
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
