/**
 * Converts the world's description of an error to a failure with its place.
 *
 * Rules: the script controls every field. The place is the first stack frame in the user's code, or the recorded place
 * if there is no stack. The engine counts columns in bytes of UTF-8; places count code points.
 */
import type { ModuleFiles } from '../source/module-files.ts'
import { failedCall, MAX_LEVELS } from '../source/script-calls.ts'
import { type LineAndColumn, ScriptIndex } from '../source/script-index.ts'
import type { ScriptProgram } from '../source/script-program.ts'
import { SCRIPT_NAME } from './quickjs-machine.ts'
import type { ScriptFailure, ScriptPlace } from './script-engine.ts'
import type { ErrorDescription } from './world-calls.ts'

const framePattern = new RegExp(`\\b(${SCRIPT_NAME}|module-\\d+):(\\d+)(?::(\\d+))?`)
/** The engine does not say what was called. */
const NOT_A_FUNCTION = 'TypeError: not a function'
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
  // A built-in function that needs a function, as in [1].map(5), fails in its own frame, above that of the script.
  const isCall = message === NOT_A_FUNCTION && frame !== null && !frame.input.slice(0, frame.index).includes('\n')
  const about = assertion === true ? 'assertion' : isCall ? 'call' : 'other'
  const found =
    typeof line === 'number' && typeof column === 'number'
      ? { place: { module: undefined, ...program.placeOf(line, column) } }
      : frame === null
        ? { place: undefined }
        : placeOf(frame, about, program, modules)
  return {
    kind: assertion === true ? 'assertion' : 'error',
    message:
      typeof message !== 'string'
        ? 'an error that cannot be shown'
        : found.called === undefined
          ? message
          : `TypeError: ${found.called} is not a function`,
    place: found.place,
    expected: shortened(described.expected),
    actual: shortened(described.actual),
  }
}

/** What an error is about: a failed assertion, a call of something that is not a function, or anything else. */
type Topic = 'assertion' | 'call' | 'other'

interface Found {
  readonly place: ScriptPlace | undefined
  /** What was called, if it is not a function. */
  readonly called?: string | undefined
}

function placeOf(
  [, file = '', line, byteColumn = '1']: RegExpExecArray,
  about: Topic,
  program: ScriptProgram,
  modules: ModuleFiles,
): Found {
  const module = modules.pathOf(file)
  let shown: LineAndColumn & Pick<Found, 'called'> = { line: Number(line), column: Number(byteColumn) }
  try {
    shown = shownPlace(module === undefined ? program.text : modules.codeOf(file), shown, about)
  } catch {
    // The module's file has been removed in the meantime, so its columns are less exact.
  }
  const { called, ...place } = shown
  const isModule = module !== undefined
  return {
    called,
    place: isModule ? { module, part: 0, ...place } : { module, ...program.placeOf(place.line, place.column) },
  }
}

/** That of the last error: the next one is probably in the same script. */
let lastIndex: ScriptIndex | undefined

function indexOf(code: string): ScriptIndex {
  if (lastIndex?.code !== code) lastIndex = new ScriptIndex(code)
  return lastIndex
}

/**
 * The engine may report any place in a call, such as an argument. For an assertion, its opening bracket is reported
 * instead; for a value that is not a function, the start of the call.
 */
function shownPlace(code: string, reported: LineAndColumn, about: Topic): LineAndColumn & Pick<Found, 'called'> {
  const index = indexOf(code)
  const offset = index.offsetOf(reported)
  const call = about === 'call' ? failedCall(index, index.tokenAt(offset)) : undefined
  const bracket = about === 'assertion' ? assertionBracket(index, index.tokenAt(offset)) : undefined
  return { ...index.placeOf(call?.offset ?? bracket ?? offset), called: call?.text }
}

/** The offset of the opening bracket of the assertion whose name or arguments are at this token. */
function assertionBracket({ tokens, brackets }: ScriptIndex, index: number): number | undefined {
  const isAssert = (at: number): boolean => tokens[at]?.text === 'assert' && tokens[at + 1]?.text === '('
  const name = [index, index + 1, index + 2].find(isAssert)
  if (name !== undefined && tokens.slice(index, name).every(({ text }) => /^(?:client|\.)$/.test(text))) {
    return tokens[name + 1]?.offset
  }
  let open = brackets[index] ?? -1
  for (let level = 0; level < MAX_LEVELS && open > 0; level++) {
    if (isAssert(open - 1)) return tokens[open]?.offset
    open = brackets[open] as number
  }
  return undefined
}

function shortened(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return text.length > MAX_VALUE_CHARACTERS
    ? `${text.slice(0, MAX_VALUE_CHARACTERS)}… (${text.length} characters)`
    : text
}
