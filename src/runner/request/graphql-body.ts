/**
 * Encodes a typed GraphQL request as the JSON that is sent.
 *
 * Rules: a named operation is named in the JSON, so that servers log it. GraphQL over HTTP: POST with a JSON object of
 * `query`, `variables` and `operationName`. Variables are sent as written, including each digit of a number.
 */
import { parseJsonSource, readGraphql } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'

/** @throws HttpcliError `invalid-request` for a body without a query, or with text after it that is not JSON. */
export function graphqlBody(text: string): string {
  const { query, variables, operationName } = readGraphql(text)
  if (query === '') throw new RunError('invalid-request', 'expected a GraphQL query in the body')
  checkVariables(variables)
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`
  return `{"query":${JSON.stringify(query)},"variables":${variables === '' ? '{}' : variables}${name}}`
}

function checkVariables(text: string): void {
  const root = text === '' ? undefined : parseJsonSource(text)
  if (root === undefined || 'type' in root) return
  const { message, span } = root
  const place = `line ${span.line} of the variables`
  throw new RunError('invalid-request', `the GraphQL variables are not JSON: ${message} (${place})`)
}
