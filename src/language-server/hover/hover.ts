/** Hover: explains the text under the cursor. It sends nothing and generates no value. */
import type { Hover, HoverParams } from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { markup } from '../base/markup.ts'
import { expressionAt } from '../cursor/braces.ts'
import { type Cursor, codeBefore, cursorAt } from '../cursor/cursor.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { HoverText } from './hover-text.ts'
import { scriptText } from './script-hover.ts'
import { expressionText } from './variable-hover.ts'
import { statusText, wordText } from './word-hover.ts'

export const hover: Feature = {
  capabilities: { hoverProvider: true },
  listen(connection, workspace) {
    connection.onHover((params) => hoverOf(params, workspace))
  },
}

function hoverOf({ textDocument, position }: HoverParams, workspace: Workspace): Hover | undefined {
  const analysis = workspace.analysis(textDocument.uri)
  const found = analysis && hoverAt(cursorAt(analysis, position), workspace)
  if (found === undefined) return undefined
  return { contents: markup(found.text, workspace.client.textDocument?.hover?.contentFormat), range: found.range }
}

/** Undefined if nothing is known about the text. */
export function hoverAt(cursor: Cursor, workspace: Workspace): HoverText | undefined {
  const code = codeBefore(cursor)?.code
  if (code !== undefined) return statusText(cursor) ?? scriptText(code, cursor, workspace)
  const expression = expressionAt(cursor)
  if (expression !== undefined) {
    const text = expressionText(expression.expression, cursor, workspace)
    return text === undefined ? undefined : { range: expression.range, text }
  }
  return wordText(cursor)
}
