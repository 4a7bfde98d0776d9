/**
 * A GraphQL request as people type it, the query and perhaps an object of variables behind it, told apart.
 *
 * Rules: an object of JSON begins with `{` and a quote, or is `{}`; no selection of a query does. A single operation that
 * has a name is named; of several the first.
 */

export interface GraphqlDocument {
  /** Trimmed; '' where there is none. */
  readonly query: string
  /** The text of the object, trimmed; '' where there is none. */
  readonly variables: string
  readonly operationName: string | undefined
}

/** A text without its end goes to the end of its line or of the document, so that no search for the end is repeated. */
const tokenPattern =
  /"""(?:[^"\\]|\\.|"(?!""))*(?:"""|"{0,2}\\?$)|"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\\?$)|#[^\n]*|[{}()[\]]|[A-Za-z_]\w*/gs
const operations: ReadonlySet<string> = new Set(['query', 'mutation', 'subscription'])

interface Outline {
  /** Where the variables begin; the end of the text without any. */
  readonly end: number
  readonly operationNames: readonly string[]
}

/** Reads the text of a GraphQL body. Checks nothing. */
export function readGraphql(text: string): GraphqlDocument {
  const { end, operationNames } = outline(text)
  return { query: text.slice(0, end).trim(), variables: text.slice(end).trim(), operationName: operationNames[0] }
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
