/**
 * Splits a script into tokens: enough of the language's lexical grammar to find calls and declarations in it.
 *
 * Rules: comments and blanks are omitted. Whether `/` begins a regular expression is decided by the token before it,
 * which is wrong only for one directly after `)` or `}`. Templates come in pieces, with the tokens of their expressions
 * between them. Nothing is an error here: unreadable text ends the tokens, and the engine reports the error. ECMA-262 §
 * 12.
 *
 * The parser that `convert` uses for scripts (acorn) is not used here: loading it and parsing a first script takes 6 ms
 * of CPU time before the engine runs, and this takes 2 ms; and the package would contain the parser a second time, in
 * the thread's program.
 */
import { endOfPattern, endOfQuoted, unicodePattern } from '../../../http-file/index.ts'

export interface ScriptToken {
  readonly kind: 'name' | 'number' | 'text' | 'template' | 'pattern' | 'sign'
  readonly text: string
  /** In the script, in UTF-16 units. */
  readonly offset: number
}

/** An unclosed comment extends to the end of the script, so that the search for its end is not repeated. */
const blank = /\s+|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)/y
const namePattern = unicodePattern(
  String.raw`#?(?:[\p{ID_Start}$_]|\\u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\}))(?:[\p{ID_Continue}$\u200c\u200d]+|\\u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\}))*`,
  'y',
)
const number = /\.?\d[\w.]*(?:(?<=[eE])[+-][\w.]*)*/y
/** A line break in a text is escaped. */
const brokenLine = /\n(?<=[^\\](?:\\\\)*\n)/
const flagsPattern = unicodePattern(String.raw`[\p{ID_Continue}$]*`, 'y')
/** From a backtick or a closing brace to the end of the template or to its next expression. */
const template = /[`}][\s\S]*?(?:`(?<=[^\\](?:\\\\)*`)|\$\{(?<=[^\\](?:\\\\)*\$\{))/y
const sign =
  /=>|\.\.\.|[=!]==?|\*\*=?|<<=?|>>>?=?|[<>]=|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|\+\+|--|[-+*/%&|^]=|[{}()[\];,<>+\-*/%&|^!~?:=.@#]/y

/** After these words, which look like values, a `/` begins a regular expression. */
const operatorNames = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'throw',
  'new',
  'await',
  'yield',
])

export function scriptTokens(code: string): readonly ScriptToken[] {
  const tokens: ScriptToken[] = []
  /** For each open `{`, whether it began an expression in a template. */
  const braces: boolean[] = []
  const [name, flags] = [namePattern(code), flagsPattern(code)]
  let at = 0
  const takeTo = (kind: ScriptToken['kind'], end: number): boolean => {
    if (end <= at) return false
    tokens.push({ kind, text: code.slice(at, end), offset: at })
    at = end
    return true
  }
  const take = (kind: ScriptToken['kind'], expression: RegExp): boolean => {
    expression.lastIndex = at
    return expression.test(code) && takeTo(kind, expression.lastIndex)
  }
  while (at < code.length) {
    at = afterBlanks(code, at)
    const next = code[at]
    if (next === undefined) break
    const isTemplate = next === '`' || (next === '}' && braces.at(-1) === true)
    if (isTemplate) {
      if (!take('template', template)) break
      if (next === '}') braces.pop()
      if (tokens.at(-1)?.text.endsWith('${') === true) braces.push(true)
    } else if (take('name', name) || take('number', number) || takeTo('text', endOfText(code, at))) {
    } else if (next === '/' && !isValue(tokens.at(-1)) && takeTo('pattern', endOfLiteral(code, at, flags))) {
    } else if (take('sign', sign)) {
      if (next === '{') braces.push(false)
      if (next === '}') braces.pop()
    } else break
  }
  return tokens
}

/** Whether the tokens reach the end of the script, so that nothing in it was unreadable. */
export function isReadToEnd(code: string, tokens: readonly ScriptToken[]): boolean {
  const last = tokens.at(-1)
  const end = last === undefined ? 0 : last.offset + last.text.length
  return afterBlanks(code, end) === code.length
}

/** -1 if no text begins here. */
function endOfText(code: string, start: number): number {
  if (code[start] !== '"' && code[start] !== "'") return -1
  const end = endOfQuoted(code, start)
  return end === -1 || brokenLine.test(code.slice(start, end)) ? -1 : end
}

/** -1 if no regular expression begins here. */
function endOfLiteral(code: string, start: number, flags: RegExp): number {
  const end = endOfPattern(code, start)
  if (end === -1) return -1
  flags.lastIndex = end
  return flags.test(code) ? flags.lastIndex : end
}

function afterBlanks(code: string, index: number): number {
  let end = index
  for (blank.lastIndex = end; blank.test(code); blank.lastIndex = end) end = blank.lastIndex
  return end
}

/** Whether the token ends a value, so that a following `/` is a division. */
function isValue(token: ScriptToken | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'name') return !operatorNames.has(token.text)
  if (token.kind === 'sign') return token.text === ')' || token.text === ']' || token.text === '}'
  return !token.text.endsWith('${')
}

const opening = new Set(['(', '[', '{'])
const closing = new Set([')', ']', '}'])

export function isDot(token: ScriptToken | undefined): boolean {
  return token?.text === '.' || token?.text === '?.'
}

/** The number of brackets that a token opens (positive) or closes (negative). */
export function nesting(token: ScriptToken): number {
  if (token.kind === 'template') return (token.text.endsWith('${') ? 1 : 0) - (token.text.startsWith('}') ? 1 : 0)
  if (token.kind !== 'sign') return 0
  return opening.has(token.text) ? 1 : closing.has(token.text) ? -1 : 0
}
