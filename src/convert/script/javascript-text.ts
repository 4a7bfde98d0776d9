/**
 * JavaScript cut into what is code and what is not: enough to rewrite calls, no more.
 *
 * Rules: strings, templates, comments and regular expressions are skipped as wholes. A slash begins a regular expression
 * where no value can end before it.
 */

/** What a part of the text is. */
export interface Token {
  readonly type: 'code' | 'string' | 'comment' | 'regex'
  readonly start: number
  readonly end: number
}

const valueEnd = /(?:[\w$)\]]|\+\+|--)$/
const keywordEnd = /\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new)$/

/** The tokens of a script, which follow each other without gap. A template is a string, whatever is in its braces. */
function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = []
  let codeStart = 0
  let index = 0
  const take = (type: Token['type'], end: number): void => {
    if (index > codeStart) tokens.push({ type: 'code', start: codeStart, end: index })
    tokens.push({ type, start: index, end })
    index = end
    codeStart = end
  }
  while (index < code.length) {
    const two = code.slice(index, index + 2)
    const character = code[index] as string
    if (two === '//') take('comment', endOf(code, '\n', index))
    else if (two === '/*') take('comment', Math.min(code.length, endOf(code, '*/', index) + 2))
    else if ('"\'`'.includes(character)) take('string', stringEnd(code, index))
    else if (character === '/' && isRegexStart(code, index)) take('regex', regexEnd(code, index))
    else index++
  }
  if (index > codeStart) tokens.push({ type: 'code', start: codeStart, end: index })
  return tokens
}

function endOf(code: string, mark: string, from: number): number {
  const found = code.indexOf(mark, from)
  return found === -1 ? code.length : found
}

function stringEnd(code: string, start: number): number {
  const mark = code[start]
  for (let index = start + 1; index < code.length; index++) {
    if (code[index] === '\\') index++
    else if (code[index] === mark) return index + 1
    else if (mark === '`' && code.startsWith('${', index)) index = bracketEnd(code, index + 1) - 1
  }
  return code.length
}

function isRegexStart(code: string, index: number): boolean {
  const before = code.slice(Math.max(0, index - 40), index).trimEnd()
  return before === '' || keywordEnd.test(before) || !valueEnd.test(before)
}

function regexEnd(code: string, start: number): number {
  let isInClass = false
  for (let index = start + 1; index < code.length && code[index] !== '\n'; index++) {
    const character = code[index]
    if (character === '\\') index++
    else if (character === '[') isInClass = true
    else if (character === ']') isInClass = false
    else if (character === '/' && !isInClass)
      return index + 1 + (/^[a-z]*/.exec(code.slice(index + 1))?.[0].length ?? 0)
  }
  return start + 1
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Behind the bracket that closes the one at `start`; the end of the text where none does. */
export function bracketEnd(code: string, start: number): number {
  const open: string[] = []
  let index = start
  while (index < code.length) {
    const character = code[index] as string
    const closer = closers[character]
    if ('"\'`'.includes(character)) index = stringEnd(code, index)
    else if (code.startsWith('//', index)) index = endOf(code, '\n', index)
    else if (code.startsWith('/*', index)) index = endOf(code, '*/', index) + 2
    else if (character === '/' && isRegexStart(code, index)) index = regexEnd(code, index)
    else {
      if (closer !== undefined) open.push(closer)
      else if (character === open.at(-1)) open.pop()
      index++
      if (open.length === 0) return index
    }
  }
  return code.length
}

/** The text with all that is no code blanked, character for character. */
export function codeOnly(code: string): string {
  return tokensOf(code)
    .map(({ type, start, end }) => {
      const text = code.slice(start, end)
      return type === 'code' ? text : text.replace(/[^\n]/g, type === 'comment' ? ' ' : '_')
    })
    .join('')
}

/** The arguments between two brackets, trimmed. `start` is the index of the opening one. */
export function argumentsAt(code: string, start: number): { readonly values: readonly string[]; readonly end: number } {
  const end = bracketEnd(code, start)
  const values: string[] = []
  let from = start + 1
  let index = from
  const inner = codeOnly(code.slice(0, end))
  while (index < end - 1) {
    if (closers[inner[index] as string] !== undefined) index = bracketEnd(code, index)
    else if (inner[index++] === ',') {
      values.push(code.slice(from, index - 1).trim())
      from = index
    }
  }
  const last = code.slice(from, end - 1).trim()
  return { values: last === '' ? values : [...values, last], end }
}

/**
 * The statements at the top of a script, with the comments before them.
 * A line ends one where no bracket is open and the next line does not go on with it.
 */
export function statementsOf(code: string): readonly string[] {
  const plain = codeOnly(code)
  const statements: string[] = []
  let start = 0
  let index = 0
  const end = (): void => {
    if (code.slice(start, index).trim() !== '')
      statements.push(code.slice(start, index).replace(/^\n+|(?<!\s)\s+$/g, ''))
    start = index
  }
  while (index < code.length) {
    const character = plain[index] as string
    if (closers[character] !== undefined) {
      index = bracketEnd(code, index)
    } else {
      index++
      const isLineEnd = character === '\n' && plain.slice(start, index).trim() !== ''
      if (character === ';' || (isLineEnd && !goesOn(plain, index))) end()
    }
  }
  end()
  return statements
}

/** Whether what stands at `index` belongs to the statement before. */
function goesOn(plain: string, index: number): boolean {
  const before = plain.slice(Math.max(0, index - 60), index).trimEnd()
  const next = plain.slice(index, index + 60).trimStart()
  return /(?:[=+\-*/%&|^<>?:,.!~([{]|=>|\b(?:else|return|in|of|typeof|new))$/.test(before) &&
    !/(?:\+\+|--)$/.test(before)
    ? true
    : /^(?:[.?:*/%&|^=,)\]}]|\+(?!\+)|-(?!-)|<|>|else\b|catch\b|finally\b|while\b(?=[^{]*;)|instanceof\b|in\b)/.test(
        next,
      )
}
