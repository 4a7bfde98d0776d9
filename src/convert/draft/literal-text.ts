/**
 * Any text as one that a request file sends exactly so.
 *
 * Rules: braces that would read as a variable, and lines of a body that would read as a comment, a separator, a script, a
 * file or as blank lines at its edge, are kept apart by `{{empty}}`, a variable without content. A character that no line
 * can hold, such as CR, is a variable that a script sets. Who writes such a text defines these variables.
 */
import { parseTemplate, type Template } from '../../http-file/index.ts'

/** The name of the variable that holds nothing. */
export const EMPTY = 'empty'
const MARK = `{{${EMPTY}}}`

/** A text without variables: its braces stand for themselves. */
export function literal(text: string): string {
  return text.replace(/\{(?=\{)/g, `{${MARK}`)
}

/** A piece of a text: characters that represent themselves, or a variable. */
export type TextPiece = string | { readonly expression: string }

/** The text of the pieces. Braces of two pieces that would read as a variable together are kept apart, too. */
export function pieceText(pieces: readonly TextPiece[]): string {
  let text = ''
  let plain = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      plain += piece
    } else {
      text += `${literal(plain)}{{${piece.expression}}}`
      plain = ''
    }
  }
  return text + literal(plain)
}

/**
 * A text of a tool whose templates are written `{{…}}`, too.
 * @param expressionOf the variable of a request file; undefined where the tool leaves the braces as they are
 */
export function templatedText(text: string, expressionOf: (inner: string) => string | undefined): string {
  return pieceText(templatePieces(text, expressionOf))
}

/** The same in pieces, for texts with escapes outside of the templates. */
export function templatePieces(
  text: string,
  expressionOf: (inner: string) => string | undefined,
): readonly TextPiece[] {
  return text.split(/(\{\{[^{}]*\}\})/).map((piece, index) => {
    const expression = index % 2 === 1 ? expressionOf(piece.slice(2, -2).trim()) : undefined
    return expression === undefined ? piece : { expression }
  })
}

/** Two texts of a draft as one, so that no variable arises between them. */
export function joinedText(before: string, after: string): string {
  return before.endsWith('{') && after.startsWith('{') ? before + MARK + after : before + after
}

/** What a text comes to that holds no variables but the one without content. */
export function withoutMarks(text: string): string {
  return text.replaceAll(MARK, '')
}

/** The same in a URL, where escapes do it. */
export function literalUrl(text: string): string {
  return text.replaceAll('{{', '%7B%7B').replaceAll('}}', '%7D%7D')
}

/** Lines that are something else than text when they stand in a body. */
const specialLine = /^[ \t\f]*(?:#|\/\/|===|<(?:@|>|[ \t\f]|\{%)|>)/
const blankLine = /^[ \t\f]*$/
const unwritable = /[\x00-\x08\x0b-\x1f\x7f]/g

/** The lines of a body that stand for exactly this text, LF between them. */
export function bodyLines(text: string): string {
  const lines = text.replace(unwritable, (character) => `{{${controlName(character)}}}`).split('\n')
  return lines
    .map((line, index) => {
      const isEdge = index === 0 || index === lines.length - 1
      return specialLine.test(line) || (isEdge && blankLine.test(line)) ? MARK + line : line
    })
    .join('\n')
}

/** What the variables stand for that `bodyLines` put into a text. */
export function controlsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [character] of text.matchAll(unwritable)) found.set(controlName(character), character)
  return found
}

function controlName(character: string): string {
  const names: Readonly<Record<string, string>> = { '\r': 'cr', '\0': 'nul' }
  return names[character] ?? `control-${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

export function usesEmpty(text: string): boolean {
  return text.includes(MARK)
}

/** `change` applied to what is no variable. */
export function mapText(text: string, change: (plain: string) => string): string {
  return joined(parseTemplate(text), change)
}

/** The template as text, `change` applied to what is no variable. */
function joined({ parts }: Template, change: (plain: string) => string): string {
  return parts.map((part) => (part.type === 'text' ? change(part.text) : `{{${part.expression}}}`)).join('')
}

/** One line, its ends trimmed: for names, comments and header values. */
export function oneLine(text: string): string {
  return text
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** A path behind `<`: on one line, and never the mark of a script or of another form of file. */
export function pathText(path: string): string {
  const line = oneLine(path)
  return /^(?:[\w./\\~]|\{\{)/u.test(line) && !line.startsWith('{{{') ? line : `./${line}`
}

/** A name that a variable of a request file can have: `_` in place of what does not fit. */
export function variableName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}_-]/gu, '_')
}
