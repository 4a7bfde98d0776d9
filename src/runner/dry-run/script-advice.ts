/**
 * Scripts that were written for the other side of the exchange.
 *
 * Rules: a script before the request has no `response`, so that one that uses it would fail. What a script declares under
 * that name is its own.
 */
import type { ScriptNode } from '../../http-file/index.ts'
import { scriptTokens } from '../scripting/source/script-tokens.ts'
import type { Advice } from './request-advice.ts'

const members: ReadonlySet<string> = new Set(['status', 'body', 'headers', 'contentType', 'cookies', 'cookiesByName'])

export function scriptAdvice({ phase, source, span }: ScriptNode): readonly Advice[] {
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

/** Whether nothing declares the name: a bracket before it is also a call with it. */
function isCertain(words: readonly string[]): boolean {
  return words.every((word, at) => {
    if (word !== 'response') return true
    const before = words[at - 1] ?? ''
    return !/^(?:const|let|var|function)$/.test(before) && !(words[at + 1] === ')' && words[at + 2] === '=>')
  })
}
