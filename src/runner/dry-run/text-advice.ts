/**
 * Warns about text that is sent although it looks like something else: braces that are not a variable, a request below
 * a missing separator, a variable in a body, invisible characters.
 *
 * Lines are checked as written, without the values of variables. In bodies that may contain HTTP messages, some of this
 * text is valid and not reported.
 */
import {
  type BodyTextNode,
  type CommentNode,
  type HeaderNode,
  type Request,
  type RequestLineNode,
  type Section,
  type Span,
  templateText,
  type UnicodePattern,
  unicodePattern,
} from '../../http-file/index.ts'
import type { AdviceCode } from '../base/error-codes.ts'
import { requestFields } from './field-names.ts'
import type { Advice } from './request-advice.ts'

/** A line of a node. */
interface Line {
  readonly text: string
  /** The text with each variable replaced by characters that match nothing. */
  readonly plain: string
  readonly span: Span
  /** Whether this is the first line of its node, or the line above it is empty. */
  readonly isAfterEmpty: boolean
}

interface Mistake {
  readonly pattern: RegExp | UnicodePattern
  readonly code: AdviceCode
  /** @param match the match of the pattern; its first group is shown in the message */
  readonly message: (match: RegExpExecArray) => string
  readonly hint: string
  /** Whether the pattern also matches variables. */
  readonly readsVariables?: boolean
  /** Whether the pattern applies only below an empty line. */
  readonly isAfterEmpty?: boolean
}

const extraBraces: Mistake = {
  pattern: /(\{\{\{[^{}\r\n]+\}\}\})/,
  code: 'extra-braces',
  message: ([, text]) => `${text} is a variable between two braces, which are sent`,
  hint: 'Write {{name}}: two braces on either side.',
  readsVariables: true,
}

/** Only in a body: elsewhere it is a syntax error. */
const unclosed: Mistake = {
  pattern: unicodePattern(String.raw`(\{\{[ \t]*\$?[\p{L}_][\p{L}\p{N}_.$-]*[ \t]*\}?)(?=$|[^\p{L}\p{N}_.$\s\{\}(-])`),
  code: 'unclosed-variable',
  message: ([, text]) => `${JSON.stringify(text)} is not closed, and is sent as written`,
  hint: 'Close the variable with "}}".',
}

const oneBrace: Mistake = {
  pattern: unicodePattern(String.raw`(?<!\{)(\{[\p{L}_][\p{L}\p{N}_.-]*\}+)`),
  code: 'single-brace',
  message: ([, text]) => `${JSON.stringify(text)} is not a variable, and is sent as written`,
  hint: 'Write {{name}} for the value of a variable, or the value itself.',
}

const unseen: readonly Mistake[] = [
  {
    pattern: /([\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff])/,
    code: 'invisible-character',
    message: ([, text = '']) => `an invisible character, ${codePoint(text)}, is sent`,
    hint: 'Delete it, or type a space in its place.',
  },
  {
    pattern: /([\u2018\u2019\u201c-\u201e])/,
    code: 'typographic-quote',
    message: ([, text = '']) => `a typographic quote, ${text} (${codePoint(text)}), is sent`,
    hint: 'Write \' or ".',
  },
]

const version: Mistake = {
  pattern: /[ \t]((?!HTTP\/)[Hh][Tt]{1,3}[Pp]?[Ss]?[ \t]?\/?[ \t]?[0-9l](?:\.\w)?)[ \t]*$/,
  code: 'misspelt-version',
  message: ([, text]) => `${JSON.stringify(text)} is not an HTTP version, and becomes part of the URL`,
  hint: 'Write HTTP/1.1, or omit it.',
}

const lateComment: Mistake = {
  pattern: /[ \t]((?:#|\/\/)[ \t].*)$/s,
  code: 'comment-in-url',
  message: ([, text]) => `${JSON.stringify(text)} is not a comment, but part of the URL`,
  hint: 'Put it on a separate line.',
}

const lateBody: Mistake = {
  pattern: /[ \t](\{[ \t]*(?:["'}\0]|$).*)$/s,
  code: 'body-in-url',
  message: () => 'this text looks like a body, but is part of the URL',
  hint: 'Write the body below an empty line.',
  readsVariables: true,
}

/** `:verb` within a segment is common, but a segment that begins with a colon is a place for a value in other tools. */
const colonParameter: Mistake = {
  pattern: /\/(:[A-Za-z_]\w*)(?=[/?#\s]|$)/,
  code: 'colon-parameter',
  message: ([, text]) => `${JSON.stringify(text)} is not a variable, and is sent as written`,
  hint: 'Write {{name}} for the value of a variable, or the value itself.',
}

const lostLines: readonly Mistake[] = [
  {
    pattern:
      /^\ufeff?((?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+(?:https?:\/\/|\/|\0)\S*(?:[ \t]+HTTP\/[\d.]+)?)[ \t]*$/,
    code: 'request-in-body',
    message: () => 'a request line, which is sent as part of the body above it',
    hint: 'Begin the next request with a line "###".',
    isAfterEmpty: true,
  },
  {
    pattern: /^(HTTP\/\d(?:\.\d)?[ \t]+\d{3}\b)/,
    code: 'response-in-body',
    message: () => 'the status line of a response, which is sent as part of the body',
    hint: 'Delete the response, or begin each of its lines with "#".',
    isAfterEmpty: true,
  },
  {
    pattern: unicodePattern(String.raw`^(@[\p{L}_][\p{L}\p{N}_.-]*[ \t]*=)`),
    code: 'variable-in-body',
    message: () => 'the definition of a variable, which is sent as part of the body',
    hint: 'Put it above the request line, or below a line "###".',
    isAfterEmpty: true,
  },
  {
    pattern:
      /^(\?\?)[ \t]+[\w$.-]+(?:[ \t]+\S+)?[ \t]+(?:[=!]==?|[<>]=?|equals|includes|contains|exists|matches|is[a-z]+)(?!\S)/i,
    code: 'assertion-in-body',
    message: () => 'an assertion with an unknown subject, which is sent as part of the body',
    hint: 'Begin it with a subject, such as "?? status == 200" or "?? body items[0].id == 7".',
  },
  {
    pattern: /^[\ufeff\u200b\u00a0]+(###)/,
    code: 'separator-in-body',
    message: () => 'a separator after an invisible character, which is sent as part of the body',
    hint: 'Delete the text before "###".',
  },
  {
    pattern: /^[ \t]*(%\})[ \t]*$/,
    code: 'script-end-in-body',
    message: () => 'the end of a script without its "{%", which is sent as part of the body',
    hint: 'Begin the script with "> {%".',
  },
]

const headerInBody: Mistake = {
  pattern: new RegExp(`^(${requestFields.join('|')}):[ \\t]+\\S`, 'i'),
  code: 'header-in-body',
  message: ([, name]) => `the header ${name}, which is sent as part of the body`,
  hint: 'Delete the empty line above it.',
}

/** Lines of a body that are not read as the name of a file. */
const lostFiles: readonly Mistake[] = [
  {
    pattern: /^(>>!?|<>|<@)[ \t]*$/,
    code: 'file-in-body',
    message: ([, mark]) => `${JSON.stringify(mark)} without the path of a file, which is sent as part of the body`,
    hint: 'Write the path after it, or delete the line.',
  },
  {
    pattern: /^([<>](?:\.{1,2}[\\/]\S*|[^\s<>=/]+\.(?:json|xml|txt|csv|bin|html?|graphql|gql|[cm]?js)))[ \t]*$/i,
    code: 'file-in-body',
    message: ([, text = '']) => `no space after "${text[0]}": ${JSON.stringify(text)} is sent as part of the body`,
    hint: 'Write a space before the path.',
    readsVariables: true,
  },
]

/** Bodies of these types may contain messages, or source code with variables. */
const messageTypes = /^(?:multipart|message)\/|^application\/(?:http|sql)\b/i

/** @param isFirst whether the section is the first one of its file */
export function textAdvice({ separator, parts, request }: Section, isFirst: boolean): readonly Advice[] {
  const comments = parts.filter((part): part is CommentNode => part.kind === 'comment')
  return [
    ...comments.flatMap((comment) => found([comment], [indentedSeparator])),
    ...(request === undefined || separator !== undefined || isFirst ? [] : [unseparated(request)]),
    ...(request === undefined ? [] : sentAdvice(request)),
  ]
}

/** Other editors send such a line as the body of the request above. */
function unseparated({ line: { span } }: Request): Advice {
  return {
    code: 'missing-separator',
    message: 'this request is not separated from the one above it',
    hint: 'Write a line "###" above it: other tools send it as the body of that request.',
    span: { ...span, length: 1 },
  }
}

function sentAdvice({ line, headers, body }: Request): readonly Advice[] {
  const texts = body.filter((part): part is BodyTextNode => part.kind === 'body-text')
  const type = headers.find(({ name }) => /^content-type$/i.test(templateText(name)))?.value
  const hasMessages = type !== undefined && messageTypes.test(templateText(type))
  const [first] = body
  return [
    ...found([line], [extraBraces, oneBrace, ...unseen, version, lateComment, lateBody, colonParameter]),
    ...found(headers, [extraBraces, ...unseen]),
    ...found(texts, [extraBraces, unclosed, ...lostFiles, ...(hasMessages ? [] : lostLines)]),
    ...(first?.kind === 'body-text' && !hasMessages ? foundIn(linesOf(first)[0] as Line, [headerInBody]) : []),
  ]
}

/** `###` is a separator only at the start of a line. */
const indentedSeparator: Mistake = {
  pattern: /^[ \t]+(###)/,
  code: 'indented-separator',
  message: () => 'an indented "###" is a comment, and does not separate requests',
  hint: 'Remove the indent.',
}

type Node = RequestLineNode | HeaderNode | BodyTextNode | CommentNode

function found(nodes: readonly Node[], mistakes: readonly Mistake[]): readonly Advice[] {
  return nodes.flatMap(linesOf).flatMap((line) => foundIn(line, mistakes))
}

function foundIn({ text, plain, span, isAfterEmpty }: Line, mistakes: readonly Mistake[]): readonly Advice[] {
  return mistakes.flatMap(({ pattern, code, message, hint, ...mistake }) => {
    if (mistake.isAfterEmpty === true && !isAfterEmpty) return []
    const searched = mistake.readsVariables === true ? text : plain
    const match = (typeof pattern === 'function' ? pattern(searched) : pattern).exec(searched)
    if (match === null) return []
    const [whole, shown = whole] = match
    const start = match.index + whole.indexOf(shown)
    const place = { offset: span.offset + start, line: span.line, column: start + 1, length: shown.length }
    return [{ code, message: message(match), hint, span: place }]
  })
}

/** The lines of a node, without the comments between them. */
function linesOf({ kind, span, text }: Node): readonly Line[] {
  const lines: Line[] = []
  // The span begins after the indent of the first line, which is part of the text.
  let offset = span.offset - (span.column - 1)
  let isAfterEmpty = true
  for (const [index, each] of text.split(/(?<=\r\n|\n|\r(?!\n))/).entries()) {
    const own = each.replace(/[\r\n]+$/, '')
    const place = { offset, line: span.line + index, column: 1, length: own.length }
    const plain = own.replace(/\{\{[^{}]*\}\}/g, (expression) => '\0'.repeat(expression.length))
    if (kind === 'comment' || kind === 'body-text' || !/^[ \t]*(?:#|\/\/)/.test(own)) {
      lines.push({ text: own, plain, span: place, isAfterEmpty })
    }
    isAfterEmpty = /^\s*$/.test(own) || (isAfterEmpty && own.startsWith('@'))
    offset += each.length
  }
  return lines
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
