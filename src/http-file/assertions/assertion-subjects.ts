/**
 * Reads the subjects of assertions and captures: a part of the response, and its filters.
 *
 * Rules: a word of the table, its argument, then filters. A path ends at a blank or a comparison sign outside brackets
 * and quotes; a path that contains these elsewhere must be in quotes. `$…` alone is a path into the body.
 */
import type { Filter, Selection, Subject, SubjectKind } from '../syntax/assertion-tree.ts'
import { nearestNames } from '../syntax/nearest-name.ts'
import { found, readQuoted, type TagCursor, TagProblem, type TemplateAt } from '../syntax/tag-cursor.ts'
import { readFilters } from './assertion-filters.ts'

/** A name of a header, a cookie or a variable. */
const namePattern = /^(?:\{\{[^{}]*\}\}|[^\s[\]=<>!"'{}]+)+/

interface SubjectRule {
  readonly kind: SubjectKind
  /** The argument after the word, as named in messages, if there is one. */
  readonly takes?: string
  readonly read?: (cursor: TagCursor) => TemplateAt | undefined
  /** The filter that the word abbreviates. */
  readonly filter?: Filter
}

const header = { kind: 'header', takes: 'the name of a header', read: readName } as const
const path = { kind: 'jsonpath', takes: 'a JSONPath, such as $.items[0].id', read: readJsonPath } as const

const rules: Readonly<Record<string, SubjectRule>> = {
  status: { kind: 'status' },
  version: { kind: 'version' },
  reason: { kind: 'reason' },
  url: { kind: 'url' },
  ip: { kind: 'ip' },
  redirects: { kind: 'redirects' },
  locations: { kind: 'locations' },
  duration: { kind: 'duration' },
  size: { kind: 'size' },
  header,
  cookie: { kind: 'cookie', takes: 'the name of a cookie', read: readName },
  certificate: {
    kind: 'certificate',
    takes: 'subject, issuer, names, serial, start, expires, days or value',
    read: readCertificateAttribute,
  },
  body: { kind: 'body' },
  bytes: { kind: 'body', filter: { type: 'bytes' } },
  sha256: { kind: 'body', filter: { type: 'sha256' } },
  md5: { kind: 'body', filter: { type: 'md5' } },
  jsonpath: path,
  xpath: { kind: 'xpath', takes: 'an XPath, such as //item[1]', read: readXPath },
  variable: { kind: 'variable', takes: 'the name of a variable', read: readName },
}

/** Common variants. */
const otherWords: Readonly<Record<string, string>> = { headers: 'header', cookies: 'cookie', json: 'jsonpath' }

const certificateWords: Readonly<Record<string, string>> = {
  subject: 'subject',
  issuer: 'issuer',
  names: 'names',
  'subject-alt-name': 'names',
  serial: 'serial',
  'serial-number': 'serial',
  start: 'start',
  'start-date': 'start',
  expires: 'expires',
  'expire-date': 'expires',
  days: 'days',
  value: 'value',
}

export const certificateAttributes: readonly string[] = [...new Set(Object.values(certificateWords))]

export const subjectNames: readonly string[] = Object.keys(rules)

const hint = `Subjects are ${subjectNames.join(', ')}, and paths into JSON that begin with "$".`

/** @throws TagProblem */
export function readSubject(cursor: TagCursor): Subject {
  const start = cursor.at
  const { kind, argument, filter } = readKind(cursor)
  const selection = readSelection(cursor, kind)
  const filters = [...(filter === undefined ? [] : [filter]), ...readFilters(cursor)]
  return {
    kind,
    argument: argument?.template,
    argumentSpan: argument?.span ?? cursor.piece([start, cursor.at]).span,
    selection: typeof selection === 'object' ? undefined : selection,
    attribute: typeof selection === 'object' ? selection.attribute : undefined,
    filters,
    text: cursor.line.text.slice(start, cursor.at).trim(),
  }
}

interface Kind {
  readonly kind: SubjectKind
  readonly argument?: TemplateAt | undefined
  readonly filter?: Filter | undefined
}

function readKind(cursor: TagCursor): Kind {
  if (cursor.isAtEnd) throw cursor.problem('expected a subject, such as status or header content-type', hint)
  if (cursor.rest.startsWith('$')) return { kind: 'jsonpath', argument: readJsonPath(cursor) }
  const text = cursor.takeTemplate(/^\{\{[^{}]*\}\}/)
  if (text !== undefined) return { kind: 'text', argument: text }
  // `regex` is also the name of a filter, applied to the body.
  if (/^regex\s/i.test(cursor.rest)) return { kind: 'body' }
  const range = cursor.wordRange
  const word = cursor.take(/^[a-z]\w*/i)?.[0] ?? ''
  const name = otherWords[word.toLowerCase()] ?? word.toLowerCase()
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) throw unknownSubject(cursor, range)
  if (/^[^ \t\f][.[]/.test(cursor.line.text.slice(cursor.at - 1, cursor.end))) throw memberOfSubject(cursor, name)
  if (rule.kind === 'body' && rule.filter === undefined) return readBody(cursor)
  if (rule.read === undefined) return rule
  const argument = rule.read(cursor)
  if (argument === undefined) throw cursor.problem(`expected ${rule.takes} after ${name}, ${found(cursor)}`)
  return { kind: rule.kind, argument, filter: rule.filter }
}

/** `body.id` */
function memberOfSubject(cursor: TagCursor, name: string): TagProblem {
  const range = cursor.wordRange
  const member = cursor.line.text.slice(...range)
  const message = `expected a blank after ${name}, found ${JSON.stringify(member)}`
  return new TagProblem(message, range, memberHint(name, member) ?? hint)
}

/** How a member of a subject is written, which scripts write as `response.body.id`. */
function memberHint(name: string, member: string): string | undefined {
  if (name === 'body' || name === 'jsonpath') return `Write a blank before the path: "${name} $${member}".`
  const key = member.replace(/^\.|^\[["']?|["']?\]$/g, '')
  return name === 'header' || name === 'cookie' ? `Write a blank before the name: "${name} ${key}".` : undefined
}

function unknownSubject(cursor: TagCursor, range: readonly [number, number]): TagProblem {
  const word = cursor.line.text.slice(...range)
  const [, prefix = '', name = '', member = ''] = /^(response\.)?([a-z]*)(.*)$/i.exec(word) ?? []
  const [nearest] = nearestNames(name, subjectNames)
  const inScript = prefix !== '' && member !== '' && nearest !== undefined ? memberHint(nearest, member) : undefined
  const message = `unknown subject ${JSON.stringify(word)}`
  return new TagProblem(message, range, inScript ?? (nearest === undefined ? hint : `Did you mean ${nearest}?`))
}

/** `body`, `body $.path`, `body xpath //path`. */
function readBody(cursor: TagCursor): Kind {
  if (/^["']?\$/.test(cursor.rest)) return { kind: 'jsonpath', argument: readJsonPath(cursor) }
  const word = cursor.take(/^(jsonpath|json|xpath)(?=[\s"'])/i)?.[0].toLowerCase()
  if (word === undefined) return { kind: 'body' }
  const rule = rules[otherWords[word] ?? word] as SubjectRule
  const argument = rule.read?.(cursor)
  if (argument === undefined) throw cursor.problem(`expected ${rule.takes} after ${word}, ${found(cursor)}`)
  return { kind: rule.kind, argument }
}

function readName(cursor: TagCursor): TemplateAt | undefined {
  return readQuoted(cursor) ?? cursor.takeTemplate(namePattern)
}

function readJsonPath(cursor: TagCursor): TemplateAt | undefined {
  const quoted = /^["']\s*\$/.test(cursor.rest) ? readQuoted(cursor) : undefined
  if (quoted !== undefined) return quoted
  return cursor.rest.startsWith('$') ? readPath(cursor) : undefined
}

function readXPath(cursor: TagCursor): TemplateAt | undefined {
  return readQuoted(cursor) ?? (cursor.isAtEnd ? undefined : readPath(cursor))
}

/** Up to a blank or a comparison sign outside brackets and quotes. */
function readPath(cursor: TagCursor): TemplateAt {
  const { rest } = cursor
  let depth = 0
  let quote = ''
  let length = 0
  for (; length < rest.length; length++) {
    const character = rest[length] as string
    if (quote !== '') {
      if (character === '\\') length++
      else if (character === quote) quote = ''
    } else if (depth > 0 && (character === '"' || character === "'")) quote = character
    else if ('[('.includes(character)) depth++
    else if ('])'.includes(character)) depth--
    else if (depth === 0 && /[\s=<>!]/.test(character)) break
  }
  if (quote !== '' || depth !== 0) {
    const missing = quote === '' ? 'a bracket of the path is not closed' : `the path has a ${quote} that is not closed`
    throw new TagProblem(missing, [cursor.at, cursor.end])
  }
  const range = [cursor.at, cursor.at + Math.min(length, rest.length)] as const
  cursor.at = range[1]
  cursor.skipBlanks()
  return cursor.piece(range)
}

function readCertificateAttribute(cursor: TagCursor): TemplateAt | undefined {
  const start = cursor.at
  const match = cursor.take(/^["']?([a-z]+(?:[- ](?:date|number|alt[- ]name))?)["']?/i)
  const name = match?.[1]?.toLowerCase().replaceAll(' ', '-') ?? ''
  if (!Object.hasOwn(certificateWords, name)) {
    cursor.at = start
    return undefined
  }
  const { span } = cursor.piece([start, cursor.at])
  return { template: { parts: [{ type: 'text', text: certificateWords[name] as string }] }, span }
}

export const cookieAttributes: readonly string[] = [
  ...['value', 'expires', 'max-age', 'domain', 'path', 'secure', 'httponly', 'samesite'],
]

/** `[2]`, `[-1]`, `[*]` of a header, `[Secure]` of a cookie. */
function readSelection(cursor: TagCursor, kind: SubjectKind): Selection | { readonly attribute: string } | undefined {
  if ((kind !== 'header' && kind !== 'cookie') || !cursor.rest.startsWith('[')) return undefined
  const start = cursor.at
  const match = cursor.take(/^\[([^\]]*)\]/)
  const range = [start, match === undefined ? cursor.end : start + match[0].trimEnd().length] as const
  const word = match?.[1]?.trim() ?? ''
  if (kind === 'cookie') {
    const attribute = word.toLowerCase()
    if (cookieAttributes.includes(attribute)) return { attribute }
    const [nearest] = nearestNames(word, cookieAttributes)
    const hint = nearest === undefined ? `They are ${cookieAttributes.join(', ')}.` : `Did you mean ${nearest}?`
    throw new TagProblem('expected the attribute of a cookie, such as [Secure]', range, hint)
  }
  if (word === '*') return 'all'
  if (/^-?\d+$/.test(word)) return Number(word)
  throw new TagProblem('expected which value of the header: [0], [-1] or [*]', range)
}
