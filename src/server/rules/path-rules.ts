/** Shared by both kinds of rules: answers that redirect, destination paths, and fields by name. */

import type { ServedTree } from '../files/served-file.ts'
import { type Answer, type Field, hasField, textAnswer } from '../semantics/answer.ts'
import { parsePath, splitTarget, type UrlPath } from '../semantics/url-path.ts'
import { type IndexedPattern, RuleIndex } from './rule-index.ts'

/** Properties of the server that the rules are for. */
export interface RuledSite extends ServedTree {
  /** Path in URLs under which the directory appears, such as `/docs`; empty at the root. */
  readonly prefix: string
  /** Whether requests come over TLS. */
  readonly isSecure: boolean
  /** Lower-case names of fields that options set, which take precedence. */
  readonly optionFields: ReadonlySet<string>
  /** Whether options ask for a password. */
  readonly isPasswordRequired: boolean
}

export function redirectTo(location: string, status: number): Answer {
  return textAnswer(status, `the page is at ${location}`, [['Location', location]])
}

/** The query of a request with its question mark, or empty. */
export function queryOf(target: string): string {
  const parts = splitTarget(target)
  return typeof parts === 'string' ? '' : parts.query
}

/** The destination path of a rule; undefined if no visible file can have this path. */
export function detourPath(encoded: string, { visibility }: RuledSite): UrlPath | undefined {
  const target = splitTarget(encoded)
  if (typeof target === 'string') return undefined
  const path = parsePath(target.path, visibility)
  return typeof path === 'string' ? undefined : path
}

/** Whether two paths differ at most in a trailing slash: a redirect between them would never end. */
export function isSamePath(one: UrlPath, other: UrlPath | undefined): boolean {
  return one.names.length === other?.names.length && one.names.every((name, index) => name === other.names[index])
}

/** Fields for the paths that match a pattern; a field without a value removes that field of earlier rules. */
interface FieldsRule {
  readonly pattern: IndexedPattern
  readonly fields: readonly (readonly [name: string, value: string | undefined])[]
}

/** The fields that all matching rules set, by path. */
export function fieldsByPath(rules: readonly FieldsRule[], site: RuledSite): PathMemo<readonly Field[]> {
  const index = new RuleIndex(rules)
  return new PathMemo((path) => mergeFields(index.matching(path), site))
}

/** Later fields replace earlier ones; one without a value removes them. */
function mergeFields(rules: readonly FieldsRule[], { optionFields }: RuledSite): readonly Field[] {
  const byName = new Map<string, Field[]>()
  for (const { fields: group } of rules) {
    const inGroup = new Map<string, Field[]>()
    for (const [name, value] of group) {
      const key = name.toLowerCase()
      if (value === undefined) inGroup.set(key, [])
      else inGroup.set(key, [...(key === 'set-cookie' ? (inGroup.get(key) ?? []) : []), [name, value]])
    }
    for (const [key, fields] of inGroup) byName.set(key, fields)
  }
  return [...byName].filter(([key]) => !optionFields.has(key)).flatMap(([, fields]) => fields)
}

/** Caches results of a pure function by path, up to a limit. */
export class PathMemo<Value> {
  readonly #known = new Map<string, Value>()
  readonly #compute: (path: string) => Value

  constructor(compute: (path: string) => Value) {
    this.#compute = compute
  }

  of(path: string): Value {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    if (this.#known.size >= maximumKnownPaths) this.#known.clear()
    const value = this.#compute(path)
    if (path.length <= longestKnownPath) this.#known.set(path, value)
    return value
  }
}

/** About 3 MB with the longest paths. */
const maximumKnownPaths = 4_096
const longestKnownPath = 256

/** Answers with a file, or saying that it has not changed. */
const fileStatuses: ReadonlySet<number> = new Set([200, 206, 304])

/**
 * Fields of the answer itself stay, as with the fields of options (http1/head-writer.ts); only the type of a file can
 * be replaced by a rule. Cache-Control applies only to files: an error or a listing must not be cached for a year.
 * @param isOfFile whether the body is that of a file
 */
export function withRuledFields(answer: Answer, ruled: readonly Field[], isOfFile: boolean): Answer {
  const { status, fields, body, problem } = answer
  const isFile = isOfFile && fileStatuses.has(status)
  const isMultipart = status === 206 && fields.some(([, value]) => value.startsWith('multipart/'))
  const mayReplace = (name: string): boolean => isFile && name === 'content-type' && status !== 304 && !isMultipart
  const applied = ruled.filter(([name]) => {
    const key = name.toLowerCase()
    if (key === 'content-type') return mayReplace(key)
    if (key === 'cache-control') return isFile && !hasField(fields, key)
    return key === 'vary' || !hasField(fields, key)
  })
  if (applied.length === 0) return answer
  const kept = fields.filter(([name]) => !(mayReplace(name.toLowerCase()) && hasField(applied, name)))
  return { status, fields: [...kept, ...applied], body, ...(problem === undefined ? {} : { problem }) }
}
