/**
 * Paths into values: `user.name`, `users[0].id`, `client.['host.url']`, `users[*].age`, `$.clients..name`.
 *
 * Rules: names, indexes and keys in quotes are followed here; everything else is JSONPath (RFC 9535), whose library is
 * loaded when such a path is first used. A path that can match only one value yields that value, any other an array.
 * Names may contain hyphens, which JSONPath itself does not allow.
 */
import { type JsonValue, unicodePattern } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'
import { notLoaded } from './dynamic/dynamic-call.ts'

export type PathStep = string | number

export interface VariablePath {
  /** The variable that the path begins with; undefined if it may be any variable: `$..name`. */
  readonly root: string | undefined
  /** Steps after the root; undefined if JSONPath is needed. */
  readonly steps: readonly PathStep[] | undefined
  /** The whole path as JSONPath on an object of all variables. */
  readonly query: string
}

/** Longer than any real path; the time to parse a path may grow with the square of its length. */
const MAX_LENGTH = 1000

/** Cache of parsed paths: each request of a run uses the same ones, several times. */
const parsed = new Map<string, VariablePath | undefined>()
const MAX_PARSED = 1000

const rootPattern = unicodePattern(
  String.raw`^(?:\$(?=\.|\[)\.?(?!\.))?(?:([\p{L}_][\p{L}\p{N}_-]*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])`,
)
const stepPattern = unicodePattern(
  String.raw`\.?\[\s*(?:(\d+)|'([^']*)'|"([^"]*)")\s*\]|\.([\p{L}_][\p{L}\p{N}_-]*)`,
  'y',
)
/** Quoted text, a name with hyphens and the dots before it, or the dot before a bracket. */
const hyphenPattern = unicodePattern(
  String.raw`'[^']*'|"[^"]*"|(\.{0,2})([\p{L}_][\p{L}\p{N}_]*(?:-[\p{L}\p{N}_]+)+)|(?<!\.)\.(?=\[)`,
  'g',
)

/** Undefined if the text is not a path, such as a plain name. */
export function parseVariablePath(expression: string): VariablePath | undefined {
  if (parsed.has(expression)) return parsed.get(expression)
  if (expression.length > MAX_LENGTH || /^[A-Za-z_][\w-]*$/.test(expression)) return undefined
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const path = readPath(expression)
  parsed.set(expression, path)
  return path
}

function readPath(expression: string): VariablePath | undefined {
  if (/^\$\.\.|^\$\[\s*[*?]|^\$\.\*/.test(expression)) {
    return { root: undefined, steps: undefined, query: quotedNames(expression) }
  }
  const match = rootPattern(expression).exec(expression)
  const root = match?.[1] ?? match?.[2] ?? match?.[3]
  if (match === null || root === undefined) return undefined
  const rest = expression.slice(match[0].length)
  if (!expression.startsWith('$') && !/^\.?\[|^\./.test(rest)) return undefined
  const query = `$[${JSON.stringify(root)}]${quotedNames(rest)}`
  return { root, steps: plainSteps(rest), query }
}

function plainSteps(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = []
  const pattern = stepPattern(text)
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (match === null) return undefined
    steps.push(match[1] === undefined ? ((match[2] ?? match[3] ?? match[4]) as string) : Number(match[1]))
  }
  return steps
}

/** Rewrites `.a-b` as `['a-b']` and `.['x']` as `['x']`; quoted text is kept. */
export function quotedNames(text: string): string {
  return text.replace(hyphenPattern(text), (found, dots?: string, name?: string) => {
    if (name === undefined) return found === '.' ? '' : found
    if (dots === '') return found
    return `${dots === '..' ? '..' : ''}[${JSON.stringify(name)}]`
  })
}

/** The value that the steps lead to; undefined if one of them finds nothing. */
export function valueAt(value: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  let at: JsonValue | undefined = value
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    // An array also has `length` as an own property.
    if (Array.isArray(at) && typeof step !== 'number' && !/^\d+$/.test(step)) return undefined
    at = (at as { readonly [key: PathStep]: JsonValue })[step]
  }
  return at
}

let query: typeof import('jsonpath-rfc9535').query | undefined

/** Loads the JSONPath library. */
export async function loadQueries(): Promise<void> {
  query ??= (await import('jsonpath-rfc9535')).query
}

/**
 * The value that a path finds in an object of variables.
 * @throws HttpcliError `bad-variable-path`; `unknown-variable` before `loadQueries`
 */
export function queryVariables(path: VariablePath, variables: { readonly [name: string]: JsonValue }): JsonValue[] {
  const find = query
  if (find === undefined) throw notLoaded(path.query)
  try {
    return find(variables as Parameters<typeof find>[0], path.query) as JsonValue[]
  } catch (cause) {
    throw new RunError('bad-variable-path', `${path.query} is not a JSONPath`, { cause })
  }
}
