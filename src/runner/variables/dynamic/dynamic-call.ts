/**
 * The expression between the braces of a dynamic variable: `$name`, `$name(1, "text")`.
 *
 * Rules: arguments are numbers and texts in single or double quotes; nothing is computed.
 */
import { unicodePattern } from '../../../http-file/index.ts'
import type { HttpcliError } from '../../../message/index.ts'
import { RunError } from '../../base/errors.ts'

export type DynamicArgument = string | number

export interface DynamicCall {
  /** Including its `$`. */
  readonly name: string
  readonly arguments: readonly DynamicArgument[]
}

const callPattern = unicodePattern(String.raw`^(\$[\p{L}_][\p{L}\p{N}_.-]*)[ \t]*(?:\((.*)\))?$`, 's')
const argumentPattern = /[ \t]*(?:"([^"]*)"|'([^']*)'|(-?\d+(?:\.\d+)?))[ \t]*(,|$)/sy

/** Undefined if the text is not the name of a dynamic variable. @throws HttpcliError `bad-argument`. */
export function parseDynamicCall(expression: string): DynamicCall | undefined {
  if (!expression.startsWith('$')) return undefined
  const match = callPattern(expression).exec(expression)
  if (match === null) return undefined
  const name = match[1] as string
  const written = match[2] ?? ''
  const found: DynamicArgument[] = []
  argumentPattern.lastIndex = 0
  while (written.trim() !== '' && argumentPattern.lastIndex < written.length) {
    const argument = argumentPattern.exec(written)
    const isCut = argument !== null && argument[4] === ',' && argumentPattern.lastIndex === written.length
    if (argument === null || isCut) throw badArgument(name, `${JSON.stringify(written)} is not a list of arguments`)
    found.push(argument[3] === undefined ? (argument[1] ?? argument[2] ?? '') : Number(argument[3]))
  }
  return { name, arguments: found }
}

/** The error for a call, with a hint on the correct form. */
export function badArgument(name: string, problem: string, hint?: string): HttpcliError {
  return new RunError('bad-argument', `${name}: ${problem}`, hint === undefined ? {} : { hint })
}

/**
 * The error for a script that used a computed name, so that nothing could be loaded for it.
 * @param hint what to write instead; follows the message
 */
export function notLoaded(name: string, hint = ''): RunError {
  return new RunError('unknown-variable', `${name} is not loaded: it must be loaded before the script runs${hint}`)
}
