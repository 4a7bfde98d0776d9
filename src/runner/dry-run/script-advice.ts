/**
 * Finds scripts that use an object that exists only on the other side of the exchange or in another tool, and misspelt
 * members.
 *
 * Rules: a script before the request has no `response`, so a script that uses it would fail. A script that declares a
 * variable with that name itself is not reported.
 */
import { misspelledName, type ScriptNode, type Span } from '../../http-file/index.ts'
import { foreignNames } from '../scripting/source/foreign-names.ts'
import { nesting, type ScriptToken, scriptTokens } from '../scripting/source/script-tokens.ts'
import type { Advice } from './request-advice.ts'

const members: ReadonlySet<string> = new Set(['status', 'body', 'headers', 'contentType', 'cookies', 'cookiesByName'])

/** The members of the script objects; a similar name is assumed to be a misspelling. */
const offered: Readonly<Record<string, readonly string[]>> = {
  client: ['test', 'assert', 'log', 'exit', 'global', 'variables'],
  response: ['status', 'body', 'headers', 'contentType', 'cookies', 'cookiesByName'],
}

/** @param declared the names of other tools that the request file or an import declares */
export function scriptAdvice(script: ScriptNode, declared: ReadonlySet<string>): readonly Advice[] {
  return [...misplacedScript(script), ...misspeltMembers(script), ...foreignUses(script, declared)]
}

/** `client.tset(…)` would fail at run time, `response.stauts` would be undefined. */
function misspeltMembers({ source }: ScriptNode): readonly Advice[] {
  if (source.type !== 'inline') return []
  const tokens = scriptTokens(source.code)
  return tokens.flatMap(({ kind, text, offset }, at) => {
    const [before, dot] = [tokens[at - 2], tokens[at - 1]]
    const isMember = before?.kind === 'name' && dot?.text === '.' && Object.hasOwn(offered, before.text)
    const known = isMember ? offered[before.text] : undefined
    if (kind !== 'name' || known === undefined || known.includes(text) || tokens[at - 3]?.text === '.') return []
    const nearest = misspelledName(text, known)
    if (nearest === undefined) return []
    const message = `${before?.text}.${text} does not exist`
    const span = placeInCode(source.span, source.code, offset, text.length)
    return [{ code: 'unknown-member', message, hint: `Did you mean ${before?.text}.${nearest}?`, span }]
  })
}

/** `pm.test(…)` would fail at run time. Each name is reported once. */
function foreignUses({ source }: ScriptNode, declared: ReadonlySet<string>): readonly Advice[] {
  if (source.type !== 'inline') return []
  const { code, span } = source
  const names = Object.keys(foreignNames).filter((name) => code.includes(name) && !declared.has(name))
  if (names.length === 0) return []
  const tokens = scriptTokens(code)
  const ends = bracketEnds(tokens)
  return names.flatMap((name): readonly Advice[] => {
    const token = tokens.find(({ text }, index) => text === name && isUse(tokens, index, ends))
    if (token === undefined) return []
    const place = placeInCode(span, code, token.offset, name.length)
    return [
      { code: 'unknown-member', message: `${name} does not exist`, hint: foreignNames[name] as string, span: place },
    ]
  })
}

/** Whether the name is called, or a member of it is used: anything else may introduce it. */
function isUse(tokens: readonly ScriptToken[], at: number, ends: ReadonlyMap<number, number>): boolean {
  const [before = '', after] = [tokens[at - 1]?.text, tokens[at + 1]?.text]
  if (tokens[at]?.kind !== 'name' || /^(?:\.|\?\.|typeof|function|class)$/.test(before)) return false
  if (after === '.' || after === '?.') return true
  const end = ends.get(at + 1)
  const isMethod = end !== undefined && tokens[end + 1]?.text === '{'
  return after === '(' && before !== ',' && !isMethod
}

/** The index of the closing bracket of each opening one. */
function bracketEnds(tokens: readonly ScriptToken[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const open: number[] = []
  for (const [index, token] of tokens.entries()) {
    if (nesting(token) > 0) open.push(index)
    else if (nesting(token) < 0) ends.set(open.pop() ?? -1, index)
  }
  return ends
}

/** The names of other tools that a text declares, imports or assigns. */
export function declaredNames(text: string): ReadonlySet<string> {
  return new Set(Object.keys(foreignNames).filter((name) => text.includes(name) && declarationOf(name).test(text)))
}

function declarationOf(name: string): RegExp {
  return new RegExp(
    String.raw`\b(?:const|let|var|class|function)\b[\s*]*\b${name}\b|[{,(]\s*${name}\s*[,)}=]|\b(?:globalThis\.|import\s+(?:\*\s*as\s+)?|as\s+)${name}\b|(?<![.\w$])${name}\s*=>?(?!=)`,
  )
}

function placeInCode(span: Span, code: string, start: number, length: number): Span {
  const lines = code.slice(0, start).split(/\r\n|\n|\r/)
  const last = lines.at(-1) as string
  const column = lines.length === 1 ? span.column + last.length : last.length + 1
  return { offset: span.offset + start, line: span.line + lines.length - 1, column, length }
}

function misplacedScript({ phase, source, span }: ScriptNode): readonly Advice[] {
  if (phase !== 'pre-request' || source.type !== 'inline' || !source.code.includes('response')) return []
  const tokens = scriptTokens(source.code)
  const text = (index: number): string | undefined => tokens[index]?.text
  const uses = tokens.findIndex(({ kind, text: word }, at) => {
    if (kind !== 'name' || word !== 'response' || text(at - 1) === '.' || text(at - 1) === '?.') return false
    return (text(at + 1) === '.' || text(at + 1) === '?.') && members.has(text(at + 2) ?? '')
  })
  const isOwn = tokens.some(({ text: word }, at) => {
    return word === 'response' && /^(?:const|let|var|function|[(,{])$/.test(text(at - 1) ?? '')
  })
  if (uses === -1 || (isOwn && !isCertain(tokens.map((token) => token.text)))) return []
  const line = span.line
  return [
    {
      code: 'misplaced-script',
      message: 'this script runs before the request, and uses the response',
      hint: 'Write "> {% … %}" below the request for a script that reads the response.',
      span: { ...span, line, length: 1 },
    },
  ]
}

/** Whether no declaration introduces the name. A bracket before it does not count: it may be a call. */
function isCertain(words: readonly string[]): boolean {
  return words.every((word, at) => {
    if (word !== 'response') return true
    const before = words[at - 1] ?? ''
    return !/^(?:const|let|var|function)$/.test(before) && !(words[at + 1] === ')' && words[at + 2] === '=>')
  })
}
