/**
 * What `check` found, as JSON on standard output: one object for each file, on a line.
 *
 * Secrets are masked in each text before it is escaped, so that names and codes stay what programs look for.
 */
import type { HttpcliError } from '../../message/index.ts'
import { InvalidFileError, type RunFindings } from '../../runner/index.ts'
import { maskedData, type SecretMask } from '../../secrets/index.ts'
import type { Output } from '../frame/command.ts'

export class JsonFindings {
  readonly #output: Output
  readonly #mask: SecretMask | undefined

  /** @param output that masks nothing */
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

  /** An error that hides everything else about a file: `file` is null where the error is about none. */
  async error(error: HttpcliError): Promise<void> {
    const all = error instanceof InvalidFileError ? error.errors : [error]
    const file = all[0]?.where?.file ?? null
    await this.#write({ file, errors: all.map((each) => plain(each, 'error')), warnings: [] })
  }

  async #write(found: object): Promise<void> {
    const mask = this.#mask
    const shown = mask === undefined ? found : maskedData(found, (text) => mask.mask(text))
    await this.#output.write(`${JSON.stringify(shown)}\n`)
  }
}

/** `endColumn` is the first one after what is meant; without a known end, it is the column. */
function plain({ code, message, hint, where }: HttpcliError, severity: 'error' | 'warning'): object {
  if (where === undefined) return { severity, code, message, hint }
  const { file, line, column, end = { line, column } } = where
  return { severity, code, message, hint, file, line, column, endLine: end.line, endColumn: end.column }
}
