/** JSON texts with integers that JavaScript would round. */

/**
 * Written so that a text of any length takes no stack. An unclosed text takes the rest, and an integer is tried only
 * from its first digit: nothing is searched twice.
 */
const textOrLongInteger = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?(?<!\d)\d{16,}(?![\d.eE])/g

/** Replaces integers that JavaScript would round by texts of their digits. */
export function withExactIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json
  return json.replace(textOrLongInteger, (token, offset: number) => {
    const isInteger = !token.startsWith('"') && json[offset - 1] !== '.'
    return isInteger && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
  })
}
