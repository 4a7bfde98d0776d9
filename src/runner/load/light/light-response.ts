/**
 * The response of k6 that is passed to the checks of an exported script: `(r) => r.status === 200`.
 *
 * Rules: such a check only decides whether it certainly passes. Unusual values are undefined here: an unknown charset,
 * integers that JavaScript would round, JSON of unusual depth. In these cases light-checks.ts decides.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import type { K6Response } from '../k6.ts'

/** Where a response came from. */
export interface LightAnswer {
  readonly response: K6Response
  /** The URL of the last request. */
  readonly url: string
  /** The URLs that redirects led to. */
  readonly locations: readonly string[]
  /** The time of the responses before a redirect. */
  readonly earlierMs: number
}

/** From the start to the last byte, including redirects. */
export function durationMsOf({ response: { timings }, earlierMs }: LightAnswer): number {
  return earlierMs + timings.blocked + timings.duration
}

/** The one of k6, without the charsets of platform/text-decoder.ts; scripts get another one. */
const PlatformDecoder = globalThis.TextDecoder
let decoder: TextDecoder | undefined

/** JSON with fewer brackets cannot be deeper than checks allow. */
const MAX_BRACKETS = 1000
const MAX_VARIABLE_BRACKETS = 200

export class LightResponse {
  readonly answer: LightAnswer
  readonly status: number
  #text: string | undefined
  #json: { readonly value: JsonValue | undefined } | undefined

  constructor(answer: LightAnswer) {
    this.answer = answer
    this.status = answer.response.status
  }

  /** In milliseconds. */
  get duration(): number {
    return Math.round(durationMsOf(this.answer) * 1000) / 1000
  }

  /** @param name in the spelling of Go */
  header(name: string): string | undefined {
    const value = this.answer.response.headers[name]
    return value === undefined || value.includes(',') ? undefined : value
  }

  get text(): string | undefined {
    this.#text ??= this.#decoded()
    return this.#text
  }

  /** The value at names and indexes in the JSON of the body. */
  at(...steps: readonly (string | number)[]): JsonValue | undefined {
    this.#json ??= { value: jsonOf(this.text) }
    let reached = this.#json.value
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index] as string
      if (typeof reached !== 'object' || reached === null || Array.isArray(reached) !== (typeof step === 'number')) {
        return undefined
      }
      if (!Object.hasOwn(reached, step)) return undefined
      reached = (reached as { readonly [name: string]: JsonValue })[step] as JsonValue
    }
    return reached
  }

  /** The number of elements at that path; undefined if it is not a list. */
  count(...steps: readonly (string | number)[]): number | undefined {
    const found = this.at(...steps)
    return Array.isArray(found) ? found.length : undefined
  }

  #decoded(): string | undefined {
    const { headers, body } = this.answer.response
    const type = (headers['Content-Type'] ?? '').toLowerCase()
    if (body === null || (type.includes('charset') && !/charset="?utf-?8\b/.test(type))) return undefined
    decoder ??= new PlatformDecoder()
    return decoder.decode(body)
  }
}

function jsonOf(text: string | undefined): JsonValue | undefined {
  if (text === undefined || /\d{16}/.test(text)) return undefined
  if (text.length > 2 * MAX_BRACKETS && text.split('[').length + text.split('{').length > MAX_BRACKETS) return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** False if the full runtime must decide, because it limits the depth of variables. */
export function isSurelyJson(text: string): boolean {
  if (text.split('[').length + text.split('{').length > MAX_VARIABLE_BRACKETS) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
