/** What `check` found in a file, as a line for people or for programs. */
import type { HttpcliError } from '../../message/index.ts'
import { counted, escapedControls, oneLine } from '../../report/index.ts'
import { InvalidFileError, type RunFindings } from '../../runner/index.ts'

/** `api.http: ok: 3 requests, 2 scripts, 4 assertions`, and what they touch. */
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

/** The author of the request file chose them. */
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

/** One object on a line of its own. */
export function findingsJson(file: string, findings: RunFindings): string {
  const { requests, scripts, checks, errors, warnings, touched } = findings
  const found = {
    file,
    requests,
    scripts,
    assertions: checks,
    errors: errors.map(({ error }) => plain(error, 'error')),
    warnings: warnings.map((warning) => plain(warning, 'warning')),
    ...touched,
  }
  return `${JSON.stringify(found)}\n`
}

/** The same for a file of which nothing else is known: `file` is null where the error is about none. */
export function errorJson(error: HttpcliError): string {
  const all = error instanceof InvalidFileError ? error.errors : [error]
  const file = all[0]?.where?.file ?? null
  return `${JSON.stringify({ file, errors: all.map((each) => plain(each, 'error')), warnings: [] })}\n`
}

/** `endColumn` is the first one after what is meant; without a known end, it is the column. */
function plain({ code, message, hint, where }: HttpcliError, severity: 'error' | 'warning'): object {
  if (where === undefined) return { severity, code, message, hint }
  const { file, line, column, end = { line, column } } = where
  return { severity, code, message, hint, file, line, column, endLine: end.line, endColumn: end.column }
}
