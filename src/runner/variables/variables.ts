/**
 * The values of `{{name}}`.
 *
 * Rules: a name is looked up by the precedence of named-value.ts, then as a path into another variable, then among the
 * dynamic variables. Values from the command line, the environment and in-place variables may contain variables; values
 * set by scripts never do: they come from servers, and a response must not be able to read a secret by its name.
 * Rendering is synchronous: libraries and tokens are loaded before (template-needs.ts). A text that consists of one
 * variable keeps that variable's type. An array yields one of its elements in each iteration of a request (see
 * iterations.ts).
 */
import { isAbsolute, join } from 'node:path'
import { type JsonValue, parseTemplate, type Span, type Template } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { collectValues } from '../../secrets/index.ts'
import { errorAt, type Place, placed, wholeFile } from '../base/errors.ts'
import { Expansion, MAX_DEPTH } from '../base/expansion.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import { checkedPath, type PathPiece } from '../files/path-text.ts'
import { isForeign, joinedPieces, piecesOf, plainText, type Resolved, withTexts } from '../files/resolved-value.ts'
import { anyDynamicValue } from './dynamic/any-value.ts'
import type { DynamicValue } from './dynamic/dynamic-variables.ts'
import type { Definition, FileScope } from './file-scope.ts'
import type { ForeseenValues } from './foreseen-values.ts'
import { Iterations } from './iterations.ts'
import { namedValue } from './named-value.ts'
import { answeredValue } from './request-references.ts'
import type { SharedVariables } from './shared-variables.ts'
import { TemplateNeeds } from './template-needs.ts'
import { refuseProvider, textOfNull, unknownVariable } from './unknown-variable.ts'
import { parseVariablePath, queryVariables, valueAt } from './variable-path.ts'

/** A value for a template, and how it is written in JSON. */
export interface ResolvedValue {
  readonly text: string
  /** A dynamic text, which gets quotes if it is unquoted in JSON. */
  readonly isDynamicText: boolean
}

/** A name that is being resolved, for detecting cycles. */
interface Visited {
  readonly name: string
  readonly scope: FileScope
}

/** The variables as seen by one request. */
export class Variables {
  readonly shared: SharedVariables
  readonly scope: FileScope
  /** `request.variables` */
  readonly request: Map<string, JsonValue> = new Map()
  /** The user's answers to `# @prompt`. */
  readonly prompted: Map<string, string> = new Map()
  readonly rounds: Iterations = new Iterations()
  readonly #expansion: Expansion = new Expansion()

  constructor(shared: SharedVariables, scope: FileScope) {
    this.shared = shared
    this.scope = scope
  }

  /** `client.global`, shared by all requests. */
  get globals(): Map<string, JsonValue> {
    return this.shared.globals
  }

  /** Files that the request file names. */
  get files(): ConfinedFiles {
    return this.shared.options.files
  }

  /**
   * Loads what the templates need for rendering.
   * @param allowsUnknown whether they are rendered by `tryRender`
   * @throws HttpcliError of a token, with the place
   */
  load(templates: readonly Template[], allowsUnknown = false): Promise<void> {
    return new TemplateNeeds(this, allowsUnknown, templates).load()
  }

  /** Whether one of the values in the templates is not known before the run. */
  hasForeseen(templates: readonly Template[]): boolean {
    return new TemplateNeeds(this, true, templates).hasForeseen
  }

  /** Renders a template after `load`. @throws HttpcliError with the place, such as `unknown-variable` */
  render(template: Template): string {
    return template.parts
      .map((part) => (part.type === 'text' ? part.text : this.resolve(part.expression, part.span).text))
      .join('')
  }

  /** Like `render`, but variables without a value stay as written. */
  tryRender(template: Template): string {
    return template.parts
      .map((part) => {
        if (part.type === 'text') return part.text
        try {
          return this.resolve(part.expression, part.span).text
        } catch (error) {
          if (error instanceof HttpcliError) return `{{${part.expression}}}`
          throw error
        }
      })
      .join('')
  }

  /** The value of the expression at `span` in the request file. @throws as `render`. */
  resolve(
    expression: string,
    span: Span,
    { allowsNull = false }: { readonly allowsNull?: boolean } = {},
  ): ResolvedValue {
    const { resolved, element } = this.#noted(expression, span)
    if (element === null && !allowsNull) {
      const text = textOfNull(expression, { source: this.scope.source, span }, this.shared)
      return { text, isDynamicText: false }
    }
    return { text: plainText(element), isDynamicText: resolved.isDynamicText }
  }

  #noted(expression: string, span: Span): { readonly resolved: Resolved; readonly element: JsonValue } {
    const place = { source: this.scope.source, span }
    if (!this.rounds.isRunning) this.#expansion.reset()
    const resolved = this.#resolve(expression, this.scope, place, [])
    const element = this.#elementOf(resolved.value, expression, place)
    this.rounds.note(element)
    this.#count(plainText(element), place, [{ name: expression, scope: this.scope }])
    return { resolved, element }
  }

  /** Call this before each request: the expansion limits count from here on. */
  beginExpansion(): void {
    this.#expansion.reset()
  }

  /** The value of the expression with its type. @throws as `render`. */
  resolveValue(expression: string, span: Span): JsonValue {
    const place = { source: this.scope.source, span }
    return this.#elementOf(this.#resolve(expression, this.scope, place, []).value, expression, place)
  }

  /** The value of a variable by its name, if it has one. @throws HttpcliError of the value */
  value(name: string): JsonValue | undefined {
    try {
      return this.resolveValue(name, wholeFile)
    } catch (error) {
      if (error instanceof HttpcliError && error.code === 'unknown-variable') return undefined
      throw error
    }
  }

  /**
   * An absolute path from a template: relative ones begin at the directory of the file.
   * @param allowsUnknown whether variables without a value stay as written
   * @throws as `render`; HttpcliError `path-segment`.
   */
  pathOf(template: Template, allowsUnknown = false): string {
    const path = this.pathText(template, allowsUnknown)
    return isAbsolute(path) ? path : join(this.scope.directory, path)
  }

  /** Like `render`, for a path. @throws as `pathOf`. */
  pathText(template: Template, allowsUnknown = false): string {
    const pieces = template.parts.flatMap((part): readonly PathPiece[] => {
      if (part.type === 'text') return [{ text: part.text, isForeign: false }]
      try {
        const { resolved, element } = this.#noted(part.expression, part.span)
        if (element === null) {
          const place = { source: this.scope.source, span: part.span }
          return [{ text: textOfNull(part.expression, place, this.shared), isForeign: false }]
        }
        return piecesOf(resolved, element, part.expression)
      } catch (error) {
        if (!allowsUnknown || !(error instanceof HttpcliError)) throw error
        return [{ text: `{{${part.expression}}}`, isForeign: false }]
      }
    })
    const { span } = template.parts.find((part) => part.type === 'variable') ?? {
      source: this.scope.source,
      span: wholeFile,
    }
    try {
      return checkedPath(pieces)
    } catch (error) {
      throw placed(error, { source: this.scope.source, span })
    }
  }

  /** The value from the environment or the command line, with its variables replaced. @throws as `render`. */
  environmentValue(name: string): JsonValue | undefined {
    const { environment, commandLine } = this.shared.options
    const own = commandLine?.get(name) ?? environment.get(name)
    if (own === undefined) return undefined
    const { value } = this.#inserted(own, this.scope, { source: this.scope.source, span: wholeFile }, [])
    this.#noteSecret(name, value)
    return value
  }

  #noteSecret(name: string, value: JsonValue): void {
    const { secrets } = this.shared.options
    if (secrets?.names.has(name) === true) collectValues(value, secrets.sink)
  }

  /** The value of an in-place variable, with its variables replaced. @throws as `render`. */
  fileValue(name: string): JsonValue | undefined {
    const found = this.scope.find('overrides', name) ?? this.scope.find('inPlace', name)
    return found === undefined ? undefined : this.#definedValue(found, []).value
  }

  /** The value of the expression between the braces, if it names a dynamic value. @throws HttpcliError */
  dynamic(expression: string): DynamicValue | undefined {
    const { sources: own, processEnvironment = {}, tokens } = this.shared.options
    const sources = this.rounds.isRunning ? { ...own, now: () => this.rounds.beganAtMs } : own
    return anyDynamicValue(expression, {
      ...{ sources, processEnvironment, tokens, dotenv: this.shared.dotenv, directory: this.scope.directory },
      variable: (name) => {
        const value = this.environmentValue(name)
        return value === undefined ? undefined : plainText(value)
      },
    })
  }

  #resolve(name: string, scope: FileScope, place: Place, visited: readonly Visited[]): Resolved {
    if (visited.some((each) => each.name === name && each.scope === scope)) {
      const { foreseen } = this.shared.options
      if (foreseen?.isGuess(name)) return foreseenValue(name, foreseen)
      const path = [...visited.map((each) => each.name), name].join(' → ')
      const message = `the variable ${JSON.stringify(name)} refers to itself: ${path}`
      // `@token = {{token}}`, which works for its author, whose environment has a value.
      const isAlone = visited.length === 1
      const hint = isAlone ? 'Give it a value, or define it in the environment, which takes precedence.' : undefined
      throw errorAt(place.source, place.span, { code: 'circular-variable', message, hint })
    }
    try {
      this.#expansion.addLookup(visited)
    } catch (error) {
      throw placed(error, place)
    }
    if (visited.length >= MAX_DEPTH) {
      const message = `the variable ${JSON.stringify(name)} is nested in more than ${MAX_DEPTH} others`
      throw errorAt(place.source, place.span, { code: 'circular-variable', message })
    }
    const found =
      this.#named(name, scope, place, visited) ??
      answeredValue(this.shared, name, place) ??
      this.#atPath(name, scope, place, visited) ??
      this.#dynamicAt(name, place)
    if (found !== undefined) return found
    const { foreseen, isLenient } = this.shared.options
    if (foreseen?.has(parseVariablePath(name)?.root ?? name)) return foreseenValue(name, foreseen)
    if (isLenient === true) return { value: '', isDynamicText: false }
    throw unknownVariable(name, this.names(scope), this.shared, place)
  }

  /** The value of a whole name, by precedence. */
  #named(name: string, scope: FileScope, place: Place, visited: readonly Visited[]): Resolved | undefined {
    const found = namedValue(name, scope, this)
    if (found === undefined) return undefined
    if (found.type === 'foreseen') return foreseenValue(name, found.values)
    if (found.type === 'plain') return { value: found.value, isDynamicText: false, isForeign: found.isForeign }
    const inner = [...visited, { name, scope }]
    if (found.type === 'defined') return this.#definedValue(found.definition, inner)
    refuseProvider(name, found.value, place)
    const resolved = this.#inserted(found.value, scope, place, inner)
    this.#noteSecret(name, resolved.value)
    return resolved
  }

  #atPath(expression: string, scope: FileScope, place: Place, visited: readonly Visited[]): Resolved | undefined {
    const path = parseVariablePath(expression)
    if (path === undefined) return undefined
    const inner = [...visited, { name: expression, scope }]
    const root = path.root === undefined ? undefined : this.#named(path.root, scope, place, inner)
    if (path.root !== undefined && root === undefined) return undefined
    // A path that may begin anywhere may find a value that a script set.
    const isForeignRoot = root === undefined || isForeign(root)
    if (path.steps !== undefined) {
      const value = valueAt(root?.value ?? null, path.steps)
      return value === undefined ? undefined : { value, isDynamicText: false, isForeign: isForeignRoot }
    }
    const variables = path.root === undefined ? this.#all(scope, place, inner) : { [path.root]: root?.value ?? null }
    try {
      return { value: queryVariables(path, variables), isDynamicText: false, isForeign: isForeignRoot }
    } catch (error) {
      throw placed(error, place)
    }
  }

  #dynamicAt(expression: string, place: Place): Resolved | undefined {
    if (!expression.startsWith('$')) return undefined
    try {
      const value = this.dynamic(expression)
      const isToken = expression.startsWith('$auth.')
      return value && { value: value.text, isDynamicText: !value.isBare, isForeign: isToken }
    } catch (error) {
      throw placed(error, place)
    }
  }

  /** A value from the environment: variables in its texts are looked up where it is used. */
  #inserted(value: JsonValue, scope: FileScope, place: Place, visited: readonly Visited[]): Resolved {
    if (typeof value !== 'string') {
      const inner: Resolved[] = []
      const deep = withTexts(value, (text) => {
        const resolved = this.#inserted(text, scope, place, visited)
        inner.push(resolved)
        return resolved.value
      })
      return { value: deep, isDynamicText: false, isForeign: inner.some(isForeign) }
    }
    const { parts } = parseTemplate(value)
    const [only] = parts
    if (parts.length === 1 && only?.type === 'variable') return this.#resolve(only.expression, scope, place, visited)
    return joinedPieces(
      parts.flatMap((part): readonly PathPiece[] => {
        if (part.type === 'text') return [{ text: part.text, isForeign: false }]
        return this.#piecesOf(this.#resolve(part.expression, scope, place, visited), part.expression, place, visited)
      }),
    )
  }

  /** A variable's contribution to the text that contains it. */
  #piecesOf(resolved: Resolved, expression: string, place: Place, visited: readonly Visited[]): readonly PathPiece[] {
    const element = this.#elementOf(resolved.value, expression, place)
    if (element === null) return [{ text: textOfNull(expression, place, this.shared), isForeign: false }]
    this.#count(plainText(element), place, visited)
    return piecesOf(resolved, element, expression)
  }

  /** Counts text that becomes part of a longer text. @throws HttpcliError with the place */
  #count(text: string, place: Place, visited: readonly Visited[]): void {
    try {
      this.#expansion.addText(text.length, visited)
    } catch (error) {
      throw placed(error, place)
    }
  }

  #definedValue(definition: Definition, visited: readonly Visited[]): Resolved {
    if ('value' in definition) return { value: definition.value, isDynamicText: false, isForeign: true }
    const { template, scope, made } = definition
    const resolved = template.parts.map((part): Resolved => {
      if (part.type === 'text') return { value: part.text, isDynamicText: false }
      const place = { source: scope.source, span: part.span }
      const isDynamic = part.expression.startsWith('$') && parseVariablePath(part.expression) === undefined
      if (!isDynamic) return this.#resolve(part.expression, scope, place, visited)
      const known = made.get(part.span.offset)
      const isToken = part.expression.startsWith('$auth.')
      if (known !== undefined) return { value: known.text, isDynamicText: !known.isBare, isForeign: isToken }
      const fresh = this.#resolve(part.expression, scope, place, visited)
      made.set(part.span.offset, { text: plainText(fresh.value), isBare: !fresh.isDynamicText })
      return fresh
    })
    const [only] = resolved
    if (resolved.length === 1 && only !== undefined) return only
    return joinedPieces(
      resolved.flatMap((each, index) => {
        const part = template.parts[index]
        if (part?.type !== 'variable') return piecesOf(each, each.value, '')
        return this.#piecesOf(each, part.expression, { source: scope.source, span: part.span }, visited)
      }),
    )
  }

  /** During an iteration, an array means one of its elements. */
  #elementOf(value: JsonValue, name: string, { source, span }: Place): JsonValue {
    if (!Array.isArray(value)) return value
    if (value.length === 0 && this.rounds.isRunning) {
      const message = `the array ${JSON.stringify(name)} is empty: no request to send`
      throw errorAt(source, span, { code: 'empty-array', message })
    }
    return this.rounds.elementOf(value)
  }

  /** All variables by name, for paths that may begin anywhere. */
  #all(scope: FileScope, place: Place, visited: readonly Visited[]): Readonly<Record<string, JsonValue>> {
    const variables: Record<string, JsonValue> = Object.create(null)
    for (const name of this.names(scope)) {
      const found = this.#named(name, scope, place, visited)
      if (found !== undefined) variables[name] = found.value
    }
    return variables
  }

  /** The names of all variables that have a value; dynamic variables are not included. */
  names(scope: FileScope): readonly string[] {
    const { environment, commandLine } = this.shared.options
    const maps = [environment, commandLine ?? new Map(), this.prompted, this.shared.globals, this.request]
    const foreseen = this.shared.options.foreseen?.names ?? []
    return [...new Set([...maps.flatMap((map) => [...map.keys()]), ...scope.names(), ...foreseen])]
  }
}

function foreseenValue(expression: string, foreseen: ForeseenValues): Resolved {
  return { value: foreseen.use(expression), isDynamicText: false }
}
