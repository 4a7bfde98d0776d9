/**
 * Finds variables that scripts and captures set.
 *
 * An environment would override their values, so they must not be in one.
 */
import type { EnvironmentDraft, RequestDraft } from './draft.ts'
import type { Losses } from './losses.ts'

/** Their names. @param scripts those of the whole file */
export function namesSet(requests: readonly RequestDraft[], scripts: readonly string[]): ReadonlySet<string> {
  const code = [...scripts, ...requests.flatMap(({ scripts: before, handlers }) => [...before, ...handlers])].join('\n')
  const set = new Set<string>()
  for (const match of code.matchAll(/global\.set\((?:"([^"\\\n]*)"|'([^'\\\n]*)')/g)) {
    set.add(match[1] ?? (match[2] as string))
  }
  for (const { name, value } of requests.flatMap(({ tags }) => tags)) {
    if (name === 'capture') set.add(value.split(' ', 1)[0] as string)
  }
  return set
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
