/**
 * A GraphQL request as people type it, the query and perhaps an object of variables behind it, to the JSON that is sent.
 *
 * Rules: an object of JSON begins with `{` and a quote, or is `{}`; no selection of a query does. A single operation that
 * has a name is named, so that servers log it; of several the first is asked for. Serving over HTTP: POST with a JSON
 * object of `query`, `variables` and `operationName`. Variables are sent as they are written, each digit of a number.
 */
import { parseJsonSource } from '../http-file/index.ts'
import { HttpcliError } from '../message/index.ts'

const tokenPattern = /"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[{}()[\]]|[A-Za-z_]\w*/gs
const operations: ReadonlySet<string> = new Set(['query', 'mutation', 'subscription'])

interface Outline {
  /** Where the variables begin; the end of the text without any. */
  readonly end: number
  readonly operationNames: readonly string[]
}

/** @throws HttpcliError `invalid-request` where there is no query, or what stands behind it is no JSON. */
export function graphqlBody(text: string): string {
  const { end, operationNames } = outline(text)
  const query = text.slice(0, end).trim()
  if (query === '') throw new HttpcliError('invalid-request', 'expected a GraphQL query in the body')
  const variables = text.slice(end).trim()
  checkVariables(variables)
  const [operationName] = operationNames
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`
  return `{"query":${JSON.stringify(query)},"variables":${variables === '' ? '{}' : variables}${name}}`
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

function checkVariables(text: string): void {
  const root = text === '' ? undefined : parseJsonSource(text)
  if (root === undefined || 'type' in root) return
  const { message, span } = root
  const place = `line ${span.line} of the variables`
  throw new HttpcliError('invalid-request', `the GraphQL variables are no JSON: ${message} (${place})`)
}
