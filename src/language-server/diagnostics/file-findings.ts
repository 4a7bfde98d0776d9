/**
 * Findings of `check` as diagnostics of the client.
 *
 * Rules: the same errors and warnings at the same places. A finding in an imported file is reported at the line that
 * names the file, and one in an environment file in that file.
 */
import { basename } from 'node:path'
import { type Diagnostic, DiagnosticSeverity, DiagnosticTag, type Range } from 'vscode-languageserver-protocol'
import { HttpcliError } from '../../message/index.ts'
import { checkRun, InvalidFileError, type RunResources } from '../../runner/index.ts'
import { SecretMask } from '../../secrets/index.ts'
import { uriOfPath } from '../base/file-uri.ts'
import { rangeOfPlace, startOfFile } from '../base/positions.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** What a diagnostic carries for quick fixes. */
export interface DiagnosticData {
  readonly hint?: string
  /** Whether the text alone has the error. */
  readonly isSyntax?: boolean
}

/** Diagnostics by the URI of their document. */
export type FindingsByUri = ReadonlyMap<string, readonly Diagnostic[]>

interface Found {
  readonly error: HttpcliError
  readonly severity: DiagnosticSeverity
}

/** The errors of the text alone: takes some milliseconds. */
export function syntaxFindings({ loaded }: Analysis): readonly Diagnostic[] {
  return (loaded.problem?.errors ?? []).map((error) => diagnosticOf(error, DiagnosticSeverity.Error, true))
}

/** Everything that `check` finds. Errors of the text are among it. */
export async function fileFindings(
  analysis: Analysis,
  workspace: Workspace,
  resources: RunResources,
): Promise<FindingsByUri> {
  const mask = new SecretMask()
  const found = await foundIn(analysis, workspace, resources, mask)
  const byUri = new Map<string, Diagnostic[]>([[analysis.uri, []]])
  for (const { error, severity } of found) {
    const isSyntax = analysis.loaded.problem?.errors.includes(error) === true
    const diagnostic = diagnosticOf(error, severity, isSyntax, mask)
    const { uri, range } = placeOf(error, analysis)
    const list = byUri.get(uri) ?? []
    byUri.set(uri, [...list, range === undefined ? diagnostic : elsewhere(diagnostic, range, error)])
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

/** The document that shows a finding; the range, where it is not that of the finding itself. */
function placeOf({ where }: HttpcliError, analysis: Analysis): { readonly uri: string; readonly range?: Range } {
  const { file } = where ?? {}
  if (file === undefined || file === analysis.path) return { uri: analysis.uri }
  if (/\.json$/i.test(file)) return { uri: uriOfPath(file) }
  const directives = analysis.file.sections.flatMap((section) => section.directives)
  const [first] = directives.filter(({ target }) => target.type === 'file')
  const span = first?.target.span
  return { uri: analysis.uri, range: span === undefined ? startOfFile : analysis.lines.rangeOf(span) }
}

function diagnosticOf(
  error: HttpcliError,
  severity: DiagnosticSeverity,
  isSyntax: boolean,
  mask?: SecretMask,
): Diagnostic {
  const { code, message, hint, where } = error
  const text = hint === undefined ? message : `${message}\n${hint}`
  const data: DiagnosticData = { ...(hint === undefined ? {} : { hint }), ...(isSyntax ? { isSyntax } : {}) }
  return {
    range: where === undefined ? startOfFile : rangeOfPlace(where),
    severity,
    code,
    source: 'httpcli',
    message: mask === undefined ? text : mask.mask(text),
    ...(code === 'unused-variable' ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    data,
  }
}

/** A finding in another file, at the line that names the file. */
function elsewhere(diagnostic: Diagnostic, range: Range, { where }: HttpcliError): Diagnostic {
  const { file = '', line } = where ?? {}
  const message = diagnostic.message as string
  const location = { uri: uriOfPath(file), range: diagnostic.range }
  return {
    ...diagnostic,
    range,
    message: `${basename(file)}:${line}: ${message}`,
    relatedInformation: [{ location, message: firstLine(message) }],
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] as string
}
