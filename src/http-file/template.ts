/**
 * Text with `{{…}}` in it: found with positions, put together again with values.
 *
 * Rules: the innermost braces count, so `{{{id}}}` is `{`, the variable, `}`; an expression holds no brace and no line
 * end; empty braces and braces that are not closed are plain text. Values are inserted as they are and never read as
 * templates again here.
 */

import { type SourceLine, spanIn, trimmedRange } from './source-line.ts'
import type { Span, Template, TemplatePart } from './syntax-tree.ts'

const expressionPattern = /\{\{([^{}\r\n]*)\}\}/g

/** The template in a piece of a line. `from` and `to` are indexes into its text. */
export function templateIn(line: SourceLine, from: number, to: number): Template {
  const text = line.text.slice(from, to)
  const parts: TemplatePart[] = []
  let done = 0
  if (text.includes('{{')) {
    for (const match of text.matchAll(expressionPattern)) {
      const [start, end] = trimmedRange(match[1] as string)
      if (start === end) continue
      if (match.index > done) parts.push({ type: 'text', text: text.slice(done, match.index) })
      done = match.index + match[0].length
      const span = spanIn(line, from + match.index, from + done)
      parts.push({ type: 'variable', expression: (match[1] as string).slice(start, end), span })
    }
  }
  if (done < text.length) parts.push({ type: 'text', text: text.slice(done) })
  return { parts }
}

/** Templates one behind the other with a text between them. */
export function joinTemplates(templates: readonly Template[], separator: string): Template {
  const parts: TemplatePart[] = []
  for (const [index, template] of templates.entries()) {
    if (index > 0 && separator !== '') append(parts, { type: 'text', text: separator })
    for (const part of template.parts) append(parts, part)
  }
  return { parts }
}

/** Neighbouring texts become one. */
function append(parts: TemplatePart[], part: TemplatePart): void {
  const last = parts.at(-1)
  if (part.type === 'text' && last?.type === 'text')
    parts[parts.length - 1] = { type: 'text', text: last.text + part.text }
  else parts.push(part)
}

/** The template as text. `value` gives what an expression stands for. */
export function renderTemplate(template: Template, value: (expression: string, span: Span) => string): string {
  let text = ''
  for (const part of template.parts) text += part.type === 'text' ? part.text : value(part.expression, part.span)
  return text
}

/** The template as it was written, but for white space inside braces. */
export function templateText(template: Template): string {
  return renderTemplate(template, (expression) => `{{${expression}}}`)
}

/** Whether `{{` stands in the plain text: never closed, or with nothing between the braces. */
export function hasUnclosedBraces(template: Template): boolean {
  return template.parts.some((part) => part.type === 'text' && part.text.includes('{{'))
}

/** A template in a text of its own, such as a value of an environment file. Positions are those in the text. */
export function parseTemplate(text: string): Template {
  return templateIn({ text, end: '', offset: 0, number: 1 }, 0, text.length)
}
