/** The options of `httpcli fmt`. */
import { type CommandSpecification, color, debug, helpOption, type ValuesOf } from './specification.ts'

export const fmt = {
  name: 'fmt',
  summary: 'Format request files.',
  description:
    'Only white space changes: requests, comments and the order of everything stay the same. A file with errors is left unchanged.',
  examples: [
    { command: 'httpcli fmt api.http', purpose: 'in place' },
    { command: 'httpcli fmt --check requests/', purpose: 'exit code 5 if a file would change, for CI' },
    { command: 'httpcli fmt --diff api.http', purpose: 'show what would change' },
    { command: 'httpcli fmt - < api.http', purpose: 'from standard input to standard output' },
  ],
  positionals: [
    {
      name: '<path>',
      required: true,
      repeatable: true,
      description: 'Request files, or directories, whose .http and .rest files are formatted; - is standard input.',
      endings: ['.http', '.rest'],
    },
  ],
  options: [
    { long: 'check', description: 'Write nothing; list the files that would change and exit with 5 if there are any.' },
    { long: 'diff', description: 'Write nothing; show what would change and exit with 5 if anything would.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [],
} as const satisfies CommandSpecification

export type FmtValues = ValuesOf<typeof fmt.options>
