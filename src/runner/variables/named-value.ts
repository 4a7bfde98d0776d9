/**
 * Determines the value of a name.
 *
 * Rules: highest precedence first: the command line, answers to `# @prompt`, overrides of a call, environment,
 * `client.global`, in-place `@name`, `request.variables`.
 */
import type { JsonValue } from '../../http-file/index.ts'
import type { Definition, FileScope } from './file-scope.ts'
import type { ForeseenValues } from './foreseen-values.ts'
import type { Variables } from './variables.ts'

export type NamedValue =
  /**
   * From the command line or the environment: its texts may contain variables, which are looked up where it is used.
   */
  | { readonly type: 'given'; readonly value: JsonValue }
  /** Variables in it are looked up where it is written. */
  | { readonly type: 'defined'; readonly definition: Definition }
  /** Never read as a template. */
  | { readonly type: 'plain'; readonly value: JsonValue; readonly isForeign: boolean }
  /** A placeholder: in a run, `client.global` would have a value by now. */
  | { readonly type: 'foreseen'; readonly values: ForeseenValues }

/** Undefined if the name has no value. */
export function namedValue(name: string, scope: FileScope, variables: Variables): NamedValue | undefined {
  const { options, globals } = variables.shared
  const { environment, commandLine, foreseen } = options
  const value = commandLine?.get(name)
  if (value !== undefined) return { type: 'given', value: value }
  const answer = variables.prompted.get(name)
  if (answer !== undefined) return { type: 'plain', value: answer, isForeign: false }
  const override = scope.find('overrides', name)
  if (override !== undefined) return { type: 'defined', definition: override }
  const own = environment.get(name)
  if (own !== undefined) return { type: 'given', value: own }
  const global = globals.get(name)
  if (global !== undefined) return { type: 'plain', value: global, isForeign: true }
  const inPlace = scope.find('inPlace', name)
  if (inPlace !== undefined && foreseen?.hasGlobal(name)) return { type: 'foreseen', values: foreseen }
  if (inPlace !== undefined) return { type: 'defined', definition: inPlace }
  const request = variables.request.get(name)
  return request === undefined ? undefined : { type: 'plain', value: request, isForeign: true }
}
