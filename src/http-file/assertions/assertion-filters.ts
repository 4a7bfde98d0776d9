/**
 * Filters that transform a value before it is checked: `count`, `/…/`, `split ","`, `replace "a" "b"`, `toDate
 * "%Y-%m-%d"`.
 *
 * Rules: a table from word to arguments; words may be in any case. Arguments are in quotes, or one word; the pattern of
 * `replaceRegex` may be between slashes.
 */
import type { Filter, PlainFilter, TextFilter } from '../syntax/assertion-tree.ts'
import { found, readQuoted, type TagCursor, type TemplateAt } from '../syntax/tag-cursor.ts'
import { readRegex } from './assertion-regex.ts'

const plainNames: readonly PlainFilter[] = [
  ...(['length', 'count', 'bytes', 'sha512', 'sha256', 'sha1', 'md5', 'lower', 'upper', 'first', 'last'] as const),
  ...(['toInt', 'toFloat', 'toString', 'toHex', 'urlEncode', 'urlDecode', 'htmlEscape', 'htmlUnescape'] as const),
  ...(['base64Encode', 'base64Decode', 'base64UrlSafeEncode', 'base64UrlSafeDecode'] as const),
  ...(['daysAfterNow', 'daysBeforeNow'] as const),
]

/** By their names in lower case. */
const plain: ReadonlyMap<string, PlainFilter> = new Map(plainNames.map((name) => [name.toLowerCase(), name]))

/** The arguments of each filter. */
const withTexts: Readonly<Record<string, readonly [type: TextFilter, texts: readonly string[]]>> = {
  split: ['split', ['the separator, such as ","']],
  replace: ['replace', ['the text to replace', 'the replacement']],
  replaceregex: ['replaceRegex', ['a regular expression', 'the replacement']],
  nth: ['nth', ['an index from 0']],
  jsonpath: ['jsonpath', ['a JSONPath, such as "$.items"']],
  xpath: ['xpath', ['an XPath, such as "//item"']],
  todate: ['toDate', ['a pattern, such as "%Y-%m-%d"']],
  format: ['format', ['a pattern, such as "%Y-%m-%d"']],
  dateformat: ['format', ['a pattern, such as "%Y-%m-%d"']],
  decode: ['decode', ['the name of a charset']],
  urlqueryparam: ['urlQueryParam', ['the name of a parameter']],
}

/** Each filter once, as it is usually written. */
export const filterNames: readonly string[] = [
  ...plainNames,
  ...new Set(Object.values(withTexts).map(([type]) => type)),
  'regex',
]

/** Reads all filters at this place. @throws TagProblem */
export function readFilters(cursor: TagCursor): readonly Filter[] {
  const filters: Filter[] = []
  for (;;) {
    const filter = readRegex(cursor) ?? readWord(cursor)
    if (filter === undefined) return filters
    filters.push(filter)
  }
}

function readWord(cursor: TagCursor): Filter | undefined {
  const word = /^[a-z]\w*/i.exec(cursor.rest)?.[0].toLowerCase() ?? ''
  const type = plain.get(word)
  if (type !== undefined) {
    cursor.take(/^\w+/)
    return { type }
  }
  if (!Object.hasOwn(withTexts, word)) return undefined
  const name = cursor.take(/^\w+/)?.[0]
  const [filter, wanted] = withTexts[word] as readonly [TextFilter, readonly string[]]
  const texts = wanted.map((each) => {
    const text = readText(cursor, filter)
    if (text === undefined) throw cursor.problem(`expected ${each} after ${name}, ${found(cursor)}`)
    return text.template
  })
  return { type: filter, texts }
}

function readText(cursor: TagCursor, filter: TextFilter): TemplateAt | undefined {
  const quoted = cursor.takeQuoted()
  if (quoted !== undefined) return withoutEscapes(cursor.piece(quoted))
  const pattern = filter === 'replaceRegex' && !cursor.rest.startsWith('//') ? cursor.takeQuoted('/') : undefined
  if (pattern !== undefined) return cursor.piece(pattern)
  return readQuoted(cursor) ?? cursor.takeTemplate(/^[^\s"'=<>!][^\s]*/)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

/** A backslash before any other character stays: patterns contain many of them. */
function withoutEscapes({ template, span }: TemplateAt): TemplateAt {
  const parts = template.parts.map((part) => {
    if (part.type !== 'text') return part
    return { ...part, text: part.text.replace(/\\(.)/g, (whole, sign: string) => escapes[sign] ?? whole) }
  })
  return { template: { parts }, span }
}
