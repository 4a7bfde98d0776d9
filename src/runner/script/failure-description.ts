/**
 * What the world tells of an error, as a failure with its place.
 *
 * Rules: every field is whatever the script made of it. The place is the first frame of the stack that is the user's, or
 * the one that was noted where no stack shows it.
 */

import type { ModuleFiles } from './module-files.ts'
import { SCRIPT_NAME } from './quickjs-machine.ts'
import type { ScriptFailure, ScriptPlace } from './script-engine.ts'
import type { ScriptProgram } from './script-program.ts'
import type { ErrorDescription } from './world-calls.ts'

const framePattern = new RegExp(`\\b(${SCRIPT_NAME}|module-\\d+):(\\d+)(?::(\\d+))?`)
/** Expected and actual may be whole bodies. */
const MAX_VALUE_CHARACTERS = 500

/** @param description JSON of `ErrorDescription`; undefined where there was no memory left for it */
export function failureOf(
  description: string | undefined,
  program: ScriptProgram,
  modules: ModuleFiles,
): ScriptFailure {
  const told = (description === undefined ? {} : JSON.parse(description)) as Partial<
    Record<keyof ErrorDescription, unknown>
  >
  const { assertion, message, stack, line, column } = told
  const frame = framePattern.exec(typeof stack === 'string' ? stack : '')
  return {
    kind: assertion === true ? 'assertion' : 'error',
    message: typeof message === 'string' ? message : 'an error that cannot be shown',
    place:
      typeof line === 'number' && typeof column === 'number'
        ? { module: undefined, ...program.placeOf(line, column) }
        : frame === null
          ? undefined
          : placeOf(frame, program, modules),
    expected: shortened(told.expected),
    actual: shortened(told.actual),
  }
}

function placeOf(frame: RegExpExecArray, program: ScriptProgram, modules: ModuleFiles): ScriptPlace {
  const [, file = '', line, column = '1'] = frame
  const module = modules.pathOf(file)
  if (module !== undefined) return { module, part: 0, line: Number(line), column: Number(column) }
  return { module: undefined, ...program.placeOf(Number(line), Number(column)) }
}

function shortened(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return text.length > MAX_VALUE_CHARACTERS
    ? `${text.slice(0, MAX_VALUE_CHARACTERS)}… (${text.length} characters)`
    : text
}
