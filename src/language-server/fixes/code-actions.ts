/**
 * Code actions: quick fixes of findings, and the commands of the requests at the cursor.
 *
 * Rules: the client sends the findings back; the text at their positions is read again, since it may have changed. No
 * action fixes all findings at once, because most fixes are guesses.
 */
import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type Diagnostic,
  type TextEdit,
} from 'vscode-languageserver-protocol'
import { parseHttpFile } from '../../http-file/index.ts'
import type { Feature } from '../base/feature.ts'
import { uriOfPath } from '../base/file-uri.ts'
import { LineIndex } from '../base/positions.ts'
import { RUN_ACTION_KIND, runActions } from '../commands/offered-commands.ts'
import type { Analysis } from '../workspace/analysis.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Fix } from './fix.ts'
import { fixesOf } from './fix-table.ts'

/** More findings than a user selects at a time. */
const MAX_FINDINGS = 100

export const fixes: Feature = {
  capabilities: { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, RUN_ACTION_KIND] } },
  listen(connection, workspace) {
    connection.onCodeAction((params) => codeActions(params, workspace))
  },
}

function codeActions({ textDocument, range, context }: CodeActionParams, workspace: Workspace): CodeAction[] {
  const analysis = workspace.analysis(textDocument.uri)
  const { diagnostics, only } = context
  if (analysis === undefined) return []
  const isWanted = (kind: string): boolean =>
    only === undefined || only.some((each) => each === '' || kind === each || kind.startsWith(`${each}.`))
  const found = isWanted(CodeActionKind.QuickFix) ? diagnostics.slice(0, MAX_FINDINGS) : []
  const fixing = found.flatMap((diagnostic) => actionsFor(diagnostic, analysis, workspace))
  if (!isWanted(RUN_ACTION_KIND)) return fixing
  const hasEnvironments = workspace.environmentNames(analysis.path).length > 0
  return [...fixing, ...runActions(analysis, range, hasEnvironments)]
}

function actionsFor(diagnostic: Diagnostic, analysis: Analysis, workspace: Workspace): readonly CodeAction[] {
  const { range, code, source, message: whole } = diagnostic
  if (typeof code !== 'string' || typeof whole !== 'string' || source !== 'httpcli') return []
  const offset = analysis.lines.offsetAt(range.start)
  const length = Math.max(0, analysis.lines.offsetAt(range.end) - offset)
  // A diagnostic shows its hint on a separate line.
  const [message = '', hint] = whole.split('\n')
  const text = analysis.text.slice(offset, offset + length)
  const exactCode = code === 'invalid-http-file' ? syntaxCode(analysis, offset, message) : code
  return fixesOf({ analysis, workspace, code: exactCode, message, hint, offset, length, text }).map((fix) => ({
    title: fix.title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    ...(fix.isPreferred === true ? { isPreferred: true } : {}),
    edit: { changes: changesOf(fix, analysis) },
  }))
}

/** The code of the syntax error at an offset: the diagnostic has only the more general code that the command prints. */
function syntaxCode({ text }: Analysis, offset: number, message: string): string {
  const { errors } = parseHttpFile(text)
  return errors.find((each) => each.message === message && each.span.offset === offset)?.code ?? ''
}

function changesOf({ edits, file }: Fix, { uri, lines }: Analysis): Record<string, TextEdit[]> {
  const index = file === undefined ? lines : new LineIndex(file.text)
  const changes = edits.map((edit) => ({ range: index.rangeOf(edit), newText: edit.text }))
  return { [file === undefined ? uri : uriOfPath(file.path)]: changes }
}
