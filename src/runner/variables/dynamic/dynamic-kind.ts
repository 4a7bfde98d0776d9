/** Classifies dynamic names as groups, values or functions, for scripts. */
import { contextNames } from './context-variables.ts'
import { dynamicNames, takesArguments } from './dynamic-variables.ts'

/** Undefined for an unknown name. */
export function dynamicKind(name: string): 'group' | 'value' | 'function' | undefined {
  if (name.startsWith('$env.')) return 'value'
  if (name === '$env') return 'group'
  const names = [...dynamicNames(), ...contextNames]
  if (name === '$random.locale' || names.some((each) => each.startsWith(`${name}.`))) return 'group'
  const plain = name.replace('$random.locale.', '$random.')
  if (plain !== name) {
    if (names.includes(plain)) return 'function'
    return names.some((each) => each.startsWith(`${plain}.`)) ? 'group' : undefined
  }
  if (!names.includes(name)) return undefined
  return takesArguments(name) || name.startsWith('$auth.') ? 'function' : 'value'
}
