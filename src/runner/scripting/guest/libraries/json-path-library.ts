/**
 * `jsonPath(value, expression)`: by RFC 9535, and, for expressions that it rejects, like the vendor's engine.
 *
 * Rules: an expression that can match at most one value returns that value or undefined; any other returns an array.
 * Assertions use `findPath` outside the engine: it needs nothing from the world of scripts.
 */
import { query } from 'jsonpath-rfc9535'
import parsePath from 'jsonpath-rfc9535/parser'
import { vendorPath } from './vendor-json-path.ts'

type Value = Parameters<typeof query>[0]
type Segment = ReturnType<typeof parsePath>['segments'][number]

/** Only names and indexes: RFC 9535 section 2.1.2, singular queries. */
function isSingular({ type, node }: Segment): boolean {
  if (type !== 'ChildSegment') return false
  if (node.type === 'MemberNameShorthand') return true
  if (node.type !== 'BracketedSelection' || node.selectors.length !== 1) return false
  const [selector] = node.selectors
  return selector?.type === 'NameSelector' || selector?.type === 'IndexSelector'
}

/** The values that a path matches, in document order, and whether it can match at most one. @throws SyntaxError */
export function findPath(value: unknown, path: string): { readonly isSingular: boolean; readonly found: unknown[] } {
  const { segments } = parsePath(path)
  return { isSingular: segments.every(isSingular), found: query(value as Value, path) }
}

function jsonPath(value: unknown, expression: unknown): unknown {
  const written = String(expression).trim()
  // The root may be omitted.
  const path = written.startsWith('$') ? written : `$${written.startsWith('[') ? '' : '.'}${written}`
  try {
    const { isSingular, found } = findPath(value, path)
    return isSingular ? found[0] : found
  } catch (error) {
    const vendor = vendorValue(value, path)
    if (vendor !== undefined) return vendor.value
    throw new SyntaxError(
      `jsonPath: ${JSON.stringify(written)} is not a JSONPath expression: ${(error as Error).message}`,
    )
  }
}

/** Undefined if the vendor's engine would also reject it. */
function vendorValue(value: unknown, path: string): { readonly value: unknown } | undefined {
  try {
    return { value: vendorPath(value, path) }
  } catch {
    return undefined
  }
}

export function create(): object {
  return { jsonPath }
}
