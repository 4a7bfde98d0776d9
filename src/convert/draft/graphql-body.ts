/**
 * The body of a GraphQL request from another tool.
 *
 * Rules: `GRAPHQL` in a request file is a POST that names the first operation of the query. A request with another
 * method, another operation, or no query is written as the JSON that its tool sends.
 */
import { readGraphql } from '../../http-file/index.ts'
import type { BodyDraft } from './draft.ts'

export interface GraphqlParts {
  readonly query: string
  /** The text of a JSON object; '' for none. */
  readonly variables: string
  /** '' for none. */
  readonly operationName: string
}

/** @param parts with variables written as in a request file */
export function graphqlBody({ query, variables, operationName }: GraphqlParts, method: string): BodyDraft {
  const isOperationSent = operationName === '' || operationName === readGraphql(query).operationName
  if (method === 'POST' && isOperationSent && query.trim() !== '') return { type: 'graphql', query, variables }
  const members = [
    `"query":${JSON.stringify(query)}`,
    ...(operationName === '' ? [] : [`"operationName":${JSON.stringify(operationName)}`]),
    ...(variables.trim() === '' ? [] : [`"variables":${variables.replace(/\r\n?/g, '\n')}`]),
  ]
  return { type: 'text', text: `{${members.join(',')}}` }
}
