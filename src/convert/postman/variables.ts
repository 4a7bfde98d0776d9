/**
 * Converts Postman's variables to those of request files.
 *
 * Rules: characters that are not allowed in the name of a variable become `_`, the same everywhere. Dynamic variables
 * (`{{$guid}}`) become their equivalents. One without an equivalent is reported and sent as written, as in Postman: as
 * a variable of a request file it could name an environment variable of the process. The same applies to a variable
 * whose name contains another one (`{{a{{b}}}}`).
 */
import type { JsonValue } from '../../http-file/index.ts'
import { mapTexts, objectsOf, textOf } from '../draft/document.ts'
import type { EnvironmentVariable } from '../draft/draft.ts'
import { dynamicNames } from '../draft/dynamic-names.data.ts'
import { templatedText, variableName } from '../draft/literal-text.ts'

/**
 * The text with its variables named as in a request file.
 * @param lose called with a message for each variable without an equivalent
 */
export function postmanText(text: string, lose: (message: string) => void): string {
  const nested = nestedVariable.exec(text)?.[0]
  if (nested !== undefined) lose(`${nested}, a variable in the name of a variable`)
  return templatedText(text, (name) => {
    if (name === '') return undefined
    if (name.startsWith(VAULT))
      lose(`the vault secret ${name.slice(VAULT.length)}: give -P ${variableName(name)}=value`)
    if (!name.startsWith('$')) return variableName(name)
    const known = Object.hasOwn(dynamicNames, name) ? dynamicNames[name] : undefined
    if (known === undefined) lose(`the dynamic variable ${name}`)
    return known
  })
}

/** The prefix of secrets that Postman stores outside collections and environments. */
const VAULT = 'vault:'

const nestedVariable = /\{\{[^{}]*\{\{[^{}]*\}\}[^{}]*\}\}|\{\{\{\{[^{}]*\}\}/

/**
 * Name, value and secrecy of each variable in a list; disabled ones are left out.
 * @param lose called with a message for each part without an equivalent
 */
export function variablesOf(
  list: JsonValue | undefined,
  lose: (message: string) => void,
): readonly EnvironmentVariable[] {
  return objectsOf(list).flatMap((variable) => {
    const name = variableName(textOf(variable.key) || textOf(variable.id))
    if (name === '' || variable.disabled === true || variable.enabled === false) return []
    const value = mapTexts(variable.value ?? '', (text) => postmanText(text, lose))
    return [{ name, value, isSecret: variable.type === 'secret' }]
  })
}
