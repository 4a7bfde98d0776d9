/**
 * Captures and asserts of Hurl to `# @capture` and `# @assert`.
 *
 * Rules (Hurl, "Asserting Response", "Capturing Response"): both have nearly the same form as ours; what differs is
 * rewritten, what has no equivalent gives undefined. A status line and headers of a response are asserts, too.
 */
import { parseHttpFile } from '../../http-file/index.ts'
import { hurlTemplates } from './text.ts'

/** Filters of Hurl, and how many texts each takes. They have the names that we have. */
const filters: Readonly<Record<string, number>> = {
  ...{ count: 0, length: 0, first: 0, last: 0, toInt: 0, toFloat: 0, toString: 0, toHex: 0, htmlEscape: 0 },
  ...{ urlEncode: 0, urlDecode: 0, base64Encode: 0, base64Decode: 0, base64UrlSafeEncode: 0, base64UrlSafeDecode: 0 },
  ...{
    daysAfterNow: 0,
    daysBeforeNow: 0,
    split: 1,
    nth: 1,
    jsonpath: 1,
    xpath: 1,
    toDate: 1,
    format: 1,
    dateFormat: 1,
  },
  ...{ decode: 1, urlQueryParam: 1, replace: 2, replaceRegex: 2 },
}

const comparedSubjects: Readonly<Record<string, string>> = {
  status: 'status',
  version: 'version',
  url: 'url',
  ip: 'ip',
  duration: 'duration',
  body: 'body',
  sha256: 'sha256',
  md5: 'md5',
}

/** The line behind `# @assert`. */
export function assertText(line: string): string | undefined {
  const query = queryOf(line)
  if (query === undefined) return undefined
  const filtered = filtersOf(query.rest)
  const predicate = predicateOf(filtered.rest)
  if (predicate === undefined) return undefined
  return checked('assert', [query.subject, ...filtered.words, predicate].join(' '))
}

/** The line behind `# @capture`. */
export function captureText(name: string, value: string): string | undefined {
  const query = queryOf(value)
  if (query === undefined) return undefined
  const { words, rest } = filtersOf(query.rest)
  return rest.replace(/\bredact\b/, '').trim() === ''
    ? checked('capture', `${name} = ${[query.subject, ...words].join(' ')}`)
    : undefined
}

/** Only what our own parser takes is given out. */
function checked(tag: string, text: string): string | undefined {
  const { errors } = parseHttpFile(`# @${tag} ${text}\nGET http://localhost/\n`)
  return errors.length === 0 ? text : undefined
}

interface Query {
  readonly subject: string
  readonly rest: string
}

const argument = '("(?:[^"\\\\]|\\\\.)*"|\\S+)'

function queryOf(line: string): Query | undefined {
  const match = /^(\w+)\s*(.*)$/s.exec(hurlTemplates(line))
  const [, word = '', rest = ''] = match ?? []
  const plain = comparedSubjects[word]
  // Both count what they are: octets, and redirects that were followed.
  if (word === 'bytes' || word === 'redirects') {
    const counted = /^count\b\s*(.*)$/s.exec(rest)?.[1]
    if (counted !== undefined) return { subject: word, rest: counted }
    const decoded = word === 'bytes' && /^decode\b/.test(rest)
    return decoded ? { subject: 'body', rest } : undefined
  }
  if (plain !== undefined) return { subject: plain, rest }
  const withArgument = new RegExp(`^${argument}\\s*(.*)$`, 's').exec(rest)
  const [, value = '', behind = ''] = withArgument ?? []
  if (value === '') return undefined
  switch (word) {
    case 'jsonpath':
    case 'xpath':
      return { subject: `${word} ${value}`, rest: behind }
    case 'header':
    case 'variable':
    case 'certificate':
      return { subject: `${word} ${value}`, rest: behind }
    case 'cookie': {
      const cookie = /^"([^"[]*)(?:\[([\w-]+)\])?"$/.exec(value)
      if (cookie === null) return undefined
      return { subject: `cookie ${cookie[1]}${cookie[2] === undefined ? '' : `[${cookie[2]}]`}`, rest: behind }
    }
    case 'regex':
      return { subject: `body regex ${value}`, rest: behind }
    default:
      return undefined
  }
}

const filterText = '("(?:[^"\\\\]|\\\\.)*"|/(?:[^/\\\\]|\\\\.)*/|\\d+)'

/** What is no filter of ours is left in the rest, where it is no predicate either. */
function filtersOf(text: string): { readonly words: readonly string[]; readonly rest: string } {
  const words: string[] = []
  let rest = text.trim()
  for (;;) {
    const [, word = ''] = /^(\w+)\b/.exec(rest) ?? []
    const count = word === 'regex' ? 1 : Object.hasOwn(filters, word) ? filters[word] : undefined
    if (count === undefined) return { words, rest }
    const match = new RegExp(`^\\w+${`\\s+${filterText}`.repeat(count)}(?:\\s+(.*))?$`, 's').exec(rest)
    if (match === null) return { words, rest }
    words.push([word, ...match.slice(1, count + 1)].join(' '))
    rest = match[count + 1] ?? ''
  }
}

const signs: Readonly<Record<string, string>> = {
  equals: '==',
  notEquals: '!=',
  greaterThan: '>',
  greaterThanOrEquals: '>=',
  lessThan: '<',
  lessThanOrEquals: '<=',
}

function predicateOf(text: string): string | undefined {
  const match = /^(not\s+)?(==|!=|>=|<=|>|<|\w+)\s*(.*)$/s.exec(text)
  if (match === null) return undefined
  const [, not = '', word = '', value = ''] = match
  const sign = signs[word] ?? word
  const prefix = not === '' ? '' : 'not '
  if (sign === 'includes') return `${prefix}contains ${value}`
  if (sign === 'isCollection' || sign === 'isList') return `${prefix}isArray`
  return `${prefix}${sign}${value === '' ? '' : ` ${value}`}`
}
