/** The findings of `check` in a file, as readable lines. */
import { counted, escapedControls, oneLine } from '../../report/index.ts'
import type { RunFindings } from '../../runner/index.ts'

/** `api.http: ok: 3 requests, 2 scripts, 4 assertions`, and the resources they use. */
export function findingsText(path: string, findings: RunFindings): string {
  const { touched } = findings
  const lists: readonly (readonly [title: string, items: readonly string[]])[] = [
    ['hosts', touched.hosts],
    ['files read', touched.filesRead],
    ['files written', touched.filesWritten],
    ['environment variables', touched.environmentVariables],
  ]
  const lines = lists.flatMap(([title, items]) => (items.length === 0 ? [] : [`  ${title}: ${printable(items)}\n`]))
  return verdictLine(path, findings) + lines.join('')
}

/** Escaped, because the author of the request file chose the names. */
function printable(items: readonly string[]): string {
  return items.map((item) => escapedControls(oneLine(item))).join(', ')
}

function verdictLine(path: string, { requests, scripts, checks, errors, warnings }: RunFindings): string {
  const parts = [
    counted(requests, 'request'),
    ...(scripts === 0 ? [] : [counted(scripts, 'script')]),
    ...(checks === 0 ? [] : [counted(checks, 'assertion')]),
  ]
  const problems = [
    ...(errors.length === 0 ? [] : [counted(errors.length, 'error')]),
    ...(warnings.length === 0 ? [] : [counted(warnings.length, 'warning')]),
  ]
  const verdict = errors.length === 0 ? ['ok', ...problems] : problems
  return `${path}: ${verdict.join(', ')}: ${parts.join(', ')}\n`
}
