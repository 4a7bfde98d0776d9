/**
 * Splits a plain script into tokens.
 *
 * Rules: accepts a subset of the language's lexical grammar, read exactly; anything else, such as a regular expression,
 * a Unicode escape or a non-ASCII letter in a name, makes the script not plain. ECMA-262 section 12.
 */

export interface PlainToken {
  readonly kind: 'name' | 'number' | 'text' | 'template' | 'sign'
  /** A string with its escapes replaced, or the text of a template as written, without the quotes. */
  readonly text: string
  readonly isFirstOnLine: boolean
}

/** A longer script is not plain: the parser uses stack for each bracket and operator. */
const MAX_TOKENS = 5000
const MAX_CHARACTERS = 64 * 1024

/**
 * Blanks and comments, names, decimal numbers, strings with simple escapes, templates without escapes, operators.
 * Operators that no plain script contains are one token, so that `--x` is not read as `-(-x)`. An unclosed comment does
 * not match.
 */
const word =
  /((?:[ \t\n]|\/\/[^\n\u2028\u2029]*|\/\*[\s\S]*?\*\/)+)|([A-Za-z_$][\w$]*)|((?:0|[1-9]\d*)(?:\.\d+)?)|("(?:[^"\\\n]|\\[nrt"'\\])*"|'(?:[^'\\\n]|\\[nrt"'\\])*')|(`[^`\\]*`)|(=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\+\+|--|\*\*|<<|>>|\?\.|[-+*/%&|^]=|<!|\/(?!\*)|[{}()[\];,<>+\-*%!?:=.])/y

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_whole, letter: string) => escapes[letter] ?? letter)
}

/**
 * @param code with LF only
 * @returns undefined if a token is not allowed in a plain script
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
    const inner = text || template ? whole.slice(1, -1) : (sign ?? whole)
    tokens.push({ kind, text: text ? unescaped(inner) : inner, isFirstOnLine })
    isFirstOnLine = false
  }
  return tokens
}
