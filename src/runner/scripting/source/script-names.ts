/**
 * Finds the variables that scripts set, judging by their text.
 *
 * Rules: a string literal that is the name in a call of `set` is found as such. A computed name, in a call on an object
 * that holds variables, may be any name. Too many names may be found; a name is missed only if the script hides the
 * call.
 */

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

const quoted = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`$\\]*)`/.source
const callPattern = new RegExp(`\\.\\s*set\\s*\\(\\s*(?:${quoted}|(?=[^)]))`, 'g')
const aliasPattern =
  /(?<![\w$])([\w$]+)\s*=\s*(?:client\s*\.\s*(?:global|variables(?:\s*\.\s*\w+\b)?)|request\s*\.\s*variables)(?![\w\s]*\.)/g

/** The end of an expression for an object that holds variables. */
const holderPattern = /(?:^|\.)(?:global|variables|file|request)$/
const requestPattern = /(?:^|\.)request\.variables$|\.variables\.request$/

export function namesSetIn(code: string): ScriptNames {
  const names = new Set<string>()
  const requestNames = new Set<string>()
  let hasComputed = false
  const aliases = new Set([...code.matchAll(aliasPattern)].map((match) => match[1] as string))
  for (const { 1: doubleQuoted, 2: singleQuoted, 3: template, index } of code.matchAll(callPattern)) {
    const holder = holderBefore(code, index)
    if (holder === '') continue
    const name = doubleQuoted ?? singleQuoted ?? template
    if (name === undefined) hasComputed ||= holderPattern.test(holder) || aliases.has(holder)
    else if (requestPattern.test(holder)) requestNames.add(name)
    else if (!holder.endsWith('headers')) names.add(name)
  }
  return { names, requestNames, hasComputed }
}

/**
 * The dotted name that ends at an index, without white space. It is read backwards, so that the text before it is not
 * read for each call.
 */
function holderBefore(code: string, end: number): string {
  const names: string[] = []
  let at = end
  do {
    if (names.length > 0) at--
    while (at > 0 && isWhiteSpace(code, at - 1)) at--
    const nameEnd = at
    while (at > 0 && isNameCharacter(code, at - 1)) at--
    if (at === nameEnd) break
    names.push(code.slice(at, nameEnd))
    while (at > 0 && isWhiteSpace(code, at - 1)) at--
  } while (code[at - 1] === '.')
  return names.reverse().join('.')
}

function isWhiteSpace(code: string, index: number): boolean {
  return /\s/.test(code[index] as string)
}

function isNameCharacter(code: string, index: number): boolean {
  return /[\w$]/.test(code[index] as string)
}
