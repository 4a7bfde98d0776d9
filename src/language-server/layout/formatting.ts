/**
 * Formats a request file, or the requests that a selection touches, as `fmt` does.
 *
 * Rules: a file with errors is not changed, as with `fmt`. Only the differences are edited.
 */
import type { Range, TextEdit } from 'vscode-languageserver-protocol'
import { formatHttpFile } from '../../http-file/index.ts'
import { minimalEdits, type OffsetEdit } from '../base/minimal-edits.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { sectionAt } from '../workspace/place-at.ts'

export function formattingEdits({ text, lines }: Analysis): TextEdit[] {
  return editsOf(text).map((edit) => ({ range: lines.rangeOf(edit), newText: edit.text }))
}

/** The edits for the sections that a range touches. */
export function rangeFormattingEdits({ text, lines, file }: Analysis, range: Range): TextEdit[] {
  const first = sectionAt(file, lines.offsetAt(range.start))
  const last = sectionAt(file, lines.offsetAt(range.end))
  if (first === undefined || last === undefined) return []
  return editsOf(text)
    .filter(({ offset, length }) => offset >= first.offset && offset + length <= last.end)
    .map((edit) => ({ range: lines.rangeOf(edit), newText: edit.text }))
}

function editsOf(text: string): readonly OffsetEdit[] {
  return minimalEdits(text, formatHttpFile(text).text)
}
