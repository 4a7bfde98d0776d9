/**
 * Encodes a typed GraphQL request as the JSON that is sent.
 *
 * Rules: a named operation is named in the JSON, so that servers log it. GraphQL over HTTP: POST with a JSON object of
 * `query`, `variables` and `operationName`. Variables are sent as written, including every digit of a number.
 */
import { graphqlFrame, parseJsonSource, readGraphql } from '../../http-file/index.ts'
import { RunError } from '../base/errors.ts'

/** @throws HttpcliError `invalid-request` for a body without a query, or with text after it that is not JSON. */
export function graphqlBody(text: string): string {
  const document = readGraphql(text)
  const { query, variables } = document
  if (query === '') throw new RunError('invalid-request', 'expected a GraphQL query in the body')
  checkVariables(variables)
  const [start, end] = graphqlFrame(document)
  return `${start}${variables === '' ? '{}' : variables}${end}`
}

/** @throws HttpcliError `invalid-request` unless it is JSON or empty. */
export function checkVariables(text: string): void {
  const root = text === '' ? undefined : parseJsonSource(text)
  if (root === undefined || 'type' in root) return
  const { message, span } = root
  const place = `line ${span.line} of the variables`
  throw new RunError('invalid-request', `the GraphQL variables are not JSON: ${message} (${place})`)
}
