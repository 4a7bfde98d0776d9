/**
 * Converts Hurl's captures and asserts to `# @capture` and `# @assert`.
 *
 * Rules (Hurl, "Asserting Response", "Capturing Response", "Filters"): Hurl's forms are almost those of request files;
 * differences are rewritten, and undefined means that no equivalent exists. The status line and headers of a response
 * are converted to asserts as well.
 */
import { endOfQuoted } from '../../http-file/index.ts'
import { isTag } from '../draft/request-parts.ts'
import { bytesOf, hurlTemplates, hurlUnescaped, standardJsonPath } from './text.ts'

/** Supported filters of Hurl with their number of arguments. */
const filters: Readonly<Record<string, number>> = {
  ...{ count: 0, length: 0, first: 0, last: 0, toInt: 0, toFloat: 0, toString: 0, toHex: 0 },
  ...{ htmlEscape: 0, htmlUnescape: 0, urlEncode: 0, urlDecode: 0 },
  ...{ base64Encode: 0, base64Decode: 0, base64UrlSafeEncode: 0, base64UrlSafeDecode: 0 },
  ...{ daysAfterNow: 0, daysBeforeNow: 0, utf8Encode: 0, utf8Decode: 0 },
  ...{ split: 1, nth: 1, jsonpath: 1, xpath: 1, toDate: 1, format: 1, dateFormat: 1, regex: 1 },
  ...{ decode: 1, charsetDecode: 1, urlQueryParam: 1, replace: 2, replaceRegex: 2 },
}

const plainSubjects: ReadonlySet<string> = new Set([
  ...['status', 'url', 'ip', 'duration', 'body', 'sha256', 'md5', 'bytes', 'rawbytes', 'redirects', 'version'],
])

/** Bytes, for comparisons. */
const BYTES = 'body toHex'

interface Check {
  readonly subject: string
  readonly filters: readonly string[]
  /** The text after the filters. */
  readonly rest: string
  readonly literals: LiteralKind
}

/** The text after `# @assert`. */
export function assertText(line: string): string | undefined {
  const check = checkOf(line)
  const predicate = check === undefined ? undefined : predicateOf(check.rest, check.literals)
  if (check === undefined || predicate === undefined) return undefined
  const [before, ...after] = [check.subject, ...check.filters]
  const text = [before, ...after, predicate].join(' ')
  return isTag('assert', text) ? text : undefined
}

/** The text after `# @capture`. */
export function captureText(name: string, value: string): string | undefined {
  const check = checkOf(value)
  const isWhole = check !== undefined && check.rest.replace(/\bredact\b/, '').trim() === '' && check.subject !== BYTES
  if (!isWhole) return undefined
  const text = `${name} = ${[check.subject, ...check.filters].join(' ')}`
  return isTag('capture', text) ? text : undefined
}

interface Query {
  /** The query's name in Hurl. */
  readonly word: string
  readonly subject: string
  readonly rest: string
}

/** The query and its filters; undefined without an equivalent. */
function checkOf(line: string): Check | undefined {
  const query = queryOf(line)
  if (query === undefined) return undefined
  const { found, rest } = filtersOf(query.rest)
  const names = found.map(([name]) => name)
  const check = (subject: string, kept: readonly (readonly string[])[], literals: LiteralKind = 'value'): Check => ({
    subject,
    filters: kept.flatMap((words) => filterText(words) ?? []),
    rest,
    literals,
  })
  switch (query.word) {
    case 'redirects':
      if (names[0] === 'count') return check('redirects', found.slice(1))
      return check('locations', names.at(-1) === 'location' ? found.slice(0, -1) : found)
    case 'bytes':
    case 'rawbytes':
      return bytesCheck(query.word, found, check)
    case 'sha256':
    case 'md5':
      return digestCheck(query.subject, found, check)
    default: {
      const isDecoded = /^base64(?:UrlSafe)?Decode$/.test(names.at(-1) ?? '')
      // Decoding yields UTF-8 text already.
      const isCharset = names.some(
        (name, index) => /Decode$/.test(names[index - 1] ?? '') && /^(?:charsetD|d)ecode$/.test(name),
      )
      return isCharset ? undefined : check(query.subject, found, isDecoded ? 'decoded' : 'value')
    }
  }
}

type MakeCheck = (subject: string, kept: readonly (readonly string[])[], literals?: LiteralKind) => Check

/** A check of bytes: their number, their text in a charset, or their digits. */
function bytesCheck(word: string, found: readonly (readonly string[])[], check: MakeCheck): Check | undefined {
  const [[first = ''] = []] = found
  if (first === 'count') return check(word === 'bytes' ? 'bytes' : 'size', found.slice(1))
  if (word === 'rawbytes') return undefined
  if (found.length === 0) return check(BYTES, [], 'hex')
  if (first === 'utf8Decode') return check('body decode "utf-8"', found.slice(1))
  return /^(?:decode|charsetDecode|toHex|base64(?:UrlSafe)?Encode)$/.test(first) ? check('body', found) : undefined
}

/** Digests are hexadecimal digits here, and bytes in Hurl. */
function digestCheck(subject: string, found: readonly (readonly string[])[], check: MakeCheck): Check | undefined {
  const [[first = ''] = []] = found
  if (first === '') return check(subject, [], 'hex')
  return first === 'toHex' ? check(subject, found.slice(1)) : undefined
}

/** The filter of request files; undefined for one that has no effect here. */
function filterText([name = '', ...texts]: readonly string[]): string | undefined {
  if (name === 'utf8Encode' || name === 'utf8Decode') return undefined
  // Hurl does not escape slashes.
  if (name === 'urlEncode') return 'urlEncode replace "%2F" "/"'
  if (name === 'charsetDecode') return ['decode', ...texts].join(' ')
  if (name === 'replace' && texts[0]?.startsWith('/')) return ['replaceRegex', ...texts].join(' ')
  if (name === 'jsonpath') return ['jsonpath', ...texts.map(standardJsonPath)].join(' ')
  return [name, ...texts].join(' ')
}

/** An argument at the start of a text: in double quotes, between slashes, or what `others` matches. "" without one. */
function argumentIn(text: string, others: RegExp): string {
  const end = /^["/]/.test(text) ? endOfQuoted(text, 0) : -1
  return end === -1 ? (others.exec(text)?.[0] ?? '') : text.slice(0, end)
}

function queryOf(line: string): Query | undefined {
  const match = /^(\w+)\s*(.*)$/s.exec(hurlTemplates(line))
  const [, word = '', rest = ''] = match ?? []
  // The version in request files includes the protocol.
  if (word === 'version') return { word, subject: 'version replace "HTTP/" ""', rest }
  if (plainSubjects.has(word)) return { word, subject: word, rest }
  const value = argumentIn(rest, /^\S+/)
  if (value === '') return undefined
  const after = rest.slice(value.length).trimStart()
  switch (word) {
    case 'jsonpath':
      return { word, subject: `jsonpath ${standardJsonPath(value)}`, rest: after }
    case 'xpath':
    case 'header':
    case 'variable':
    case 'certificate':
      return { word, subject: `${word} ${value}`, rest: after }
    case 'cookie': {
      const cookie = /^"([^"[]*)(?:\[([\w-]+)\])?"$/.exec(value)
      if (cookie === null) return undefined
      const attribute = cookie[2] === undefined ? '' : `[${cookie[2]}]`
      return { word, subject: `cookie ${cookie[1]}${attribute}`, rest: after }
    }
    case 'regex':
      return { word, subject: `body regex ${value}`, rest: after }
    default:
      return undefined
  }
}

/** Filters with their arguments. A word that is not a filter ends them; it is invalid unless it is a predicate. */
function filtersOf(text: string): {
  readonly found: readonly (readonly [string, ...string[]])[]
  readonly rest: string
} {
  const found: (readonly [string, ...string[]])[] = []
  let rest = text.trim()
  for (;;) {
    const [, word = ''] = /^(\w+)\b/.exec(rest) ?? []
    // For a redirect this is its location.
    const count = word === 'location' ? 0 : Object.hasOwn(filters, word) ? filters[word] : undefined
    if (count === undefined) return { found, rest }
    const taken = argumentsIn(rest.slice(word.length), count)
    if (taken === undefined) return { found, rest }
    found.push([word, ...taken.values])
    rest = taken.rest
  }
}

/** Undefined if the text does not begin with `count` arguments, each after blanks. */
function argumentsIn(
  text: string,
  count: number,
): { readonly values: readonly string[]; readonly rest: string } | undefined {
  const values: string[] = []
  let rest = text
  for (let index = 0; index < count; index++) {
    const value = /^\s/.test(rest) ? argumentIn(rest.trimStart(), /^(?:-?\d+|`[^`]*`)/) : ''
    if (value === '') return undefined
    values.push(value)
    rest = rest.trimStart().slice(value.length)
  }
  return /^\S/.test(rest) ? undefined : { values, rest: rest.trimStart() }
}

const signs: Readonly<Record<string, string>> = {
  equals: '==',
  notEquals: '!=',
  greaterThan: '>',
  greaterThanOrEquals: '>=',
  lessThan: '<',
  lessThanOrEquals: '<=',
  includes: 'contains',
}

const otherTests: Readonly<Record<string, string>> = { isCollection: 'isArray', isList: 'isArray', isIsoDate: 'isDate' }

function predicateOf(text: string, literals: LiteralKind): string | undefined {
  const match = /^(not\s+)?(==|!=|>=|<=|>|<|\w+)\s*(.*)$/s.exec(text)
  if (match === null) return undefined
  const [, not = '', word = '', value = ''] = match
  const prefix = not === '' ? '' : 'not '
  const sign = signs[word] ?? otherTests[word] ?? word
  if (value === '') return `${prefix}${sign}`
  if (sign === 'matches') return `${prefix}matches ${value}`
  if (literals === 'hex' && sign === 'contains') return hexContains(prefix, value)
  const literal = literalText(value, literals)
  return literal === undefined ? undefined : `${prefix}${sign} ${literal}`
}

/** Two digits are a byte. */
function hexContains(prefix: string, value: string): string | undefined {
  const bytes = writtenBytes(value.trim())
  return bytes === undefined ? undefined : `${prefix}matches /^(?:..)*?${bytes.toString('hex')}/`
}

/** The kind of value to compare with. */
type LiteralKind =
  /** Text or JSON. */
  | 'value'
  /** Hexadecimal digits. */
  | 'hex'
  /** Text that was decoded from bytes. */
  | 'decoded'

/**
 * A text is in double quotes with escapes, or in backticks without; bytes are `hex,…;` or `base64,…;`, and are compared
 * by their hexadecimal digits, because comparisons in request files use text.
 * @param written with the templates of request files
 * @returns undefined without an equivalent
 */
function literalText(written: string, kind: LiteralKind): string | undefined {
  const text = written.trim()
  const bytes = writtenBytes(text)
  if (bytes === undefined) return kind === 'hex' && text !== '' ? undefined : valueText(text)
  if (kind === 'hex') return JSON.stringify(bytes.toString('hex'))
  const decoded = bytes.toString('utf8')
  return kind === 'decoded' && Buffer.from(decoded, 'utf8').equals(bytes) ? JSON.stringify(decoded) : undefined
}

/** Undefined for a value that is not written as bytes. */
function writtenBytes(text: string): Buffer | undefined {
  const [, encoding = '', digits = ''] = /^(hex|base64)\s*,([^;]*);$/.exec(text) ?? []
  return bytesOf(encoding, digits)
}

/** Undefined for a file, which has no equivalent. */
function valueText(text: string): string | undefined {
  if (/^file\s*,/.test(text)) return undefined
  const lines = /^```(?:[ \t\w,-]*\n)?(.*)```$/s.exec(text)
  if (lines !== null) return JSON.stringify(lines[1] as string)
  const raw = /^`([^`]*)`$/.exec(text)
  if (raw !== null) return JSON.stringify(raw[1] as string)
  const isQuoted = text.startsWith('"') && endOfQuoted(text, 0) === text.length
  return isQuoted ? JSON.stringify(hurlUnescaped(text.slice(1, -1))) : text
}
