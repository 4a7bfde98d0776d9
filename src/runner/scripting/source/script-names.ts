/**
 * Finds the variables that scripts read and set, judging by their text.
 *
 * Rules: a variable is named by a call of `get`, `set` or `clear` with a string literal as its name, on an object that
 * holds variables or on a name that such an object was assigned to. A computed name may be any name, and so may every
 * name in a script that cannot be read to its end. Names in comments and texts do not count.
 */
import { isDot, isReadToEnd, type ScriptToken, scriptTokens } from './script-tokens.ts'

/** A call of one of the methods with an argument, on any object. */
export interface VariableCall {
  readonly method: string
  /** The dotted name of the object, such as `client.global`; empty if it is not a name. */
  readonly holder: string
  readonly holdsVariables: boolean
  /** Undefined if it is computed. */
  readonly name: string | undefined
  readonly offset: number
}

export interface VariableCalls {
  readonly calls: readonly VariableCall[]
  /** Whether the script was read to its end. */
  readonly isComplete: boolean
}

export interface NamesSet {
  readonly names: ReadonlySet<string>
  /** Whether some names are computed. */
  readonly hasComputed: boolean
}

export interface ScriptNames extends NamesSet {
  /**
   * Names of `request.variables`, which end with the request. `names` contains them only if other scopes set them as
   * well.
   */
  readonly requestNames: ReadonlySet<string>
}

const methodPattern = /\b(?:get|set|clear)\b/
/** The end of the name of an object that holds variables. */
const holderPattern = /(?:^|\.)(?:global|variables|environment|file|request)$/
const requestPattern = /(?:^|\.)request\.variables$|\.variables\.request$/

/** The calls of `get`, `set` and `clear` in a script. */
export function variableCalls(code: string): VariableCalls {
  if (!methodPattern.test(code)) return { calls: [], isComplete: true }
  const tokens = scriptTokens(code)
  const aliases = new Set(tokens.map((_, index) => aliasAt(tokens, index)))
  const calls = tokens.flatMap(({ kind, text }, index): VariableCall[] => {
    const argument = tokens[index + 2]
    if (kind !== 'name' || !/^(?:get|set|clear)$/.test(text) || !isDot(tokens[index - 1])) return []
    if (tokens[index + 1]?.text !== '(' || argument === undefined || argument.text === ')') return []
    const holder = chainBefore(tokens, index - 1)
    const holdsVariables = holderPattern.test(holder) || aliases.has(holder)
    const isAlone = /^[,)]$/.test(tokens[index + 3]?.text ?? '')
    const name = isAlone ? literalOf(argument) : undefined
    return [{ method: text, holder, holdsVariables, name, offset: argument.offset + 1 }]
  })
  return { calls, isComplete: isReadToEnd(code, tokens) }
}

/** The variables that a script sets. A name that is set on an unknown object counts. */
export function namesSetIn(code: string): ScriptNames {
  const { calls, isComplete } = variableCalls(code)
  let hasComputed = !isComplete
  const names = new Set<string>()
  const requestNames = new Set<string>()
  for (const { method, holder, holdsVariables, name } of calls) {
    if (method !== 'set' || holder === '') continue
    if (name === undefined) hasComputed ||= holdsVariables
    else if (requestPattern.test(holder)) requestNames.add(name)
    else if (!holder.endsWith('headers')) names.add(name)
  }
  return { names, requestNames, hasComputed }
}

/** The names joined by dots before the dot at an index: `client.global`. */
function chainBefore(tokens: readonly ScriptToken[], dot: number): string {
  const names: string[] = []
  for (let at = dot; isDot(tokens[at]) && tokens[at - 1]?.kind === 'name'; at -= 2) {
    names.push((tokens[at - 1] as ScriptToken).text)
  }
  return names.reverse().join('.')
}

/** The name that an object with variables is assigned to, if its chain ends here: `const v = request.variables`. */
function aliasAt(tokens: readonly ScriptToken[], index: number): string | undefined {
  const token = tokens[index]
  if (token?.kind !== 'name' || isDot(tokens[index + 1]) || !isDot(tokens[index - 1])) return undefined
  const chain = `${chainBefore(tokens, index - 1)}.${token.text}`
  if (!holderPattern.test(chain)) return undefined
  const sign = index - 2 * (chain.split('.').length - 1) - 1
  const name = tokens[sign - 1]
  return tokens[sign]?.text === '=' && name?.kind === 'name' ? name.text : undefined
}

/** The text of a literal without escapes. */
function literalOf({ kind, text }: ScriptToken): string | undefined {
  const isClosed = kind === 'text' || (kind === 'template' && text.startsWith('`') && text.endsWith('`'))
  return isClosed && text.length > 2 && !text.includes('\\') ? text.slice(1, -1) : undefined
}
