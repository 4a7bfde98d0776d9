/**
 * Encodes a typed GraphQL request as the JSON that is sent.
 *
 * Rules: a named operation is named in the JSON, so that servers log it. GraphQL over HTTP: POST with a JSON object of
 * `query`, `variables` and `operationName`. Variables are sent as written, including every digit of a number.
 */
import { graphqlFrame, parseJsonSource, readGraphql } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { isJson, type MediaType } from './media-type.ts'
import type { RequestContext } from './request-context.ts'

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

/** GraphQL, October 2021, section 2.2. */
const queryPattern = /^\s*(?:query|mutation|subscription|fragment)\b.*[{(]/

export function isGraphqlText(text: string): boolean {
  return queryPattern.test(text)
}

/** Warns about a query that is sent as text: servers expect it in JSON, and other tools send it as JSON. */
export function graphqlWarnings(context: RequestContext, type: MediaType, text: string): readonly HttpcliError[] {
  const { body, line } = context.request
  const [first] = body
  const isExpected = type.name === '' || isJson(type)
  if (first?.kind !== 'body-text' || body.length > 1 || !isExpected || !isGraphqlText(text)) return []
  const message = 'the body is a GraphQL query, but it is sent as text'
  const hint = `Write GRAPHQL in place of ${line.method ?? 'the method'}: a GraphQL query is then sent as JSON.`
  return [context.error({ ...first.span, length: 1 }, { code: 'undeclared-json', message, hint })]
}
