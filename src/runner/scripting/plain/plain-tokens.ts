/**
 * The words of a plain script.
 *
 * Rules: a part of the language's lexical grammar, read exactly; anything else, such as a regular expression, an escape
 * or a letter beyond ASCII in a name, makes the script not plain. ECMA-262 section 12.
 */

export interface PlainToken {
  readonly kind: 'name' | 'number' | 'text' | 'template' | 'sign'
  /** Of a text and of a template: its value, as written between its quotes. */
  readonly text: string
  /** Whether the token is the first of its line. */
  readonly isFirstOnLine: boolean
}

/** A longer script is not plain: what reads it takes a place on the stack for each of its brackets and signs. */
const MAX_TOKENS = 5000
const MAX_CHARACTERS = 64 * 1024

/**
 * Blanks and comments, names, decimal numbers, texts and whole templates without escapes, signs. Signs that no plain
 * script has are read as one, so that `--x` is not taken for `-(-x)`. A comment without an end is nothing.
 */
const word =
  /((?:[ \t\n]|\/\/[^\n\u2028\u2029]*|\/\*[\s\S]*?\*\/)+)|([A-Za-z_$][\w$]*)|((?:0|[1-9]\d*)(?:\.\d+)?)|("[^"\\\n]*"|'[^'\\\n]*')|(`[^`\\]*`)|(=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\+\+|--|\*\*|<<|>>|\?\.|[-+*/%&|^]=|<!|\/(?!\*)|[{}()[\];,<>+\-*%!?:=.])/y

/**
 * @param code with LF only
 * @returns undefined if something is not of a plain script
 */
export function plainTokens(code: string): readonly PlainToken[] | undefined {
  if (code.length > MAX_CHARACTERS) return undefined
  const tokens: PlainToken[] = []
  let isFirstOnLine = true
  for (let at = 0; at < code.length; at = word.lastIndex) {
    word.lastIndex = at
    const match = word.exec(code)
    if (match === null || tokens.length === MAX_TOKENS) return undefined
    const [whole, blank, name, number, text, template, sign] = match
    if (blank !== undefined) {
      isFirstOnLine ||= blank.includes('\n')
      continue
    }
    if (number !== undefined && /[\w$.]/.test(code[word.lastIndex] ?? '')) return undefined
    const kind = name ? 'name' : number ? 'number' : text ? 'text' : template ? 'template' : 'sign'
    tokens.push({ kind, text: text || template ? whole.slice(1, -1) : (sign ?? whole), isFirstOnLine })
    isFirstOnLine = false
  }
  return tokens
}
