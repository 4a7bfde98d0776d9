/**
 * Captures and asserts of Hurl to `# @capture` and `# @assert`.
 *
 * Rules (Hurl, "Asserting Response", "Capturing Response"): both have nearly the same form as ours; what differs is
 * rewritten, what has no equivalent gives undefined. A status line and headers of a response are asserts, too.
 */
import { parseHttpFile } from '../../http-file/index.ts'
import { hurlTemplates } from './text.ts'

/** Filters of Hurl that have a name of ours. */
const filters: Readonly<Record<string, string>> = { count: 'count', length: 'length' }

const comparedSubjects: Readonly<Record<string, string>> = {
  status: 'status',
  version: 'version',
  url: 'url',
  ip: 'ip',
  duration: 'duration',
  body: 'body',
  bytes: 'bytes',
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

function filtersOf(text: string): { readonly words: readonly string[]; readonly rest: string } {
  const words: string[] = []
  let rest = text.trim()
  for (;;) {
    const regex = /^regex\s+("(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)*\/)\s*(.*)$/s.exec(rest)
    const word = /^(count|length|toInt|toFloat|toString)\b\s*(.*)$/s.exec(rest)
    if (regex !== null) {
      words.push(`regex ${regex[1]}`)
      rest = regex[2] as string
    } else if (word !== null) {
      const filter = filters[word[1] as string]
      // Texts of the protocol are numbers where they are compared with one.
      if (filter !== undefined) words.push(filter)
      rest = word[2] as string
    } else {
      return { words, rest }
    }
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
