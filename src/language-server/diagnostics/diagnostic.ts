/** An error or a warning as a diagnostic of the protocol. */
import { basename } from 'node:path'
import { type Diagnostic, type DiagnosticSeverity, DiagnosticTag, type Range } from 'vscode-languageserver-protocol'
import type { HttpcliError } from '../../message/index.ts'
import type { SecretMask } from '../../secrets/index.ts'
import { uriOfPath } from '../base/file-uri.ts'
import { rangeOfPlace, startOfFile } from '../base/positions.ts'
import { editorHint } from './editor-hints.ts'

/** Data in a diagnostic for quick fixes. */
export interface DiagnosticData {
  readonly hint?: string
  /** Whether the error is in the syntax of the text. */
  readonly isSyntax?: boolean
}

/**
 * @param isSyntax whether the error is in the syntax of the text
 * @param mask hides the secrets of the environment
 */
export function diagnosticOf(
  error: HttpcliError,
  severity: DiagnosticSeverity,
  isSyntax: boolean,
  mask?: SecretMask,
): Diagnostic {
  const { code, message, where } = error
  const hint = error.hint === undefined ? undefined : editorHint(error.hint)
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

/** A finding in another file, reported at the path that names the file. */
export function elsewhere(diagnostic: Diagnostic, range: Range, { where }: HttpcliError): Diagnostic {
  const { file = '', line } = where ?? {}
  const message = diagnostic.message as string
  const location = { uri: uriOfPath(file), range: diagnostic.range }
  return {
    ...diagnostic,
    range,
    message: `${basename(file)}:${line}: ${message}`,
    relatedInformation: [{ location, message: message.split('\n', 1)[0] as string }],
  }
}
