/** Collects the findings of a check, each once, since a request that is called twice is checked twice. */
import type { HttpcliError } from '../../message/index.ts'

export interface Finding {
  readonly error: HttpcliError
  /**
   * The result that the run would have: `invalid` if nothing would be sent, because the file is not a request file;
   * `error` if a request would not be sent; `failed` for a script or an assertion.
   */
  readonly outcome: 'invalid' | 'error' | 'failed'
}

export class FindingList {
  readonly #errors: Map<string, Finding> = new Map()
  readonly #warnings: Map<string, HttpcliError> = new Map()

  get errors(): readonly Finding[] {
    return [...this.#errors.values()]
  }

  get warnings(): readonly HttpcliError[] {
    return [...this.#warnings.values()]
  }

  add(found: readonly HttpcliError[], outcome: Finding['outcome']): void {
    for (const error of found) {
      const key = keyOf(error)
      if (!this.#errors.has(key)) this.#errors.set(key, { error, outcome })
    }
  }

  warn(warning: HttpcliError): void {
    this.#warnings.set(keyOf(warning), warning)
  }
}

function keyOf({ message, where }: HttpcliError): string {
  return JSON.stringify([message, where])
}
