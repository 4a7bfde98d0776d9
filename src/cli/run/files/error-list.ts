/**
 * Collects errors found before anything is sent: all of them, each once.
 *
 * Rules: an unexpected error is a defect and is rethrown. Several files may share environment files and imports, so the
 * same error may occur more than once.
 */
import { HttpcliError } from '../../../message/index.ts'
import { escapedControls, oneLine, sentence } from '../../../report/index.ts'
import { InvalidFileError } from '../../../runner/index.ts'
import { printFailure } from '../../failures/print-failure.ts'
import type { CommandContext } from '../../frame/command.ts'
import { type ExitCode, exitCodes } from '../../frame/exit-codes.ts'
import { run } from '../../options/run.ts'
import type { CommandSpecification } from '../../options/specification.ts'

export class ErrorList {
  readonly #errors: HttpcliError[] = []
  readonly #seen: Set<string> = new Set()

  get all(): readonly HttpcliError[] {
    return this.#errors
  }

  /** The result of the action; undefined if it throws. */
  async attempt<Result>(action: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await action()
    } catch (error) {
      this.add(error)
      return undefined
    }
  }

  add(error: unknown): void {
    if (!(error instanceof HttpcliError)) throw error
    const { where } = error
    const key = [error.message, where?.file, where?.line, where?.column].join('\0')
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#errors.push(error)
  }
}

/** Prints a warning as one line, with the position in the file. */
export function printWarning({ stderr }: CommandContext, warning: HttpcliError): Promise<void> {
  return stderr.write(warningText(warning))
}

/** A warning with its place, and below it the advice. */
export function warningText({ message, where, hint }: HttpcliError): string {
  const place = where === undefined ? '' : `${where.file}:${where.line}:${where.column}: `
  return `warning: ${escapedControls(oneLine(place + message))}\n${hint === undefined ? '' : `hint: ${sentence(hint)}\n`}`
}

/**
 * @param command the sub-command that failed
 * @returns the most serious exit code of the errors
 */
export async function printErrors(
  context: CommandContext,
  errors: readonly unknown[],
  command: CommandSpecification = run,
): Promise<ExitCode> {
  let mostSerious: ExitCode = exitCodes.ok
  for (const error of errors) {
    for (const each of error instanceof InvalidFileError ? error.errors : [error]) {
      const code = await printFailure(context, each, command)
      if (code > mostSerious) mostSerious = code
    }
  }
  return mostSerious
}
