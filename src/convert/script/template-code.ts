/**
 * Translates a text with variables, such as `{{$guid}} {{name}}`, to an expression for its value.
 *
 * Rules: a variable without a value stays as written. A dynamic variable without an equivalent, a path into a value and
 * a question to the user are losses.
 */

import { dynamicNames } from '../draft/dynamic-names.data.ts'
import { templatePieces, variableName } from '../draft/literal-text.ts'
import { readVariable } from './dialect.ts'

/** Undefined without a text, or if it has a variable without an equivalent. */
export function templateCode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  let isKnown = true
  const pieces = templatePieces(text, (name) => {
    if (name === '') return undefined
    const isName = !/^[$?]|[.[]/.test(name)
    const code = isName ? valueCode(name) : Object.hasOwn(dynamicNames, name) ? dynamicNames[name] : undefined
    isKnown &&= code !== undefined
    return code
  })
  const code = pieces.map((piece) => (typeof piece === 'string' ? escaped(piece) : `\${${piece.expression}}`)).join('')
  return isKnown ? `\`${code}\`` : undefined
}

function valueCode(name: string): string {
  const read = readVariable.replaceAll('$0', () => JSON.stringify(variableName(name)))
  return `${read} ?? ${JSON.stringify(`{{${name}}}`)}`
}

/** In a template of JavaScript. */
function escaped(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)|\$$/g, '\\$&').replaceAll('\r', '\\r')
}
