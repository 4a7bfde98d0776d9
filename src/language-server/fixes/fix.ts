/** A fix of a finding, and what it is made from. */
import type { OffsetEdit } from '../base/minimal-edits.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** A finding at its place in the text as it is now. */
export interface Problem {
  readonly analysis: Analysis
  readonly workspace: Workspace
  readonly code: string
  readonly message: string
  /** Undefined where the finding has none. */
  readonly hint: string | undefined
  readonly offset: number
  readonly length: number
  /** What is at the place. */
  readonly text: string
}

export interface Fix {
  readonly title: string
  /** In the file of the finding, or in `path`. */
  readonly edits: readonly OffsetEdit[]
  /** Whether it is certainly what the user means. */
  readonly isPreferred?: boolean
  /** Another file: absolute, with the text that the edits are for. */
  readonly file?: { readonly path: string; readonly text: string }
}

/** The fixes of a finding; none where the text is not what the finding says. */
export type Fixer = (problem: Problem) => readonly Fix[]

export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
}

/** Offset of the first character of the line at a place. */
export function lineStart({ lines }: Analysis, offset: number): number {
  return offset - lines.positionAt(offset).character
}

/** The whole line at a place, with its end. */
export function wholeLine(analysis: Analysis, offset: number): Pick<OffsetEdit, 'offset' | 'length'> {
  const start = lineStart(analysis, offset)
  const [line = ''] = /^[^\r\n]*(?:\r\n|\r|\n)?/.exec(analysis.text.slice(start)) ?? []
  return { offset: start, length: line.length }
}
