/**
 * Folding ranges: requests, bodies, scripts, comments, imports, and blocks between brackets in bodies and scripts.
 *
 * Rules: a range ends with the last line that is not blank. Brackets count only at the end or the beginning of a line,
 * as in indented JSON and JavaScript.
 */
import { type FoldingRange, FoldingRangeKind } from 'vscode-languageserver-protocol'
import type { Part, SeparatorNode } from '../../http-file/index.ts'
import type { LineIndex } from '../base/positions.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { type PartAt, partsAt, sectionsOf } from '../workspace/place-at.ts'

/** Adjacent parts of the same group are folded together. */
const groups: Readonly<Partial<Record<Part['kind'] | SeparatorNode['kind'], string>>> = {
  comment: 'comment',
  tag: 'comment',
  directive: 'imports',
  header: 'headers',
  'body-text': 'body',
  'body-file': 'body',
  'message-separator': 'body',
}

const kinds: Readonly<Record<string, FoldingRangeKind>> = {
  comment: FoldingRangeKind.Comment,
  imports: FoldingRangeKind.Imports,
}

export function foldingRanges({ file, lines }: Analysis): FoldingRange[] {
  return sectionsOf(file).flatMap((section) => {
    const parts = partsAt(section).filter(({ part }) => part.kind !== 'blank')
    const [first] = parts
    const last = parts.at(-1)
    if (first === undefined || last === undefined) return []
    const whole = section.section.request === undefined ? [] : rangeBetween(first, last, lines)
    return [...whole, ...groupRanges(parts, lines), ...parts.flatMap((part) => innerRanges(part, lines))]
  })
}

function groupRanges(parts: readonly PartAt[], lines: LineIndex): readonly FoldingRange[] {
  const ranges: FoldingRange[] = []
  for (let start = 0; start < parts.length; ) {
    const group = groups[(parts[start] as PartAt).part.kind]
    let end = start + 1
    while (group !== undefined && end < parts.length && groups[(parts[end] as PartAt).part.kind] === group) end++
    const kind = group === undefined ? undefined : kinds[group]
    ranges.push(...rangeBetween(parts[start] as PartAt, parts[end - 1] as PartAt, lines, kind))
    start = end
  }
  return ranges
}

/** A single line has no range. */
function rangeBetween(first: PartAt, last: PartAt, lines: LineIndex, kind?: FoldingRangeKind): readonly FoldingRange[] {
  const startLine = lines.positionAt(first.part.span.offset).line
  const endLine = lines.positionAt(last.part.span.offset + last.part.span.length).line
  return startLine < endLine ? [{ startLine, endLine, ...(kind === undefined ? {} : { kind }) }] : []
}

function innerRanges({ part, offset }: PartAt, lines: LineIndex): readonly FoldingRange[] {
  if (part.kind !== 'body-text' && part.kind !== 'script') return []
  const ranges: FoldingRange[] = []
  const open: number[] = []
  let line = lines.positionAt(offset).line
  for (const text of part.text.split(/\r\n|\r|\n/)) {
    const words = text.trim()
    const startLine = /^[}\])]/.test(words) ? open.pop() : undefined
    if (startLine !== undefined && startLine < line - 1) ranges.push({ startLine, endLine: line - 1 })
    if (/[{[(]$/.test(words)) open.push(line)
    line++
  }
  return ranges
}
