/**
 * The values of `{{name}}` in a light load test, by the precedence of variables/named-value.ts.
 *
 * Rules: names only (from a row, the environment, `client.global`, in-place variables), and dynamic values, which are
 * computed at each use. The exporter does not pass files with other expressions. Texts are split at each use: k6's
 * engine does that in microseconds, while parsed trees of all texts would take most of the memory of a virtual user.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import { Iterations } from '../../variables/iterations.ts'
import { extras } from './light-parts.ts'

export type Values = Readonly<Record<string, JsonValue | undefined>>

/** A value, and whether it is a text that needs quotes in JSON. */
export interface Found {
  readonly value: JsonValue
  readonly isDynamicText: boolean
}

/** Values of the environment may refer to other values. */
const MAX_DEPTH = 100

export class LightValues {
  /** `client.global` and captures. */
  readonly globals: Map<string, JsonValue> = new Map()
  rounds: Iterations = new Iterations()
  readonly #environment: Values
  #row: Values = {}
  /** In-place variables, as templates. */
  readonly #inPlace: Map<string, string> = new Map()
  /** Dynamic values of in-place variables are computed once. */
  readonly #made: Map<string, Found> = new Map()

  constructor(environment: Values) {
    this.#environment = environment
  }

  /** Each run begins without in-place variables. */
  begin(row: Values | undefined): void {
    this.#row = row ?? {}
    this.#inPlace.clear()
    this.#made.clear()
  }

  /** Each request iterates over its arrays separately. */
  beginRequest(): Iterations {
    this.rounds = new Iterations()
    return this.rounds
  }

  define(name: string, template: string): void {
    this.#inPlace.set(name, template)
    this.#made.delete(name)
  }

  now(): number {
    return this.rounds.isRunning ? this.rounds.beganAtMs : Date.now()
  }

  /** @param template whose braces the exporter has checked. @throws Error */
  render(template: string): string {
    if (!template.includes('{{')) return template
    const pieces = template.split('{{')
    let text = pieces[0] as string
    for (let index = 1; index < pieces.length; index++) {
      const piece = pieces[index] as string
      const end = piece.indexOf('}}')
      text += this.text(piece.slice(0, end)) + piece.slice(end + 2)
    }
    return text
  }

  /** Like `render`, but for JSON: a dynamic text gets quotes if it has none, and null is a value. @throws Error */
  renderJson(template: string): string {
    if (!template.includes('{{')) return template
    const pieces = template.split('{{')
    let text = pieces[0] as string
    let typed = text
    for (let index = 1; index < pieces.length; index++) {
      const piece = pieces[index] as string
      const end = piece.indexOf('}}')
      const name = piece.slice(0, end)
      const { value, isDynamicText } = this.#used(name)
      if ((value === null || isDynamicText) && !endsInString(typed)) text += JSON.stringify(value)
      else text += textOf(value, name)
      text += piece.slice(end + 2)
      typed += piece.slice(end + 2)
    }
    return text
  }

  /** The text of a name. @throws Error */
  text(name: string): string {
    return textOf(this.#used(name).value, name)
  }

  /** The value of a name; during an iteration, the current element. @throws Error */
  value(name: string): JsonValue {
    return this.#elementOf(this.#find(name, 0).value, name)
  }

  /** Whether the name has a value. */
  has(name: string): boolean {
    const own = given(this.#row, name) ?? given(this.#environment, name)
    return own !== undefined || this.globals.has(name) || this.#inPlace.has(name)
  }

  #used(name: string): Found {
    const found = this.#find(name, 0)
    const element = this.#elementOf(found.value, name)
    this.rounds.note(element)
    return { value: element, isDynamicText: found.isDynamicText }
  }

  #elementOf(value: JsonValue, name: string): JsonValue {
    if (!Array.isArray(value)) return value
    if (value.length === 0 && this.rounds.isRunning) {
      throw new Error(`the array ${JSON.stringify(name)} is empty: no request to send`)
    }
    return this.rounds.elementOf(value)
  }

  #find(name: string, depth: number): Found {
    if (depth > MAX_DEPTH) throw new Error(`the variable ${JSON.stringify(name)} refers to itself`)
    const own = given(this.#row, name) ?? given(this.#environment, name)
    if (own !== undefined) return typeof own === 'string' ? this.#joined(own, depth) : plain(own)
    const global = this.globals.get(name)
    if (global !== undefined) return plain(global)
    const template = this.#inPlace.get(name)
    if (template !== undefined) return this.#defined(name, template, depth)
    if (name.startsWith('$')) return extras().dynamic(name, () => this.now())
    throw new Error(`the variable ${JSON.stringify(name)} is not defined`)
  }

  #defined(name: string, template: string, depth: number): Found {
    const known = this.#made.get(name)
    if (known !== undefined) return known
    const found = this.#joined(template, depth)
    if (template.includes('{{$')) this.#made.set(name, found)
    return found
  }

  /** A single variable keeps its type. */
  #joined(template: string, depth: number): Found {
    if (!template.includes('{{')) return plain(template)
    const pieces = template.split('{{')
    const first = pieces[0] as string
    let text = first
    for (let index = 1; index < pieces.length; index++) {
      const piece = pieces[index] as string
      const end = piece.indexOf('}}')
      const name = piece.slice(0, end).trim()
      const found = this.#find(name, depth + 1)
      if (pieces.length === 2 && first === '' && end === piece.length - 2) return found
      text += textOf(this.#elementOf(found.value, name), name) + piece.slice(end + 2)
    }
    return plain(text)
  }
}

function given(values: Values, name: string): JsonValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function plain(value: JsonValue): Found {
  return { value, isDynamicText: false }
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value === 'string') return value
  if (value === null) throw new Error(`the variable ${JSON.stringify(name)} is null, expected a value`)
  return JSON.stringify(value)
}

/** Whether a piece of JSON ends inside a text. */
function endsInString(json: string): boolean {
  return (json.replace(/\\./gs, '').split('"').length & 1) === 0
}
