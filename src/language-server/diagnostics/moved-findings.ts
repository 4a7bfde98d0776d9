/**
 * Moves findings of an earlier text to their positions in a later text.
 *
 * Rules: findings that an edit touched are dropped; findings after it move with the text. The edit is the range between
 * the common beginning and the common end of both texts.
 */
import type { Diagnostic } from 'vscode-languageserver-protocol'
import { editBetween } from '../base/minimal-edits.ts'
import { LineIndex } from '../base/positions.ts'

export function movedFindings(before: string, after: string, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const edit = editBetween(before, after, 0)
  if (findings.length === 0 || edit === undefined) return findings
  const [from, to] = [new LineIndex(before), new LineIndex(after)]
  return findings.flatMap((finding) => {
    const first = from.offsetAt(finding.range.start)
    const last = from.offsetAt(finding.range.end)
    if (last < edit.offset) return [finding]
    if (first < edit.offset + edit.length) return []
    const shift = edit.text.length - edit.length
    return [{ ...finding, range: { start: to.positionAt(first + shift), end: to.positionAt(last + shift) } }]
  })
}
