/** When colour may be written. */
import { expect, it } from 'vitest'
import { allowsColors, type TerminalFacts } from '../../../src/cli/streams/terminal.ts'

it.each<[title: string, facts: TerminalFacts, colors: boolean]>([
  ['a terminal', { isTerminal: true, environment: {} }, true],
  ['a pipe', { isTerminal: false, environment: {} }, false],
  ['a dumb terminal', { isTerminal: true, environment: { TERM: 'dumb' } }, false],
  ['NO_COLOR', { isTerminal: true, environment: { NO_COLOR: '1' } }, false],
  ['NO_COLOR=0, because any value counts', { isTerminal: true, environment: { NO_COLOR: '0' } }, false],
  ['an empty NO_COLOR, which does not count', { isTerminal: true, environment: { NO_COLOR: '' } }, true],
  ['FORCE_COLOR in a pipe', { isTerminal: false, environment: { FORCE_COLOR: '1' } }, true],
  ['FORCE_COLOR beside NO_COLOR', { isTerminal: false, environment: { FORCE_COLOR: '1', NO_COLOR: '1' } }, true],
  ['FORCE_COLOR=0 on a terminal', { isTerminal: true, environment: { FORCE_COLOR: '0' } }, false],
  ['an empty FORCE_COLOR, which does not count', { isTerminal: false, environment: { FORCE_COLOR: '' } }, false],
  ['--color=always against NO_COLOR', { isTerminal: false, environment: { NO_COLOR: '1' }, choice: 'always' }, true],
  [
    '--color=never against FORCE_COLOR',
    { isTerminal: true, environment: { FORCE_COLOR: '1' }, choice: 'never' },
    false,
  ],
  ['--color=auto as without it', { isTerminal: true, environment: { NO_COLOR: '1' }, choice: 'auto' }, false],
])('decides for %s', (_title, facts, colors) => {
  expect(allowsColors(facts)).toBe(colors)
})
