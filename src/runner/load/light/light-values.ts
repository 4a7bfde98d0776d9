/**
 * The entry point of the part of the light runtime with the values of `{{name}}` that are not plain, by the precedence
 * of variables/named-value.ts.
 *
 * Rules: names only (from a row, the environment, `client.global`, in-place variables), references to responses, and
 * dynamic values, which are computed at each use. The exporter does not pass files with other expressions. Values that
 * are templates are split at each use: k6's engine does that in microseconds, while parsed trees would take memory in
 * every virtual user.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import type { Iterations } from '../../variables/iterations.ts'
import type { ResolvedValue } from '../../variables/variables.ts'
import type { Answers } from './light-answers.ts'
import type { LightContext, SentRequest } from './light-parts.ts'
import type { LightAnswer } from './light-response.ts'
import { empty, isPlain, type LightScopes } from './light-scopes.ts'

/** A value, and whether it is a text that needs quotes in JSON. */
export interface Found {
  readonly value: JsonValue
  readonly isDynamicText: boolean
}

/** Values of the environment may refer to other values. */
const MAX_DEPTH = 100

export class LightValues {
  readonly scopes: LightScopes
  readonly #part: LightContext['part']
  /** Undefined unless the request uses an array. */
  rounds: Iterations | undefined
  /** Values of in-place variables: dynamic ones, which are computed once, and those that scripts set. */
  made: Record<string, Found | undefined> = empty()
  #answers: Answers = empty()
  #round = 0
  #beganAtMs: number | undefined
  /** Whether a request is being built or checked: otherwise an array is its text. */
  #isRunning = false
  /** Whether the request has been sent and its response is being checked. */
  #isOver = false
  /** Whether the last text contained no dynamic value. */
  #isLasting = true

  constructor({ scopes, part, isBuilding }: Pick<LightContext, 'scopes' | 'part' | 'isBuilding'>) {
    this.scopes = scopes
    this.#part = part
    if (isBuilding) this.beginRound(0)
  }

  /** Each run begins without in-place variables. */
  begin(): void {
    this.made = empty()
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

  /** Keeps a response for references to it. */
  keep(name: string, answer: LightAnswer, sent: SentRequest | undefined): void {
    this.#answers = { ...this.#answers, [name]: { answer, sent } }
    this.scopes.texts = empty()
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
    if (this.#isLasting && this.#isRunning && this.rounds === undefined && isPlain(text)) {
      this.scopes.texts[name] = text
    }
    return text
  }

  /** The text of a name in JSON: a dynamic text gets quotes, and null is a value. @throws Error */
  json(name: string): string {
    const { text, isDynamicText } = this.resolved(name, true)
    return isDynamicText ? JSON.stringify(text) : text
  }

  /** The text of a name, as variables.ts gives it. @throws Error */
  resolved(name: string, allowsNull: boolean): ResolvedValue {
    const { value: found, isDynamicText } = this.#find(name, 0)
    const value = this.#elementOf(found, name)
    return { text: value === null && allowsNull ? 'null' : textOf(value, name), isDynamicText }
  }

  /** The value of a name; during an iteration, the current element. @throws Error */
  value(name: string): JsonValue {
    return this.#elementOf(this.#find(name, 0).value, name)
  }

  /** Whether the name has a value. */
  has(name: string): boolean {
    const { globals, inPlace, ofRequest } = this.scopes
    return this.given(name) !== undefined || (globals[name] ?? inPlace[name] ?? ofRequest[name]) !== undefined
  }

  #elementOf(value: JsonValue, name: string): JsonValue {
    if (!Array.isArray(value) || !this.#isRunning) return value
    if (value.length === 0) throw new Error(`the array ${JSON.stringify(name)} is empty: no request to send`)
    return this.#roundsOfArrays().elementOf(value)
  }

  #roundsOfArrays(): Iterations {
    if (this.rounds === undefined) {
      this.rounds = this.#part('dynamic').iterations()
      this.rounds.begin(this.#round, this.now())
      if (this.#isOver) this.rounds.revisit()
    }
    return this.rounds
  }

  /** A value of the environment or a row, as written. */
  given(name: string): JsonValue | undefined {
    return this.scopes.row[name] ?? this.scopes.environment[name]
  }

  #find(name: string, depth: number): Found {
    if (depth > MAX_DEPTH) throw new Error(`the variable ${JSON.stringify(name)} refers to itself`)
    const own = this.given(name)
    if (own !== undefined) return typeof own === 'string' ? this.joined(own, depth) : plain(own)
    const global = this.scopes.globals[name]
    if (global !== undefined) return plain(global)
    const template = this.scopes.inPlace[name]
    if (template !== undefined) return this.defined(name, template, depth)
    const request = this.scopes.ofRequest[name]
    if (request !== undefined) return plain(request)
    if (name.startsWith('$')) {
      this.#isLasting = false
      return this.dynamic(name)
    }
    return plain(this.#part('extras').answered(name, this.#answers))
  }

  /** A new dynamic value. @throws Error */
  dynamic(expression: string): Found {
    const now = (): number => this.now()
    return this.#part('dynamic').value(expression, now, (name) => {
      const given = this.given(name)
      return given === undefined ? undefined : textOf(given, name)
    })
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

export function plain(value: JsonValue): Found {
  return { value, isDynamicText: false }
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value === 'string') return value
  if (value === null) throw new Error(`the variable ${JSON.stringify(name)} is null, expected a value`)
  return JSON.stringify(value)
}

export function create(context: LightContext): LightValues {
  context.values = new LightValues(context)
  return context.values
}
