/**
 * Lines of httpYac that are no lines of the format: `?? status == 200`, and blocks of JavaScript between `{{` and `}}`.
 *
 * Rules: an assertion begins with `??` and a blank. In a body it is one only where it stands at the very left and a
 * subject follows: programs in a body may begin lines so, too. A block begins with a line of `{{` and perhaps the name of
 * an event, `{{@response`, and ends with a line of `}}`; braces without such an end are text.
 */
import { isSeparator, type SourceLine } from './source-line.ts'

const QUESTION_MARK = 0x3f
const OPEN_BRACE = 0x7b

const assertionPattern = /^[ \t\f]*\?\?[ \t\f]/
const bodyAssertionPattern =
  /^\?\?[ \t\f]+(?:status|header|body|duration|js|xpath|jsonpath|cookie|size|url|version|variable)(?![\w(.])/

export function isAssertionLine({ text, mark }: SourceLine): boolean {
  return mark === QUESTION_MARK && assertionPattern.test(text)
}

export function isBodyAssertion({ text, mark }: SourceLine): boolean {
  return mark === QUESTION_MARK && bodyAssertionPattern.test(text)
}

export const foreignScriptProblem: { readonly message: string; readonly hint: string } = {
  message: 'a script of httpYac, which runs in Node.js and cannot be had here',
  hint: 'Write "< {% … %}" before the request line, "> {% … %}" after the body.',
}

/** The blocks of one section. */
export class ForeignScripts {
  readonly #lines: readonly SourceLine[]
  /** A block without an end was met: none that begins behind it has one either. */
  #hasNoEnd = false

  constructor(lines: readonly SourceLine[]) {
    this.#lines = lines
  }

  /** How many lines the block takes that begins at this index; 0 where none does. */
  lengthAt(index: number): number {
    const { mark, text } = this.#lines[index] as SourceLine
    if (mark !== OPEN_BRACE || this.#hasNoEnd || !/^\{\{(?:[+@][\w-]*)?[ \t\f]*$/.test(text)) return 0
    for (let at = index + 1; at < this.#lines.length; at++) {
      const line = this.#lines[at] as SourceLine
      if (/^\}\}[ \t\f]*$/.test(line.text)) return at - index + 1
      if (isSeparator(line)) break
    }
    this.#hasNoEnd = true
    return 0
  }
}
