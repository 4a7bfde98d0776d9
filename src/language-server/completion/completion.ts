/**
 * Completion: suggestions for a position in a request file.
 *
 * Rules: the first source that applies to the position answers. The text of the line decides; the syntax tree only
 * determines which part of a request the line belongs to, so that half-typed lines are completed like complete ones.
 */
import { CompletionItemKind, type CompletionList, type CompletionParams } from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { type Cursor, cursorAt } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { expressionSuggestions } from './expressions.ts'
import { headerSuggestions, isInPartHead } from './header-lines.ts'
import { directiveSuggestions, pathLineSuggestions } from './paths.ts'
import { requestLineSuggestions } from './request-lines.ts'
import { scriptSuggestions } from './scripts.ts'
import { abilitiesOf, completionItems, type Suggestion, type Suggestions } from './suggestion.ts'
import { tagLine, tagSuggestions } from './tag-lines.ts'

export const completion: Feature = {
  capabilities: { completionProvider: { triggerCharacters: ['{', '$', '.', '@', '#', ':', '/', ' ', '<', '>'] } },
  listen(connection, workspace) {
    connection.onCompletion((params) => completionAt(params, workspace))
  },
}

async function completionAt(params: CompletionParams, workspace: Workspace): Promise<CompletionList> {
  const analysis = workspace.analysis(params.textDocument.uri)
  const found = analysis && (await suggestionsAt(cursorAt(analysis, params.position), workspace))
  const items = found === undefined ? [] : completionItems(found, abilitiesOf(workspace.client))
  return { isIncomplete: false, items }
}

/** Undefined if nothing can be offered. */
export async function suggestionsAt(cursor: Cursor, workspace: Workspace): Promise<Suggestions | undefined> {
  const { part, before } = cursor
  if (cursor.isInSeparator || /^###/.test(before)) return undefined
  if (part?.kind === 'script') {
    return (await scriptSuggestions(cursor, workspace)) ?? pathLineSuggestions(cursor, workspace)
  }
  const expression = await expressionSuggestions(cursor, workspace)
  if (expression !== undefined) return expression
  if (tagLine.test(before)) return tagSuggestions(cursor, workspace)
  if (/^[ \t\f]*(?:#|\/\/|@)/.test(before)) return undefined
  return (
    directiveSuggestions(cursor, workspace) ??
    pathLineSuggestions(cursor, workspace) ??
    blockSuggestions(cursor) ??
    lineSuggestions(cursor)
  )
}

/** Suggestions by the position of the line in its request. */
function lineSuggestions(cursor: Cursor): Suggestions | undefined {
  const { part, zone, before, partOffset, offset } = cursor
  const isFirstLine = offset - before.length <= partOffset
  if (part?.kind === 'request-line') return isFirstLine ? requestLineSuggestions(cursor) : undefined
  if (zone === 'start') return requestLineSuggestions(cursor)
  if (zone === 'head') return headerSuggestions(cursor, false)
  return isInPartHead(cursor) ? headerSuggestions(cursor, true) : undefined
}

const block = (sign: string, documentation: string): Suggestion => ({
  label: `${sign} {% %}`,
  kind: CompletionItemKind.Snippet,
  insert: `${sign} {%\n\n%}`,
  snippet: `${sign} {%\n  $0\n%\\}`,
  documentation,
})

const beforeRequest = block('<', 'A script that runs before the request is sent.')
const afterResponse = block('>', 'A script that runs after the response, with its tests.')

/** Suggestions for scripts, after the first character of their line. */
function blockSuggestions(cursor: Cursor): Suggestions | undefined {
  const sign = /^[ \t\f]*([<>])[ \t\f]*$/.exec(cursor.before)?.[1]
  if (sign === undefined) return undefined
  const { range } = typedToken(cursor, /[<>][ \t\f]*$/, /^/)
  if (sign === '<') return { range, list: cursor.zone === 'start' ? [beforeRequest] : [] }
  return { range, list: cursor.zone === 'start' ? [] : [afterResponse] }
}
