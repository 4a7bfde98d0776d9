/**
 * What `{{name}}` stands for.
 *
 * Rules: highest first: environment, `client.global`, in-place `@name`, dynamic. Values of the environment and of
 * in-place variables may hold variables themselves; values that scripts set never do: they come from servers, and a
 * response must not be able to ask for a secret by its name. An in-place variable follows the variables that it uses,
 * but what is dynamic in it is made once: `@id = {{$uuid}}` is one id wherever it is used.
 */
import {
  type JsonValue,
  parseTemplate,
  type Span,
  type Template,
  type VariableNode,
  type VariableValue,
} from '../http-file/index.ts'
import type { HttpcliError } from '../message/index.ts'
import {
  type DynamicValue,
  dynamicNames,
  dynamicValue,
  isLaterDynamicName,
  type ValueSources,
} from './dynamic-variables.ts'
import { errorAt, type SourceText } from './errors.ts'
import { nearestNames } from './nearest-name.ts'

/** A value for a template, and how it goes into JSON. */
export interface ResolvedValue {
  readonly text: string
  /** A dynamic text: put in quotes where it stands bare in JSON. */
  readonly isDynamicText: boolean
}

interface InPlaceVariable {
  readonly template: Template
  /** Values of the dynamic variables in it, by their place. */
  readonly made: Map<number, DynamicValue>
}

/** The variables of a run. Global ones change while it goes on, in-place ones as their lines are reached. */
export class Variables {
  readonly globals: Map<string, JsonValue> = new Map()
  readonly #source: SourceText
  readonly #environment: ReadonlyMap<string, VariableValue>
  readonly #inPlace: Map<string, InPlaceVariable> = new Map()
  readonly #sources: ValueSources

  constructor(source: SourceText, environment: ReadonlyMap<string, VariableValue>, sources: ValueSources) {
    this.#source = source
    this.#environment = environment
    this.#sources = sources
  }

  /** An in-place variable, visible from here on. */
  define(node: VariableNode): void {
    this.#inPlace.set(node.name, { template: node.value, made: new Map() })
  }

  /** The text of a template. @throws HttpcliError `unknown-variable`, `circular-variable`, `not-supported`. */
  render(template: Template): string {
    return template.parts
      .map((part) => (part.type === 'text' ? part.text : this.resolve(part.expression, part.span).text))
      .join('')
  }

  /** The value of an expression that stands at `span` in the request file. @throws as `render`. */
  resolve(expression: string, span: Span): ResolvedValue {
    return this.#resolve(expression, span, [])
  }

  #resolve(name: string, span: Span, path: readonly string[]): ResolvedValue {
    if (path.includes(name)) {
      const message = `the variable ${JSON.stringify(name)} leads back to itself: ${[...path, name].join(' → ')}`
      throw errorAt(this.#source, span, { code: 'circular-variable', message })
    }
    const inner = [...path, name]
    const own = this.#environment.get(name)
    if (own !== undefined) return { text: this.#environmentText(own, span, inner), isDynamicText: false }
    const global = this.globals.get(name)
    if (global !== undefined) return { text: this.#plainText(name, global, span), isDynamicText: false }
    const inPlace = this.#inPlace.get(name)
    if (inPlace !== undefined) return this.#inPlaceValue(inPlace, inner)
    const dynamic = dynamicValue(name, this.#sources)
    if (dynamic !== undefined) return { text: dynamic.text, isDynamicText: !dynamic.isNumber }
    throw this.#unknown(name, span)
  }

  /** Variables inside a value of an environment are looked up where the value is used. */
  #environmentText(value: VariableValue, span: Span, path: readonly string[]): string {
    if (typeof value !== 'string') return this.#plainText(path.at(-1) as string, value, span)
    const resolved = parseTemplate(value).parts.map((part) =>
      part.type === 'text' ? part.text : this.#resolve(part.expression, span, path).text,
    )
    return resolved.join('')
  }

  #inPlaceValue({ template, made }: InPlaceVariable, path: readonly string[]): ResolvedValue {
    const resolved = template.parts.map((part): ResolvedValue => {
      if (part.type === 'text') return { text: part.text, isDynamicText: false }
      const known = made.get(part.span.offset)
      const dynamic = known ?? dynamicValue(part.expression, this.#sources)
      if (dynamic === undefined) return this.#resolve(part.expression, part.span, path)
      made.set(part.span.offset, dynamic)
      return { text: dynamic.text, isDynamicText: !dynamic.isNumber }
    })
    const isDynamicText = resolved.length === 1 && resolved[0]?.isDynamicText === true
    return { text: resolved.map(({ text }) => text).join(''), isDynamicText }
  }

  #plainText(name: string, value: JsonValue, span: Span): string {
    if (Array.isArray(value)) {
      const message = `the variable ${JSON.stringify(name)} is an array: one request for each element is not supported yet`
      throw errorAt(this.#source, span, { code: 'not-supported', message })
    }
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  #unknown(name: string, span: Span): HttpcliError {
    if (isLaterDynamicName(name)) {
      return errorAt(this.#source, span, { code: 'not-supported', message: `{{${name}}} is not supported yet` })
    }
    const root = /^([\p{L}\p{N}_-]+)[.[]/u.exec(name)?.[1]
    if (root !== undefined && (this.#environment.has(root) || this.globals.has(root))) {
      const message = `{{${name}}} is a path into ${JSON.stringify(root)}, which is not supported yet`
      return errorAt(this.#source, span, { code: 'not-supported', message })
    }
    const nearest = nearestNames(name, [
      ...[...this.#environment.keys(), ...this.globals.keys(), ...this.#inPlace.keys()],
      ...dynamicNames,
    ])
    const hint = nearest.length > 0 ? `Did you mean ${nearest.join(' or ')}?` : this.#generalHint()
    return errorAt(this.#source, span, {
      code: 'unknown-variable',
      message: `the variable ${JSON.stringify(name)} is not known here`,
      hint,
    })
  }

  #generalHint(): string {
    return this.#environment.size === 0
      ? 'Choose an environment with -e, or define it above the request: @name = value.'
      : 'Define it in the environment file or above the request: @name = value.'
  }
}
