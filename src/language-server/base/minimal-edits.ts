/**
 * The edits that turn a text into another text that differs only in layout.
 *
 * Rules: both texts are split into trimmed lines and the white space between them. If both have the same number of
 * lines, edits replace only the pieces that differ, so that cursors and folds of the client are kept. No edit divides a
 * CRLF.
 */

/** Offsets count UTF-16 units in the text before all edits. */
export interface OffsetEdit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

const linePattern = /\S(?:[^\r\n]*\S)?/g

/** In the order of the text, without overlaps. */
export function minimalEdits(before: string, after: string): readonly OffsetEdit[] {
  if (before === after) return []
  const [from, to] = [piecesOf(before), piecesOf(after)]
  if (from.length !== to.length) return [editBetween(before, after, 0)].flatMap((edit) => edit ?? [])
  let offset = 0
  return from.flatMap((piece, index) => {
    const start = offset
    offset += piece.length
    return editBetween(piece, to[index] as string, start) ?? []
  })
}

/** White space and lines, alternating, beginning and ending with white space, which may be empty. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  let end = 0
  for (const { index, 0: line } of text.matchAll(linePattern)) {
    pieces.push(text.slice(end, index), line)
    end = index + line.length
  }
  return [...pieces, text.slice(end)]
}

/** From the common beginning to the common end; undefined if the texts are equal. @param offset of both texts */
export function editBetween(before: string, after: string, offset: number): OffsetEdit | undefined {
  if (before === after) return undefined
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  if (before[start - 1] === '\r' && (before[start] === '\n' || after[start] === '\n')) start--
  let tail = 0
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const isDivided = before.at(-1 - tail) === '\r' || after.at(-1 - tail) === '\r'
  if (tail > 0 && isDivided && before.at(-tail) === '\n') tail--
  const length = before.length - start - tail
  return { offset: offset + start, length, text: after.slice(start, after.length - tail) }
}
