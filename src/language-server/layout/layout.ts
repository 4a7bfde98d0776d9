/** The layout of a request file: formatting, folding, colours, selection ranges, and inlay hints. */
import type { InlayHint, Range, TextEdit } from 'vscode-languageserver-protocol'
import { formatHttpFile, withHostVariable } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { Environment } from '../../runner/index.ts'
import { collectUrlSecrets, collectWrittenSecrets, SecretMask } from '../../secrets/index.ts'
import type { Feature } from '../base/feature.ts'
import { minimalEdits, type OffsetEdit } from '../base/minimal-edits.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { KnownValues } from '../workspace/known-values.ts'
import { sectionAt, sectionsOf } from '../workspace/place-at.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { foldingRanges } from './folding.ts'
import { selectionRange } from './selection-ranges.ts'
import { semanticTokens } from './semantic-tokens.ts'
import { legend } from './token-legend.ts'

interface FileParams {
  readonly textDocument: { readonly uri: string }
}

/** Answers a request about an open request file; any other document is treated like an empty file. */
function inFile<Params extends FileParams, Result>(
  workspace: Workspace,
  empty: Result,
  answer: (analysis: Analysis, params: Params) => Result,
): (params: Params) => Result {
  return (params) => {
    const analysis = workspace.analysis(params.textDocument.uri)
    return analysis === undefined ? empty : answer(analysis, params)
  }
}

export const layout: Feature = {
  capabilities: {
    documentFormattingProvider: true,
    documentRangeFormattingProvider: true,
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    semanticTokensProvider: { legend, full: true, range: true },
    inlayHintProvider: true,
  },
  listen(connection, workspace) {
    connection.onDocumentFormatting(inFile(workspace, [], (analysis) => formattingEdits(analysis)))
    connection.onDocumentRangeFormatting(
      inFile(workspace, [], (analysis, { range }) => rangeFormattingEdits(analysis, range)),
    )
    connection.onFoldingRanges(inFile(workspace, [], (analysis) => foldingRanges(analysis)))
    connection.onSelectionRanges(
      inFile(workspace, [], (analysis, { positions }) =>
        positions.map((position) => selectionRange(analysis, analysis.lines.offsetAt(position))),
      ),
    )
    const { semanticTokens: tokens, inlayHint } = connection.languages
    tokens.on(
      inFile(workspace, { data: [] }, (analysis) => ({ data: semanticTokens(analysis, [0, analysis.text.length]) })),
    )
    tokens.onRange(
      inFile(workspace, { data: [] }, (analysis, { range: { start, end } }) => {
        const { lines } = analysis
        return { data: semanticTokens(analysis, [lines.offsetAt(start), lines.offsetAt(end)]) }
      }),
    )
    inlayHint.on(inFile(workspace, [], (analysis, { range }) => urlHints(analysis, range, workspace)))
    workspace.onContextChange(() => {
      // Without refreshing, a client shows the old hints until the next change.
      const canRefresh = workspace.client.workspace?.inlayHint?.refreshSupport === true
      if (canRefresh && workspace.settings.shouldShowUrls) void inlayHint.refresh().catch(() => undefined)
    })
  },
}

/** Only the differences are edited. A file with errors is not changed, as with `fmt`. */
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

const MAX_SHOWN = 200

/**
 * The URLs with their variables replaced, after request lines, if the setting is on. A URL with a value that is known
 * only during a run has no hint. Secrets are masked: private values, credentials in the file and in URLs.
 */
export function urlHints({ file, lines, path, text }: Analysis, range: Range, workspace: Workspace): InlayHint[] {
  if (!workspace.settings.shouldShowUrls) return []
  const start = lines.offsetAt(range.start)
  const end = lines.offsetAt(range.end)
  const mask = new SecretMask()
  collectWrittenSecrets(text, mask)
  const values = new KnownValues(environmentOf(path, workspace, mask), file)
  return sectionsOf(file).flatMap(({ section, index, offset, end: sectionEnd }) => {
    const { request } = section
    const line = request && withHostVariable(request).line
    const isShown = line?.target.parts.some(({ type }) => type === 'variable') === true
    if (line === undefined || !isShown || sectionEnd < start || offset > end) return []
    const url = values.text(line.target, index)
    if (url === undefined) return []
    collectUrlSecrets(url, mask)
    const masked = mask.mask(url)
    const label = masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked
    const position = lines.positionAt(line.targetSpan.offset + line.targetSpan.length)
    return [{ position, label: `→ ${label}`, paddingLeft: true }]
  })
}

function environmentOf(path: string, workspace: Workspace, mask: SecretMask): Environment | undefined {
  try {
    return workspace.environment(path, mask)
  } catch (error) {
    // An environment file that cannot be read has its own diagnostic.
    if (error instanceof HttpcliError) return undefined
    throw error
  }
}
