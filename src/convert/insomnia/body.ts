/**
 * Converts the body of an Insomnia request to that of a draft.
 *
 * Rules: the media type of the body determines its form; a GraphQL body is the JSON of its query and its variables.
 */
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { type BodyDraft, type ConvertedBody, emptyBody, type MultipartEntry } from '../draft/draft.ts'
import { graphqlBody } from '../draft/graphql-body.ts'
import { fileType, moreTypes } from '../draft/known-types.ts'
import { literal } from '../draft/literal-text.ts'

/** @param textWith translates variables to those of request files */
export function insomniaBody(body: JsonObject, textWith: (text: string) => string, method: string): ConvertedBody {
  const mimeType = textOf(body.mimeType)
  const text = (value: JsonObject[string] | undefined): string => textWith(textOf(value))
  const params = objectsOf(body.params)
  const path = textOf(body.fileName)
  if (mimeType === 'application/graphql') {
    return { ...emptyBody, body: parsedGraphql(textOf(body.text), textWith, method), contentType: 'application/json' }
  }
  if (mimeType === 'application/x-www-form-urlencoded' && body.text === undefined) {
    const entries = params.map((param) => ({
      name: text(param.name),
      value: text(param.value),
      isDisabled: param.disabled === true,
    }))
    return entries.length === 0 ? emptyBody : { ...emptyBody, body: { type: 'form', entries } }
  }
  if (mimeType === 'multipart/form-data') {
    const parts = params.map((param) => partOf(param, text))
    return parts.length === 0 ? emptyBody : { ...emptyBody, body: { type: 'multipart', parts } }
  }
  const contentType = mimeType === '' ? undefined : mimeType
  if (path !== '') return { ...emptyBody, body: { type: 'file', path: literal(path) }, contentType }
  const content = text(body.text).replace(/\r\n/g, '\n')
  return content === '' ? emptyBody : { ...emptyBody, body: { type: 'text', text: content }, contentType }
}

function partOf(param: JsonObject, text: (value: JsonObject[string] | undefined) => string): MultipartEntry {
  const isDisabled = param.disabled === true
  const name = text(param.name)
  const path = textOf(param.fileName)
  if (textOf(param.type) === 'file')
    return { name, isDisabled, content: { path: literal(path) }, contentType: fileType(path, moreTypes) }
  const typed = textOf(param.multiline) === '' || param.multiline === true ? {} : { contentType: text(param.multiline) }
  return { name, isDisabled, content: { text: text(param.value) }, ...typed }
}

/** The JSON is parsed before the templates in it. */
function parsedGraphql(source: string, textWith: (text: string) => string, method: string): BodyDraft {
  const { query, variables, operationName } = graphqlParts(source)
  if (query === undefined) return { type: 'text', text: textWith(source) }
  const shown = isObject(variables) ? JSON.stringify(variables) : textOf(variables)
  const parts = {
    query: textWith(textOf(query)),
    variables: textWith(shown === '{}' ? '' : shown),
    operationName: textWith(textOf(operationName)),
  }
  return graphqlBody(parts, method)
}

function graphqlParts(source: string): JsonObject {
  try {
    return objectOf(JSON.parse(source) as JsonObject)
  } catch {
    return {}
  }
}
