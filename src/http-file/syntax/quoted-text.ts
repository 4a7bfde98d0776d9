/**
 * Finds the end of a text in quotes, in which a backslash escapes the next character.
 *
 * A pattern for the whole text, such as `"(?:[^"\\]|\\.)*"`, needs stack for each character or escape and overflows it
 * at 20 MB. These functions look only for quotes, and for the backslashes before them.
 */

/** The index after the closing quote of the text that begins at `start`; -1 if it is not closed. */
export function endOfQuoted(text: string, start: number, quote: string = text[start] ?? ''): number {
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let before = end
    while (before > start + 1 && text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end + quote.length
  }
  return -1
}

const patternSign = /\\.?|[[\]/\n]/g

/**
 * The index after the slash that closes the regular expression that begins with the slash at `start`: the first one
 * that is neither escaped nor in a class. -1 if it is not closed on its line, or empty.
 */
export function endOfPattern(text: string, start: number): number {
  let isInClass = false
  patternSign.lastIndex = start + 1
  for (let match = patternSign.exec(text); match !== null; match = patternSign.exec(text)) {
    const [sign] = match
    if (sign === '\n') return -1
    if (sign === '/' && !isInClass) return match.index === start + 1 ? -1 : match.index + 1
    if (sign === '[' || sign === ']') isInClass = sign === '['
  }
  return -1
}
