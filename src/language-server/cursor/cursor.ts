/**
 * The position of a cursor in a request file: its line, its section, and the part of the syntax tree.
 *
 * Rules: the texts of all parts, joined, are the file, so positions are computed from the lengths of texts. A cursor
 * after the end of the last part is on an empty line. Half-typed text is also in the tree: as the closest form, or as
 * `invalid`.
 */
import type { Position } from 'vscode-languageserver-protocol'
import type { HttpFile, Part, ScriptNode, Section } from '../../http-file/index.ts'
import type { Analysis } from '../workspace/analysis.ts'

/** The position of a line in a section: before the request line, among the header fields, in the body. */
export type Zone = 'start' | 'head' | 'body'

/** The rest of a longer line is not read: a body that is one long line is data. */
const MAX_CHARACTERS = 2_000

export interface Cursor {
  readonly analysis: Analysis
  readonly position: Position
  readonly offset: number
  /** The line up to the cursor. */
  readonly before: string
  /** The line from the cursor on. */
  readonly after: string
  readonly zone: Zone
  /** Index of the section; -1 in an empty file. */
  readonly sectionIndex: number
  readonly section: Section | undefined
  /** Undefined in a separator, and after the end of the last part. */
  readonly part: Part | undefined
  readonly partOffset: number
  readonly isInSeparator: boolean
}

type Place = Pick<Cursor, 'section' | 'sectionIndex' | 'part' | 'partOffset' | 'zone' | 'isInSeparator'>

export function cursorAt(analysis: Analysis, position: Position): Cursor {
  const { lines, file } = analysis
  const offset = lines.offsetAt(position)
  const { line, character } = lines.positionAt(offset)
  const text = lines.lineText(line)
  return {
    analysis,
    position: { line, character },
    offset,
    before: text.slice(Math.max(0, character - MAX_CHARACTERS), character),
    after: text.slice(character, character + MAX_CHARACTERS),
    ...placeAt(file, offset, offset === analysis.text.length),
  }
}

/** The code of a script that the cursor is in, up to the cursor; undefined outside. */
export function codeBefore({
  part,
  offset,
  analysis,
}: Cursor): { readonly code: string; readonly node: ScriptNode } | undefined {
  if (part?.kind !== 'script' || part.source.type !== 'inline') return undefined
  const { span } = part.source
  if (offset < span.offset || offset > span.offset + span.length) return undefined
  return { code: analysis.text.slice(span.offset, offset), node: part }
}

function placeAt(file: HttpFile, offset: number, isAtEnd: boolean): Place {
  let at = file.byteOrderMark.length
  let place: Place = {
    section: undefined,
    sectionIndex: -1,
    part: undefined,
    partOffset: at,
    zone: 'start',
    isInSeparator: false,
  }
  for (const [sectionIndex, section] of file.sections.entries()) {
    place = { ...place, section, sectionIndex, part: undefined, zone: 'start', isInSeparator: false }
    const separator = section.separator?.text ?? ''
    if (holds(separator, at, offset, isAtEnd)) return { ...place, isInSeparator: true, partOffset: at }
    at += separator.length
    for (const part of section.parts) {
      if (holds(part.text, at, offset, isAtEnd)) return { ...place, part, partOffset: at }
      at += part.text.length
      place = { ...place, zone: zoneAfter(part, place.zone) }
    }
  }
  return { ...place, partOffset: at }
}

/** The position at the end of a text without a final line ending belongs to the text. */
function holds(text: string, start: number, offset: number, isAtEnd: boolean): boolean {
  const end = start + text.length
  return offset < end || (isAtEnd && offset === end && text !== '' && !/[\r\n]$/.test(text))
}

function zoneAfter(part: Part, before: Zone): Zone {
  if (part.kind === 'request-line') return 'head'
  if (before === 'start' || before === 'body') return before
  const isHead = part.kind === 'header' || part.kind === 'invalid' || part.kind === 'comment' || part.kind === 'tag'
  return isHead ? 'head' : 'body'
}
