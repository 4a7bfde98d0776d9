/** The error for a variable that nobody knows: with the nearest names, or where it could be defined. */
import { nearestNames } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import { errorAt, type Place } from '../base/errors.ts'
import { contextNames } from './dynamic/context-variables.ts'
import { dynamicNames } from './dynamic/dynamic-variables.ts'
import { editorNames } from './dynamic/editor-variables.ts'
import { parseVariablePath } from './variable-path.ts'

/**
 * @param known names that have a value here
 * @param hasEnvironment whether an environment with variables was chosen
 */
export function unknownVariable(
  name: string,
  known: readonly string[],
  hasEnvironment: boolean,
  { source, span }: Place,
): HttpcliError {
  const root = parseVariablePath(name)?.root
  if (root !== undefined && known.includes(root)) {
    const message = `the variable ${JSON.stringify(root)} has nothing at ${JSON.stringify(name)}`
    return errorAt(source, span, { code: 'unknown-variable', message })
  }
  const every = [...known, ...dynamicNames(), ...contextNames, ...editorNames]
  const nearest = nearestNames(name.replace(/\(.*$/s, ''), every)
  const hint = nearest.length > 0 ? `Did you mean ${nearest.join(' or ')}?` : generalHint(hasEnvironment)
  const message = `the variable ${JSON.stringify(name)} is not known here`
  return errorAt(source, span, { code: 'unknown-variable', message, hint })
}

function generalHint(hasEnvironment: boolean): string {
  return hasEnvironment
    ? 'Define it in the environment file or above the request: @name = value.'
    : 'Choose an environment with -e, or define it above the request: @name = value.'
}
