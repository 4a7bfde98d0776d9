/**
 * What a stream may show: colours, and how wide it is.
 *
 * Rules: decided for stdout and stderr apart from each other. `--color` wins over the environment; then FORCE_COLOR,
 * then NO_COLOR (each counts when it is there and not empty; FORCE_COLOR=0 means no), then TERM=dumb, then whether the
 * stream is a terminal.
 */
export type ColorChoice = 'auto' | 'always' | 'never'

export interface TerminalFacts {
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of `--color`; absent is `auto`. */
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

/** Width where nothing better is known. */
export const DEFAULT_COLUMNS = 80
