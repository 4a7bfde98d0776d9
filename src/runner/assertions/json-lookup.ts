/**
 * JSONPath (RFC 9535) in the JSON of a response.
 *
 * Rules: a path that can match only one location yields that value, any other path yields a list. If the value is
 * missing, the message says how much of the path was found.
 */
import parsePath from 'jsonpath-rfc9535/parser'
import { type JsonValue, memberOf } from '../../http-file/index.ts'
import { findPath } from '../scripting/guest/libraries/json-path-library.ts'
import { type FoundValue, nothing, shortened, shownNames, value } from './found-value.ts'

type Step = string | number

/** @throws SyntaxError */
export function valueAtPath(json: JsonValue, path: string): FoundValue {
  const { isSingular, found } = findPath(json, path)
  if (!isSingular) return { type: 'values', values: found as readonly JsonValue[] }
  const [only] = found
  return only === undefined ? nothing(missingAt(json, path, stepsOf(path))) : value(only as JsonValue)
}

/** The steps of a singular path. */
function stepsOf(path: string): readonly Step[] {
  return parsePath(path).segments.flatMap(({ node }) => {
    const step = node.type === 'BracketedSelection' ? node.selectors[0] : node
    const key = step !== undefined && 'value' in step ? step.value : undefined
    return typeof key === 'string' || typeof key === 'number' ? key : []
  })
}

/** The value at the end of a path of names and indexes. @param path as written, for the message */
export function valueAtSteps(json: JsonValue, path: string, steps: readonly Step[]): FoundValue {
  let reached: JsonValue | undefined = json
  for (const step of steps) {
    reached = valueAt(reached, step)
    if (reached === undefined) return nothing(missingAt(json, path, steps))
  }
  return value(reached)
}

/** How far a path leads, and the value found at that point. */
function missingAt(root: JsonValue, path: string, steps: readonly Step[]): string {
  let reached = root
  let shown = '$'
  for (const step of steps) {
    const next = valueAt(reached, step)
    if (next === undefined) break
    reached = next
    shown += typeof step === 'number' ? `[${step}]` : `.${step}`
  }
  return `nothing at ${path}: ${contents(shown, reached)}`
}

function valueAt(json: JsonValue, step: Step): JsonValue | undefined {
  if (typeof step === 'string') return memberOf(json, step)
  return Array.isArray(json) ? json.at(step) : undefined
}

function contents(place: string, reached: JsonValue): string {
  if (Array.isArray(reached)) return `${place} is an array of ${reached.length}`
  if (typeof reached !== 'object' || reached === null) return `${place} is ${shortened(JSON.stringify(reached))}`
  const names = Object.keys(reached)
  return names.length === 0 ? `${place} is {}` : `${place} has ${shownNames(names)}`
}
