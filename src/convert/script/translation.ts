/**
 * A script of another tool to one of a request file.
 *
 * Rules: statements are translated one by one. One that calls something without equivalent stays as a comment, and with it
 * all that use what it declares; each is reported. Chains of `expect` become assertions (expect-chain.ts), calls are
 * renamed by the table of the dialect.
 */
import { bodyText, type Renamed, type ScriptDialect } from './dialect.ts'
import { readChain, sortedKeys } from './expect-chain.ts'
import { argumentsAt, bracketEnd, codeOnly, statementsOf } from './javascript-text.ts'
import { responseAssertion } from './response-chain.ts'

export interface TranslatedScript {
  /** '' where nothing of it is left but comments. */
  readonly code: string
  /** For `# @assert`: what a script cannot know. */
  readonly assertions: readonly string[]
  /** The first line of each statement that became a comment. */
  readonly lost: readonly string[]
}

export function translateScript(source: string, dialect: ScriptDialect): TranslatedScript {
  if (bracketDepth(codeOnly(source)) > MAX_DEPTH) {
    return { code: '', assertions: [], lost: [`a script whose brackets are more than ${MAX_DEPTH} deep`] }
  }
  const translation = new Translation(dialect)
  const code = translation.block(source.replace(/\r\n?/g, '\n'))
  const hasCode = codeOnly(code).trim() !== ''
  const helpers = codeOnly(code).includes(', sortedKeys)') ? `${sortedKeys}\n` : ''
  return { code: hasCode ? helpers + code : '', assertions: translation.assertions, lost: translation.lost }
}

/** Each level reads what is inside of it again. */
const MAX_DEPTH = 50

function bracketDepth(code: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
    depth += '([{'.includes(bracket) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

class Translation {
  readonly assertions: string[] = []
  readonly lost: string[] = []
  readonly #lostNames: Set<string> = new Set()
  readonly #dialect: ScriptDialect

  constructor(dialect: ScriptDialect) {
    this.#dialect = dialect
  }

  /** The statements of a script, or of the function of a test. */
  block(source: string): string {
    return statementsOf(source)
      .map((statement) => this.#statement(statement))
      .filter((line) => line !== undefined)
      .join('\n')
  }

  /** Undefined where nothing is left of it. */
  #statement(statement: string): string | undefined {
    const time = timeAssertion(statement, this.#dialect)
    if (time !== undefined) {
      this.assertions.push(time)
      return undefined
    }
    const test = testIn(statement, this.#dialect)
    if (test !== undefined) return this.#test(statement, test)
    const code = translated(statement, this.#dialect)
    if (code !== undefined && !usesAny(code, this.#lostNames)) return code
    return this.#lose(statement)
  }

  /** Of a test only those of its statements are lost that have no equivalent. */
  #test(statement: string, { comments, name, head, body }: FoundTest): string | undefined {
    const inner = this.block(body)
    if (inner.trim() === '') return comments.trim() === '' ? undefined : comments.trimEnd()
    const title = translated(name, this.#dialect)
    if (title === undefined || usesAny(title, this.#lostNames)) return this.#lose(statement)
    const layout = inner.includes('\n') || body.includes('\n') ? '\n' : ' '
    const code = `${comments}client.test(${title}, ${head}{${layout}${layout === ' ' ? inner.trim() : inner.replace(/^\n/, '')}${layout}})`
    return codeOnly(inner).trim() === '' ? code.replace(/^(?!\s*\/\/)/gm, '// ') : code
  }

  #lose(statement: string): string {
    for (const name of declaredNames(statement)) this.#lostNames.add(name)
    this.lost.push(firstLine(statement))
    return statement.replace(/^([ \t]*)(?=\S)/gm, '$1// ')
  }
}

/** `test("name", function () { … })` and the same with an arrow. */
interface FoundTest {
  /** Before it, with the last line end. */
  readonly comments: string
  readonly name: string
  /** Of the function, up to its brace. */
  readonly head: string
  readonly body: string
}

/** The pattern of a name with members, perhaps with blanks between them. */
function namePattern(name: string): string {
  return name.replace(/[.()]/g, (mark) => (mark === '.' ? '\\s*\\.\\s*' : `\\s*\\${mark}`))
}

const functionHead = /^(?:async\s+)?(?:function\s*(?:\w+\s*)?\(\s*(?:\w+\s*)?\)\s*|\(\s*\)\s*=>\s*|\w+\s*=>\s*)(?=\{)/

/** Undefined for a statement that is something else, too. */
function testIn(statement: string, dialect: ScriptDialect): FoundTest | undefined {
  const start = new RegExp(`^((?:\\s*\\/\\/[^\\n]*\\n)*\\s*)${namePattern(`${dialect.test}(`)}`).exec(statement)
  if (start === null) return undefined
  const { values, end } = argumentsAt(statement, start[0].length - 1)
  const [name = '', callback = '', ...others] = values
  const head = functionHead.exec(callback)?.[0]
  if (head === undefined || others.length > 0 || !/^\s*(?:;\s*)?$/.test(statement.slice(end))) return undefined
  const bodyEnd = bracketEnd(callback, head.length)
  if (bodyEnd !== callback.length) return undefined
  return { comments: start[1] ?? '', name, head, body: callback.slice(head.length + 1, bodyEnd - 1) }
}

const timeSigns: Readonly<Record<string, string>> = {
  ...{
    below: '<',
    lessThan: '<',
    lt: '<',
    most: '<=',
    lte: '<=',
    above: '>',
    greaterThan: '>',
    gt: '>',
    least: '>=',
    gte: '>=',
  },
}

/** How long the response took is no property of a response in scripts. */
function timeAssertion(statement: string, { expect, responseTime }: ScriptDialect): string | undefined {
  const time = responseTime.map((name) => name.replace(/[.()]/g, '\\$&')).join('|')
  const pattern = new RegExp(
    `^\\s*${namePattern(expect)}\\(\\s*(?:${time})\\s*\\)\\.to\\.be(?:\\.at)?\\.(\\w+)\\(\\s*(\\d+)\\s*\\);?\\s*$`,
  )
  const match = pattern.exec(statement)
  const sign = match === null ? undefined : timeSigns[match[1] as string]
  return sign === undefined ? undefined : `duration ${sign} ${match?.[2]}ms`
}

/** Undefined where something in it has no equivalent. */
function translated(statement: string, dialect: ScriptDialect): string | undefined {
  const code = rewritten(withoutLegacyTest(statement, dialect), dialect)?.replaceAll(
    `JSON.parse(${bodyText})`,
    'response.body',
  )
  return code === undefined || dialect.unknownNames.test(codeOnly(code)) ? undefined : code
}

/** `tests["name"] = condition`, with comments before it, as a call. */
function withoutLegacyTest(statement: string, { test }: ScriptDialect): string {
  const start = /^(\s*)tests\s*\[/.exec(codeOnly(statement))
  if (start === null) return statement
  const nameStart = start[0].length
  const nameEnd = bracketEnd(statement, nameStart - 1)
  const sign = /^\s*=(?!=)/.exec(statement.slice(nameEnd))
  if (sign === null) return statement
  const name = statement.slice(nameStart, nameEnd - 1)
  const condition = statement
    .slice(nameEnd + sign[0].length)
    .trim()
    .replace(/;$/, '')
  return `${statement.slice(0, start[1]?.length)}${test}(${name}, () => client.assert(${condition}))`
}

/** All calls of a text, the inner ones first. */
function rewritten(text: string, dialect: ScriptDialect): string | undefined {
  let code = text
  // Each pass takes one call away, so there are at most as many as there are names.
  for (let count = 0; count < 2000; count++) {
    const next = rewrittenOnce(code, dialect)
    if (next === code) return code
    if (next === undefined) return undefined
    code = next
  }
  return undefined
}

/** The last call of a text rewritten: what stands in its arguments was rewritten before. */
function rewrittenOnce(code: string, dialect: ScriptDialect): string | undefined {
  const plain = codeOnly(code)
  const expect = lastMatch(plain, new RegExp(`(?<![.\\w$])${namePattern(`${dialect.expect}(`)}`, 'g'))
  const response =
    dialect.response === undefined
      ? undefined
      : lastMatch(plain, new RegExp(`\\b${namePattern(`${dialect.response}.to`)}\\b`, 'g'))
  const name = lastName(plain, code, dialect)
  const last = Math.max(expect?.index ?? -1, response?.index ?? -1, name?.index ?? -1)
  if (last === -1) return code
  if (expect?.index === last) return rewrittenExpect(code, last, last + expect[0].length - 1)
  if (response?.index === last) return rewrittenResponse(code, last, last + response[0].length)
  return rewrittenName(code, name as FoundName)
}

function rewrittenExpect(code: string, start: number, bracket: number): string | undefined {
  const { values, end } = argumentsAt(code, bracket)
  const chain = readChain(code, end, values[0] ?? 'undefined', values[1])
  return chain === undefined ? undefined : code.slice(0, start) + chain.code + code.slice(chain.end)
}

function rewrittenResponse(code: string, start: number, chainStart: number): string | undefined {
  const chain = responseAssertion(code, chainStart)
  return chain === undefined ? undefined : code.slice(0, start) + chain.code + code.slice(chain.end)
}

interface FoundName {
  readonly index: number
  readonly length: number
  readonly name: Renamed
}

/** `plain` is `code` with strings blanked, so that nothing is found in them. */
function lastName(plain: string, code: string, { renamed }: ScriptDialect): FoundName | undefined {
  let found: FoundName | undefined
  for (const name of renamed) {
    const pattern = new RegExp(`(?<![\\w$.])${namePattern(name.from)}${/\w$/.test(name.from) ? '(?![\\w$])' : ''}`, 'g')
    const match = lastMatch(plain, pattern)
    if (match === undefined || match.index <= (found?.index ?? -1)) continue
    found = { index: match.index, length: match[0].length, name }
  }
  return code === '' ? undefined : found
}

function lastMatch(text: string, pattern: RegExp): (RegExpMatchArray & { readonly index: number }) | undefined {
  return [...text.matchAll(pattern)].at(-1) as (RegExpMatchArray & { readonly index: number }) | undefined
}

function rewrittenName(code: string, { index, length, name }: FoundName): string | undefined {
  if (name.to === '') return undefined
  if (!name.from.endsWith('(')) return code.slice(0, index) + name.to + code.slice(index + length)
  const { values, end } = argumentsAt(code, index + length - 1)
  const text = name.to
    .replaceAll('$*', () => values.join(', '))
    .replace(/\$(\d)/g, (_, place) => values[Number(place)] ?? 'undefined')
  return code.slice(0, index) + text + code.slice(end)
}

function declaredNames(statement: string): readonly string[] {
  const plain = codeOnly(statement)
  return [...plain.matchAll(/\b(?:const|let|var|function|class)\s+(?:\{([^}]*)(?:\}|$)|([\w$]+))/g)].flatMap((match) =>
    match[2] === undefined ? (match[1] as string).split(/[,:\s]+/).filter((name) => name !== '') : [match[2]],
  )
}

function usesAny(code: string, names: ReadonlySet<string>): boolean {
  return [...codeOnly(code).matchAll(/(?<![.\w$])[A-Za-z_$][\w$]*/g)].some(([name]) => names.has(name))
}

function firstLine(statement: string): string {
  const lines = statement.split('\n').map((line) => line.trim())
  return lines.find((line) => line !== '' && !line.startsWith('//')) ?? (lines[0] as string)
}
