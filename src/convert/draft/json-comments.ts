/** Comments in JSON bodies, which several tools leave out of what they send. */

/**
 * A text may contain line ends, as in those tools. An unclosed text or comment has an end, so that the search for it is
 * not repeated.
 */
const stringOrComment = /"[\s\S]*?(?:"(?<=[^\\](?:\\\\)*")|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

export function withoutJsonComments(text: string): string {
  return text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : ''))
}
