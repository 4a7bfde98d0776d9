/**
 * The meaning of a section as a comparable text: everything but positions and spacing.
 *
 * Rules: two sections with the same meaning send the same bytes, run the same scripts and contain the same comments,
 * all in the same order.
 */
import { trimmed } from './syntax/source-line.ts'
import type { Template } from './syntax/span.ts'
import type { Part, Section } from './syntax/syntax-tree.ts'
import { templateText } from './syntax/template.ts'

/** Empty for an empty section. */
export function meaningOf({ separator, parts, request }: Section): string {
  const meanings = parts.map(partMeaning).filter((meaning) => meaning !== undefined)
  if (separator === undefined && meanings.length === 0) return ''
  return JSON.stringify([separator?.name ?? null, request?.name ?? null, meanings])
}

/** Undefined for parts without meaning. */
function partMeaning(part: Part): unknown {
  const { kind } = part
  switch (kind) {
    case 'blank':
      return undefined
    case 'comment':
      return [kind, trimmed(part.text.replace(/(?<![\r\n])[\r\n]+$/, ''))]
    case 'tag':
      return [kind, part.name, part.value]
    case 'variable':
      return [kind, part.name, templateText(part.value)]
    case 'directive': {
      const overrides = part.overrides.map(({ name, value }) => [name, templateText(value)])
      const { target } = part
      return [kind, part.directive, target.type === 'file' ? templateText(target.path) : `#${target.name}`, overrides]
    }
    case 'script':
      return [kind, part.phase, part.source.type === 'inline' ? part.source.code : templateText(part.source.path)]
    case 'request-line':
      return [kind, part.method, templateText(part.target), part.version, commentsIn(part.text)]
    case 'header':
      return [kind, templateText(part.name), templateText(part.value), commentsIn(part.text)]
    case 'body-text':
      return [kind, exact(part.template)]
    case 'body-file':
      return [kind, templateText(part.path), part.substitutes, part.charset]
    case 'message-separator':
      return [kind, part.shouldWaitForServer]
    case 'redirect':
      return [kind, templateText(part.path), part.shouldOverwrite]
    case 'reference':
      return [kind, templateText(part.path)]
    case 'invalid':
      return [kind, part.text]
  }
}

function exact({ parts }: Template): readonly string[] {
  return parts.map((part) => (part.type === 'text' ? part.text : `{{${part.expression}}}`))
}

/** Comment lines between the lines of a continued node. */
function commentsIn(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .slice(1)
    .map(trimmed)
    .filter((line) => /^(?:#|\/\/)/.test(line))
}
