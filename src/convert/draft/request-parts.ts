/** Parts of requests that collections of several tools have in common. */
import type { Entry, NamedValue } from './draft.ts'

/** The lines of a description that are not blank, for comments. */
export function filledLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '')
}

export function withQuery(url: string, query: string): string {
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
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
