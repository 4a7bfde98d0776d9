/**
 * Converts the body of a Postman request to that of a draft.
 *
 * Rules: disabled entries become comments. The language of a raw body sets its media type, unless a header does.
 * Comments in a JSON body are not sent. Methods that usually have no body are sent without it, which is reported.
 */
import { anyText, type JsonObject, listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { type ConvertedBody, emptyBody, type MultipartEntry } from '../draft/draft.ts'
import { graphqlBody } from '../draft/graphql-body.ts'
import { withoutJsonComments } from '../draft/json-comments.ts'
import { fileType, moreTypes } from '../draft/known-types.ts'
import { literal } from '../draft/literal-text.ts'

const typesByLanguage: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
  text: 'text/plain',
}

/** Their bodies are not sent unless a setting says so. */
const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'COPY', 'PURGE', 'UNLOCK'])

const jsonType = /^application\/(?:\S+\+)?json/

export interface BodySettings {
  readonly method: string
  /** The media type in the headers; '' for none. */
  readonly writtenType: string
  /** Whether a body is sent with any method. */
  readonly sendsEveryBody: boolean
}

/** @param textWith translates variables to those of request files */
export function postmanBody(
  body: JsonObject,
  textWith: (text: string) => string,
  settings: BodySettings,
): ConvertedBody {
  if (body.disabled === true) return emptyBody
  const { method, sendsEveryBody } = settings
  const written = writtenBody(body, textWith, settings)
  if (sendsEveryBody || !methodsWithoutBody.has(method) || written.body === undefined) return written
  return { ...emptyBody, lost: [`the body, which Postman does not send with ${method}`] }
}

function writtenBody(body: JsonObject, textWith: (text: string) => string, settings: BodySettings): ConvertedBody {
  const text = (value: JsonObject[string] | undefined): string => textWith(textOf(value))
  switch (textOf(body.mode)) {
    case 'raw': {
      const language = textOf(objectOf(objectOf(body.options).raw).language)
      const isJson = language === '' ? jsonType.test(settings.writtenType) : language === 'json'
      const source = lineFeeds(anyText(body.raw))
      const raw = textWith(isJson ? withoutJsonComments(source) : source)
      // Postman sends a body without a language as plain text.
      const contentType = raw === '' ? undefined : (typesByLanguage[language] ?? 'text/plain')
      return { ...emptyBody, body: raw === '' ? undefined : { type: 'text', text: raw }, contentType }
    }
    case 'urlencoded': {
      const entries = objectsOf(body.urlencoded).map((entry) => ({
        name: text(entry.key),
        value: text(entry.value),
        isDisabled: entry.disabled === true,
      }))
      return entries.length === 0 ? emptyBody : { ...emptyBody, body: { type: 'form', entries } }
    }
    case 'formdata':
      return formData(objectsOf(body.formdata), textWith)
    case 'graphql': {
      const graphql = objectOf(body.graphql)
      const variables = textOf(graphql.variables) || (graphql.variables ? JSON.stringify(graphql.variables) : '')
      const parts = {
        query: text(graphql.query),
        variables: textWith(variables),
        operationName: text(graphql.operationName),
      }
      return { ...emptyBody, body: graphqlBody(parts, settings.method), contentType: 'application/json' }
    }
    case 'file': {
      const path = literal(textOf(objectOf(body.file).src))
      if (path === '') return { ...emptyBody, lost: ['a body from a file without a path'] }
      return { ...emptyBody, body: { type: 'file', path }, contentType: fileType(path, moreTypes) }
    }
    default:
      return emptyBody
  }
}

/** A typed body is sent with LF. */
function lineFeeds(text: string): string {
  return text.replace(/\r\n/g, '\n')
}

function formData(entries: readonly JsonObject[], textWith: (text: string) => string): ConvertedBody {
  const lost: string[] = []
  const text = (value: JsonObject[string] | undefined): string => textWith(textOf(value))
  const parts = entries.flatMap((entry): readonly MultipartEntry[] => {
    const known = {
      name: text(entry.key),
      isDisabled: entry.disabled === true,
      ...(textOf(entry.contentType) === '' ? {} : { contentType: text(entry.contentType) }),
    }
    if (textOf(entry.type) !== 'file')
      return [{ ...known, content: { text: textWith(lineFeeds(anyText(entry.value))) } }]
    const paths = typeof entry.src === 'string' ? [entry.src] : listOf(entry.src).map(textOf)
    if (paths.length === 0) lost.push(`the file of ${known.name}: it has no path`)
    return paths.map((path) => ({ contentType: fileType(path, moreTypes), ...known, content: { path: literal(path) } }))
  })
  return { body: parts.length === 0 ? undefined : { type: 'multipart', parts }, contentType: undefined, lost }
}
