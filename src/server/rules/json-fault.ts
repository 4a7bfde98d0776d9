/**
 * Finds the first error in a text that is not JSON. Engines report its place only for some errors, and each in its own
 * words.
 *
 * Rules: RFC 8259. Without recursion, because the depth of the text is not limited.
 */
export interface JsonFault {
  readonly offset: number
  /** States what was expected. */
  readonly message: string
}

type Expected = 'a value' | 'a value or "]"' | 'a name' | 'a name or "}"' | 'colon' | 'comma' | 'end'

const blanks = /[ \t\r\n]*/y
const mark = /[{}[\]:,]/y
const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
/** A piece of a string: an expression for the whole string would use the stack for each of its escapes. */
const stringPiece = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y

/** Undefined if the text is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = []
  let offset = 0
  let expected: Expected = 'a value'
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = offset
    const [found = ''] = pattern.exec(text) ?? []
    offset += found.length
    return found
  }
  const afterValue = (): Expected => (open.length === 0 ? 'end' : 'comma')
  for (;;) {
    take(blanks)
    if (offset === text.length && expected === 'end') return undefined
    const start = offset
    const isName: boolean = expected === 'a name' || expected === 'a name or "}"'
    const isValue: boolean = expected === 'a value' || expected === 'a value or "]"'
    if (text[offset] === '"' && (isName || isValue)) {
      offset++
      while (take(stringPiece) !== '');
      if (text[offset] !== '"') return { offset, message: 'expected the rest of a string, in double quotes' }
      offset++
      expected = isName ? 'colon' : afterValue()
      continue
    }
    if (isValue && take(literal) !== '') {
      expected = afterValue()
      continue
    }
    const found = take(mark)
    const around = open.at(-1)
    if (isValue && (found === '{' || found === '[')) {
      open.push(found)
      expected = found === '{' ? 'a name or "}"' : 'a value or "]"'
    } else if (found === ':' && expected === 'colon') {
      expected = 'a value'
    } else if (found === ',' && expected === 'comma') {
      expected = around === '{' ? 'a name' : 'a value'
    } else if (
      (found === '}' && around === '{' && (expected === 'comma' || expected === 'a name or "}"')) ||
      (found === ']' && around === '[' && (expected === 'comma' || expected === 'a value or "]"'))
    ) {
      open.pop()
      expected = afterValue()
    } else return { offset: start, message: `expected ${descriptionOf(expected, around)}` }
  }
}

function descriptionOf(expected: Expected, around: '{' | '[' | undefined): string {
  switch (expected) {
    case 'a name':
    case 'a name or "}"':
      return expected.replace('a name', 'a name in double quotes')
    case 'colon':
      return '":" after the name'
    case 'comma':
      return around === '{' ? '"," or "}"' : '"," or "]"'
    case 'end':
      return 'the end of the file'
    default:
      return expected
  }
}
