/**
 * Finds scripts that use an object that exists only on the other side of the exchange or in another tool, and misspelt
 * members.
 *
 * Rules: a script before the request has no `response`, so a script that uses it would fail. A script that declares a
 * variable with that name itself is not reported.
 */
import { misspelledName, type ScriptNode, type Span } from '../../http-file/index.ts'
import { foreignNames } from '../scripting/source/foreign-names.ts'
import { type ScriptToken, scriptTokens } from '../scripting/source/script-tokens.ts'
import type { Advice } from './request-advice.ts'

const members: ReadonlySet<string> = new Set(['status', 'body', 'headers', 'contentType', 'cookies', 'cookiesByName'])

/** The members of the script objects; a similar name is assumed to be a misspelling. */
const offered: Readonly<Record<string, readonly string[]>> = {
  client: ['test', 'assert', 'log', 'exit', 'global', 'variables'],
  response: ['status', 'body', 'headers', 'contentType', 'cookies', 'cookiesByName'],
}

/** @param code the request file and the code that its scripts import: a name that it declares is not foreign */
export function scriptAdvice(script: ScriptNode, code: string): readonly Advice[] {
  return [...misplacedScript(script), ...misspeltMembers(script), ...foreignUses(script, code)]
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
function foreignUses({ source }: ScriptNode, code: string): readonly Advice[] {
  if (source.type !== 'inline') return []
  const tokens = scriptTokens(source.code)
  return Object.entries(foreignNames).flatMap(([name, hint]): readonly Advice[] => {
    const at = source.code.includes(name) ? tokens.findIndex((_, index) => isUse(tokens, index, name)) : -1
    const token = tokens[at]
    if (token === undefined || isDeclared(name, code)) return []
    const span = placeInCode(source.span, source.code, token.offset, name.length)
    return [{ code: 'unknown-member', message: `${name} does not exist`, hint, span }]
  })
}

/** Whether the name is called, or a member of it is used: anything else may introduce it. */
function isUse(tokens: readonly ScriptToken[], at: number, name: string): boolean {
  const [before = '', own, after] = [-1, 0, 1].map((distance) => tokens[at + distance]?.text)
  if (own !== name || tokens[at]?.kind !== 'name' || /^(?:\.|\?\.|typeof|function|class)$/.test(before)) return false
  return after === '.' || after === '?.' || (after === '(' && before !== ',' && !isMethod(tokens, at + 1))
}

/** Whether the brackets are those of the parameters of a method. */
function isMethod(tokens: readonly ScriptToken[], at: number): boolean {
  let depth = 0
  const end = tokens.findIndex(({ text }, index) => {
    if (index >= at && (text === '(' || text === ')')) depth += text === '(' ? 1 : -1
    return index >= at && depth === 0
  })
  return tokens[end + 1]?.text === '{'
}

function isDeclared(name: string, code: string): boolean {
  return new RegExp(
    String.raw`\b(?:const|let|var|class|function\s*\*?)\s+${name}\b|[{,(]\s*${name}\s*[,)}=]|\b(?:globalThis\.|import\s+(?:\*\s*as\s+)?|as\s+)${name}\b|(?<![.\w$])${name}\s*=>?(?!=)`,
  ).test(code)
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
