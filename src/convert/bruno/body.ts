/**
 * Converts the body of a Bruno request to that of a draft.
 *
 * Rules (Bruno, "Body"): comments in a JSON body are not sent. For a body from a file, the first enabled file is sent.
 * The body mode sets the media type unless a header does.
 */
import { type ConvertedBody, emptyBody, type MultipartEntry } from '../draft/draft.ts'
import { graphqlBody } from '../draft/graphql-body.ts'
import { withoutJsonComments } from '../draft/json-comments.ts'
import { fileType, moreTypes } from '../draft/known-types.ts'
import type { BrunoBody, BrunoPart } from './document.ts'

const textTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  text: 'text/plain',
  xml: 'application/xml',
  sparql: 'application/sparql-query',
}

/** @param textWith translates variables to those of request files */
export function brunoBody(
  { mode, text, graphqlVariables, parts }: BrunoBody,
  textWith: (text: string) => string,
  method: string,
): ConvertedBody {
  switch (mode) {
    case 'none':
    case '':
      return emptyBody
    case 'json':
    case 'text':
    case 'xml':
    case 'sparql': {
      const content = textWith(mode === 'json' ? withoutJsonComments(text).trimEnd() : text)
      // Bruno sets the media type of an empty body, except that of JSON.
      if (content === '') return mode === 'json' ? emptyBody : { ...emptyBody, contentType: textTypes[mode] }
      return { ...emptyBody, body: { type: 'text', text: content }, contentType: textTypes[mode] }
    }
    case 'formUrlEncoded':
    case 'form-urlencoded': {
      const entries = parts.map(({ name, value, isDisabled }) => ({
        name: textWith(name),
        value: textWith(value),
        isDisabled,
      }))
      return { ...emptyBody, body: { type: 'form', entries } }
    }
    case 'multipartForm':
    case 'multipart-form':
      return { ...emptyBody, body: { type: 'multipart', parts: parts.flatMap((part) => multipart(part, textWith)) } }
    case 'graphql': {
      const parts = { query: textWith(text), variables: textWith(graphqlVariables), operationName: '' }
      return { ...emptyBody, body: graphqlBody(parts, method), contentType: 'application/json' }
    }
    case 'file': {
      const file = parts.find(({ isDisabled }) => !isDisabled)
      const [path = ''] = file?.paths ?? []
      if (path === '') return { ...emptyBody, lost: ['a body from a file without a path'] }
      const contentType = file?.contentType || fileType(path, moreTypes)
      return { ...emptyBody, body: { type: 'file', path: textWith(path) }, contentType: textWith(contentType) }
    }
    default:
      return { ...emptyBody, lost: [`a body of the kind ${mode}`] }
  }
}

function multipart(part: BrunoPart, textWith: (text: string) => string): readonly MultipartEntry[] {
  const known = { name: textWith(part.name), isDisabled: part.isDisabled }
  const typed = part.contentType === '' ? {} : { contentType: textWith(part.contentType) }
  if (part.paths === undefined) return [{ ...known, ...typed, content: { text: textWith(part.value) } }]
  return part.paths.map((path) => ({
    ...known,
    contentType: fileType(path, moreTypes),
    ...typed,
    content: { path: textWith(path) },
  }))
}
