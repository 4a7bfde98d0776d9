/**
 * Variables of Postman to those of request files.
 *
 * Rules: a name that a request file cannot have gets `_` in place of what does not fit, the same everywhere. Dynamic
 * variables (`{{$guid}}`) become their like; one without like stays and is told.
 */

import type { JsonValue } from '../../http-file/index.ts'
import { objectsOf, textOf } from '../document.ts'
import type { EnvironmentVariable } from '../draft.ts'
import { variableName } from '../literal-text.ts'
import { dynamicNames } from './dynamic-names.data.ts'

/** The text with its variables named as in a request file. @param onUnknown told of dynamic variables without like */
export function postmanText(text: string, onUnknown: (name: string) => void): string {
  return text.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const name = inner.trim()
    if (name === '') return whole
    if (!name.startsWith('$')) return `{{${variableName(name)}}}`
    const known = Object.hasOwn(dynamicNames, name) ? dynamicNames[name] : undefined
    if (known === undefined) onUnknown(name)
    return `{{${known ?? name}}}`
  })
}

/** Names, values and whether they are secret, of a list of variables; those that are switched off are left out. */
export function variablesOf(list: JsonValue | undefined): readonly EnvironmentVariable[] {
  return objectsOf(list).flatMap((variable) => {
    const name = variableName(textOf(variable.key) || textOf(variable.id))
    if (name === '' || variable.disabled === true || variable.enabled === false) return []
    const value = variable.value ?? ''
    return [
      {
        name,
        value: typeof value === 'string' ? postmanText(value, () => undefined) : value,
        isSecret: variable.type === 'secret',
      },
    ]
  })
}
