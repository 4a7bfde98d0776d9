/**
 * Completion in scripts: the names of their API, dynamic variables, and names of variables and header fields in quotes.
 */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { type Cursor, codeBefore } from '../cursor/cursor.ts'
import { chainBefore, typeOfChain } from '../cursor/script-chain.ts'
import { typedToken } from '../cursor/token.ts'
import { requestHeaders, responseHeaders } from '../knowledge/headers.ts'
import type { ScriptMember } from '../knowledge/script-api.ts'
import { EnvironmentValues } from '../variables/environment-values.ts'
import { visibleVariables } from '../variables/visible-variables.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { dynamicSuggestions, fakeSuggestions, processNames } from './expressions.ts'
import { type Suggestion, type Suggestions, topicSuggestions } from './suggestion.ts'

/** Undefined outside scripts. */
export async function scriptSuggestions(cursor: Cursor, workspace: Workspace): Promise<Suggestions | undefined> {
  const script = codeBefore(cursor)
  if (script === undefined) return undefined
  const { code, node } = script
  const quoted = /\b(\w+)\(\s*["'`]([^"'`\n]*)$/.exec(cursor.before)
  if (quoted !== null) return quotedSuggestions(cursor, quoted[1] as string, workspace)
  const chain = chainBefore(code)
  if (chain === undefined) return undefined
  const root = chain.owners[0] ?? chain.last
  if (root.startsWith('$')) return dynamicNames(cursor, [...chain.owners, chain.last].join('.'), workspace)
  const type = typeOfChain(chain)
  if (type === undefined) return undefined
  const isHandler = node.phase !== 'pre-request'
  const list = Object.entries(type)
    .filter(([, member]) => isHandler || member.isForHandlers !== true)
    .map(([name, member]) => suggestionOf(name, member))
  return { range: typedToken(cursor, /[\w$]*$/, /^[\w$]*/).range, list }
}

function suggestionOf(label: string, { form, text }: ScriptMember): Suggestion {
  const isCall = form.endsWith(')')
  const kind = isCall ? CompletionItemKind.Method : CompletionItemKind.Property
  return { label, kind, detail: form, documentation: text }
}

async function dynamicNames(cursor: Cursor, typed: string, workspace: Workspace): Promise<Suggestions> {
  const { range } = typedToken(cursor, /\$[\w$.]*$/, /^[\w$]*/)
  if (typed.startsWith('$env.')) return { range, list: processNames(workspace) }
  const prefix = typed.startsWith('$random.') ? '$random.' : '$'
  const made = prefix === '$' ? [] : await fakeSuggestions(typed)
  return { range, list: [...dynamicSuggestions([], true, prefix), ...made] }
}

/** The first argument of a call. */
function quotedSuggestions(cursor: Cursor, name: string, workspace: Workspace): Suggestions | undefined {
  if (/^(?:valueOf|valuesOf|findByName|header)$/.test(name)) {
    const fields = { ...responseHeaders, ...requestHeaders }
    const { range } = typedToken(cursor, /[\w-]*$/, /^[\w-]*/)
    return { range, list: topicSuggestions(fields, CompletionItemKind.Field) }
  }
  if (!/^(?:get|set|clear)$/.test(name)) return undefined
  const { analysis } = cursor
  const values = new EnvironmentValues(workspace, analysis.path)
  const names = [...visibleVariables(cursor, workspace), ...values.all].map((each) => each.name)
  const { range } = typedToken(cursor, /[\w.-]*$/, /^[\w.-]*/)
  return { range, list: [...new Set(names)].map((label) => ({ label, kind: CompletionItemKind.Variable })) }
}
