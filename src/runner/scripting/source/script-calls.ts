/**
 * Finds the call that an error "not a function" is about, which the engine does not name.
 *
 * Rules: the engine reports the place of the callee, or that of the last access or call in the arguments. If two calls
 * are possible, the inner one is named only if the function around it is known to exist.
 */
import type { ScriptIndex } from './script-index.ts'
import { isDot, nesting, type ScriptToken } from './script-tokens.ts'

export interface ScriptCall {
  readonly offset: number
  /** What is called, such as `response.body.includes`. */
  readonly text: string
}

/** Functions that scripts often have around others; `$httpcliCompare` replaces the comparison of an assertion. */
const knownFunctions: ReadonlySet<string> = new Set([
  ...['client.test', 'client.assert', 'client.log', 'client.global.set', 'request.variables.set'],
  ...['JSON.parse', 'JSON.stringify', 'Number', 'String', 'Boolean', 'parseInt', 'parseFloat', '$httpcliCompare'],
])

/** The maximum number of brackets around an error that are examined. */
export const MAX_LEVELS = 50

/** Words before a bracket that does not begin the arguments of a call. */
const keywords: ReadonlySet<string> = new Set(
  (
    'if for while switch catch with function async return await typeof void delete throw case in of do else new yield ' +
    'instanceof'
  ).split(' '),
)

/** @param index the token at which the engine reports the error. @returns undefined if it is not clear */
export function failedCall(script: ScriptIndex, index: number): ScriptCall | undefined {
  const { tokens } = script
  if (index === tokens.length) return undefined
  const around = callAround(script, index)
  const isKnown = around !== undefined && knownFunctions.has(around.text)
  const end = chainEnd(tokens, index)
  if (tokens[end + 1]?.text !== '(') return isKnown ? undefined : around
  return around === undefined || isKnown ? callOf(tokens, chainStart(tokens, index) ?? index, end) : undefined
}

/** The call whose arguments contain the token, within the same function. */
function callAround({ tokens, brackets }: ScriptIndex, index: number): ScriptCall | undefined {
  let inside = index
  for (let level = 0; level < MAX_LEVELS; level++) {
    const open = brackets[inside] as number
    if (open < 1 || tokens[open]?.text === '{' || isInArrow(tokens, open, inside)) return undefined
    const before = tokens[open - 1] as ScriptToken
    if (tokens[open]?.text === '(' && before.kind === 'name' && !keywords.has(before.text)) {
      const start = chainStart(tokens, open - 1)
      return start === undefined ? undefined : callOf(tokens, start, open - 1)
    }
    inside = open
  }
  return undefined
}

/** Whether the token is in the body of an arrow function that begins after the bracket. */
function isInArrow(tokens: readonly ScriptToken[], open: number, index: number): boolean {
  let depth = 0
  for (let at = index - 1; at > open; at--) {
    const token = tokens[at] as ScriptToken
    depth += nesting(token)
    if (depth === 0 && token.text === '=>') return true
    if (depth === 0 && token.text === ',') return false
  }
  return false
}

function callOf(tokens: readonly ScriptToken[], start: number, end: number): ScriptCall {
  const text = tokens.slice(start, end + 1).map((token) => token.text)
  return { offset: (tokens[start] as ScriptToken).offset, text: text.join('') }
}

/** The last token of `a.b["c"]`, from one of its names. */
function chainEnd(tokens: readonly ScriptToken[], start: number): number {
  let end = start
  for (let at = start + 1; at < tokens.length; at = end + 1) {
    if (isDot(tokens[at]) && tokens[at + 1]?.kind === 'name') end = at + 1
    else if (tokens[at]?.text === '[') end = bracketEnd(tokens, at)
    else break
  }
  return end
}

function bracketEnd(tokens: readonly ScriptToken[], start: number): number {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    depth += nesting(tokens[at] as ScriptToken)
    if (depth === 0) return at
  }
  return tokens.length - 1
}

/** The first name of `a.b.c`, from another; undefined if another expression is before it. */
function chainStart(tokens: readonly ScriptToken[], end: number): number | undefined {
  let start = end
  while (isDot(tokens[start - 1])) {
    if (tokens[start - 2]?.kind !== 'name') return undefined
    start -= 2
  }
  return start
}
