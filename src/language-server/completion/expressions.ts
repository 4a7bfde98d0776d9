/**
 * Completion between braces: variables with their values, references to responses, dynamic variables.
 *
 * Rules: the text after the opening braces is replaced as a whole, since names contain dots and `$`. Missing braces are
 * added.
 */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { loadFakeNames } from '../../runner/index.ts'
import { type OpenExpression, openExpression } from '../cursor/braces.ts'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { type DynamicTopic, dynamicVariables, fakeTopic } from '../knowledge/dynamic-variables.ts'
import { requestHeaders, responseHeaders } from '../knowledge/headers.ts'
import { topicText } from '../knowledge/topic.ts'
import { EnvironmentValues } from '../variables/environment-values.ts'
import { referableNames } from '../variables/request-names.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type Suggestion, type Suggestions, snippetText } from './suggestion.ts'
import { memberSuggestions, variableSuggestions } from './variables.ts'

/** Undefined unless braces are open before the cursor. */
export async function expressionSuggestions(cursor: Cursor, workspace: Workspace): Promise<Suggestions | undefined> {
  const open = openExpression(cursor)
  if (open === undefined) return undefined
  const typed = open.typed.trimEnd()
  const { range } = typedToken(cursor, new RegExp(`.{${open.typed.length}}$`, 's'), /^[\w$.-]*/)
  const list = await suggestionsFor(typed, cursor, workspace)
  return { range, list: list.map((each) => withBraces(each, open)) }
}

async function suggestionsFor(typed: string, cursor: Cursor, workspace: Workspace): Promise<readonly Suggestion[]> {
  const { analysis } = cursor
  if (typed.startsWith('$env.')) return processNames(workspace)
  if (typed.startsWith('$random.'))
    return [...dynamicSuggestions([], false, '$random.'), ...(await fakeSuggestions(typed))]
  const values = new EnvironmentValues(workspace, analysis.path)
  const dynamic = dynamicSuggestions(values.authentications, false, '$')
  if (typed.startsWith('$')) return dynamic
  const references = referenceSuggestions(typed, referableNames(analysis, workspace))
  const members = memberSuggestions(typed, values, workspace.environmentName(analysis.path))
  if (typed.includes('.') && members.length + references.length > 0) return [...members, ...references]
  return [...variableSuggestions(cursor, values, workspace), ...references, ...dynamic]
}

/**
 * Dynamic variables whose names begin with the typed text.
 * @param authentications ids of `Security`
 * @param isForScripts whether to offer only variables that scripts also have
 */
export function dynamicSuggestions(
  authentications: readonly string[],
  isForScripts: boolean,
  prefix: string,
): readonly Suggestion[] {
  const tokens = authentications.flatMap((id) =>
    ['$auth.token', '$auth.idToken'].map((name) => callOf(name, `${name}(${JSON.stringify(id)})`)),
  )
  const names = Object.entries(dynamicVariables)
    .filter(([name]) => !isForScripts || isScriptName(name))
    .map(([name, topic]) => suggestionOf(name, topic))
  const groups = ['$env', '$random'].map((name): Suggestion => {
    return { label: name, kind: CompletionItemKind.Module, insert: `${name}.`, snippet: `${snippetText(name)}.$0` }
  })
  const list = [...tokens, ...names, ...(prefix === '$' ? groups : [])]
  return list.filter(({ label }) => label.startsWith(prefix))
}

/** Dynamic variables of other editors have arguments without brackets. */
function isScriptName(name: string): boolean {
  return !/^\$(?:guid|datetime|localDatetime|processEnv|dotenv|shared)$/.test(name)
}

function callOf(name: string, label: string): Suggestion {
  const topic = dynamicVariables[name]
  return {
    label,
    kind: CompletionItemKind.Function,
    ...(topic === undefined ? {} : { documentation: topicText(topic) }),
  }
}

function suggestionOf(label: string, topic: DynamicTopic): Suggestion {
  const { forms, snippet } = topic
  const isCall = forms?.[0]?.endsWith(')') === true
  return {
    label,
    kind: isCall ? CompletionItemKind.Function : CompletionItemKind.Constant,
    insert: isCall ? `${label}()` : label,
    ...(snippet === undefined ? {} : { snippet: `\\${snippet}` }),
    ...(forms === undefined ? {} : { detail: forms.join(', ') }),
    documentation: topicText(topic),
  }
}

/** Fake names, addresses and so on; with a locale if one was typed. */
export async function fakeSuggestions(typed: string): Promise<readonly Suggestion[]> {
  const isLocal = typed.startsWith('$random.locale')
  return (await loadFakeNames()).map(([name, argumentCount]) => ({
    label: isLocal ? `$random.locale.${name}("de")` : `$random.${name}`,
    kind: argumentCount > 0 || isLocal ? CompletionItemKind.Function : CompletionItemKind.Constant,
    documentation: topicText(fakeTopic(name)),
  }))
}

/** Names only: their values may be secrets. */
export function processNames({ processEnvironment }: Workspace): readonly Suggestion[] {
  return Object.keys(processEnvironment)
    .toSorted()
    .map((name) => ({ label: `$env.${name}`, kind: CompletionItemKind.Variable, detail: 'environment of the process' }))
}

function withBraces(suggestion: Suggestion, { missingClose }: OpenExpression): Suggestion {
  const { label, insert = label, snippet } = suggestion
  // No closing braces are added to an incomplete name, unless the cursor can stay before them.
  const isOpen = /\.$/.test(insert)
  return {
    ...suggestion,
    insert: insert + (isOpen ? '' : missingClose),
    ...(snippet === undefined ? {} : { snippet: snippet + snippetText(missingClose) }),
  }
}

interface Form {
  /** The text after the name of the request. */
  readonly text: string
  readonly documentation: string
}

const forms: readonly Form[] = [
  { text: 'response.body.$.', documentation: 'A value in the JSON body of the last response, by a JSONPath.' },
  { text: 'response.body.*', documentation: 'The whole body of the last response.' },
  { text: 'response.headers.', documentation: 'A header field of the last response.' },
  { text: 'request.body.$.', documentation: 'A value in the JSON body of the request, as it was sent.' },
  { text: 'request.body.*', documentation: 'The whole body of the request, as it was sent.' },
  { text: 'request.headers.', documentation: 'A header field of the request, as it was sent.' },
]

/** @param typed the expression so far */
function referenceSuggestions(typed: string, names: readonly string[]): readonly Suggestion[] {
  const [name = '', side, part] = typed.split('.')
  if (part === 'headers' && names.includes(name)) {
    const fields = side === 'request' ? requestHeaders : { ...responseHeaders, 'Content-Type': undefined }
    return Object.keys(fields).map((field) => {
      return { label: `${name}.${side}.headers.${field}`, kind: CompletionItemKind.Field }
    })
  }
  const isChosen = typed.includes('.')
  return names
    .filter((each) => (isChosen ? each === name : each.startsWith(name)))
    .flatMap((each) => (isChosen ? forms : forms.slice(0, 1)).map((form) => formSuggestion(each, form)))
}

function formSuggestion(name: string, { text, documentation }: Form): Suggestion {
  const label = `${name}.${text}`
  const snippet = text.endsWith('.') ? { snippet: `${snippetText(label)}$0` } : {}
  return { label, kind: CompletionItemKind.Reference, documentation, ...snippet }
}
