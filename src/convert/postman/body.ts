/**
 * Converts the body of a Postman request to that of a draft.
 *
 * Rules: disabled entries become comments. The language of a raw body sets its media type unless a header does. Methods
 * that usually have no body are sent without it, which is reported.
 */
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import { type ConvertedBody, emptyBody, type MultipartEntry } from '../draft/draft.ts'
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

/**
 * @param textWith translates variables to those of request files
 * @param method '' for a request whose settings allow a body with any method
 */
export function postmanBody(body: JsonObject, textWith: (text: string) => string, method: string): ConvertedBody {
  if (body.disabled === true) return emptyBody
  const written = writtenBody(body, textWith)
  if (!methodsWithoutBody.has(method) || written.body === undefined) return written
  return { ...emptyBody, lost: [`the body, which Postman does not send with ${method}`] }
}

function writtenBody(body: JsonObject, textWith: (text: string) => string): ConvertedBody {
  const text = (value: JsonObject[string] | undefined): string => textWith(textOf(value))
  switch (textOf(body.mode)) {
    case 'raw': {
      const language = textOf(objectOf(objectOf(body.options).raw).language)
      const raw = text(body.raw)
      // Postman sends a body without a language as plain text.
      const contentType = raw === '' ? undefined : (typesByLanguage[language] ?? 'text/plain')
      return { ...emptyBody, body: raw === '' ? undefined : { type: 'text', text: lineFeeds(raw) }, contentType }
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
      return formData(objectsOf(body.formdata), text)
    case 'graphql': {
      const graphql = objectOf(body.graphql)
      const variables = textOf(graphql.variables) || (graphql.variables ? JSON.stringify(graphql.variables) : '')
      return {
        ...emptyBody,
        body: { type: 'graphql', query: text(graphql.query), variables: textWith(variables) },
        contentType: 'application/json',
      }
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

function formData(
  entries: readonly JsonObject[],
  text: (value: JsonObject[string] | undefined) => string,
): ConvertedBody {
  const lost: string[] = []
  const parts = entries.flatMap((entry): readonly MultipartEntry[] => {
    const known = {
      name: text(entry.key),
      isDisabled: entry.disabled === true,
      ...(textOf(entry.contentType) === '' ? {} : { contentType: text(entry.contentType) }),
    }
    if (textOf(entry.type) !== 'file') return [{ ...known, content: { text: lineFeeds(text(entry.value)) } }]
    const paths = typeof entry.src === 'string' ? [entry.src] : listOf(entry.src).map(textOf)
    if (paths.length === 0) lost.push(`the file of ${known.name}: it has no path`)
    return paths.map((path) => ({ contentType: fileType(path, moreTypes), ...known, content: { path: literal(path) } }))
  })
  return { body: parts.length === 0 ? undefined : { type: 'multipart', parts }, contentType: undefined, lost }
}
