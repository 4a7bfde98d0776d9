/**
 * What the checks of an exported script read from a response of k6: `at(r, 'items', 0) === 5`.
 *
 * Rules: such a check only decides whether it certainly passes. Unusual values are undefined here: an unknown charset,
 * integers that JavaScript would round, JSON of unusual depth, objects, whose members k6 sorts. Then light-checks.ts
 * decides.
 */
import type { JsonValue } from '../../../http-file/index.ts'
import type { K6Response } from '../k6.ts'
import { isPlain } from './light-scopes.ts'

/** A response, and where it came from. */
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

/** k6's TextDecoder, without the charsets of platform/text-decoder.ts; scripts get another one. */
export const PlatformDecoder: typeof TextDecoder = globalThis.TextDecoder

const listPrototype: unknown = Object.getPrototypeOf([])

const MAX_INTEGER = 9_007_199_254_740_991

/** JSON with fewer brackets cannot be deeper than checks allow. */
const MAX_BRACKETS = 1000
const MAX_VARIABLE_BRACKETS = 200

/** The response that was read last, with its JSON. */
let last: K6Response | undefined
let lastJson: JsonValue | undefined

/** Whether the response has a body in UTF-8. */
export function isUtf8({ headers, body }: K6Response): boolean {
  const written = headers['Content-Type'] ?? ''
  if (written === 'application/json' || written === 'application/json; charset=utf-8') return body !== null
  const type = written.toLowerCase()
  return body !== null && (type.indexOf('charset') === -1 || /charset="?utf-?8\b/.test(type))
}

/** The value at names and indexes in the JSON of the body; undefined if it is a list or an object. */
export function at(response: K6Response, ...steps: readonly (string | number)[]): JsonValue | undefined {
  const reached = reachedIn(response, steps)
  if (typeof reached === 'number') {
    return reached % 1 !== 0 || (reached <= MAX_INTEGER && reached >= -MAX_INTEGER) ? reached : undefined
  }
  // k6 replaces half a surrogate pair.
  if (typeof reached === 'string') return isPlain(reached) || !reached.includes('\ufffd') ? reached : undefined
  return typeof reached === 'object' && reached !== null ? undefined : reached
}

/** As `Array.isArray`, which would create the constructor of arrays in each virtual user. */
export function isList(value: object): boolean {
  return Object.getPrototypeOf(value) === listPrototype
}

/**
 * As `at`, but also lists and objects, as values of Go.
 * @param response the last one is kept, until this is called with undefined
 * @param steps without names that all objects or lists have
 */
export function reachedIn(
  response: K6Response | undefined,
  steps: readonly (string | number)[],
): JsonValue | undefined {
  if (last !== response) {
    last = response
    lastJson = undefined
    try {
      if (response !== undefined && isUtf8(response)) {
        const body = response.body as ArrayBuffer
        const text = body.byteLength > MAX_BRACKETS ? new PlatformDecoder().decode(body) : undefined
        const isDeep = text !== undefined && text.split('[').length + text.split('{').length > MAX_BRACKETS
        // k6 parses JSON several times as fast as its engine does.
        if (!isDeep) lastJson = response.json()
      }
    } catch {
      // It is not JSON.
    }
  }
  let reached = lastJson
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as string
    if (typeof reached !== 'object' || reached === null || isList(reached) !== (typeof step === 'number')) {
      return undefined
    }
    reached = (reached as { readonly [name: string]: JsonValue })[step]
  }
  return reached
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
