/**
 * Recognises lines of other tools, mainly httpYac, that are not part of the format: `?? status == 200`, blocks of
 * JavaScript between `{{` and `}}`, headers of a variable, responses, GraphQL fragments, variables of restclient,
 * scripts in Lua.
 *
 * Rules: an assertion begins with `??` and a blank. Programs in a body may contain such lines as well. In a body, an
 * assertion must therefore have a known subject, and be below a blank line or without indent. If it is both, the subject
 * may be unknown, so that a misspelt one is an error instead of being sent. A block begins with a line of `{{`,
 * optionally with the name of an event (`{{@response`), and ends with a line of `}}`; braces without such an end are
 * text.
 */
import type { Mistake } from './diagnostic.ts'
import { isBlank, isSeparator, type SourceLine } from './source-line.ts'

const QUESTION_MARK = 0x3f
const OPEN_BRACE = 0x7b

const assertionPattern = /^[ \t\f]*\?\?[ \t\f]/
/** A subject, or one that is written as in a script and has a predicate, whose error says how to write it. */
const bodyAssertionPattern =
  /^[ \t\f]*\?\?[ \t\f]+(?:(?:status|header|body|duration|js|xpath|jsonpath|cookie|size|url|version|variable)(?![\w(.[])|(?:response|header|body|headers|cookies?|json)[.[]\S*[ \t\f]+(?:[=!]==?|[<>]=?|(?:not|equals|startswith|endswith|includes|contains|exists|matches|is\w+)(?!\S)))/i

/** Any subject with a predicate. */
const unknownSubjectPattern =
  /^\?\?[ \t]+[\w$.-]+(?:[ \t]+\S+)?[ \t]+(?:[=!]==?|[<>]=?|(?:equals|startswith|endswith|includes|contains|exists|matches|is\w+)(?!\S))/i

export function isAssertionLine({ text, mark }: SourceLine): boolean {
  return mark === QUESTION_MARK && assertionPattern.test(text)
}

/** @param before the line before it */
export function isBodyAssertion({ text, mark }: SourceLine, before: SourceLine | undefined): boolean {
  if (mark !== QUESTION_MARK) return false
  const isBelowBlank = before === undefined || isBlank(before)
  if (isBelowBlank && unknownSubjectPattern.test(text)) return true
  return (isBelowBlank || text.startsWith('?')) && bodyAssertionPattern.test(text)
}

export const foreignScriptProblem: Mistake = {
  message: 'a script of httpYac, which runs in Node.js, is not supported',
  hint: 'Write "< {% … %}" before the request line, "> {% … %}" after the body.',
}

const responseLine: ForeignForm = {
  pattern: /^HTTP\/\d(?:\.\d)?[ \t]+\d{3}\b/,
  message: 'the status line of a response: expected a request',
  hint: 'Delete the response, or begin each of its lines with "#".',
}

/** A line of another tool, and its replacement. */
interface ForeignForm extends Mistake {
  readonly pattern: RegExp
}

const commentStart = /^\/\*(?=[ \t*]|$)/

const forms: Readonly<Record<'head' | 'header' | 'body', readonly ForeignForm[]>> = {
  head: [
    {
      pattern: commentStart,
      message: 'a comment between "/*" and "*/", as httpYac reads it, is not supported',
      hint: 'Begin each line of the comment with "#".',
    },
    responseLine,
    {
      pattern: /^:[\w-]+[ \t]*:?=/,
      message: 'a variable as restclient of Emacs reads it is not supported',
      hint: 'Write "@name = value", and {{name}} where it is used; begin each request with a line "###".',
    },
    {
      pattern: /^proto[ \t]+</,
      message: 'the definition of a gRPC service, as httpYac reads it, is not supported',
      hint: 'Write "# @grpc-proto file.proto" above the request line.',
    },
    {
      pattern: /^(?:gql|fragment|query|mutation|subscription)[ \t]+\w+[ \t]*(?:[=<{($]|on[ \t])/,
      message: 'GraphQL outside of a request, as httpYac reads it, is not supported',
      hint: 'Write all of the query into the body of a GRAPHQL request, or "< file" for a query in a file.',
    },
  ],
  header: [
    responseLine,
    {
      pattern: /^[ \t]*\.\.\.[A-Za-z_$]/,
      message: 'headers of a variable, as httpYac reads them, are not supported',
      hint: 'Write each header in a line: "Name: {{value}}".',
    },
  ],
  body: [
    responseLine,
    {
      pattern: /^gql[ \t]+\w+[ \t]*<[ \t]*[^\s<]+[ \t]*$/,
      message: 'a GraphQL query of a file, as httpYac reads it, is not supported',
      hint: 'Write "< file" as the body of a GRAPHQL request.',
    },
  ],
}

/** The other tool's form that a line has in this zone of a section. */
export function foreignLine({ text }: SourceLine, zone: keyof typeof forms): Mistake | undefined {
  return forms[zone].find(({ pattern }) => pattern.test(text))
}

/**
 * The number of lines in the comment that begins at this index, with its end; 0 if none does, or if another comment or
 * the end of the file comes first. Lines of `###` are part of it.
 */
export function foreignCommentLength(lines: readonly SourceLine[], index: number): number {
  if (!commentStart.test((lines[index] as SourceLine).text)) return 0
  for (let at = index; at < lines.length; at++) {
    const { text } = lines[at] as SourceLine
    if (at > index && commentStart.test(text)) return 0
    if (/\*\/[ \t\f]*$/.test(text)) return at - index + 1
  }
  return 0
}

/** Whether code begins with Kulala's marker for Lua: `-- lua`. */
export function isLua(code: string): boolean {
  return /^\s*--[ \t]*lua\b/i.test(code)
}

export const luaProblem: Mistake = {
  message: 'a script in Lua, as Kulala.nvim and rest.nvim run it, is not supported',
  hint: 'Write the script in JavaScript.',
}

/** The blocks of one section. */
export class ForeignScripts {
  readonly #lines: readonly SourceLine[]
  /** Set when a block without an end was found: no later one has an end either. */
  #hasNoEnd = false

  constructor(lines: readonly SourceLine[]) {
    this.#lines = lines
  }

  /** The number of lines in the block that begins at this index; 0 if none does. */
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
