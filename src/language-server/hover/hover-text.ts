/** The text of a hover, and its pieces in Markdown. */
import { basename } from 'node:path'
import type { Range } from 'vscode-languageserver-protocol'
import { uriOfPath } from '../base/file-uri.ts'

/** A text about a range of the document. */
export interface HoverText {
  readonly range: Range
  /** Markdown. */
  readonly text: string
}

/** A link to a line of a file. @param line from 1 */
export function lineLink(path: string, line: number): string {
  return `[${basename(path)}:${line}](${uriOfPath(path)}#L${line})`
}

/** A value as Markdown code, even if it contains backticks. */
export function inlineCode(text: string): string {
  const plain = text.replace(/\s+/g, ' ')
  const longest = (plain.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  const fence = '`'.repeat(longest + 1)
  const blank = /^`|`$|^ *$/.test(plain) ? ' ' : ''
  return `${fence}${blank}${plain}${blank}${fence}`
}
