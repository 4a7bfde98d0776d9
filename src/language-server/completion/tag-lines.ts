/** Completion of tags: `# @name value`. */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { tagsOf } from '../../runner/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { tags } from '../knowledge/tags.ts'
import { topicText } from '../knowledge/topic.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { assertionSuggestions } from './assertions.ts'
import { pathSuggestions } from './paths.ts'
import type { Suggestion, Suggestions } from './suggestion.ts'

/** A comment that begins a tag. */
export const tagLine: RegExp = /^[ \t\f]*(?:#|\/\/)[ \t\f]*@/

const nameList: readonly Suggestion[] = Object.entries(tags).map(([label, topic]) => {
  const { snippet } = topic
  return {
    label,
    kind: CompletionItemKind.Keyword,
    insert: snippet === undefined ? label : `${label} `,
    ...(snippet === undefined ? {} : { snippet: `${label} ${snippet}` }),
    documentation: topicText(topic),
  }
})

const durations: readonly Suggestion[] = ['500 ms', '5 s', '30 s', '1 m'].map((label) => {
  return { label, kind: CompletionItemKind.Value }
})

export function tagSuggestions(cursor: Cursor, workspace: Workspace): Suggestions | undefined {
  const { before, after } = cursor
  const start = tagLine.exec(before)?.[0].length ?? 0
  const match = /^([\w-]*)(?:[ \t\f]*=[ \t\f]*|[ \t\f]+)?(.*)$/s.exec(before.slice(start))
  const [whole = '', name = '', value = ''] = match ?? []
  if (whole === name) {
    const { range } = typedToken(cursor, /[\w-]*$/, /^[\w-]*/)
    const hasValue = /^[\w-]*[ \t]+\S/.test(after)
    return { range, list: hasValue ? nameList.map(({ label, ...rest }) => ({ label, kind: rest.kind })) : nameList }
  }
  return valueSuggestions(cursor, name, value, workspace)
}

function valueSuggestions(cursor: Cursor, name: string, value: string, workspace: Workspace): Suggestions | undefined {
  switch (Object.hasOwn(tags, name) ? tags[name]?.value : undefined) {
    case 'assertion':
      return assertionSuggestions(cursor, value, false)
    case 'capture': {
      const subject = /^[\p{L}\p{N}_.-]+[ \t]*[=:](.*)$/su.exec(value)?.[1]
      return subject === undefined ? undefined : assertionSuggestions(cursor, subject.trimStart(), true)
    }
    case 'duration':
      return { range: typedToken(cursor, /(?<!\d)\d[\d.]*\s*(?:[^\W\d]\w*)?$/, /^\w*/).range, list: durations }
    case 'tag':
      return { range: typedToken(cursor, /[^\s,]*$/, /^[^\s,]*/).range, list: tagsInFile(cursor) }
    case 'proto':
      return pathSuggestions(cursor, value, 'proto', workspace)
    case 'file':
      return pathSuggestions(cursor, value, 'any', workspace)
    case 'directory':
      return pathSuggestions(cursor, value, 'directory', workspace)
    default:
      return undefined
  }
}

function tagsInFile({ analysis, section }: Cursor): readonly Suggestion[] {
  const others = analysis.file.sections.filter((each) => each !== section)
  return [...new Set(others.flatMap(tagsOf))].map((label) => ({ label, kind: CompletionItemKind.EnumMember }))
}
