/** JSON texts with integers that JavaScript would round. */

/**
 * The pattern uses no stack, even for a long text with many escapes: it looks for a quote, and for the backslashes
 * before it. An unclosed string matches to the end, and an integer only from its first digit, so no character is
 * searched twice.
 */
const textOrLongInteger = /"[\s\S]*?(?:"(?<=[^\\](?:\\\\)*")|$)|-?(?<!\d)\d{16,}(?![\d.eE])/g

/** Replaces integers that JavaScript would round with strings of their digits. */
export function withExactIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json
  return json.replace(textOrLongInteger, (token, offset: number) => {
    const isInteger = !token.startsWith('"') && json[offset - 1] !== '.'
    return isInteger && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
  })
}
