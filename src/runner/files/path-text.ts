/**
 * The text of a path, and which parts of it come from scripts, captures and tokens.
 *
 * Rules: such a part may come from a server, so it must not choose a directory: it contains no separator and no control
 * character, and the segment that contains it must be a plain name. Text from the author, the environment or the
 * command line is not restricted.
 */
import { dirname, isAbsolute, join } from 'node:path'
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { pathPlatform } from './path-rules.ts'

/** The path of a file as the user would write it. @param from the same for the file that names it, as `written` */
export function shownPath(from: string, written: string): string {
  return isAbsolute(written) ? written : join(dirname(from), written)
}

export interface PathPiece {
  readonly text: string
  /** Whether a script, a capture or a token set it. */
  readonly isForeign: boolean
  /** Its expression; undefined for text. */
  readonly expression?: string
}

const separators = /[\\/]/
const control = /[\x00-\x1f\x7f]/
/** A colon names a drive or a stream on Windows. */
const isUnsafe = (text: string): boolean =>
  separators.test(text) || control.test(text) || (pathPlatform === 'windows' && text.includes(':'))

/** @throws HttpcliError `path-segment` */
export function checkedPath(pieces: readonly PathPiece[]): string {
  const unsafe = pieces.find(({ isForeign, text }) => isForeign && isUnsafe(text))
  if (unsafe !== undefined) throw notOneSegment(unsafe)
  for (const segment of segmentsOf(pieces)) {
    const foreign = segment.find(({ isForeign }) => isForeign)
    const text = segment.map((piece) => piece.text).join('')
    // Windows drops dots and spaces at the end of a name.
    if (foreign !== undefined && /^[. ]*$/.test(text)) throw notOneSegment(foreign)
  }
  return pieces.map(({ text }) => text).join('')
}

function segmentsOf(pieces: readonly PathPiece[]): readonly (readonly PathPiece[])[] {
  const segments: PathPiece[][] = [[]]
  for (const piece of pieces) {
    for (const [index, text] of piece.text.split(separators).entries()) {
      if (index > 0) segments.push([])
      segments.at(-1)?.push({ ...piece, text })
    }
  }
  return segments
}

function notOneSegment({ text, expression = '' }: PathPiece): HttpcliError {
  const value = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
  return new RunError('path-segment', `{{${expression}}} is ${value}, which is not a file name`, {
    hint: 'A value that a script, a capture or a token sets is one name in a path: write the directories into the file',
  })
}
