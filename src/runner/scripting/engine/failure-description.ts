/**
 * Converts the world's description of an error to a failure with its place.
 *
 * Rules: the script controls every field. The place is the first stack frame in the user's code, or the recorded place
 * if there is no stack. The engine counts columns in bytes of UTF-8; places count code points.
 */
import type { ModuleFiles } from '../source/module-files.ts'
import { lineAndColumn, type ScriptProgram } from '../source/script-program.ts'
import { nesting, scriptTokens } from '../source/script-tokens.ts'
import { SCRIPT_NAME } from './quickjs-machine.ts'
import type { ScriptFailure, ScriptPlace } from './script-engine.ts'
import type { ErrorDescription } from './world-calls.ts'

const framePattern = new RegExp(`\\b(${SCRIPT_NAME}|module-\\d+):(\\d+)(?::(\\d+))?`)
/** Expected and actual values may be whole bodies. */
const MAX_VALUE_CHARACTERS = 500

/** @param description JSON of `ErrorDescription`; undefined if memory ran out while it was created */
export function failureOf(
  description: string | undefined,
  program: ScriptProgram,
  modules: ModuleFiles,
): ScriptFailure {
  const described = (description === undefined ? {} : JSON.parse(description)) as Partial<
    Record<keyof ErrorDescription, unknown>
  >
  const { assertion, message, stack, line, column } = described
  const frame = framePattern.exec(typeof stack === 'string' ? stack : '')
  return {
    kind: assertion === true ? 'assertion' : 'error',
    message: typeof message === 'string' ? message : 'an error that cannot be shown',
    place:
      typeof line === 'number' && typeof column === 'number'
        ? { module: undefined, ...program.placeOf(line, column) }
        : frame === null
          ? undefined
          : placeOf(frame, assertion === true, program, modules),
    expected: shortened(described.expected),
    actual: shortened(described.actual),
  }
}

function placeOf(
  [, file = '', line, byteColumn = '1']: RegExpExecArray,
  isAssertion: boolean,
  program: ScriptProgram,
  modules: ModuleFiles,
): ScriptPlace {
  const module = modules.pathOf(file)
  const reported = { line: Number(line), column: Number(byteColumn) }
  let place = reported
  try {
    place = shownPlace(module === undefined ? program.text : modules.codeOf(file), reported, isAssertion)
  } catch {
    // The module's file has been removed in the meantime, so its columns are less exact.
  }
  return module === undefined ? { module, ...program.placeOf(place.line, place.column) } : { module, part: 0, ...place }
}

interface LineAndColumn {
  readonly line: number
  readonly column: number
}

/**
 * The engine may report any place in a call, such as an argument; for an assertion, its opening bracket is reported
 * instead.
 */
function shownPlace(code: string, { line, column }: LineAndColumn, isAssertion: boolean): LineAndColumn {
  const lines = code.split('\n')
  const before = lines.slice(0, line - 1).join('\n')
  const inLine = Buffer.from(lines[line - 1] ?? '').toString('utf8', 0, column - 1)
  const reported = before + (line > 1 ? '\n' : '') + inLine
  const offset = (isAssertion ? assertionBracket(code, reported.length) : undefined) ?? reported.length
  return lineAndColumn(code, offset)
}

/** The offset of the opening bracket of the assertion whose name or arguments are at this offset. */
function assertionBracket(code: string, offset: number): number | undefined {
  const tokens = scriptTokens(code)
  const isAssert = (index: number): boolean => tokens[index]?.text === 'assert' && tokens[index + 1]?.text === '('
  const open: number[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.offset + token.text.length > offset) {
      const name = [index, index + 1, index + 2].find(isAssert)
      if (name !== undefined && tokens.slice(index, name).every(({ text }) => /^(?:client|\.)$/.test(text)))
        open.push(name)
      break
    }
    const depth = nesting(token)
    if (depth > 0) open.push(index - 1)
    if (depth < 0) open.pop()
  }
  const name = open.findLast(isAssert)
  return name === undefined ? undefined : tokens[name + 1]?.offset
}

function shortened(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return text.length > MAX_VALUE_CHARACTERS
    ? `${text.slice(0, MAX_VALUE_CHARACTERS)}… (${text.length} characters)`
    : text
}
