/**
 * The variables that an environment file defines and uses, with their positions.
 *
 * Rules: settings such as `Security` are not variables. A file with an error has no names.
 */
import { type JsonMember, parseJsonSource } from '../../http-file/index.ts'
import { type NamePlace, namesInBraces, placeOf } from './names.ts'

/** Members of an environment that are settings. */
export const settingNames: ReadonlySet<string> = new Set(['Security', 'SSLConfiguration'])

export interface EnvironmentKey {
  readonly environment: string
  readonly place: NamePlace
}

/** The environments in the text of a file, including `$shared`. */
export function environmentsIn(text: string): readonly JsonMember[] {
  const root = parseJsonSource(text, { isRelaxed: true })
  return 'type' in root && root.type === 'object' ? root.members : []
}

/** The keys of all environments, including `$shared`. */
export function environmentKeys(text: string): readonly EnvironmentKey[] {
  return environmentsIn(text).flatMap(({ key: environment, value }) => {
    if (value.type !== 'object') return []
    return value.members
      .filter(({ key }) => !settingNames.has(key))
      .map(({ key, keySpan: { offset, length } }) => ({
        environment,
        // Without the quotes. The key may contain escapes.
        place: { ...placeOf('variable', 'environment-key', key, offset + 1), length: length - 2 },
      }))
  })
}

export function namesInEnvironment(text: string): readonly NamePlace[] {
  return [...environmentKeys(text).map(({ place }) => place), ...namesInBraces(text, 0)]
}
