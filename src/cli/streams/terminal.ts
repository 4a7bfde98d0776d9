/**
 * Colours and width of an output stream.
 *
 * Rules: colours are decided separately for stdout and stderr. `--color` has the highest precedence, then FORCE_COLOR,
 * then NO_COLOR (each only if set and not empty; FORCE_COLOR=0 means no), then TERM=dumb, then whether the stream is a
 * terminal.
 */
export type ColorChoice = 'auto' | 'always' | 'never'

export interface TerminalFacts {
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of `--color`; absent means `auto`. */
  readonly choice?: ColorChoice
}

/** Whether colour may be written. */
export function allowsColors({ isTerminal, environment, choice = 'auto' }: TerminalFacts): boolean {
  if (choice !== 'auto') return choice === 'always'
  const forced = environment.FORCE_COLOR ?? ''
  if (forced !== '') return forced !== '0' && forced !== 'false'
  if ((environment.NO_COLOR ?? '') !== '') return false
  return isTerminal && environment.TERM !== 'dumb'
}

/** Used if the width is unknown. */
export const DEFAULT_COLUMNS = 80
