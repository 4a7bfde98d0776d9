/**
 * The variables that a script reads and sets, with their positions.
 *
 * Rules: a variable is named by a call of `get`, `set` or `clear` with a literal name, on an object that holds
 * variables or on a name that such an object was assigned to. On any other single name the call is uncertain: the name
 * may be a parameter that holds variables.
 */
import { type ScriptToken, scriptTokens } from '../../runner/index.ts'
import type { NamePlace, NamesInFile } from './names.ts'

const holders: ReadonlySet<string> = new Set([
  'client.global',
  'client.variables.global',
  'client.variables.environment',
  'client.variables.file',
  'client.variables.request',
  'request.environment',
  'request.variables',
])

/** Calls that name a variable, and whether they set it. */
const calls: ReadonlyMap<string, boolean> = new Map([
  ['get', false],
  ['set', true],
  ['clear', false],
])

/** @param offset the offset of the code in its file */
export function namesInScript(code: string, offset: number): NamesInFile {
  const places: NamePlace[] = []
  const aliases = new Set<string>()
  let hasComputedNames = false
  if (!/\b(?:get|set|clear)\b/.test(code)) return { places, hasComputedNames }
  const tokens = scriptTokens(code)
  for (const [index, token] of tokens.entries()) {
    const alias = aliasAt(tokens, index)
    if (alias !== undefined) aliases.add(alias)
    const sets = token.kind === 'name' ? calls.get(token.text) : undefined
    if (sets === undefined || !isDot(tokens[index - 1]) || tokens[index + 1]?.text !== '(') continue
    const holder = chainBefore(tokens, index - 1)
    const holdsVariables = holders.has(holder) || aliases.has(holder)
    const argument = tokens[index + 2]
    const isAlone = tokens[index + 3]?.text === ',' || tokens[index + 3]?.text === ')'
    const name = argument === undefined || !isAlone ? undefined : literalOf(argument)
    if (argument === undefined || name === undefined) {
      hasComputedNames ||= holdsVariables && argument?.text !== ')'
      continue
    }
    const form = sets ? 'script-set' : 'script-get'
    if (!holdsVariables && (holder === '' || holder.includes('.'))) continue
    const start = offset + argument.offset + 1
    places.push({
      kind: 'variable',
      form: holdsVariables ? form : 'uncertain',
      name,
      offset: start,
      length: name.length,
    })
  }
  return { places, hasComputedNames }
}

function isDot(token: ScriptToken | undefined): boolean {
  return token?.text === '.' || token?.text === '?.'
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
  if (!holders.has(chain)) return undefined
  const sign = index - 2 * (chain.split('.').length - 1) - 1
  const name = tokens[sign - 1]
  return tokens[sign]?.text === '=' && name?.kind === 'name' ? name.text : undefined
}

/** The text of a literal without escapes. */
function literalOf({ kind, text }: ScriptToken): string | undefined {
  const isClosed = kind === 'text' || (kind === 'template' && text.startsWith('`') && text.endsWith('`'))
  return isClosed && text.length > 2 && !text.includes('\\') ? text.slice(1, -1) : undefined
}
