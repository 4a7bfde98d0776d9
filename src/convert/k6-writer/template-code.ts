/**
 * Templates as expressions of a light load test: `{{host}}/users` becomes `${v('host')}/users`.
 *
 * Rules: a text with variables becomes a template literal, any other text a plain literal. In JSON, a variable outside
 * a string may have a value that needs quotes.
 */
import {
  type BodyFileNode,
  isLiteral,
  joinTemplates,
  type Request,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { Code, quoted } from './code-text.ts'

export function templateCode(template: Template): Code {
  return code(template, (expression) => `v(${quoted(expression)})`)
}

export function jsonCode(template: Template): Code {
  return code(template, (expression, before) => `${endsInString(before) ? 'v' : 'json'}(${quoted(expression)})`)
}

/** @param variable receives an expression, the literal text before it, and the index of the part */
export function code(
  { parts }: Template,
  variable: (expression: string, before: string, index: number) => string,
): Code {
  if (isLiteral({ parts })) return new Code(quoted(templateText({ parts })))
  let before = ''
  const pieces = parts.map((part, index) => {
    if (part.type !== 'text') return `\${${variable(part.expression, before, index)}}`
    before += part.text
    return literalText(part.text)
  })
  const [only = ''] = pieces
  return new Code(pieces.length === 1 ? only.slice(2, -1) : `\`${pieces.join('')}\``)
}

/** The texts and files of a body: a comment line splits a text into several nodes, which are joined again. */
export function joinedBody(body: Request['body']): readonly (Template | BodyFileNode)[] {
  const joined: (Template | BodyFileNode)[] = []
  let texts: Template[] = []
  const flush = (): void => {
    if (texts.length > 0) joined.push(joinTemplates(texts, '\n'))
    texts = []
  }
  for (const part of body) {
    if (part.kind === 'body-text') texts.push(part.template)
    else {
      flush()
      joined.push(part)
    }
  }
  flush()
  return joined
}

/** The template without the beginning of its first text. */
export function partsFrom({ parts: [first, ...others] }: Template, at: number): Template {
  return first?.type === 'text' ? { parts: [{ ...first, text: first.text.slice(at) }, ...others] } : { parts: [] }
}

/** A text within a template literal. Only a line feed stays: a carriage return would become one. */
export function literalText(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)/g, '\\$&').replace(/[\0-\x09\x0b-\x1f\x7f\u2028\u2029]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Whether a piece of JSON ends inside a string. */
export function endsInString(json: string): boolean {
  return (json.replace(/\\./gs, '').split('"').length & 1) === 0
}
