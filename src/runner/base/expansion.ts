/**
 * Limits the text that the variables of one request expand to.
 *
 * Rules: if each variable contains the next one four times, fifteen of them would fill the memory. The limits apply to
 * the number of rendered characters and to the number of variables looked up inside others, since empty texts also take
 * time.
 */
import type { HttpcliError } from '../../message/index.ts'
import { RunError } from './errors.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
const MAX_LOOKUPS = 200_000

/**
 * The maximum depth of variables inside variables: far more than any file needs, and far from the limit of the stack.
 */
export const MAX_DEPTH = 200

/** Names shown at each end of a chain. */
const SHOWN_NAMES = 4

interface Named {
  readonly name: string
}

export class Expansion {
  #characters = 0
  #lookups = 0

  /** Starts the next request. */
  reset(): void {
    this.#characters = 0
    this.#lookups = 0
  }

  /** Counts a rendered text. @param path the variables that led to it @throws HttpcliError */
  addText(characters: number, path: readonly Named[]): void {
    this.#characters += characters
    if (this.#characters > MAX_CHARACTERS) throw tooLarge(`more than ${MAX_CHARACTERS / 1024 / 1024} MiB of text`, path)
  }

  /** Counts a variable. @param path the variables that contain it @throws HttpcliError */
  addLookup(path: readonly Named[]): void {
    if (path.length > 0 && ++this.#lookups > MAX_LOOKUPS)
      throw tooLarge(`more than ${MAX_LOOKUPS} other variables`, path)
  }
}

function tooLarge(what: string, path: readonly Named[]): HttpcliError {
  const names = path.map(({ name }) => name)
  const shown =
    names.length <= 2 * SHOWN_NAMES ? names : [...names.slice(0, SHOWN_NAMES), '…', ...names.slice(-SHOWN_NAMES)]
  const message = `the variables of this request expand to ${what}${shown.length === 0 ? '' : `: ${shown.join(' → ')}`}`
  return new RunError('variable-too-large', message, {
    hint: 'A variable that refers to another one several times multiplies its text. Send large texts from a file: < path.',
  })
}
