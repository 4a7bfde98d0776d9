/**
 * JSONPath (RFC 9535) in the JSON of a response.
 *
 * Rules: a path that can match only one location yields that value, any other path yields a list. For a missing value
 * the message says how much of the path was found.
 */
import parsePath from 'jsonpath-rfc9535/parser'
import type { JsonValue } from '../../http-file/index.ts'
import { findPath } from '../scripting/guest/libraries/json-path-library.ts'
import { type FoundValue, nothing, shortened, shownNames, value } from './found-value.ts'

/** @throws SyntaxError */
export function valueAtPath(json: JsonValue, path: string): FoundValue {
  const { isSingular, found } = findPath(json, path)
  if (!isSingular) return { type: 'values', values: found as readonly JsonValue[] }
  const [only] = found
  return only === undefined ? nothing(missingAt(json, path)) : value(only as JsonValue)
}

/** How far a path leads, and the value found at that point. */
function missingAt(root: JsonValue, path: string): string {
  let reached = root
  let shown = '$'
  for (const { node } of parsePath(path).segments) {
    const step = node.type === 'BracketedSelection' ? node.selectors[0] : node
    const key = step !== undefined && 'value' in step ? step.value : undefined
    const next = typeof key !== 'string' && typeof key !== 'number' ? undefined : memberOf(reached, key)
    if (next === undefined) break
    reached = next
    shown += typeof key === 'number' ? `[${key}]` : `.${key}`
  }
  return `nothing at ${path}: ${contents(shown, reached)}`
}

function memberOf(json: JsonValue, key: string | number): JsonValue | undefined {
  if (typeof key === 'number') return Array.isArray(json) ? json.at(key) : undefined
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isObject && Object.hasOwn(json, key) ? (json as { readonly [key: string]: JsonValue })[key] : undefined
}

function contents(place: string, reached: JsonValue): string {
  if (Array.isArray(reached)) return `${place} is an array of ${reached.length}`
  if (typeof reached !== 'object' || reached === null) return `${place} is ${shortened(JSON.stringify(reached))}`
  const names = Object.keys(reached)
  return names.length === 0 ? `${place} is {}` : `${place} has ${shownNames(names)}`
}
