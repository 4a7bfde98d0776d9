/**
 * Finds scripts that use an object that exists only on the other side of the exchange or in another tool, and misspelt
 * members.
 *
 * Rules: a script before the request has no `response`, so a script that uses it would fail. A script that declares a
 * variable with that name itself is not reported.
 */
import { misspelledName, type ScriptNode, type Span } from '../../http-file/index.ts'
import { foreignMemberHint, scriptObjects } from '../scripting/source/foreign-members.ts'
import { foreignNames } from '../scripting/source/foreign-names.ts'
import { ScriptIndex } from '../scripting/source/script-index.ts'
import { nesting, type ScriptToken } from '../scripting/source/script-tokens.ts'
import type { Advice } from './request-advice.ts'

/** The members of the script objects; a similar name is assumed to be a misspelling. */
const offered: Readonly<Record<string, readonly string[]>> = {
  client: ['test', 'assert', 'log', 'exit', 'global', 'variables'],
  response: ['status', 'body', 'text', 'headers', 'contentType', 'cookies', 'cookiesByName'],
}
const members: ReadonlySet<string> = new Set(offered.response)

export interface InlineScript {
  readonly span: Span
  readonly index: ScriptIndex
}

/** @param declared the names of other tools that the request file or an import declares */
export function scriptAdvice(script: ScriptNode, declared: ReadonlySet<string>): readonly Advice[] {
  const { source } = script
  if (source.type !== 'inline') return []
  const inline: InlineScript = { span: source.span, index: new ScriptIndex(source.code) }
  const found = [...misspeltMembers(inline), ...foreignMembers(inline), ...foreignUses(inline, declared)]
  return [...misplacedScript(script, inline.index), ...found.sort((one, other) => one.span.offset - other.span.offset)]
}

/** `client.tset(…)` would fail at run time, `response.stauts` would be undefined. */
function misspeltMembers(script: InlineScript): readonly Advice[] {
  const { tokens } = script.index
  return tokens.flatMap(({ kind, text, offset }, at) => {
    const [before, dot] = [tokens[at - 2], tokens[at - 1]]
    const isMember = before?.kind === 'name' && dot?.text === '.' && Object.hasOwn(offered, before.text)
    const known = isMember ? offered[before.text] : undefined
    if (kind !== 'name' || known === undefined || known.includes(text) || tokens[at - 3]?.text === '.') return []
    const nearest = misspelledName(text, known)
    if (nearest === undefined) return []
    const hint = `Did you mean ${before?.text}.${nearest}?`
    return [unknownMember(script, `${before?.text}.${text}`, hint, [offset, offset + text.length])]
  })
}

/** `response.code` and `response.headers["x"]` would be undefined. */
function foreignMembers(script: InlineScript): readonly Advice[] {
  const { tokens } = script.index
  const own = new Set(tokens.flatMap(({ text }, at) => (mayDeclare(tokens, at) ? [text] : [])))
  return tokens.flatMap(({ kind, text, offset }, at) => {
    const isObject = kind === 'name' && scriptObjects.has(text) && !own.has(text)
    if (!isObject || /^(?:\.|\?\.)$/.test(tokens[at - 1]?.text ?? '')) return []
    const found = foreignMember(tokens, at)
    return found === undefined ? [] : [unknownMember(script, found.path, found.hint, [offset, found.end])]
  })
}

function unknownMember(script: InlineScript, path: string, hint: string, range: readonly [number, number]): Advice {
  return { code: 'unknown-member', message: `${path} does not exist`, hint, span: spanOf(script, range) }
}

/** Where a range of a script is in its file. */
export function spanOf({ span, index }: InlineScript, [start, end]: readonly [number, number]): Span {
  const { line, start: lineStart } = index.lineOf(start)
  const column = start - lineStart + (line === 1 ? span.column : 1)
  return { offset: span.offset + start, line: span.line + line - 1, column, length: end - start }
}

interface ForeignMember {
  readonly path: string
  readonly hint: string
  /** The offset of its end. */
  readonly end: number
}

/** The first part of a path such as `response.headers.get` that does not exist. @param start the index of its object */
function foreignMember(tokens: readonly ScriptToken[], start: number): ForeignMember | undefined {
  let path = tokens[start]?.text ?? ''
  for (let at = start + 1; ; at += 2) {
    const [sign, member] = [tokens[at]?.text, tokens[at + 1]]
    const isName = (sign === '.' || sign === '?.') && member?.kind === 'name'
    if (!isName && sign !== '[') return undefined
    const hint = foreignMemberHint(isName ? `${path}.${member.text}` : `${path}[]`)
    if (isName) path += `.${member.text}`
    if (hint !== undefined) {
      const last = tokens[isName ? at + 1 : at - 1] as ScriptToken
      return { path: isName ? path : `${path}[…]`, hint, end: last.offset + last.text.length }
    }
    if (!isName) return undefined
  }
}

/** Whether the name may be a variable or a parameter of the script; or an argument, which looks like a parameter. */
function mayDeclare(tokens: readonly ScriptToken[], at: number): boolean {
  const [before = '', after = ''] = [tokens[at - 1]?.text, tokens[at + 1]?.text]
  if (/^(?:const|let|var|function|class)$/.test(before) || after === '=>') return true
  return /^[(,{]$/.test(before) && /^[),}=]$/.test(after)
}

/** `pm.test(…)` would fail at run time. Each name is reported once. */
function foreignUses(script: InlineScript, declared: ReadonlySet<string>): readonly Advice[] {
  const { code } = script.index
  const names = Object.keys(foreignNames).filter((name) => code.includes(name) && !declared.has(name))
  if (names.length === 0) return []
  const { tokens } = script.index
  const ends = bracketEnds(tokens)
  return names.flatMap((name): readonly Advice[] => {
    const token = tokens.find(({ text }, index) => text === name && isUse(tokens, index, ends))
    if (token === undefined) return []
    return [unknownMember(script, name, foreignNames[name] as string, [token.offset, token.offset + name.length])]
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

function misplacedScript({ phase, span }: ScriptNode, { code, tokens }: ScriptIndex): readonly Advice[] {
  if (phase !== 'pre-request' || !code.includes('response')) return []
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
