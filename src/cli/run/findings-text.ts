/** What `check` found in a file, as a line for people or for programs. */
import type { HttpcliError } from '../../message/index.ts'
import { counted } from '../../report/index.ts'
import type { RunFindings } from '../../runner/index.ts'

/** `api.http: ok: 3 requests, 2 scripts, 4 assertions` */
export function findingsLine(path: string, { requests, scripts, checks, errors, warnings }: RunFindings): string {
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
export function findingsJson(file: string, { requests, scripts, checks, errors, warnings }: RunFindings): string {
  const found = {
    file,
    requests,
    scripts,
    assertions: checks,
    errors: errors.map(({ error }) => plain(error)),
    warnings: warnings.map(plain),
  }
  return `${JSON.stringify(found)}\n`
}

function plain({ code, message, hint, where }: HttpcliError): object {
  const { file, line, column } = where ?? {}
  return { code, message, hint, file, line, column }
}
