/**
 * Inlay hints after request lines: the URLs with their variables replaced.
 *
 * Rules: only if the setting is on. A URL with a value that is known only during a run has no hint. Secrets are masked:
 * private values, credentials in the file and in URLs.
 */
import type { InlayHint, Range } from 'vscode-languageserver-protocol'
import { withHostVariable } from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { Environment } from '../../runner/index.ts'
import { collectUrlSecrets, collectWrittenSecrets, SecretMask } from '../../secrets/index.ts'
import type { Analysis } from '../workspace/analysis.ts'
import { KnownValues } from '../workspace/known-values.ts'
import { sectionsOf } from '../workspace/place-at.ts'
import type { Workspace } from '../workspace/workspace.ts'

const MAX_SHOWN = 200

export function urlHints({ file, lines, path, text }: Analysis, range: Range, workspace: Workspace): InlayHint[] {
  if (!workspace.settings.showsUrls) return []
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
