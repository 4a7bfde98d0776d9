/** The findings of `check` in a file: as readable lines, or as JSON Lines. */
import type { HttpcliError } from '../../message/index.ts'
import { counted, escapedControls, oneLine, sentence } from '../../report/index.ts'
import { InvalidFileError, type RunFindings } from '../../runner/index.ts'
import { maskedData, type SecretMask } from '../../secrets/index.ts'
import type { Output } from '../frame/command.ts'

/** A finding, and the lines of all identical findings in the same file. */
export interface FindingGroup {
  readonly error: HttpcliError
  readonly otherLines: readonly number[]
}

/** A file of 40 requests may have 40 identical findings, such as an undefined variable: one text is enough. */
export function groupedFindings(errors: readonly HttpcliError[]): readonly FindingGroup[] {
  const groups = new Map<string, { readonly error: HttpcliError; readonly lines: Set<number> }>()
  for (const error of errors) {
    const { code, message, hint, where } = error
    const key = JSON.stringify([code, message, hint, where?.file])
    const group = groups.get(key) ?? { error, lines: new Set() }
    groups.set(key, group)
    if (where !== undefined) group.lines.add(where.line)
  }
  return [...groups.values()].map(({ error, lines }) => ({
    error,
    otherLines: [...lines].filter((line) => line !== error.where?.line),
  }))
}

const MAX_LISTED_LINES = 10

/** `note: the same on lines 9, 14 and 20`; empty if no other line has the finding. */
export function otherLinesText({ otherLines }: FindingGroup): string {
  const listed = otherLines.slice(0, MAX_LISTED_LINES).map(String)
  const more = otherLines.length - listed.length
  if (more > 0) listed.push(`${more} more`)
  const last = listed.pop()
  if (last === undefined) return ''
  const lines = listed.length === 0 ? `line ${last}` : `lines ${listed.join(', ')} and ${last}`
  return `note: the same on ${lines}\n`
}

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

/** Escaped, because the caller may not have chosen these names: hosts, and files found in a directory. */
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
  return `${printable([path])}: ${verdict.join(', ')}: ${parts.join(', ')}\n`
}

/**
 * Prints one object for each file on standard output. Secrets are masked in each text before it is escaped, so that
 * masking never changes the names of fields and codes.
 */
export class JsonFindings {
  readonly #output: Output
  readonly #mask: SecretMask | undefined

  /** @param output unmasked */
  constructor(output: Output, mask: SecretMask | undefined) {
    this.#output = output
    this.#mask = mask
  }

  async file(file: string, findings: RunFindings): Promise<void> {
    const { requests, scripts, checks, errors, warnings, touched } = findings
    await this.#write({
      file,
      requests,
      scripts,
      assertions: checks,
      errors: errors.map(({ error }) => plain(error, 'error')),
      warnings: warnings.map((warning) => plain(warning, 'warning')),
      ...touched,
    })
  }

  /** Reports an error that prevents all other findings in a file; `file` is null if the error is not about a file. */
  async error(error: HttpcliError): Promise<void> {
    const all = error instanceof InvalidFileError ? error.errors : [error]
    const file = all[0]?.where?.file ?? null
    await this.#write({ file, errors: all.map((each) => plain(each, 'error')), warnings: [] })
  }

  async #write(found: Readonly<Record<string, unknown>> & { readonly file: string | null }): Promise<void> {
    const mask = this.#mask
    const shown = mask === undefined ? found : maskedData(found, (text) => mask.mask(text), found.file)
    await this.#output.write(`${JSON.stringify(shown)}\n`)
  }
}

/** `endColumn` is the column after the range, or `column` if the end is unknown. */
function plain(error: HttpcliError, severity: 'error' | 'warning'): object {
  const { code, message, where } = error
  const hint = error.hint === undefined ? undefined : sentence(error.hint)
  if (where === undefined) return { severity, code, message, hint }
  const { file, line, column, end = { line, column } } = where
  return { severity, code, message, hint, file, line, column, endLine: end.line, endColumn: end.column }
}
