/**
 * Completion of `# @assert` and `# @capture`: subjects, their arguments, filters, predicates, expected values.
 *
 * Rules: only the words before the cursor count. After an unknown word nothing is offered, since it is unclear what may
 * follow.
 */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { certificateAttributes, cookieAttributes } from '../../http-file/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { filters, predicates, subjects } from '../knowledge/assertion-words.ts'
import { responseHeaders } from '../knowledge/headers.ts'
import { mediaTypes } from '../knowledge/media-types.ts'
import { reasonOf, statusCodes, statusTopic } from '../knowledge/status.ts'
import { topicText } from '../knowledge/topic.ts'
import { type Suggestion, type Suggestions, topicSuggestions } from './suggestion.ts'

const { Constant, Field, Function: FunctionKind, Keyword, Operator, Value } = CompletionItemKind

const words = (labels: readonly string[], kind: CompletionItemKind): readonly Suggestion[] =>
  labels.map((label) => ({ label, kind }))

const subjectList: readonly Suggestion[] = [
  ...topicSuggestions(subjects, Keyword, ' '),
  { label: '$.', kind: Keyword, documentation: subjects.jsonpath === undefined ? '' : topicText(subjects.jsonpath) },
]
const predicateList = topicSuggestions(predicates, Operator, ' ')
const filterList = topicSuggestions(filters, FunctionKind, ' ')

/** Common fields of responses. */
const fieldList: readonly Suggestion[] = [
  ...words(['Content-Type', 'Content-Length', 'Content-Encoding', 'Cache-Control', 'Date'], Field),
  ...topicSuggestions(responseHeaders, Field),
]

const statusList: readonly Suggestion[] = statusCodes.map((code) => {
  const topic = statusTopic(code)
  return {
    label: String(code),
    kind: Constant,
    detail: reasonOf(code),
    ...(topic === undefined ? {} : { documentation: topicText(topic) }),
  }
})

/** The arguments of subjects that take one. */
const argumentLists: Readonly<Record<string, readonly Suggestion[]>> = {
  header: fieldList,
  certificate: words(certificateAttributes, Field),
  cookie: [],
  variable: [],
  jsonpath: words(['$.'], Keyword),
  xpath: words(['//'], Keyword),
}

/** Predicates with one value. */
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'contains', 'equals'])

function valuesFor(subject: string, argument: string | undefined): readonly Suggestion[] {
  if (subject === 'status') return statusList
  if (subject === 'version') return words(['HTTP/1.1', 'HTTP/2'], Value)
  if (subject === 'duration') return words(['500ms', '1s', '5s'], Value)
  if (subject === 'header' && argument?.toLowerCase() === 'content-type') return words(Object.keys(mediaTypes), Value)
  return []
}

/**
 * @param text the text of the tag up to the cursor, without its name; for a capture, also without the name of its
 * variable
 * @param isCapture whether predicates are not allowed
 */
export function assertionSuggestions(cursor: Cursor, text: string, isCapture: boolean): Suggestions | undefined {
  if (/^\s*cookie\s+\S*\[[\w-]*$/i.test(text)) {
    return { range: typedToken(cursor, /[\w-]*$/, /^[\w-]*/).range, list: words(cookieAttributes, Field) }
  }
  const { range } = typedToken(cursor, /\S*$/, /^[^\s[]*/)
  const list = listFor(completeWords(text), isCapture)
  return list === undefined ? undefined : { range, list }
}

/** The words before the word that is being typed. */
function completeWords(text: string): readonly string[] {
  const found = text.match(/"[\s\S]*?(?:"(?<=[^\\](?:\\\\)*")|$)|'[^']*'?|\/(?:[^\\/\s]|\\.)+\/[a-z]*|\S+/g) ?? []
  return /\s$/.test(text) || text === '' ? found : found.slice(0, -1)
}

function listFor(typed: readonly string[], isCapture: boolean): readonly Suggestion[] | undefined {
  const [first, ...rest] = typed[0] === 'not' ? typed.slice(1) : typed
  if (first === undefined) return subjectList
  const subject = first.startsWith('$') ? '$' : first.toLowerCase()
  if (!Object.hasOwn(subjects, subject) && !/^(?:\$|\{\{)/.test(subject)) return undefined
  const needsArgument = Object.hasOwn(argumentLists, subject)
  if (needsArgument && rest.length === 0) return argumentLists[subject]
  const after = needsArgument ? rest.slice(1) : rest
  const predicate = after.find((word) => Object.hasOwn(predicates, word) && word !== 'not')
  if (predicate !== undefined) {
    const isCompared = after.at(-1) === predicate && comparisons.has(predicate)
    return isCompared ? valuesFor(subject, rest[0]) : undefined
  }
  if (isCapture) return filterList
  if (after.at(-1) === 'not') return predicateList
  const paths = subject === 'body' && after.length === 0 ? words(['$.', 'xpath'], Keyword) : []
  return [...predicateList, ...paths, ...filterList]
}
