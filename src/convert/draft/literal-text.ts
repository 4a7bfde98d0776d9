/**
 * Writes any text so that a request file sends exactly this text.
 *
 * Rules: braces that would read as a variable, and lines of a body that would read as a comment, a separator, a script,
 * a file, an assertion, the next request or blank lines at its edge, are broken up by `{{empty}}`, a variable without
 * content. A character that cannot be in a line, such as CR, is a variable that a script sets. The writer of the text
 * defines these variables.
 */
import { parseTemplate } from '../../http-file/index.ts'

/** The name of the empty variable. */
export const EMPTY = 'empty'
/** Its template. */
export const MARK: string = `{{${EMPTY}}}`

/** A text without variables: its braces are literal. */
export function literal(text: string): string {
  return text.replace(/\{(?=\{)/g, `{${MARK}`)
}

/** A piece of a text: literal characters, or a variable. */
export type TextPiece = string | { readonly expression: string }

/** The text of the pieces. Braces of two pieces that would together read as a variable are broken up. */
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
 * A text of a tool whose templates are also written `{{…}}`.
 * @param expressionOf the variable of a request file; undefined if the tool leaves the braces unchanged
 */
export function templatedText(text: string, expressionOf: (inner: string) => string | undefined): string {
  return pieceText(templatePieces(text, expressionOf))
}

/** The same in pieces, for texts with escapes outside the templates. */
export function templatePieces(
  text: string,
  expressionOf: (inner: string) => string | undefined,
): readonly TextPiece[] {
  return text.split(/(\{\{[^{}]*\}\})/).map((piece, index) => {
    const expression = index % 2 === 1 ? expressionOf(piece.slice(2, -2).trim()) : undefined
    return expression === undefined ? piece : { expression }
  })
}

/** Joins two texts of a draft so that they form no new variable. */
export function joinedText(before: string, after: string): string {
  return before.endsWith('{') && after.startsWith('{') ? before + MARK + after : before + after
}

/** The content of a text without variables other than the empty one. */
export function withoutMarks(text: string): string {
  return text.replaceAll(MARK, '')
}

/** The same in a URL, where escapes do it. */
export function literalUrl(text: string): string {
  return text.replaceAll('{{', '%7B%7B').replaceAll('}}', '%7D%7D')
}

/** Lines with another meaning when they are in a body. */
const specialLine = /^[ \t\f]*(?:#|\/\/|===|\?\?|<(?:@|>|[ \t\f]|\{%)|>)/
/** First lines of a body that would read as the next request, one of its variables, or a response. */
const specialFirstLine = /^(?:@|HTTP\/\d|[A-Z]+[ \t]+(?:[a-z]+:\/\/|\{\{|\/))/
const blankLine = /^[ \t\f]*$/
const unwritable = /[\x00-\x08\x0b-\x1f\x7f]/g

/** The lines of a body with exactly this text, separated by LF. */
export function bodyLines(text: string): string {
  const lines = text.replace(unwritable, (character) => `{{${controlName(character)}}}`).split('\n')
  return lines
    .map((line, index) => {
      const isEdge = index === 0 || index === lines.length - 1
      const isSpecial = specialLine.test(line) || (index === 0 && specialFirstLine.test(line))
      return isSpecial || (isEdge && blankLine.test(line)) ? MARK + line : line
    })
    .join('\n')
}

/** The values of the variables that `bodyLines` put into a text. */
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

/** Applies `change` to all text except variables. */
export function mapText(text: string, change: (plain: string) => string): string {
  const { parts } = parseTemplate(text)
  return parts.map((part) => (part.type === 'text' ? change(part.text) : `{{${part.expression}}}`)).join('')
}

/** One line, trimmed, with single spaces: for names and comments. */
export function oneLine(text: string): string {
  return exactLine(text).replace(/ {2,}/g, ' ')
}

/** One line, trimmed, with its spaces: for values. */
export function exactLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim()
}

/** A path after `<`: on one line, and never the mark of a script or of another kind of file. */
export function pathText(path: string): string {
  const line = exactLine(path)
  return /^(?:[\w./\\~]|\{\{)/u.test(line) && !line.startsWith('{{{') ? line : `./${line}`
}

/** A valid name for a variable of a request file: invalid characters become `_`. */
export function variableName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}_-]/gu, '_')
}
