/** Definitions, references and renaming of names; symbols and links. */
import { existsSync } from 'node:fs'
import type { DocumentLink, Position } from 'vscode-languageserver-protocol'
import type { Feature } from '../base/feature.ts'
import { uriOfPath } from '../base/file-uri.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { fileLinksOf } from '../workspace/file-links.ts'
import { knownValuesOf } from '../workspace/known-values.ts'
import { SharedNames } from '../workspace/name-group.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { definitionsAt, highlightsAt, locationOf, referencesAt } from './definition.ts'
import { renamableAt, renameAt } from './rename.ts'
import { documentSymbols, flatSymbols, workspaceSymbols } from './symbols.ts'

interface PlaceParams {
  readonly textDocument: { readonly uri: string }
  readonly position: Position
}

/** Answers a request about a position in an open request file; for any other document the answer is empty. */
function atPlace<Params extends PlaceParams, Result>(
  workspace: Workspace,
  answer: (analysis: Analysis, offset: number, params: Params) => Result,
): (params: Params) => Result | null {
  return (params) => {
    const analysis = workspace.analysis(params.textDocument.uri)
    return analysis === undefined ? null : answer(analysis, analysis.lines.offsetAt(params.position), params)
  }
}

export const navigation: Feature = {
  capabilities: {
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    documentLinkProvider: { resolveProvider: false },
  },
  listen(connection, workspace) {
    const names = new SharedNames(workspace)
    connection.onDefinition(
      atPlace(workspace, (analysis, offset) =>
        definitionsAt(analysis, offset, names, workspace.environmentName(analysis.path)).map(locationOf),
      ),
    )
    connection.onReferences(
      atPlace(workspace, (analysis, offset, { context }) => [
        ...referencesAt(analysis, offset, names, context.includeDeclaration),
      ]),
    )
    connection.onDocumentHighlight(atPlace(workspace, (analysis, offset) => [...highlightsAt(analysis, offset, names)]))
    connection.onPrepareRename(atPlace(workspace, (analysis, offset) => renamableAt(analysis, offset, names)))
    connection.onRenameRequest(
      atPlace(workspace, (analysis, offset, { newName }) => renameAt(analysis, offset, newName, names)),
    )
    connection.onDocumentSymbol(({ textDocument }) => {
      const analysis = workspace.analysis(textDocument.uri)
      if (analysis === undefined) return undefined
      const symbols = documentSymbols(analysis)
      const { hierarchicalDocumentSymbolSupport } = workspace.client.textDocument?.documentSymbol ?? {}
      return hierarchicalDocumentSymbolSupport === true ? symbols : flatSymbols(symbols, analysis.uri)
    })
    connection.onWorkspaceSymbol(({ query }) => workspaceSymbols(workspace, query))
    connection.onDocumentLinks(({ textDocument }) => {
      const analysis = workspace.analysis(textDocument.uri)
      return analysis && documentLinks(analysis, workspace)
    })
  },
}

/** The files that a request file names, if they exist: a response file may not have been saved yet. */
export function documentLinks({ file, path, lines }: Analysis, workspace: Workspace): DocumentLink[] {
  return fileLinksOf(file, path, () => knownValuesOf(file, path, workspace))
    .filter((link) => existsSync(link.path))
    .map((link) => ({ range: lines.rangeOf(link.span), target: uriOfPath(link.path) }))
}
