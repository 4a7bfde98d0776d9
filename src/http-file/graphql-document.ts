/**
 * Splits a typed GraphQL request into the query and an optional object of variables after it.
 *
 * Rules: a JSON object begins with `{` and a quote, or is `{}`; a selection of a query never does. `operationName` is
 * the name of the first named operation.
 */

export interface GraphqlDocument {
  /** Trimmed; empty if missing. */
  readonly query: string
  /** The text of the object, trimmed; empty if missing. */
  readonly variables: string
  readonly operationName: string | undefined
}

/**
 * An unclosed text extends to the end of its line or of the document, so that the search for its end is not repeated.
 */
const tokenPattern =
  /"""(?:[^"\\]|\\.|"(?!""))*(?:"""|"{0,2}\\?$)|"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\\?$)|#[^\n]*|[{}()[\]]|[A-Za-z_]\w*/gs
const operations: ReadonlySet<string> = new Set(['query', 'mutation', 'subscription'])

interface Outline {
  /** The index where the variables begin; without variables, the end of the text. */
  readonly end: number
  readonly operationNames: readonly string[]
}

/** Splits the text of a GraphQL body without checking it. */
export function readGraphql(text: string): GraphqlDocument {
  const { end, operationNames } = outline(text)
  return { query: text.slice(0, end).trim(), variables: text.slice(end).trim(), operationName: operationNames[0] }
}

/**
 * The parts of the JSON to send (GraphQL over HTTP) before and after the variables. A named operation is included, for
 * logs.
 */
export function graphqlFrame({
  query,
  operationName,
}: Pick<GraphqlDocument, 'query' | 'operationName'>): readonly [start: string, end: string] {
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`
  return [`{"query":${JSON.stringify(query)},"variables":`, `${name}}`]
}

function outline(text: string): Outline {
  const operationNames: string[] = []
  let depth = 0
  let isAfterOperation = false
  for (const { 0: token, index } of text.matchAll(tokenPattern)) {
    if (token.startsWith('#')) continue
    if (depth === 0 && token === '{' && /^\{\s*(?:"|\})/.test(text.slice(index, index + 200))) {
      return { end: index, operationNames }
    }
    if (depth === 0 && isAfterOperation && /^[A-Za-z_]/.test(token)) operationNames.push(token)
    isAfterOperation = depth === 0 && operations.has(token)
    if ('{(['.includes(token)) depth++
    else if ('})]'.includes(token)) depth = Math.max(0, depth - 1)
  }
  return { end: text.length, operationNames }
}
