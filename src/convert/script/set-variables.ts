/**
 * Finds variables that scripts and captures set.
 *
 * An environment would override their values, so they must not be in one.
 */
import type { AnyNode } from 'acorn'
import type { EnvironmentDraft, RequestDraft } from '../draft/draft.ts'
import type { Losses } from '../draft/losses.ts'
import { chainOf, childrenOf, parseScript, pathOf, textOf } from './script-tree.ts'

/** Their names. @param scripts those of the whole file, translated */
export function namesSet(requests: readonly RequestDraft[], scripts: readonly string[]): ReadonlySet<string> {
  const code = [...scripts, ...requests.flatMap(({ scripts: before, handlers }) => [...before, ...handlers])]
  const captures = requests.flatMap(({ tags }) => tags).filter(({ name }) => name === 'capture')
  return new Set([...code.flatMap(namesSetIn), ...captures.map(({ value }) => value.split(' ', 1)[0] as string)])
}

/** The names in calls of `client.global.set`. */
function namesSetIn(code: string): readonly string[] {
  const names: string[] = []
  const waiting: AnyNode[] = code.includes('global.set') ? [parseScript(code)] : []
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const name = node.type === 'CallExpression' && isSetter(node.callee) ? textOf(node.arguments[0]) : undefined
    if (name !== undefined) names.push(name)
    for (const child of childrenOf(node)) waiting.push(child)
  }
  return names
}

/** Looks at the last two members only: reading every chain to its start would take quadratic time. */
function isSetter(callee: AnyNode): boolean {
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'MemberExpression') return false
  return callee.object.object.type === 'Identifier' && pathOf(chainOf(callee)) === 'client.global.set'
}

/** The environment without variables that are set; a value lost with one is reported. */
export function withoutSet(environment: EnvironmentDraft, set: ReadonlySet<string>, losses: Losses): EnvironmentDraft {
  const variables = environment.variables.filter(({ name, value }) => {
    if (set.has(name) && value !== '') {
      const message = `the value of ${name}: it would override the value that a script or capture sets`
      losses.add(`environment ${environment.name}`, message)
    }
    return !set.has(name)
  })
  return { ...environment, variables }
}
