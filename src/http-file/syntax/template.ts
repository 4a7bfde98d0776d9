/**
 * Finds `{{…}}` in text with positions, and renders it with values.
 *
 * Rules: the innermost braces count, so `{{{id}}}` is `{`, the variable, `}`; an expression contains no brace and no
 * line break; empty and unclosed braces are plain text. Values are inserted unchanged and never parsed as templates
 * again.
 */
import { lineOf, type SourceLine, spanIn, trimmed } from './source-line.ts'
import type { Span, Template, TemplatePart } from './span.ts'

const OPEN = 0x7b
const CLOSE = 0x7d
const CR = 0x0d
const LF = 0x0a

/** The template in a piece of a line. `from` and `to` are indices into its text. */
export function templateIn(line: SourceLine, from: number, to: number): Template {
  const text = line.text.slice(from, to)
  if (!text.includes('{{')) return { parts: text === '' ? [] : [{ type: 'text', text }] }
  const parts: TemplatePart[] = []
  let done = 0
  /** After the last `{{`, as long as only characters of an expression follow. */
  let open = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === OPEN) {
      open = text.charCodeAt(index - 1) === OPEN ? index + 1 : -1
    } else if (code === CLOSE) {
      const isClosed = open !== -1 && text.charCodeAt(index + 1) === CLOSE
      const expression = isClosed ? trimmed(text.slice(open, index)) : ''
      if (expression !== '') {
        if (open - 2 > done) parts.push({ type: 'text', text: text.slice(done, open - 2) })
        done = index + 2
        parts.push({ type: 'variable', expression, span: spanIn(line, from + open - 2, from + done) })
        index++
      }
      open = -1
    } else if (code === CR || code === LF) {
      open = -1
    }
  }
  if (done < text.length) parts.push({ type: 'text', text: text.slice(done) })
  // Copied, because a list that has grown has capacity for seventeen items, and a file has many lists.
  return { parts: parts.slice() }
}

/** Whether it contains no variables. */
export function isLiteral({ parts }: Template): boolean {
  return parts.every(({ type }) => type === 'text')
}

/** Joins templates with a text between them. */
export function joinTemplates(templates: readonly Template[], separator: string): Template {
  const [only] = templates
  if (only !== undefined && templates.length === 1) return only
  const parts: TemplatePart[] = []
  for (const [index, template] of templates.entries()) {
    if (index > 0 && separator !== '') append(parts, { type: 'text', text: separator })
    for (const part of template.parts) append(parts, part)
  }
  return { parts: parts.slice() }
}

/** One template for each typed line; a value may add line breaks. */
export function templateLines({ parts }: Template): readonly Template[] {
  const lines: TemplatePart[][] = [[]]
  for (const part of parts) {
    const pieces = part.type === 'text' ? part.text.split('\n') : [part]
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) lines.push([])
      if (piece !== '') lines.at(-1)?.push(typeof piece === 'string' ? { type: 'text', text: piece } : piece)
    }
  }
  return lines.map((line) => ({ parts: line }))
}

/** Merges adjacent texts. */
function append(parts: TemplatePart[], part: TemplatePart): void {
  const last = parts.at(-1)
  if (part.type === 'text' && last?.type === 'text')
    parts[parts.length - 1] = { type: 'text', text: last.text + part.text }
  else parts.push(part)
}

/** The template as text. `value` returns the value of an expression. */
export function renderTemplate(template: Template, value: (expression: string, span: Span) => string): string {
  let text = ''
  for (const part of template.parts) text += part.type === 'text' ? part.text : value(part.expression, part.span)
  return text
}

/** The template as written, except for white space inside braces. */
export function templateText(template: Template): string {
  return renderTemplate(template, (expression) => `{{${expression}}}`)
}

/** Whether the plain text contains `{{`: unclosed, or with nothing between the braces. */
export function hasUnclosedBraces(template: Template): boolean {
  return template.parts.some((part) => part.type === 'text' && part.text.includes('{{'))
}

/** The mistake of a template with unclosed braces. */
export const unclosedVariable = { message: '"{{" is not closed', hint: 'Close the variable with "}}".' }

/** A template in a separate text, such as a value of an environment file. Positions are those in the text. */
export function parseTemplate(text: string): Template {
  return templateIn(lineOf(text, 0, text.length, '', 1), 0, text.length)
}
