/**
 * Moves findings of an earlier text to their positions in a later text.
 *
 * Rules: findings that an edit touched are dropped; findings after it move with the text. The edit is the range between
 * the common beginning and the common end of both texts.
 */
import type { Diagnostic } from 'vscode-languageserver-protocol'
import { LineIndex } from '../base/positions.ts'

/** The range that changed, in either text. */
interface Edit {
  readonly start: number
  readonly endBefore: number
  readonly endAfter: number
}

export function movedFindings(before: string, after: string, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  if (findings.length === 0 || before === after) return findings
  const { start, endBefore, endAfter } = editBetween(before, after)
  const [from, to] = [new LineIndex(before), new LineIndex(after)]
  return findings.flatMap((finding) => {
    const first = from.offsetAt(finding.range.start)
    const last = from.offsetAt(finding.range.end)
    if (last < start) return [finding]
    if (first < endBefore) return []
    const shift = endAfter - endBefore
    return [{ ...finding, range: { start: to.positionAt(first + shift), end: to.positionAt(last + shift) } }]
  })
}

function editBetween(before: string, after: string): Edit {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let tail = 0
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++
  }
  return { start, endBefore: before.length - tail, endAfter: after.length - tail }
}
