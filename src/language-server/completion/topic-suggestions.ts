/** Tables of names as suggestions. */
import type { CompletionItemKind } from 'vscode-languageserver-protocol'
import { type Topics, topicText } from '../knowledge/topic.ts'
import type { Suggestion } from './suggestion.ts'

/** @param suffix is inserted after the name */
export function topicSuggestions(topics: Topics, kind: CompletionItemKind, suffix = ''): readonly Suggestion[] {
  return Object.entries(topics).map(([label, topic]) => ({
    label,
    kind,
    insert: label + suffix,
    documentation: topicText(topic),
  }))
}
