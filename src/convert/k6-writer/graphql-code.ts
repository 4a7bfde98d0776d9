/**
 * A GraphQL body as code of a light load test: the JSON that is sent, with template code for the values of variables.
 *
 * Rules: the query must not contain `{{…}}`, because a value could move the end of the query, which `run` looks for in
 * each request. A part for which `run` would report an error has no code.
 */
import { graphqlFrame, isLiteral, parseJsonSource, readGraphql, type Template } from '../../http-file/index.ts'
import { Code } from './code-text.ts'
import { endsInString, jsonCode, literalText, partsFrom } from './template-code.ts'

/** Undefined if the body must be read in each request. */
export function graphqlCode(template: Template): string | Code | undefined {
  const [first] = template.parts
  if (first?.type !== 'text') return undefined
  const { text } = first
  const document = readGraphql(text)
  const { query, variables } = document
  if (query === '') return undefined
  const [start, end] = graphqlFrame(document)
  if (isLiteral(template)) {
    const isValid = variables === '' || !('code' in parseJsonSource(variables))
    return isValid ? `${start}${variables === '' ? '{}' : variables}${end}` : undefined
  }
  const at = text.trimEnd().length - variables.length
  if (variables === '' || endsInString(text.slice(0, at))) return undefined
  const values = jsonCode(partsFrom(template, at))
  return new Code(`\`${literalText(start)}\${graphqlVariables(${values.text})}${literalText(end)}\``)
}
