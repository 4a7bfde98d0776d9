/** Completion of request lines: methods, URLs of the file, versions; and of other lines that may begin there. */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { templateText } from '../../http-file/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { methods, versions } from '../knowledge/methods.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { type Suggestion, type Suggestions, topicSuggestions } from './suggestion.ts'

/** The maximum number of offered URLs of other requests. */
const MAX_URLS = 100

const keywords: readonly Suggestion[] = [
  {
    label: 'import',
    kind: CompletionItemKind.Keyword,
    insert: 'import ',
    documentation: 'Makes the requests of another file available: `import other.http`.',
  },
  {
    label: 'run',
    kind: CompletionItemKind.Keyword,
    insert: 'run ',
    documentation: 'Runs a request or a file at this place: `run #name`, `run other.http`.',
  },
]

export function requestLineSuggestions(cursor: Cursor): Suggestions | undefined {
  const { before, after, analysis } = cursor
  const words = before.trimStart().split(/[ \t\f]+/)
  switch (words.length) {
    case 1: {
      const { range } = typedToken(cursor, /[\w-]*$/, /^[\w-]*/)
      const list = [
        ...topicSuggestions(methods, CompletionItemKind.Method, /^[\w-]*[ \t]/.test(after) ? '' : ' '),
        ...keywords,
      ]
      return /^[A-Za-z-]*$/.test(words[0] as string) ? { range, list } : undefined
    }
    case 2:
      return { range: typedToken(cursor, /\S*$/, /^\S*/).range, list: urlsOf(analysis) }
    default: {
      const { range } = typedToken(cursor, /\S*$/, /^[\w/.]*/)
      return { range, list: topicSuggestions(versions, CompletionItemKind.Constant) }
    }
  }
}

/** The beginnings of the file's URLs, then the URLs. */
function urlsOf({ file }: Analysis): readonly Suggestion[] {
  const targets = file.sections.flatMap(({ request }) =>
    request === undefined ? [] : [templateText(request.line.target)],
  )
  const beginnings = targets.flatMap(
    (target) => /^(?:[a-z]+:\/\/[^/?#\s]+|\{\{[^{}]+\}\})(?=\/)/i.exec(target)?.[0] ?? [],
  )
  const texts = [...new Set([...beginnings.map((text) => `${text}/`), ...targets])].filter((text) => /[/.{]/.test(text))
  return texts.slice(0, MAX_URLS).map((label) => ({ label, kind: CompletionItemKind.Value }))
}
