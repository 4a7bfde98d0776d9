/** A fix for a finding, and the problem that it fixes. */
import type { OffsetEdit } from '../base/minimal-edits.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** A finding at its position in the current text. */
export interface Problem {
  readonly analysis: Analysis
  readonly workspace: Workspace
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly offset: number
  readonly length: number
  /** The text at the position. */
  readonly text: string
}

export interface Fix {
  readonly title: string
  /** Edits in the file of the finding, or in `file`. */
  readonly edits: readonly OffsetEdit[]
  /** Whether it is certainly what the user meant. */
  readonly isPreferred?: boolean
  /** Another file: absolute, with the text that the edits are for. */
  readonly file?: { readonly path: string; readonly text: string }
}

/** The fixes for a finding; none if the text no longer matches the finding. */
export type Fixer = (problem: Problem) => readonly Fix[]

export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
}

/** Offset of the first character of the line at an offset. */
export function lineStart({ lines }: Analysis, offset: number): number {
  return offset - lines.positionAt(offset).character
}

/** The whole line at an offset, including its line ending. */
export function wholeLine(analysis: Analysis, offset: number): Pick<OffsetEdit, 'offset' | 'length'> {
  const start = lineStart(analysis, offset)
  const [line = ''] = /^[^\r\n]*(?:\r\n|\r|\n)?/.exec(analysis.text.slice(start)) ?? []
  return { offset: start, length: line.length }
}
