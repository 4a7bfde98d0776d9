/**
 * The variables that scripts set, as far as their text tells.
 *
 * Rules: a name that stands as a text in a call of `set` is one. A name that is computed, in a call on something that
 * holds variables, may be any. Too much may be found, but not what is set in a way that hides the call.
 */

export interface NamesSet {
  readonly names: ReadonlySet<string>
  /** Whether some are computed. */
  readonly hasComputed: boolean
}

export interface ScriptNames extends NamesSet {
  /** Names of `request.variables`, which end with the request. They are among `names` only where others are the same. */
  readonly requestNames: ReadonlySet<string>
}

const quoted = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`$\\]*)`/.source
const callPattern = new RegExp(`((?:[\\w$]+\\s*\\.\\s*)*[\\w$]+)\\s*\\.\\s*set\\s*\\(\\s*(?:${quoted}|(?=[^)]))`, 'g')
const aliasPattern =
  /([\w$]+)\s*=\s*(?:client\s*\.\s*(?:global|variables(?:\s*\.\s*\w+)?)|request\s*\.\s*variables)\s*(?![\w\s]*\.)/g

/** What an expression that holds variables ends with. */
const holderPattern = /(?:^|\.)(?:global|variables|file|request)$/
const requestPattern = /(?:^|\.)request\.variables$|\.variables\.request$/

export function namesSetIn(code: string): ScriptNames {
  const names = new Set<string>()
  const requestNames = new Set<string>()
  let hasComputed = false
  const aliases = new Set([...code.matchAll(aliasPattern)].map((match) => match[1] as string))
  for (const [, written = '', doubleQuoted, singleQuoted, template] of code.matchAll(callPattern)) {
    const holder = written.replace(/\s/g, '')
    const name = doubleQuoted ?? singleQuoted ?? template
    if (name === undefined) hasComputed ||= holderPattern.test(holder) || aliases.has(holder)
    else if (requestPattern.test(holder)) requestNames.add(name)
    else if (!holder.endsWith('headers')) names.add(name)
  }
  return { names, requestNames, hasComputed }
}
