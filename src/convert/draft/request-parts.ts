/** Parts of requests that collections of several tools have in common. */
import { parseHttpFile } from '../../http-file/index.ts'
import type { Entry, NamedValue } from './draft.ts'

/** The lines of a description that are not blank, for comments. */
export function filledLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
}

/** Adds to the query of a URL, before its fragment. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url
  const [whole = '', ...fragment] = url.split(/(?=#)/)
  return `${whole}${whole.includes('?') ? '&' : '?'}${query}${fragment.join('')}`
}

/** @param wanted in lower case */
export function hasHeader(headers: readonly NamedValue[], wanted: string): boolean {
  return headers.some(({ name }) => name.toLowerCase() === wanted)
}

/** The headers of authorization and body that the request does not have, then its own. */
export function withAdded(
  own: readonly Entry[],
  authorization: readonly NamedValue[],
  contentType: string | undefined,
): readonly Entry[] {
  const names = new Set(own.filter(({ isDisabled }) => !isDisabled).map(({ name }) => name.toLowerCase()))
  const added =
    contentType === undefined ? authorization : [...authorization, { name: 'Content-Type', value: contentType }]
  return [...added.filter(({ name }) => !names.has(name.toLowerCase())), ...own]
}

/** The headers that the authorization does not override. */
export function withoutAuthorization(
  headers: readonly Entry[],
  authorization: readonly NamedValue[],
): readonly Entry[] {
  const names = new Set(authorization.map(({ name }) => name.toLowerCase()))
  return headers.filter(({ name }) => !names.has(name.toLowerCase()))
}

/** Whether the parser of request files accepts the text as the value of the tag. */
export function isTag(name: string, text: string): boolean {
  return parseHttpFile(`# @${name} ${text}\nGET http://localhost/\n`).errors.length === 0
}
