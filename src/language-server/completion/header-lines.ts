/** Completion of header fields: names, well-known values, parameters of media types. */
import { CompletionItemKind } from 'vscode-languageserver-protocol'
import { templateText } from '../../http-file/index.ts'
import type { Cursor } from '../cursor/cursor.ts'
import { typedToken } from '../cursor/token.ts'
import { headerValues } from '../knowledge/header-values.ts'
import { requestHeaders } from '../knowledge/headers.ts'
import { topicText } from '../knowledge/topic.ts'
import { type Suggestion, type Suggestions, topicSuggestions } from './suggestion.ts'

/** Fields of the parts of a multipart body. */
const partHeaders = Object.fromEntries(
  Object.entries(requestHeaders).filter(([name]) => /^Content-(?:Disposition|Type|Encoding)$/.test(name)),
)

const parameters: Readonly<Record<string, readonly string[]>> = {
  'content-type': ['charset=utf-8', 'boundary=part'],
  'content-disposition': ['name=""', 'filename=""', "filename*=UTF-8''"],
  accept: ['q=0.9', 'q=0.5', 'charset=utf-8'],
  'accept-language': ['q=0.9', 'q=0.5'],
  'accept-encoding': ['q=0.9', 'q=0'],
}

/** @param isInPart whether the fields are those of a part of the body */
export function headerSuggestions(cursor: Cursor, isInPart: boolean): Suggestions | undefined {
  const { before, part } = cursor
  const match = /^[ \t\f]*([^\s:]*)(:?)/.exec(before)
  if (match?.[2] === ':') return valueSuggestions(cursor, match[1] as string, match[0].length)
  // The line continues the field above it.
  if (part?.kind === 'header' && cursor.offset - before.length > cursor.partOffset) {
    return valueSuggestions(cursor, templateText(part.name), 0)
  }
  if (!/^[ \t\f]*[\w-]*$/.test(before)) return undefined
  return nameSuggestions(cursor, isInPart)
}

function nameSuggestions(cursor: Cursor, isInPart: boolean): Suggestions {
  const { range } = typedToken(cursor, /[\w-]*$/, /^[\w-]*/)
  const suffix = /^[\w-]*:/.test(cursor.after) ? '' : ': '
  const names = isInPart ? partHeaders : requestHeaders
  return { range, list: topicSuggestions(names, CompletionItemKind.Field, suffix) }
}

/** @param start the start of the value in the line */
function valueSuggestions(cursor: Cursor, name: string, start: number): Suggestions | undefined {
  const key = name.toLowerCase()
  const typed = cursor.before.slice(start)
  if (typed.lastIndexOf(';') > typed.lastIndexOf(',')) return parameterSuggestions(cursor, key)
  const list = Object.hasOwn(headerValues, key) ? (headerValues[key] ?? []) : []
  const { range } = typedToken(cursor, start === cursor.before.length ? /$/ : /[^\s,:][^,:]*$/, /^[^\s,;]*/)
  // A value directly after the colon gets a blank before it.
  const blank = typed === '' && !/^[ \t]/.test(cursor.after) ? ' ' : ''
  return {
    range,
    list: list.map((each): Suggestion => {
      const documentation = topicText(each)
      return {
        label: each.value,
        kind: CompletionItemKind.Value,
        insert: blank + each.value,
        ...(each.snippet === undefined ? {} : { snippet: blank + each.snippet }),
        ...(documentation === '' ? {} : { documentation }),
      }
    }),
  }
}

function parameterSuggestions(cursor: Cursor, key: string): Suggestions | undefined {
  const { range } = typedToken(cursor, /[^\s;]*$/, /^[^\s,;]*/)
  const list = Object.hasOwn(parameters, key) ? (parameters[key] ?? []) : []
  const blank = cursor.before.endsWith(';') ? ' ' : ''
  return { range, list: list.map((label) => ({ label, kind: CompletionItemKind.Property, insert: blank + label })) }
}

/** Whether a line of a body is among the header fields of a part: after a boundary, before an empty line. */
export function isInPartHead({ analysis: { lines }, position: { line } }: Cursor): boolean {
  for (let above = line - 1; above >= Math.max(0, line - MAX_PART_FIELDS); above--) {
    const text = lines.lineText(above)
    if (text.trim() === '') return false
    if (text.startsWith('--')) return !/--[ \t]*$/.test(text)
  }
  return false
}

const MAX_PART_FIELDS = 20
