/** The steps of an expanding selection: a word, an expression, a value, a line, a request, the file. */
import type { Range, SelectionRange } from 'vscode-languageserver-protocol'
import type { Part, SeparatorNode } from '../../http-file/index.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { partAt, sectionAt } from '../workspace/place-at.ts'

interface Piece {
  readonly offset: number
  readonly length: number
}

const wordPattern = /[\p{L}\p{N}_-]+/gu
const expressionPattern = /\{\{[^{}\r\n]*\}\}/g

export function selectionRange({ file, text, lines }: Analysis, offset: number): SelectionRange {
  const part = partAt(file, offset)
  const section = sectionAt(file, offset)
  const line = lines.positionAt(offset).line
  const lineStart = lines.offsetAt({ line, character: 0 })
  const lineText = lines.lineText(line)
  const found = [wordPattern, expressionPattern].flatMap((pattern) =>
    [...lineText.matchAll(pattern)].map(({ index, 0: { length } }) => ({ offset: lineStart + index, length })),
  )
  const pieces: readonly Piece[] = [
    ...found,
    ...(part === undefined ? [] : innerPieces(part.part)),
    { offset: lineStart, length: lineText.length },
    ...(part === undefined ? [] : [part.part.span]),
    ...(section === undefined ? [] : [{ offset: section.offset, length: section.end - section.offset }]),
    { offset: 0, length: text.length },
  ]
  return nested(
    pieces.filter((piece) => piece.offset <= offset && offset <= piece.offset + piece.length),
    (piece) => lines.rangeOf(piece),
  )
}

function innerPieces(part: Part | SeparatorNode): readonly Piece[] {
  switch (part.kind) {
    case 'header':
      return [part.nameSpan, part.valueSpan]
    case 'request-line':
      return [part.targetSpan]
    case 'script':
      return part.source.type === 'inline' ? [part.source.span] : []
    default:
      return []
  }
}

/** Each range contains the previous one; pieces that do not fit are omitted. */
function nested(pieces: readonly Piece[], rangeOf: (piece: Piece) => Range): SelectionRange {
  const sorted = pieces.toSorted((one, other) => one.length - other.length)
  const chain: Piece[] = []
  for (const piece of sorted) {
    const inner = chain.at(-1)
    const contains =
      inner === undefined ||
      (piece.length > inner.length &&
        piece.offset <= inner.offset &&
        piece.offset + piece.length >= inner.offset + inner.length)
    if (contains) chain.push(piece)
  }
  let range: SelectionRange | undefined
  for (const piece of chain.toReversed()) range = { range: rangeOf(piece), ...(range && { parent: range }) }
  return range as SelectionRange
}
