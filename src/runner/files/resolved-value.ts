/**
 * The value of a variable, and which parts of it scripts, captures and tokens have set.
 *
 * Rules: a composed value keeps its parts if one of them is foreign: in a path each part is checked separately
 * (path-text.ts), however many variables it passed through.
 */
import type { JsonValue } from '../../http-file/index.ts'
import type { PathPiece } from './path-text.ts'

export interface Resolved {
  readonly value: JsonValue
  readonly isDynamicText: boolean
  /** Whether a script, a capture or a token set it. */
  readonly isForeign?: boolean
  /** The parts of the text, if one of them is foreign. */
  readonly pieces?: readonly PathPiece[]
}

export function isForeign(resolved: Resolved): boolean {
  return resolved.isForeign === true || resolved.pieces !== undefined
}

/** @param element the value, or the element of it that is used */
export function piecesOf(resolved: Resolved, element: JsonValue, expression: string): readonly PathPiece[] {
  return resolved.pieces ?? [{ text: plainText(element), isForeign: resolved.isForeign === true, expression }]
}

export function joinedPieces(pieces: readonly PathPiece[]): Resolved {
  const value = pieces.map(({ text }) => text).join('')
  const hasForeign = pieces.some((piece) => piece.isForeign)
  return { value, isDynamicText: false, ...(hasForeign ? { pieces } : {}) }
}

/** A text unchanged, anything else as JSON. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value with the templates in its texts replaced. */
export function withTexts(value: JsonValue, replace: (text: string) => JsonValue): JsonValue {
  if (typeof value === 'string') return replace(value)
  if (typeof value !== 'object' || value === null || !JSON.stringify(value).includes('{{')) return value
  if (Array.isArray(value)) return value.map((element) => withTexts(element, replace))
  const object: Record<string, JsonValue> = Object.create(null)
  for (const [key, member] of Object.entries(value)) object[key] = withTexts(member, replace)
  return object
}
