/** Hover: explains the text under the cursor. It sends nothing and generates no value. */
import type { Hover, HoverParams } from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { markup } from '../base/markup.ts'
import { expressionAt } from '../cursor/braces.ts'
import { type Cursor, codeBefore, cursorAt } from '../cursor/cursor.ts'
import { chainBefore, memberOfChain } from '../cursor/script-chain.ts'
import { wordAt } from '../cursor/token.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type HoverText, inlineCode } from './hover-text.ts'
import { dynamicText, expressionText } from './variable-hover.ts'
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

/** @param code the code of the script up to the cursor */
function scriptText(code: string, cursor: Cursor, workspace: Workspace): HoverText | undefined {
  const dynamic = wordAt(cursor, /\$[\w.]+/g)
  if (dynamic !== undefined) {
    const text = dynamicText(dynamic.text, workspace)
    return text === undefined ? undefined : { range: dynamic.range, text }
  }
  const word = wordAt(cursor, /[\w$]+/g)
  if (word === undefined) return undefined
  const chain = chainBefore(code + word.text.slice(word.typed.length))
  const member = chain && memberOfChain(chain)
  if (chain === undefined || member === undefined) return undefined
  const owners = chain.owners.map((owner) => `${owner}.`).join('')
  return { range: word.range, text: `${inlineCode(owners + member.form)}\n\n${member.text}` }
}
