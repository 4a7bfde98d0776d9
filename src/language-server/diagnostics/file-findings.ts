/**
 * Findings of `check` as diagnostics for the client.
 *
 * Rules: these are the same errors and warnings at the same positions. A finding in an imported file is reported at the
 * line that names the file, a finding in an environment file in that file.
 */
import { dirname, resolve } from 'node:path'
import { type Diagnostic, DiagnosticSeverity, type Range } from 'vscode-languageserver-protocol'
import { templateText } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { checkRun, InvalidFileError, type RunResources } from '../../runner/index.ts'
import { collectWrittenSecrets, SecretMask } from '../../secrets/index.ts'
import { uriOfPath } from '../base/file-uri.ts'
import { startOfFile } from '../base/positions.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { diagnosticOf, elsewhere } from './diagnostic.ts'

export type FindingsByUri = ReadonlyMap<string, readonly Diagnostic[]>

interface Found {
  readonly error: HttpcliError
  readonly severity: DiagnosticSeverity
}

/** The syntax errors of the text. This takes a few milliseconds. */
export function syntaxFindings(analysis: Analysis, workspace: Workspace): readonly Diagnostic[] {
  const errors = analysis.loaded.problem?.errors ?? []
  if (errors.length === 0) return []
  const mask = maskFor(analysis, workspace)
  return errors.map((error) => diagnosticOf(error, DiagnosticSeverity.Error, true, mask))
}

/** Masks the secrets in the text and the credentials of proxies. */
function maskFor({ text }: Analysis, { context }: Workspace): SecretMask {
  const mask = new SecretMask()
  context.collectSecrets(mask)
  collectWrittenSecrets(text, mask)
  return mask
}

/** All findings of `check`, including syntax errors. */
export async function fileFindings(
  analysis: Analysis,
  workspace: Workspace,
  resources: RunResources,
): Promise<FindingsByUri> {
  const mask = maskFor(analysis, workspace)
  const found = await foundIn(analysis, workspace, resources, mask)
  const byUri = new Map<string, Diagnostic[]>([[analysis.uri, []]])
  for (const { error, severity } of found) {
    const isSyntax = analysis.loaded.problem?.errors.includes(error) === true
    const diagnostic = diagnosticOf(error, severity, isSyntax, mask)
    const { uri, range } = placeOf(error, analysis)
    const list = byUri.get(uri) ?? []
    list.push(range === undefined ? diagnostic : elsewhere(diagnostic, range, error))
    byUri.set(uri, list)
  }
  return byUri
}

async function foundIn(
  { loaded, path }: Analysis,
  workspace: Workspace,
  resources: RunResources,
  mask: SecretMask,
): Promise<readonly Found[]> {
  try {
    const { errors, warnings } = await checkRun(loaded, {
      environment: workspace.environment(path, mask),
      resources,
      secrets: mask,
      workingDirectory: workspace.workingDirectoryOf(path),
      processEnvironment: workspace.processEnvironment,
    })
    return [
      ...errors.map(({ error }) => ({ error, severity: DiagnosticSeverity.Error })),
      ...warnings.map((error) => ({ error, severity: DiagnosticSeverity.Warning })),
    ]
  } catch (error) {
    if (error instanceof InvalidFileError) {
      return error.errors.map((each) => ({ error: each, severity: DiagnosticSeverity.Error }))
    }
    if (!(error instanceof HttpcliError)) throw error
    return [{ error, severity: DiagnosticSeverity.Error }]
  }
}

/** The document that shows a finding, and the range if it differs from the finding's own range. */
function placeOf({ where }: HttpcliError, analysis: Analysis): { readonly uri: string; readonly range?: Range } {
  const { file } = where ?? {}
  if (file === undefined || file === analysis.path) return { uri: analysis.uri }
  if (/\.json$/i.test(file)) return { uri: uriOfPath(file) }
  return { uri: analysis.uri, range: rangeNaming(file, analysis) }
}

/** The range of the path that names a file; the first path if only an imported file names it. */
function rangeNaming(file: string, { file: { sections }, path, lines }: Analysis): Range {
  const targets = sections.flatMap(({ directives }) =>
    directives.flatMap(({ target }) => (target.type === 'file' ? [target] : [])),
  )
  const named = targets.find((target) => resolve(dirname(path), templateText(target.path)) === file) ?? targets[0]
  return named === undefined ? startOfFile : lines.rangeOf(named.span)
}
