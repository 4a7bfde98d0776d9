/**
 * Formats one part of a section for `fmt`.
 *
 * Rules: one space between words, `Name: value`, `@name = value`, `# @tag value`; continuation lines are indented by
 * four spaces. Bodies are unchanged except for the blanks between `<` and a path. Text whose lines would become
 * ambiguous stays unchanged.
 */
import { isBlank, linesOf, trimmed } from './syntax/source-line.ts'
import type {
  CommentNode,
  DirectiveNode,
  HeaderNode,
  Part,
  RequestLineNode,
  ScriptNode,
  TagNode,
} from './syntax/syntax-tree.ts'
import { templateText } from './syntax/template.ts'

const INDENT = '    '

/** The zone of the section that contains the part. */
export type Zone = 'head' | 'headers' | 'body' | 'after-body'

export function formatPart(part: Part, zone: Zone, lineEnd: string): string {
  if (zone === 'body' && part.kind !== 'body-file') return part.text
  switch (part.kind) {
    case 'tag':
      return tagText(part) + lineEnd
    case 'comment':
      return commentText(part, zone) + lineEnd
    case 'variable':
      return (
        `@${part.name} = ${trimmed(part.text.slice(part.text.indexOf('=') + 1).replace(/(?<![\r\n])[\r\n]+$/, ''))}`.trimEnd() +
        lineEnd
      )
    case 'directive':
      return directiveText(part, lineEnd)
    case 'script':
      return scriptText(part) + lineEnd
    case 'request-line':
      return continuedText(requestLineText(part), part, lineEnd)
    case 'header':
      return continuedText(headerText(part), part, lineEnd)
    case 'body-file':
      return `<${part.substitutes ? `@${part.charset ?? ''}` : ''} ${templateText(part.path)}${lineEnd}`
    case 'redirect':
      return `>>${part.shouldOverwrite ? '!' : ''} ${templateText(part.path)}${lineEnd}`
    case 'reference':
      return `<> ${templateText(part.path)}${lineEnd}`
    default:
      return part.text
  }
}

function tagText({ name, value, text }: TagNode): string {
  if (trimmed(text).startsWith('??')) return `?? ${value}`
  return `# @${name} ${value}`.trimEnd()
}

/**
 * Three number signs at the start of a line would be a separator. After the request line an indented comment is usually
 * a disabled part of the URL.
 */
function commentText({ text }: CommentNode, zone: Zone): string {
  const bare = trimmed(text.replace(/(?<![\r\n])[\r\n]+$/, ''))
  if (zone === 'headers' && /^[ \t\f]/.test(text)) return INDENT + bare
  return bare.startsWith('###') ? ` ${bare}` : bare
}

function directiveText(part: DirectiveNode, lineEnd: string): string {
  if (/[\r\n]./.test(part.text)) return trimmedLines(part.text, lineEnd)
  const { directive, target, overrides } = part
  const name = target.type === 'request' ? `#${target.name}` : templateText(target.path)
  const list = overrides.map((each) => `@${each.name} = ${templateText(each.value)}`.trimEnd()).join(', ')
  return `${directive} ${name}${overrides.length === 0 ? '' : ` (${list})`}${lineEnd}`
}

function trimmedLines(text: string, lineEnd: string): string {
  return linesOf(text)
    .map((line) => line.text.replace(/(?<![ \t\f])[ \t\f]+$/, '') + lineEnd)
    .join('')
}

const scriptMarks: Readonly<Record<ScriptNode['phase'], string>> = { 'pre-request': '<', handler: '>', common: '=' }

function scriptText({ phase, source }: ScriptNode): string {
  const mark = scriptMarks[phase]
  if (source.type === 'file') return `${mark} ${templateText(source.path)}`
  return `${mark}${phase === 'common' ? '' : ' '}{%${source.code}%}`
}

function requestLineText({ text, method, version }: RequestLineNode): string {
  const first = trimmed(linesOf(text)[0]?.text ?? '')
  const rest = method === undefined ? first : trimmed(first.slice(method.length))
  const spaced =
    version === undefined
      ? rest
      : rest.replace(/(?<![ \t\f])[ \t\f]+(HTTP\/\S+(?:[ \t]+\(Prior Knowledge\))?)$/, spacedVersion)
  return `${method === undefined ? '' : `${method} `}${spaced}`.trimEnd()
}

function spacedVersion(_: string, version: string): string {
  return ` ${version.replace(/[ \t]+/, ' ')}`
}

function headerText({ name, text }: HeaderNode): string {
  const first = linesOf(text)[0]?.text ?? ''
  const colon = first.indexOf(':', first.indexOf(templateName(first)) + templateName(first).length)
  return `${templateText(name)}: ${trimmed(first.slice(colon + 1))}`.trimEnd()
}

/** The name as written: the braces of a variable may contain a colon. */
function templateName(line: string): string {
  return /^[ \t\f]*((?:\{\{[^{}]*\}\}|[^:{]+|\{)*)/.exec(line)?.[1] ?? ''
}

/** The given first line, then the continuation lines, indented. */
function continuedText(first: string, { text }: RequestLineNode | HeaderNode, lineEnd: string): string {
  const [, ...others] = linesOf(text)
  const lines = others.map((line) => (isBlank(line) ? '' : INDENT + trimmed(line.text)))
  return [first, ...lines].join(lineEnd) + lineEnd
}
