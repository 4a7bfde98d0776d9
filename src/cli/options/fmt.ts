/** The options of `httpcli fmt`. */
import { type CommandSpecification, color, debug, helpOption, type ValuesOf } from './specification.ts'

export const fmt = {
  name: 'fmt',
  summary: 'Lay out request files in one way.',
  description:
    'Changes white space alone: what is sent, comments and the order of everything stay. A file with errors is left as it is.',
  examples: [
    { command: 'httpcli fmt api.http', purpose: 'in place' },
    { command: 'httpcli fmt --check requests/', purpose: 'exit code 5 where a file would change, for CI' },
    { command: 'httpcli fmt --diff api.http', purpose: 'show what would change' },
    { command: 'httpcli fmt - < api.http', purpose: 'from standard input to standard output' },
  ],
  positionals: [
    {
      name: '<path>',
      required: true,
      repeatable: true,
      description: 'Request files, and directories whose .http and .rest files are meant; - is standard input.',
      endings: ['.http', '.rest'],
    },
  ],
  options: [
    { long: 'check', description: 'Write nothing; list the files that would change and exit with 5 if there are any.' },
    { long: 'diff', description: 'Write nothing; show what would change and exit with 5 if there is anything.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [],
} as const satisfies CommandSpecification

export type FmtValues = ValuesOf<typeof fmt.options>
