/**
 * Names joined by dots in a script, such as `crypto.sha256().digest().to`, and their types.
 *
 * Rules: arguments of calls are skipped, so that the chain continues after them. The chain is read backwards, may span
 * lines, and is limited to MAX_LENGTH characters.
 */
import { type ScriptMember, type ScriptType, scriptTypes } from '../knowledge/script-api.ts'

const MAX_LENGTH = 500

export interface Chain {
  /** The names before the last dot. */
  readonly owners: readonly string[]
  /** The name after the last dot; may be empty. */
  readonly last: string
}

/** The chain at the end of a text that may be half typed; undefined if something other than a name is before a dot. */
export function chainBefore(code: string): Chain | undefined {
  let at = code.length
  const least = Math.max(0, at - MAX_LENGTH)
  const take = (pattern: RegExp): string => {
    const end = at
    while (at > least && pattern.test(code[at - 1] as string)) at--
    return code.slice(at, end)
  }
  const last = take(/[\w$]/)
  const owners: string[] = []
  for (;;) {
    take(/\s/)
    if (code[at - 1] !== '.') break
    at--
    take(/\s/)
    if (code[at - 1] === ')') at = openingBracket(code, at, least)
    const name = take(/[\w$]/)
    if (name === '') return undefined
    owners.unshift(name)
  }
  return { owners, last }
}

/** The index of the opening bracket for the closing bracket before `end`. Brackets in quotes do not count. */
function openingBracket(code: string, end: number, least: number): number {
  let depth = 0
  for (let at = end - 1; at >= least; at--) {
    const sign = code[at] as string
    if (sign === '"' || sign === "'" || sign === '`') at = code.lastIndexOf(sign, at - 1)
    else if (sign === ')') depth++
    else if (sign === '(' && --depth === 0) return at
  }
  return least
}

/** The type of a chain's owner, or of the global scope if it has no owner; undefined if it is unknown. */
export function typeOfChain({ owners }: Chain): ScriptType | undefined {
  let name = 'global'
  for (const owner of owners) {
    const type = scriptTypes[name]
    const member = type !== undefined && Object.hasOwn(type, owner) ? type[owner] : undefined
    if (member?.type === undefined) return undefined
    if (member.type !== 'self') name = member.type
  }
  return Object.hasOwn(scriptTypes, name) ? scriptTypes[name] : undefined
}

export function memberOfChain(chain: Chain): ScriptMember | undefined {
  const type = typeOfChain(chain)
  return type !== undefined && Object.hasOwn(type, chain.last) ? type[chain.last] : undefined
}
