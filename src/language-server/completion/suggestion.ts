/** Suggestions of completion, and their form in the protocol. */
import {
  type ClientCapabilities,
  type CompletionItem,
  type CompletionItemKind,
  InsertTextFormat,
  MarkupKind,
  type Range,
} from 'vscode-languageserver-protocol'
import { markup } from '../base/markup.ts'
import { type Topics, topicText } from '../knowledge/topic.ts'

export interface Suggestion {
  readonly label: string
  readonly kind: CompletionItemKind
  /** Plain text; the label by default. */
  readonly insert?: string
  /** For clients that support snippets. */
  readonly snippet?: string
  /** Shown on the same line as the label. */
  readonly detail?: string
  /** Markdown. */
  readonly documentation?: string
}

/** Ordered suggestions, and the text that the chosen one replaces. */
export interface Suggestions {
  readonly range: Range
  readonly list: readonly Suggestion[]
}

/** A table of names as suggestions. @param suffix is inserted after the name */
export function topicSuggestions(topics: Topics, kind: CompletionItemKind, suffix = ''): readonly Suggestion[] {
  return Object.entries(topics).map(([label, topic]) => ({
    label,
    kind,
    insert: label + suffix,
    documentation: topicText(topic),
  }))
}

/** Features that the client supports. */
export interface ClientAbilities {
  readonly hasSnippets: boolean
  /** The formats of documentation. */
  readonly formats: readonly MarkupKind[]
}

export function abilitiesOf({ textDocument }: ClientCapabilities): ClientAbilities {
  const { snippetSupport, documentationFormat } = textDocument?.completion?.completionItem ?? {}
  return {
    hasSnippets: snippetSupport === true,
    formats: documentationFormat ?? [MarkupKind.PlainText],
  }
}

export function completionItems({ range, list }: Suggestions, abilities: ClientAbilities): CompletionItem[] {
  return list.map((suggestion, index) => itemOf(suggestion, range, index, abilities))
}

function itemOf(
  { label, kind, insert = label, snippet, detail, documentation }: Suggestion,
  range: Range,
  index: number,
  { hasSnippets, formats }: ClientAbilities,
): CompletionItem {
  const usesSnippet = hasSnippets && snippet !== undefined
  return {
    label,
    kind,
    sortText: String(index).padStart(5, '0'),
    filterText: label,
    textEdit: { range, newText: usesSnippet ? snippet : insert },
    ...(usesSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: markup(documentation, formats) }),
  }
}

/** Escapes a text for a snippet, so that it contains no placeholder. */
export function snippetText(text: string): string {
  return text.replace(/[$}\\]/g, '\\$&')
}
