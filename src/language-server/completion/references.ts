/** Completion of references to requests and their responses: `{{login.response.body.$.token}}`. */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { requestHeaders, responseHeaders } from '../knowledge/headers.ts'
import { type Suggestion, snippetText } from './suggestion.ts'

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
export function referenceSuggestions(typed: string, names: readonly string[]): readonly Suggestion[] {
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
    .flatMap((each) => (isChosen ? forms : forms.slice(0, 1)).map((form) => suggestionOf(each, form)))
}

function suggestionOf(name: string, { text, documentation }: Form): Suggestion {
  const label = `${name}.${text}`
  const snippet = text.endsWith('.') ? { snippet: `${snippetText(label)}$0` } : {}
  return { label, kind: CompletionItemKind.Reference, documentation, ...snippet }
}
