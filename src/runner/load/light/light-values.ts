/**
 * The values of `{{name}}` in a light load test, by the precedence of variables/named-value.ts.
 *
 * Rules: names only (from a row, the environment, `client.global`, in-place variables), and dynamic values, which are
 * computed at each use. The exporter does not pass files with other expressions. Values that are templates are split at
 * each use: k6's engine does that in microseconds, while parsed trees would take memory in every virtual user.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import type { Iterations } from '../../variables/iterations.ts'
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
  /** Texts of names whose values have not been set since: most names are used often. */
  texts: Record<string, string | undefined> = empty()
  /** Undefined unless the request uses an array. */
  rounds: Iterations | undefined
  readonly #environment: Values
  /** `client.global` and captures. */
  globals: Record<string, JsonValue | undefined> = empty()
  #row: Values = {}
  /** In-place variables, as templates. */
  inPlace: Record<string, string | undefined> = empty()
  /** Values of in-place variables: dynamic ones, which are computed once, and those that scripts set. */
  made: Record<string, Found | undefined> = empty()
  /** `request.variables` */
  ofRequest: Record<string, JsonValue | undefined> = empty()
  #round = 0
  #beganAtMs: number | undefined
  /** Whether a request is being built or checked: otherwise an array is its text. */
  #isRunning = false
  /** Whether the request has been sent and its response is being checked. */
  #isOver = false
  /** Whether the last text contained no dynamic value. */
  #isLasting = true

  constructor(environment: Values) {
    this.#environment = environment
  }

  /** Each run begins without in-place variables. */
  begin(row: Values | undefined): void {
    this.#row = row ?? {}
    this.inPlace = empty()
    this.made = empty()
    this.texts = empty()
  }

  /** Each request iterates over its arrays separately. @param round counted from 0 */
  beginRound(round: number): void {
    this.#round = round
    this.#beganAtMs = undefined
    this.#isRunning = true
    this.#isOver = false
    if (round === 0) this.rounds = undefined
    else this.rounds?.begin(round, this.now())
  }

  /** Returns to the round, for checks of its response. */
  revisit(): void {
    this.#isRunning = true
    this.#isOver = true
    this.rounds?.revisit()
  }

  endRound(): void {
    this.#isRunning = false
    this.rounds?.end()
  }

  /** Sets `client.global`. */
  set(name: string, value: JsonValue): void {
    this.globals[name] = value
    this.texts = empty()
  }

  define(name: string, template: string): void {
    this.inPlace[name] = template
    this.made[name] = undefined
    this.texts = empty()
  }

  /** All times in a request are the same. */
  now(): number {
    if (!this.#isRunning) return Date.now()
    this.#beganAtMs ??= Date.now()
    return this.#beganAtMs
  }

  /** The text of a name. @throws Error */
  text(name: string): string {
    this.#isLasting = true
    const text = textOf(this.value(name), name)
    if (this.#isLasting && this.#isRunning && this.rounds === undefined) this.texts[name] = text
    return text
  }

  /** The text of a name in JSON: a dynamic text gets quotes, and null is a value. @throws Error */
  json(name: string): string {
    const { value: found, isDynamicText } = this.#find(name, 0)
    const value = this.#elementOf(found, name)
    return value === null || isDynamicText ? JSON.stringify(value) : textOf(value, name)
  }

  /** The value of a name; during an iteration, the current element. @throws Error */
  value(name: string): JsonValue {
    return this.#elementOf(this.#find(name, 0).value, name)
  }

  /** Whether the name has a value. */
  has(name: string): boolean {
    return (
      this.given(name) !== undefined || (this.globals[name] ?? this.inPlace[name] ?? this.ofRequest[name]) !== undefined
    )
  }

  #elementOf(value: JsonValue, name: string): JsonValue {
    if (!Array.isArray(value) || !this.#isRunning) return value
    if (value.length === 0) throw new Error(`the array ${JSON.stringify(name)} is empty: no request to send`)
    return this.#roundsOfArrays().elementOf(value)
  }

  #roundsOfArrays(): Iterations {
    if (this.rounds === undefined) {
      this.rounds = extras().iterations()
      this.rounds.begin(this.#round, this.now())
      if (this.#isOver) this.rounds.revisit()
    }
    return this.rounds
  }

  isWithoutEnvironment(): boolean {
    return Object.values({ ...this.#environment, ...this.#row }).every((value) => value === undefined)
  }

  /** A value of the environment or a row, as written. */
  given(name: string): JsonValue | undefined {
    const own = Object.hasOwn(this.#row, name) ? this.#row[name] : undefined
    return own ?? (Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined)
  }

  #find(name: string, depth: number): Found {
    if (depth > MAX_DEPTH) throw new Error(`the variable ${JSON.stringify(name)} refers to itself`)
    const own = this.given(name)
    if (own !== undefined) return typeof own === 'string' ? this.joined(own, depth) : plain(own)
    const global = this.globals[name]
    if (global !== undefined) return plain(global)
    const template = this.inPlace[name]
    if (template !== undefined) return this.defined(name, template, depth)
    const request = this.ofRequest[name]
    if (request !== undefined) return plain(request)
    if (name.startsWith('$')) {
      this.#isLasting = false
      return extras().dynamic(name, () => this.now())
    }
    throw new Error(`the variable ${JSON.stringify(name)} is not defined`)
  }

  /** The value of an in-place variable. @throws Error */
  defined(name: string, template: string, depth: number): Found {
    const known = this.made[name]
    if (known !== undefined) return known
    const found = this.joined(template, depth)
    if (template.includes('{{$')) this.made[name] = found
    return found
  }

  /** The text of a template; a single variable keeps its type. @throws Error */
  joined(template: string, depth: number): Found {
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

/** Costs less than a Map in k6's engine. */
export function empty<Value>(): Record<string, Value> {
  return { __proto__: null } as unknown as Record<string, Value>
}

export function plain(value: JsonValue): Found {
  return { value, isDynamicText: false }
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value === 'string') return value
  if (value === null) throw new Error(`the variable ${JSON.stringify(name)} is null, expected a value`)
  return JSON.stringify(value)
}
