/**
 * The files that a request file names, as links.
 *
 * Rules: only files that exist are linked: a response file may not be saved yet.
 */
import { existsSync } from 'node:fs'
import type { DocumentLink } from 'vscode-languageserver-protocol'
import { uriOfPath } from '../base/file-uri.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { fileLinksOf } from '../workspace/file-links.ts'
import { knownValuesOf } from '../workspace/known-values.ts'
import type { Workspace } from '../workspace/workspace.ts'

export function documentLinks({ file, path, lines }: Analysis, workspace: Workspace): DocumentLink[] {
  return fileLinksOf(file, path, () => knownValuesOf(file, path, workspace))
    .filter((link) => existsSync(link.path))
    .map((link) => ({ range: lines.rangeOf(link.span), target: uriOfPath(link.path) }))
}
