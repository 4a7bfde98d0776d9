/**
 * Converts Bruno's assertions and post-response variables to `# @assert` and `# @capture`.
 *
 * Rules (Bruno, "Assertions", "Variables, Post Response"): an expression for the status, a header or a path becomes a
 * tag. Any other expression becomes a line of a script, which translation.ts translates or reports as a loss.
 */
import { templatePieces } from '../draft/literal-text.ts'
import { isTag } from '../draft/request-parts.ts'
import type { BrunoCheck } from './document.ts'

export interface CheckResult {
  /** For `# @assert` or `# @capture`. */
  readonly tags: readonly string[]
  /** In Bruno's script interface; '' if tags are sufficient. */
  readonly code: string
}

/** @param textWith translates variables to those of request files */
export function assertionResult({ expression, target }: BrunoCheck, textWith: (text: string) => string): CheckResult {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(target.trim()) ?? []
  const isNamed = Object.hasOwn(operators, word)
  const operator = operators[isNamed ? word : 'eq'] as Operator
  const value = isNamed ? rest : target.trim()
  const isWhole = wholeBody.test(expression.trim())
  const subject = isWhole ? bodySubject(isNamed ? word : 'eq', value) : subjectOf(expression)
  const texts = subject === undefined ? [] : operator.tag(value).map((predicate) => `${subject} ${textWith(predicate)}`)
  if (texts.length > 0 && texts.every((text) => isTag('assert', text))) return { tags: texts, code: '' }
  const chain = operator.chain(expression, value)
  return { tags: [], code: `test(${JSON.stringify(`${expression}: ${target}`)}, () => { ${chain} })` }
}

/** A variable that is set after the response. */
export function captureResult({ expression, target }: BrunoCheck, name: string): CheckResult {
  const subject = subjectOf(expression)
  const text = subject === undefined ? undefined : `${name} = ${subject}`
  if (text !== undefined && isTag('capture', text)) return { tags: [text], code: '' }
  return { tags: [], code: `bru.setVar(${JSON.stringify(target)}, ${expression})` }
}

const wholeBody = /^res\.(?:body|getBody\(\))$/
/** Operators on the text of a body. */
const textOperators: ReadonlySet<string> = new Set(
  'eq neq contains notContains startsWith endsWith matches notMatches isEmpty isNotEmpty'.split(' '),
)

/** The text of the body, or its value when compared with a value; undefined if it is neither. */
function bodySubject(word: string, value: string): string | undefined {
  const isText = 'text' in readValue(value)
  if (textOperators.has(word) && isText && value !== 'undefined') return 'body'
  return (word === 'eq' || word === 'neq') && !isText ? 'jsonpath "$"' : undefined
}

const memberPattern = /^(?:\??\.[A-Za-z_$][\w$-]*|(?:\?\.)?\[(?:\d+|"[^"\\]*"|'[^'\\]*')\])+$/
const headerPattern = /^(?:\.([\w-]+)|\[(?:"([^"\\]+)"|'([^'\\]+)')\])$/

/** Undefined for an expression that is not part of the response. */
function subjectOf(expression: string): string | undefined {
  const code = expression.trim()
  if (code === 'res.status' || code === 'res.getStatus()') return 'status'
  if (code === 'res.responseTime' || code === 'res.getResponseTime()') return 'duration'
  const [, part = '', members = ''] = /^res\.(body|headers|getBody\(\))(.+)$/s.exec(code) ?? []
  if (part === 'headers') {
    const [, dotted, double, single] = headerPattern.exec(members) ?? []
    const name = dotted ?? double ?? single
    return name === undefined ? undefined : `header ${name}`
  }
  if (part !== '') return memberPattern.test(members) && !isLength(members) ? jsonPath(members) : undefined
  const [, path] = /^res\((?:"([\w.[\]-]+)"|'[\w.[\]-]+')\)$/.exec(code.replaceAll("'", '"')) ?? []
  return path === undefined
    ? undefined
    : jsonPath(`.${path}`.replace(/\.(?=\[)/g, '').replace(/\.(\d+)(?=[.[]|$)/g, '[$1]'))
}

/** Whether this is probably the length of a list or a text. */
function isLength(members: string): boolean {
  return /\.length$/.test(members)
}

function jsonPath(members: string): string {
  const path = members
    .replaceAll('?.[', '[')
    .replaceAll('?.', '.')
    .replace(/\.([\w$]*[$-][\w$-]*)/g, `['$1']`)
  return `jsonpath ${JSON.stringify(`$${path.replace(/\["([^"']*)"\]/g, `['$1']`)}`)}`
}

interface Operator {
  /** Predicates after the subject; empty if they cannot express it. */
  readonly tag: (value: string) => readonly string[]
  /** The equivalent statement with a Chai chain. */
  readonly chain: (expression: string, value: string) => string
}

const compared = (sign: string, word: string): Operator => ({
  tag: (value) => (value === 'undefined' ? [] : [`${sign} ${tagValue(value)}`]),
  chain: (expression, value) => `expect(${expression}).to.${word}(${codeValue(value)})`,
})
const flag = (tags: readonly string[], words: string): Operator => ({
  tag: () => tags,
  chain: (expression) => `expect(${expression}).to.${words}`,
})
const method = (name: string): Operator => ({
  tag: (value) => [`${name} ${tagValue(value)}`],
  chain: (expression, value) => `expect(${expression}.${name}(${codeValue(value)})).to.equal(true)`,
})
const pattern = (prefix: string, words: string): Operator => ({
  tag: (value) => [`${prefix}matches ${regularExpression(value)}`],
  chain: (expression, value) => `expect(${expression}).to.${words}(${regularExpression(value)})`,
})
const member = (prefix: string, words: string): Operator => ({
  tag: (value) => [`${prefix}in [${listOf(value).map(jsonValue).join(', ')}]`],
  chain: (expression, value) => `expect(${expression}).to.${words}([${listOf(value).map(codeValue).join(', ')}])`,
})

const operators: Readonly<Record<string, Operator>> = {
  eq: { ...compared('==', 'eql'), tag: (value) => [value === 'undefined' ? 'not exists' : `== ${tagValue(value)}`] },
  neq: { ...compared('!=', 'not.eql'), tag: (value) => [value === 'undefined' ? 'exists' : `!= ${tagValue(value)}`] },
  gt: compared('>', 'be.above'),
  gte: compared('>=', 'be.at.least'),
  lt: compared('<', 'be.below'),
  lte: compared('<=', 'be.at.most'),
  in: member('', 'be.oneOf'),
  notIn: member('not ', 'not.be.oneOf'),
  contains: compared('contains', 'include'),
  notContains: compared('not contains', 'not.include'),
  length: {
    tag: (value) => [`length == ${tagValue(value)}`],
    chain: (expression, value) => `expect(${expression}).to.have.lengthOf(${codeValue(value)})`,
  },
  matches: pattern('', 'match'),
  notMatches: pattern('not ', 'not.match'),
  startsWith: method('startsWith'),
  endsWith: method('endsWith'),
  between: {
    tag: (value) => listOf(value).map((limit, index) => `${index === 0 ? '>=' : '<='} ${tagValue(limit)}`),
    chain: (expression, value) => `expect(${expression}).to.be.within(${listOf(value).map(codeValue).join(', ')})`,
  },
  isEmpty: flag(['isEmpty'], 'be.empty'),
  isNotEmpty: flag(['not isEmpty'], 'not.be.empty'),
  isNull: flag(['isNull'], 'be.null'),
  isUndefined: flag(['not exists'], 'be.undefined'),
  isDefined: flag(['exists'], 'not.be.undefined'),
  isTruthy: flag([], 'be.ok'),
  isFalsy: flag([], 'not.be.ok'),
  isJson: { tag: () => [], chain: (expression) => `expect(typeof ${expression}).to.equal('object')` },
  isNumber: flag(['isNumber'], "be.a('number')"),
  isString: flag(['isString'], "be.a('string')"),
  isBoolean: flag(['isBoolean'], "be.a('boolean')"),
  isArray: flag(['isArray'], "be.an('array')"),
}

/** Text in quotes, or a JSON value; anything else is text. */
type Read = { readonly text: string } | { readonly json: string }

function readValue(value: string): Read {
  const text = value.trim()
  const quoted = /^"(.*)"$|^'(.*)'$/s.exec(text)
  if (quoted !== null) return { text: quoted[1] ?? (quoted[2] as string) }
  return /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|\[.*\]|\{(?!\{).*\})$/s.test(text)
    ? { json: text }
    : { text }
}

/** A variable alone keeps its type. */
function tagValue(value: string): string {
  const read = readValue(value)
  if ('json' in read) return read.json
  return /^\{\{[^{}]*\}\}$/.test(value.trim()) ? value.trim() : JSON.stringify(read.text)
}

function jsonValue(value: string): string {
  const read = readValue(value)
  return 'json' in read ? read.json : JSON.stringify(read.text)
}

/** Variables are read through the script interface. */
function codeValue(value: string): string {
  if (value.trim() === 'undefined') return 'undefined'
  const read = readValue(value)
  if ('json' in read) return read.json
  const pieces = templatePieces(read.text, (name) => name)
  const words = pieces
    .filter((piece) => piece !== '')
    .map((piece) =>
      typeof piece === 'string' ? JSON.stringify(piece) : `bru.getVar(${JSON.stringify(piece.expression)})`,
    )
  return words.join(' + ') || '""'
}

/** `a, b` or `[a, b]`. */
function listOf(value: string): readonly string[] {
  return value
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function regularExpression(value: string): string {
  const text = value.trim()
  if (/^\/.+\/[a-z]*$/s.test(text)) return text
  return `/${text.replace(/^(["'])(.*)\1$/s, '$2').replace(/(\\.)|\//gs, (_, escaped: string | undefined) => escaped ?? '\\/')}/`
}
