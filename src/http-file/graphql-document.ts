/**
 * Splits a typed GraphQL request into the query and an optional object of variables after it.
 *
 * Rules: a JSON object begins with `{` and a quote, or is `{}`; a selection of a query never does. `operationName` is
 * the name of the first named operation.
 */
import { endOfQuoted } from './syntax/quoted-text.ts'

export interface GraphqlDocument {
  /** Trimmed; empty if missing. */
  readonly query: string
  /** The text of the object, trimmed; empty if missing. */
  readonly variables: string
  readonly operationName: string | undefined
}

const tokenPattern = /"""|"|#[^\n]*|[{}()[\]]|[A-Za-z_]\w*/g
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

/**
 * The tokens without texts and comments. An unclosed text extends to the end of its line or of the document, so that
 * the search for its end is not repeated.
 */
function* tokensOf(text: string): Generator<RegExpExecArray> {
  const pattern = new RegExp(tokenPattern)
  let lineEnd = -1
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { 0: token, index } = match
    if (token === '"""') {
      const end = endOfQuoted(text, index + 2, token)
      pattern.lastIndex = end === -1 ? text.length : end
    } else if (token === '"') {
      if (lineEnd < index) lineEnd = endOfLine(text, index)
      const end = endOfQuoted(text.slice(index, lineEnd), 0)
      pattern.lastIndex = end === -1 ? lineEnd : index + end
    } else if (!token.startsWith('#')) yield match
  }
}

function endOfLine(text: string, index: number): number {
  const end = text.indexOf('\n', index)
  return end === -1 ? text.length : end
}

function outline(text: string): Outline {
  const operationNames: string[] = []
  let depth = 0
  let isAfterOperation = false
  for (const { 0: token, index } of tokensOf(text)) {
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
