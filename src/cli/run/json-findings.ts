/**
 * The findings of `check` as JSON Lines on standard output: one object for each file.
 *
 * Secrets are masked in each text before it is escaped, so that masking never changes the names of fields and codes.
 */
import type { HttpcliError } from '../../message/index.ts'
import { InvalidFileError, type RunFindings } from '../../runner/index.ts'
import { maskedData, type SecretMask } from '../../secrets/index.ts'
import type { Output } from '../frame/command.ts'

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

  async #write(found: object): Promise<void> {
    const mask = this.#mask
    const shown = mask === undefined ? found : maskedData(found, (text) => mask.mask(text))
    await this.#output.write(`${JSON.stringify(shown)}\n`)
  }
}

/** `endColumn` is the column after the range; with an unknown end, `column`. */
function plain({ code, message, hint, where }: HttpcliError, severity: 'error' | 'warning'): object {
  if (where === undefined) return { severity, code, message, hint }
  const { file, line, column, end = { line, column } } = where
  return { severity, code, message, hint, file, line, column, endLine: end.line, endColumn: end.column }
}
