/** Comments in JSON bodies, which several tools remove before sending. */

/**
 * A string may contain line ends, as in those tools. An unclosed string or comment extends to the end of the text, so
 * that no search is repeated.
 */
const stringOrComment = /"[\s\S]*?(?:"(?<=[^\\](?:\\\\)*")|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

export function withoutJsonComments(text: string): string {
  return text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : ''))
}
