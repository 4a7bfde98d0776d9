/**
 * Prepares templates for rendering: loads libraries that generate values, JSONPath, tokens.
 *
 * Rules: names are followed in the same way as in rendering, but no value is computed and no random byte is drawn. Too
 * much may be found, never too little, except for tokens: a token is needed only if rendering reaches it. Rendering
 * ends at an unknown variable, and so does the search, unless unknown variables are allowed.
 */
import { type JsonValue, parseTemplate, type Template } from '../../http-file/index.ts'
import { type Place, placed, wholeFile } from '../base/errors.ts'
import { MAX_DEPTH } from '../base/expansion.ts'
import { tokenCall } from './dynamic/context-variables.ts'
import { librariesOf } from './dynamic/dynamic-variables.ts'
import type { Definition, FileScope } from './file-scope.ts'
import { foreseenPattern } from './foreseen-values.ts'
import { namedValue } from './named-value.ts'
import { parseReference } from './request-references.ts'
import { loadQueries, parseVariablePath } from './variable-path.ts'
import type { Variables } from './variables.ts'

type Load = () => Promise<unknown>

export class TemplateNeeds {
  readonly #variables: Variables
  readonly #allowsUnknown: boolean
  /** In the order in which rendering reaches them; a token by its id and kind. */
  readonly #loads: Map<Load | string, Load> = new Map()
  /** The state of each name: its value is being followed, was followed, or does not exist. */
  readonly #names: Map<FileScope, Map<string, 'open' | 'found' | 'none'>> = new Map()
  #isOver = false
  #hasForeseen = false

  /**
   * @param allowsUnknown whether rendering continues after an unknown variable
   * @param templates of the request file
   */
  constructor(variables: Variables, allowsUnknown: boolean, templates: readonly Template[]) {
    this.#variables = variables
    this.#allowsUnknown = allowsUnknown
    for (const template of templates) this.#followTemplate(template, variables.scope, undefined, 0)
  }

  /** Whether one of the values is foreseen (foreseen-values.ts). */
  get hasForeseen(): boolean {
    return this.#hasForeseen
  }

  /** Follows the value of a name in the environment and in the file, whichever takes precedence. */
  addName(name: string): void {
    const { scope, shared } = this.#variables
    const { environment, commandLine } = shared.options
    const value = commandLine?.get(name) ?? environment.get(name)
    if (value !== undefined) this.#followGiven(value, scope, { source: scope.source, span: wholeFile }, 0)
    const defined = scope.find('overrides', name) ?? scope.find('inPlace', name)
    if (defined !== undefined) this.#followDefined(defined, 0)
  }

  /** @throws HttpcliError of a token, with the place that names it */
  async load(): Promise<void> {
    for (const load of this.#loads.values()) await load()
  }

  /** @param place place of the whole template, if its parts are not in a file */
  #followTemplate({ parts }: Template, scope: FileScope, place: Place | undefined, depth: number): void {
    for (const part of parts) {
      if (part.type === 'text') continue
      this.#follow(part.expression, scope, place ?? { source: scope.source, span: part.span }, depth)
    }
  }

  /** @param depth the number of variables that contain this one; rendering refuses more than `MAX_DEPTH` */
  #follow(expression: string, scope: FileScope, place: Place, depth: number): void {
    if (this.#isOver || depth > MAX_DEPTH) return
    const { answers, options } = this.#variables.shared
    const { foreseen, isLenient } = options
    if (this.#followNamed(expression, scope, place, depth)) return
    const reference = parseReference(expression)
    if (reference !== undefined && answers.has(reference.name)) {
      this.#hasForeseen ||= answers.isForeseen(reference.name)
      return
    }
    const path = parseVariablePath(expression)
    if (path !== undefined) {
      if (path.steps === undefined) this.#loads.set(loadQueries, loadQueries)
      const roots = path.root === undefined ? this.#variables.names(scope) : [path.root]
      if (roots.filter((root) => this.#followNamed(root, scope, place, depth)).length > 0) return
    }
    const isForeseen = foreseen?.has(path?.root ?? expression) === true
    this.#hasForeseen ||= isForeseen
    if (expression.startsWith('$')) this.#followDynamic(expression, scope, place, depth)
    else if (!isForeseen && isLenient !== true) this.#isOver = !this.#allowsUnknown
  }

  /** @returns whether the name has a value */
  #followNamed(name: string, scope: FileScope, place: Place, depth: number): boolean {
    const names = this.#names.get(scope) ?? new Map<string, 'open' | 'found' | 'none'>()
    const state = names.get(name)
    // A variable that refers back to itself may be one that a script sets.
    if (state === 'open') this.#hasForeseen ||= this.#variables.shared.options.foreseen?.isGuess(name) === true
    if (state !== undefined) return state !== 'none'
    const found = namedValue(name, scope, this.#variables)
    this.#names.set(scope, names.set(name, found === undefined ? 'none' : 'open'))
    if (found === undefined) return false
    if (found.type === 'given') this.#followGiven(found.value, scope, place, depth)
    else if (found.type === 'defined') this.#followDefined(found.definition, depth)
    else if (found.type === 'foreseen' || this.#isOfForeseen(found.value)) this.#hasForeseen = true
    names.set(name, 'found')
    return true
  }

  /** Whether a script derived this value from the expression of a placeholder. */
  #isOfForeseen(value: JsonValue): boolean {
    return this.#variables.shared.options.foreseen !== undefined && JSON.stringify(value).search(foreseenPattern) !== -1
  }

  #followGiven(value: JsonValue, scope: FileScope, place: Place, depth: number): void {
    if (typeof value === 'string') {
      if (value.includes('{{')) this.#followTemplate(parseTemplate(value), scope, place, depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) this.#followGiven(member, scope, place, depth)
    }
  }

  #followDefined(definition: Definition, depth: number): void {
    if ('value' in definition) return
    const { template, scope, made } = definition
    const parts = template.parts.filter((part) => part.type === 'variable' && !made.has(part.span.offset))
    this.#followTemplate({ parts }, scope, undefined, depth + 1)
  }

  #followDynamic(expression: string, scope: FileScope, place: Place, depth: number): void {
    for (const load of librariesOf(expression)) this.#loads.set(load, load)
    const { tokens, environment, commandLine, foreseen } = this.#variables.shared.options
    const token = tokenCall(expression)
    if (token !== undefined && tokens !== undefined) {
      this.#hasForeseen ||= foreseen !== undefined
      this.#loads.set(expression, () =>
        tokens.acquire(token.id, token.kind).catch((error: unknown) => {
          throw placed(error, place)
        }),
      )
    }
    // `$shared name`, `$dotenv %name`: the words may be names of variables.
    for (const word of expression.includes(' ') ? expression.split(/[\s%]+/) : []) {
      const value = commandLine?.get(word) ?? environment.get(word)
      if (value !== undefined) this.#followGiven(value, scope, place, depth)
    }
  }
}
